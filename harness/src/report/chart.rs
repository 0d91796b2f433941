//! Curves over games, as SVG to be set into a page.
//!
//! Colours are stand-ins: `html/style.css` gives each its real one, for light and for dark.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::CurvePoint;

const INK: RGBColor = RGBColor(1, 1, 1);
const GRID: RGBColor = RGBColor(2, 2, 2);
const CURVE: RGBColor = RGBColor(3, 3, 3);
const BAND: RGBColor = RGBColor(4, 4, 4);
const GOOD: RGBColor = RGBColor(5, 5, 5);
const BAD: RGBColor = RGBColor(6, 6, 6);

const SIZE: (u32, u32) = (920, 300);
const FONT: &str = "sans-serif";

/// A horizontal line with a word on it.
struct Mark {
    at: f64,
    label: String,
    color: RGBColor,
}

/// The log-likelihood ratio over games, with its two bounds. `None` with less than two points.
pub fn llr_chart(curve: &[CurvePoint], bounds: [f64; 2]) -> Option<String> {
    let points: Vec<(f64, f64)> =
        curve.iter().filter_map(|point| Some((point.games as f64, point.llr?))).collect();
    let marks = [
        Mark { at: bounds[1], label: format!("accept {:.2}", bounds[1]), color: GOOD },
        Mark { at: bounds[0], label: format!("reject {:.2}", bounds[0]), color: BAD },
    ];
    let values = points.iter().map(|point| point.1).chain(bounds);
    draw(&points, &[], &marks, range(values)?)
}

/// Elo over games, with its 95 % band. `None` with less than two points.
pub fn elo_chart(curve: &[CurvePoint]) -> Option<String> {
    let known: Vec<(f64, f64, f64)> = curve
        .iter()
        .filter_map(|point| Some((point.games as f64, point.elo.value?, point.elo.error95?)))
        .collect();
    let points: Vec<(f64, f64)> = known.iter().map(|&(games, elo, _)| (games, elo)).collect();
    let upper = known.iter().map(|&(games, elo, error)| (games, elo + error));
    let lower = known.iter().rev().map(|&(games, elo, error)| (games, elo - error));
    let band: Vec<(f64, f64)> = upper.chain(lower).collect();
    // The first few games say next to nothing and would flatten all that follows.
    let settled = known.len() / 10;
    let values = known[settled..]
        .iter()
        .flat_map(|&(_, elo, error)| [elo - error, elo + error])
        .chain([0.0]);
    let zero = Mark { at: 0.0, label: String::new(), color: INK };
    draw(&points, &band, &[zero], range(values)?)
}

/// Values over something that counts up, with errors.
pub struct Series {
    /// Place, value, and half its interval (0 where there is none); places count up.
    pub points: Vec<(f64, f64, f64)>,
}

/// A curve with the band of its errors. `None` with less than two points.
pub fn series_chart(series: &Series) -> Option<String> {
    let points: Vec<(f64, f64)> = series.points.iter().map(|&(x, y, _)| (x, y)).collect();
    let has_errors = series.points.iter().any(|point| point.2 > 0.0);
    let upper = series.points.iter().map(|&(x, y, error)| (x, y + error));
    let lower = series.points.iter().rev().map(|&(x, y, error)| (x, y - error));
    let band: Vec<(f64, f64)> = if has_errors { upper.chain(lower).collect() } else { Vec::new() };
    let values = series.points.iter().flat_map(|&(_, y, error)| [y - error, y + error]);
    draw(&points, &band, &[], range(values)?)
}

/// Least and greatest with some air, never empty.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    (low <= high).then(|| {
        let air = ((high - low) * 0.12).max(0.5);
        (low - air, high + air)
    })
}

fn draw(
    points: &[(f64, f64)],
    band: &[(f64, f64)],
    marks: &[Mark],
    range: (f64, f64),
) -> Option<String> {
    let [first, .., last] = points else { return None };
    let mut svg = String::new();
    // Writing into a string cannot fail; a coordinate that plotters refuses leaves no chart.
    draw_into(&mut svg, points, band, marks, (first.0, last.0), range).ok()?;
    Some(svg)
}

fn draw_into(
    svg: &mut String,
    points: &[(f64, f64)],
    band: &[(f64, f64)],
    marks: &[Mark],
    games: (f64, f64),
    range: (f64, f64),
) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&root)
        .margin(8)
        .margin_right(18)
        .x_label_area_size(34)
        .y_label_area_size(52)
        .build_cartesian_2d(Axis::of(games), Axis::of(range))?;
    let text = (FONT, 14).into_font().color(&INK);
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .x_labels(8)
        .y_labels(6)
        .label_style(text.clone())
        .draw()?;
    // What lies outside the range is cut off at its edge.
    let inside = |&(x, y): &(f64, f64)| (x, y.clamp(range.0, range.1));
    if !band.is_empty() {
        let band: Vec<(f64, f64)> = band.iter().map(inside).collect();
        chart.draw_series([Polygon::new(band, BAND.filled())])?;
    }
    for mark in marks {
        let ends = [(games.0, mark.at), (games.1, mark.at)];
        chart.draw_series(DashedLineSeries::new(ends, 6, 4, mark.color.stroke_width(1)))?;
        let style = text.clone().color(&mark.color).pos(Pos::new(HPos::Left, VPos::Bottom));
        chart.draw_series([Text::new(mark.label.clone(), (games.0, mark.at), style)])?;
    }
    chart.draw_series(LineSeries::new(points.iter().map(inside), CURVE.stroke_width(2)))?;
    root.present()?;
    Ok(())
}

/// An axis whose labels are plain numbers: `1500`, `2.5`, never `1500.0`.
struct Axis(RangedCoordf64);

impl Axis {
    fn of((low, high): (f64, f64)) -> Axis {
        Axis((low..high).into())
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.0.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        self.0.key_points(hint)
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.0.range()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        // Key points are sums of steps: round what adding up has left, and avoid "-0".
        let rounded = (value * 1e6).round() / 1e6 + 0.0;
        rounded.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Estimate;
    use super::*;

    fn curve(points: usize) -> Vec<CurvePoint> {
        (1..=points)
            .map(|pair| CurvePoint {
                games: 2 * pair as u64,
                elo: Estimate::new(5.0, 300.0 / pair as f64),
                llr: Some(pair as f64 / 100.0),
            })
            .collect()
    }

    #[test]
    fn a_curve_needs_two_points() {
        for points in [0, 1] {
            assert_eq!(elo_chart(&curve(points)), None);
            assert_eq!(llr_chart(&curve(points), [-2.94, 2.94]), None);
        }
        assert!(elo_chart(&curve(2)).is_some_and(|svg| svg.starts_with("<svg")));
    }

    #[test]
    fn points_without_elo_are_left_out() {
        let mut all_wins = curve(40);
        all_wins[..20].iter_mut().for_each(|point| point.elo = Estimate::default());
        let svg = elo_chart(&all_wins).expect("twenty points are left");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        all_wins.iter_mut().for_each(|point| point.elo = Estimate::default());
        assert_eq!(elo_chart(&all_wins), None);
    }

    #[test]
    fn the_bounds_of_a_test_are_named() {
        let svg = llr_chart(&curve(100), [-2.944, 2.944]).expect("a chart");
        assert!(svg.contains("accept 2.94") && svg.contains("reject -2.94"), "{svg}");
    }
}
