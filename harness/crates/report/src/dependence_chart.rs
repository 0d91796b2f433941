//! Partial dependence and maps of two parameters, as inline SVG.
//!
//! Colours are placeholders, as in [`super::chart`].

use plotters::prelude::*;
use plotters::style::RGBAColor;

use super::plot::{Axis, BAND, CURVE, FONT, GRID, INK, SMALL, Size, band, draw_mesh};
use harness_outcome::tuned::{Curve, Map};

/// Size of a map, whose axes have names.
const MAP: Size = Size { width: 460, height: 400, font: 13, labels: (4, 5) };
/// Colour of the card, behind marks so that they are visible on any shade.
const CARD: RGBColor = RGBColor(7, 7, 7);
/// Shades of a map.
const SHADES: f64 = 8.0;
/// Opacity of the strongest shade.
const DARKEST: f64 = 0.85;

/// Start and best value of a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Value before.
    pub start: f64,
    /// Value found.
    pub best: f64,
}

/// Partial dependence on one parameter, with a band of two standard errors. `None` with less than
/// two values.
pub fn dependence_chart(curve: &Curve, ends: Ends) -> Option<String> {
    let mut svg = String::new();
    // Writing into a string cannot fail; a coordinate that plotters refuses leaves no chart.
    draw_curve(&mut svg, curve, ends).ok()?;
    Some(svg)
}

/// A map of two parameters: the more colour, the stronger. `None` with less than two values, or if
/// all are equal.
pub fn map_chart(map: &Map, names: [&str; 2], ends: [Ends; 2]) -> Option<String> {
    let mut svg = String::new();
    draw_map(&mut svg, map, names, ends).ok()?;
    Some(svg)
}

/// Elo from a shade of a map to the next.
pub fn shade(map: &Map) -> f64 {
    let (low, high) = range(map.elo.iter().flatten().copied());
    (high - low) / SHADES
}

type DrawResult = Result<(), Box<dyn std::error::Error>>;

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

fn draw_curve(svg: &mut String, curve: &Curve, ends: Ends) -> DrawResult {
    let points: Vec<(f64, f64)> = curve.points.iter().map(|&(x, y, _)| (x, y)).collect();
    let outline =
        band(curve.points.iter().map(|&(x, y, error)| (x, y - 2.0 * error, y + 2.0 * error)));
    let across = range(points.iter().map(|point| point.0));
    let (low, high) = range(outline.iter().map(|point| point.1));
    let margin = 0.05 * (high - low).max(1.0);
    let upright = (low - margin, high + margin);
    if across.0 >= across.1 || !upright.0.is_finite() || !upright.1.is_finite() {
        return Err("nothing to draw".into());
    }
    let root = SVGBackend::with_string(svg, (SMALL.width, SMALL.height)).into_drawing_area();
    let mut chart = ChartBuilder::on(&root)
        .margin(8)
        .margin_right(18)
        .x_label_area_size(SMALL.font + 12)
        .y_label_area_size(52)
        .build_cartesian_2d(Axis::new(across), Axis::new(upright))?;
    draw_mesh(&mut chart, SMALL)?;
    chart.draw_series([Polygon::new(outline, BAND.filled())])?;
    let upright_line = |at: f64| {
        [(at.clamp(across.0, across.1), upright.0), (at.clamp(across.0, across.1), upright.1)]
    };
    chart.draw_series(DashedLineSeries::new(
        upright_line(ends.start),
        6,
        4,
        INK.stroke_width(1),
    ))?;
    chart.draw_series(LineSeries::new(upright_line(ends.best), INK.stroke_width(1)))?;
    chart.draw_series(LineSeries::new(points, CURVE.stroke_width(2)))?;
    root.present()?;
    Ok(())
}

fn draw_map(svg: &mut String, map: &Map, names: [&str; 2], ends: [Ends; 2]) -> DrawResult {
    let [xs, ys] = &map.values;
    let edges_x = edges(xs)?;
    let edges_y = edges(ys)?;
    let (low, high) = range(map.elo.iter().flatten().copied());
    if low >= high || !low.is_finite() || !high.is_finite() {
        return Err("nothing to tell apart".into());
    }
    let root = SVGBackend::with_string(svg, (MAP.width, MAP.height)).into_drawing_area();
    let ends_of = |edges: &[f64]| (edges[0], edges[edges.len() - 1]);
    let across = ends_of(&edges_x);
    let upright = ends_of(&edges_y);
    let mut chart = ChartBuilder::on(&root)
        .margin(8)
        .margin_right(18)
        .x_label_area_size(2 * MAP.font + 14)
        .y_label_area_size(68)
        .build_cartesian_2d(Axis::new(across), Axis::new(upright))?;
    let text = (FONT, MAP.font).into_font().color(&INK);
    chart
        .configure_mesh()
        .disable_mesh()
        .axis_style(GRID)
        .x_labels(MAP.labels.0)
        .y_labels(MAP.labels.1)
        .x_desc(names[0])
        .y_desc(names[1])
        .axis_desc_style(text.clone())
        .label_style(text)
        .draw()?;
    let cells = map.elo.iter().enumerate().flat_map(|(row, elos)| {
        let edges_x = &edges_x;
        let edges_y = &edges_y;
        elos.iter().enumerate().map(move |(column, elo)| {
            let shade = ((elo - low) / (high - low) * SHADES).floor().min(SHADES - 1.0);
            let corners =
                [(edges_x[column], edges_y[row]), (edges_x[column + 1], edges_y[row + 1])];
            Rectangle::new(corners, shaded(shade / (SHADES - 1.0)).filled())
        })
    });
    chart.draw_series(cells)?;
    let at = |end: fn(&Ends) -> f64| {
        (end(&ends[0]).clamp(across.0, across.1), end(&ends[1]).clamp(upright.0, upright.1))
    };
    let start = at(|ends| ends.start);
    let best = at(|ends| ends.best);
    chart.draw_series([start, best].map(|place| Circle::new(place, 8, CARD.filled())))?;
    chart.draw_series([Circle::new(start, 5, INK.stroke_width(2))])?;
    chart.draw_series([Circle::new(best, 5, INK.filled())])?;
    root.present()?;
    Ok(())
}

fn shaded(share: f64) -> RGBAColor {
    CURVE.mix(DARKEST * share)
}

/// Edges of cells: halfway between neighbours, and at the outer values.
fn edges(values: &[f64]) -> Result<Vec<f64>, &'static str> {
    let [first, .., last] = values else { return Err("too few values") };
    let between = values.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    let all: Vec<f64> = std::iter::once(*first).chain(between).chain([*last]).collect();
    if all.windows(2).all(|pair| pair[0] < pair[1]) { Ok(all) } else { Err("no range") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_has_a_cell_a_pair_of_values_and_marks_start_and_best() {
        let values = vec![0.0, 1.0, 2.0, 3.0];
        let elo = (0..4).map(|y| (0..4).map(|x| f64::from(x - y)).collect()).collect();
        let map = Map { parameters: [0, 1], values: [values.clone(), values], elo };
        let ends = [Ends { start: 0.0, best: 3.0 }, Ends { start: 3.0, best: 0.0 }];
        let svg = map_chart(&map, ["depth", "margin"], ends).expect("a map");
        // The weakest one has no colour at all.
        assert_eq!(svg.matches("fill=\"#030303\"").count(), 15, "{svg}");
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("depth") && svg.contains("margin"));
        assert_eq!(shade(&map), 0.75);
        let flat = Map { elo: vec![vec![1.0; 4]; 4], ..map };
        assert_eq!(map_chart(&flat, ["a", "b"], ends), None);
    }

    #[test]
    fn a_curve_needs_a_range() {
        let points = vec![(1.0, 0.0, 1.0), (2.0, -3.0, 2.0)];
        let ends = Ends { start: 1.0, best: 5.0 };
        let svg = dependence_chart(&Curve { parameter: 0, points: points.clone() }, ends);
        assert!(svg.is_some_and(|svg| !svg.contains("NaN")));
        let one = Curve { parameter: 0, points: points[..1].to_vec() };
        assert_eq!(dependence_chart(&one, ends), None);
    }
}
