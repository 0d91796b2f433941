//! The result of a tuning run as text.

use std::fmt::Write;

use super::terminal;
use super::text::{counted, duration, grouped, percent, plus, two_digits};
use harness_base::hint::reports_command;
use harness_outcome::parameter::{Parameter, StepFrom};
use harness_outcome::tuned::{Effect, Finding, Measured, visible_effect};
use harness_outcome::{TakenOut, TuneSummary};

/// Parameters in a table, at most.
const MAX_ROWS: usize = 60;

/// The summary.
pub fn tune_text(summary: &TuneSummary) -> String {
    if let Some(effects) = &summary.effects {
        return effects_text(summary, effects);
    }
    if summary.is_screening() {
        return format!(
            "{} games are too few to tell anything of {} parameters: `--games` takes more\n",
            grouped(summary.games),
            summary.parameters.iter().filter(|parameter| !parameter.fixed).count()
        );
    }
    let mut text = values_text(summary);
    text += &games_text(summary);
    if let Some(validation) = &summary.validation {
        let _ = write!(text, "\nValidation, tuned against start:\n\n");
        text += &terminal::match_text(validation);
    }
    let _ = writeln!(text, "{}", summary.conclusion());
    if let Some(path) = &summary.network {
        let _ = writeln!(text, "\nthe network with the values found: {path}");
    } else if summary.finding() == Finding::Better {
        let _ = writeln!(
            text,
            "\n{} writes the values into the engine's table, `--format uci` prints them",
            reports_command("tune apply", &summary.run)
        );
    }
    text
}

/// A row for each parameter that was tuned.
fn values_text(summary: &TuneSummary) -> String {
    let shown = summary.tuned(MAX_ROWS);
    let others = summary.tuned_count() - shown.len();
    let rows = shown.into_iter().map(|(_, parameter)| {
        let optional = |value: Option<f64>| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"))
        };
        vec![
            parameter.name.clone(),
            number(parameter.start),
            format!("{}{}", number(parameter.found()), space_before(parameter.bound_mark())),
            optional(parameter.error),
            optional(parameter.z),
            sparkline(&parameter.path, parameter.min, parameter.max, 30),
        ]
    });
    let found = if summary.finding() == Finding::Better { "Best" } else { "Found" };
    let head = ["Parameter", "Start", found, "± 1 s.e.", "z", "Path in its range"];
    let mut text = terminal::table(head, rows, 1);
    if others > 0 {
        let _ = writeln!(text, "and {others} more that moved less: `--json` has all of them");
    }
    text
}

/// The games, what the values are expected to gain, and what more games could.
fn games_text(summary: &TuneSummary) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "\n{} games of {} by {}, {} of the pairs drawn, in {}",
        grouped(summary.games),
        summary.engine,
        summary.method,
        percent(summary.draw_ratio),
        duration(summary.seconds)
    );
    if let Some(gain) = summary.gain {
        let _ = writeln!(
            text,
            "expected gain {} Elo, with 80 % between {} and {}",
            plus(gain.value, 1),
            plus(gain.low80, 1),
            plus(gain.high80, 1)
        );
    }
    text += &warnings_text(summary);
    if let Some(left) = summary.left_to_gain() {
        let _ = writeln!(
            text,
            "the best values in the ranges are expected to be {left:.1} Elo better: the most that \
             more games can gain{}",
            summary.gain_of_twice.map_or_else(String::new, |gain| {
                format!(";\nas many games again would gain about {gain:.1}")
            })
        );
    }
    if !summary.frozen.is_empty() {
        let _ = writeln!(
            text,
            "{} of {} parameters hardly matter and keep their start: {}",
            summary.frozen.len(),
            summary.tuned_count(),
            summary.frozen.join(", ")
        );
    }
    text += &bounds_text(summary);
    if summary.void_pairs > 0 {
        let _ = writeln!(
            text,
            "warning: {} did not count: a player crashed, hung or answered nonsense",
            counted(summary.void_pairs, "pair", "pairs")
        );
    }
    text
}

/// Values found at the end of their range, and ranges that were widened.
fn bounds_text(summary: &TuneSummary) -> String {
    summary.bound_notes().iter().map(|note| terminal::wrap(note)).collect()
}

/// A mark behind a number.
fn space_before(mark: &str) -> String {
    if mark.is_empty() { String::new() } else { format!(" {mark}") }
}

/// Parameters whose changes have changed no game, and workers that were taken out.
fn warnings_text(summary: &TuneSummary) -> String {
    let taken_out = summary.taken_out.iter().map(TakenOut::warning);
    let warnings = summary.effect_warning().into_iter().chain(taken_out);
    warnings.map(|warning| terminal::wrap(&format!("warning: {warning}"))).collect()
}

/// The parameters, and the source of each step.
pub fn parameters_text(parameters: &[Parameter], steps: &[StepFrom]) -> String {
    let others = parameters.len().saturating_sub(MAX_ROWS);
    let rows = parameters.iter().zip(steps).take(MAX_ROWS).map(|(parameter, from)| {
        let Parameter { name, start, min, max, step, fixed, .. } = parameter;
        let (step, from) = if *fixed {
            ("–".to_owned(), "fixed".to_owned())
        } else {
            (number(*step), from.to_string())
        };
        let range = format!("{} to {}", number(*min), number(*max));
        vec![name.clone(), number(*start), range, step, from]
    });
    let mut text = terminal::table(["Parameter", "Start", "Range", "Step", "Step from"], rows, 1);
    if others > 0 {
        let _ = writeln!(text, "and {others} more");
    }
    text
}

/// The effects of a screening, the most significant ones first.
fn effects_text(summary: &TuneSummary, effects: &[Effect]) -> String {
    let mut sorted: Vec<&Effect> = effects.iter().collect();
    sorted.sort_by(|a, b| a.p_value.total_cmp(&b.p_value));
    let rows = sorted.iter().map(|effect| {
        vec![
            effect.name.clone(),
            effect.tried.iter().map(|&value| number(value)).collect::<Vec<_>>().join(" "),
            with_error(effect.slope),
            effect.bend.map_or_else(|| "–".to_owned(), with_error),
            format!("{:.4}", effect.p_value),
            if effect.matters { "matters" } else { "not seen" }.to_owned(),
        ]
    });
    let mut text =
        terminal::table(["Parameter", "Tried", "Slope", "Bend", "p", "Verdict"], rows, 2);
    let mattering: Vec<&str> =
        sorted.iter().filter(|effect| effect.matters).map(|effect| &*effect.name).collect();
    let _ = writeln!(
        text,
        "\nElo of a step among the values tried, ± 1 s.e.: of a step up (slope), of a step either \
         way (bend).\n{} games of {} in {}; {} of {} parameters matter (5 % for all, Holm).\n{}",
        grouped(summary.games),
        summary.engine,
        duration(summary.seconds),
        mattering.len(),
        effects.len(),
        unseen_text(effects),
    );
    text += &warnings_text(summary);
    if !mattering.is_empty() {
        let _ = writeln!(text, "\nparameters:\n  {}:", mattering.join(":\n  "));
    }
    text
}

/// The smallest effect that the games could detect, of the parameter with the largest error.
fn unseen_text(effects: &[Effect]) -> String {
    let worst = effects.iter().map(|effect| effect.slope.error).fold(0.0, f64::max);
    format!(
        "A step that is worth less than about {} Elo cannot be seen with so few games.",
        two_digits(visible_effect(worst, effects.len()))
    )
}

fn with_error(measured: Measured) -> String {
    format!("{} ± {:.1}", plus(measured.value, 1), measured.error)
}

/// A value, without needless digits.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// A curve of block characters between the bounds.
pub fn sparkline(path: &[f64], min: f64, max: f64, width: usize) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let columns = path.len().min(width);
    (0..columns)
        .map(|column| {
            let at = (column + 1) * path.len() / columns - 1;
            let share = ((path[at] - min) / (max - min)).clamp(0.0, 1.0);
            BLOCKS[((share * 8.0) as usize).min(7)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_lose_to_the_start_are_not_offered_nor_said_to_be_near_the_best() {
        for (low80, high80, better, says_left) in
            [(1.0, 9.0, true, true), (-4.0, 9.0, false, true), (-9.0, -1.0, false, false)]
        {
            let summary = serde_json::json!({
                "method": "auto", "engine": "laser", "limit": "depth=4", "games": 2_000,
                "void_pairs": 0, "draw_ratio": 0.4, "start": { "a": "100" }, "best": { "a": "160" },
                "gain": { "value": (low80 + high80) / 2.0, "low80": low80, "high80": high80 },
                "left": 3.7, "gain_of_twice": 1.4, "parameters": [], "steps": [],
                "validation": null, "seconds": 60.0, "run": "r",
            });
            let mut summary: TuneSummary = serde_json::from_value(summary).expect("a summary");
            summary.decide();
            let text = tune_text(&summary);
            assert_eq!(text.contains("tune apply"), better, "{text}");
            assert_eq!(text.contains("3.7 Elo better"), says_left, "{text}");
        }
    }

    #[test]
    fn a_path_is_drawn_within_its_bounds_and_its_width() {
        assert_eq!(sparkline(&[0.0, 5.0, 10.0], 0.0, 10.0, 30), "▁▅█");
        assert_eq!(sparkline(&[1.0; 100], 0.0, 10.0, 4), "▁▁▁▁");
        assert_eq!(sparkline(&[], 0.0, 10.0, 4), "");
    }
}
