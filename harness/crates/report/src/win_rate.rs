//! The win-rate model: its constants for the engine, and its chart.

use std::fmt::Write;

use super::text::grouped;
use harness_stats::{Cell, WinRate};

/// Centipawns of a point of the chart, and how far it goes.
const STEP: f64 = 50.0;
const END: f64 = 1000.0;
/// The chart's plane in pixels.
const LEFT: f64 = 48.0;
const TOP: f64 = 30.0;
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 260.0;

/// The constants of engine/src/uci/wdl.rs, and how well they fit.
pub fn win_rate_text(model: &WinRate, positions: u64, games: u64, loss: f64) -> String {
    let line = |name: &str, terms: &[f64; 4]| {
        let terms: Vec<String> = terms.iter().map(|term| format!("{term:.1}")).collect();
        format!("const {name}: [f64; 4] = [{}];\n", terms.join(", "))
    };
    format!(
        "{}{}{loss:.4} nats a position, {} positions of {} games\n",
        line("HALF", &model.half),
        line("SPREAD", &model.spread),
        grouped(positions),
        grouped(games)
    )
}

/// Shares of wins, draws and losses over the score: counted (points) and by the model (lines), of all
/// material together.
pub fn win_rate_chart(model: &WinRate, cells: &[Cell]) -> String {
    let count = (2.0 * END / STEP) as usize;
    let mut counted = vec![[0.0; 3]; count];
    let mut expected = vec![[0.0; 3]; count];
    for cell in cells.iter().filter(|cell| cell.score.abs() < END) {
        let at = ((cell.score + END) / STEP) as usize;
        let all: f64 = cell.results.iter().sum();
        let chances = model.chances(cell.score, cell.material);
        for which in 0..3 {
            counted[at][which] += cell.results[which];
            expected[at][which] += all * chances[which];
        }
    }
    let mut svg = frame();
    for (which, class) in ["win", "draw", "loss"].into_iter().enumerate() {
        let mut line = Vec::new();
        for at in 0..count {
            let all: f64 = counted[at].iter().sum();
            if all < 1.0 {
                continue;
            }
            let x = x_of(-END + STEP * (at as f64 + 0.5));
            line.push(format!("{x:.1},{:.1}", y_of(expected[at][which] / all)));
            let y = y_of(counted[at][which] / all);
            let _ = write!(svg, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
        }
        let _ = write!(svg, "<polyline class=\"{class}\" points=\"{}\"/>", line.join(" "));
        let x = LEFT + 20.0 + 90.0 * which as f64;
        let _ = write!(svg, "<text class=\"{class}\" x=\"{x}\" y=\"18\">{class}</text>");
    }
    svg + "</svg>\n"
}

fn x_of(score: f64) -> f64 {
    LEFT + WIDTH * (score + END) / (2.0 * END)
}

fn y_of(share: f64) -> f64 {
    TOP + HEIGHT * (1.0 - share)
}

/// Axes and labels, in colours of a light or a dark page.
fn frame() -> String {
    let width = LEFT + WIDTH + 20.0;
    let height = TOP + HEIGHT + 45.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"Share of wins, draws and losses by score: counted and by the model\">\
         <style>svg{{background:#fff;font:13px sans-serif}}text{{fill:#333}}line{{stroke:#ddd}}\
         polyline{{fill:none;stroke-width:2}}.win{{fill:#1a7f37;stroke:none}}\
         polyline.win{{fill:none;stroke:#1a7f37}}.draw{{fill:#6e7781}}\
         polyline.draw{{fill:none;stroke:#6e7781}}.loss{{fill:#cf222e}}\
         polyline.loss{{fill:none;stroke:#cf222e}}\
         @media(prefers-color-scheme:dark){{svg{{background:#0d1117}}text{{fill:#ccc}}\
         line{{stroke:#333}}}}</style>"
    );
    for percent in [0, 25, 50, 75, 100] {
        let y = y_of(f64::from(percent) / 100.0);
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{percent}%</text>",
            LEFT + WIDTH,
            LEFT - 6.0,
            y + 4.0
        );
    }
    for score in (-1000..=1000).step_by(250) {
        let x = x_of(f64::from(score));
        let top = TOP;
        let bottom = TOP + HEIGHT;
        let _ = write!(
            svg,
            "<line x1=\"{x}\" x2=\"{x}\" y1=\"{top}\" y2=\"{bottom}\"/>\
             <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{score}</text>",
            bottom + 18.0
        );
    }
    let _ = write!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">score of the side to move, centipawns \
         (points: games, lines: model)</text>",
        LEFT + WIDTH / 2.0,
        TOP + HEIGHT + 38.0
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_can_be_pasted_and_the_chart_has_all_points() {
        let model = WinRate { half: [100.0, 50.0, 0.0, 0.0], spread: [80.0, 0.0, 0.0, 0.0] };
        let text = win_rate_text(&model, 1234, 10, 0.7);
        assert!(text.contains("const HALF: [f64; 4] = [100.0, 50.0, 0.0, 0.0];"), "{text}");
        let cell = |score: f64| Cell { score, material: 40.0, results: [3.0, 5.0, 2.0] };
        let svg = win_rate_chart(&model, &[cell(-305.0), cell(5.0), cell(2500.0)]);
        assert_eq!(svg.matches("<circle").count(), 2 * 3, "{svg}");
        assert_eq!(svg.matches("<polyline").count(), 3);
    }
}
