//! A plot: a curve with its band, marks and axes, as inline SVG.
//!
//! Colours are placeholders: `html/style.css` has the real ones, for light and for dark.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::text::minus_signs;

pub(super) const INK: RGBColor = RGBColor(1, 1, 1);
pub(super) const GRID: RGBColor = RGBColor(2, 2, 2);
pub(super) const CURVE: RGBColor = RGBColor(3, 3, 3);
pub(super) const BAND: RGBColor = RGBColor(4, 4, 4);
pub(super) const GOOD: RGBColor = RGBColor(5, 5, 5);
pub(super) const BAD: RGBColor = RGBColor(6, 6, 6);

/// Size of a chart as wide as the page.
const LARGE: Size = Size { width: 920, height: 300, font: 14, labels: (8, 6) };
/// Size of the same chart on a narrow screen.
const NARROW: Size = Size { width: 350, height: 240, font: 13, labels: (4, 5) };
/// Size of one chart among many.
pub(super) const SMALL: Size = Size { width: 460, height: 190, font: 13, labels: (4, 4) };
pub(super) const FONT: &str = "sans-serif";

/// Size of a chart in pixels, and most labels of its axes.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub width: u32,
    pub height: u32,
    pub font: i32,
    pub labels: (usize, usize),
}

/// A horizontal line with a label.
pub(super) struct Mark {
    pub at: f64,
    pub label: String,
    pub color: RGBColor,
}

/// A further curve of a plot.
pub(super) struct Line {
    pub points: Vec<(f64, f64)>,
    pub color: RGBColor,
}

pub(super) fn zero() -> Mark {
    Mark { at: 0.0, label: String::new(), color: INK }
}

/// First and last place on the horizontal axis; `None` with less than two points.
pub(super) fn ends(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    match points {
        [first, .., last] => Some((first.0, last.0)),
        _ => None,
    }
}

/// The outline of a band, from its lower and upper edge by place.
pub(super) fn band(edges: impl Iterator<Item = (f64, f64, f64)>) -> Vec<(f64, f64)> {
    let mut lower = Vec::new();
    let mut outline = Vec::new();
    for (place, low, high) in edges {
        lower.push((place, low));
        outline.push((place, high));
    }
    outline.extend(lower.into_iter().rev());
    outline
}

/// Minimum and maximum with a margin of at least half a unit.
pub(super) fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = extremes(values)?;
    let margin = ((high - low) * 0.12).max(0.5);
    Some((low - margin, high + margin))
}

/// Minimum and maximum with a margin, for values without a natural unit; never empty. Around zeros alone it is
/// one unit.
pub(super) fn tight_range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = extremes(values)?;
    let margin = ((high - low) * 0.12).max(high.abs() * 1e-3);
    let margin = if margin > f64::MIN_POSITIVE { margin } else { 1.0 };
    Some((low - margin, high + margin))
}

/// Minimum and maximum of the finite values; `None` without one.
pub(super) fn extremes(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    (low <= high).then_some((low, high))
}

/// A curve with its band, marks and axes.
pub(super) struct Plot {
    pub points: Vec<(f64, f64)>,
    /// Further curves over the same axes; may be empty.
    pub lines: Vec<Line>,
    /// Outline of the shaded band; may be empty.
    pub band: Vec<(f64, f64)>,
    pub marks: Vec<Mark>,
    /// Vertical lines with labels, by place.
    pub events: Vec<(f64, String)>,
    /// Ends of the horizontal axis.
    pub domain: (f64, f64),
    /// It counts something, as games: only whole numbers have a label.
    pub counted: bool,
    /// Ends of the vertical axis.
    pub range: (f64, f64),
    pub color: RGBColor,
}

impl Plot {
    /// A curve alone.
    pub fn new(points: Vec<(f64, f64)>, domain: (f64, f64), range: (f64, f64)) -> Plot {
        let lines = Vec::new();
        let band = Vec::new();
        let marks = Vec::new();
        let events = Vec::new();
        Plot { points, lines, band, marks, events, domain, counted: true, range, color: CURVE }
    }

    /// Data of a script that shows the values under the pointer, as numbers with `,` and `;` between
    /// them: the plotting area; the ends of both axes and how many numbers a point has; the points of
    /// each curve, with both ends of their intervals where there is a band.
    fn data(&self, area: Area) -> String {
        let short = |value: f64| {
            let rounded = (value * 1e4).round() / 1e4 + 0.0;
            if rounded == 0.0 { value.to_string() } else { rounded.to_string() }
        };
        let list = |values: &mut dyn Iterator<Item = f64>| {
            values.map(short).collect::<Vec<String>>().join(",")
        };
        let mut data = list(&mut area.into_iter().map(f64::from));
        let banded = self.band.len() == 2 * self.points.len();
        let width = if banded { 4.0 } else { 2.0 };
        let ends = [self.domain.0, self.domain.1, self.range.0, self.range.1, width];
        data += &format!(";{}", list(&mut ends.into_iter()));
        // The outline goes along the upper ends and back along the lower ones.
        let (high, low) = self.band.split_at(self.band.len() / 2);
        let main: Vec<f64> = if banded {
            let ends = low.iter().rev().zip(high);
            let points = self.points.iter().zip(ends);
            points.flat_map(|(&(x, y), (low, high))| [x, y, low.1, high.1]).collect()
        } else {
            self.points.iter().flat_map(|&(x, y)| [x, y]).collect()
        };
        data += &format!(";{}", list(&mut main.into_iter()));
        for Line { points, .. } in &self.lines {
            data += &format!(";{}", list(&mut points.iter().flat_map(|&(x, y)| [x, y])));
        }
        data
    }
}

/// The chart for a wide and for a narrow page; the style sheet shows one of them.
pub(super) fn draw_wide(plot: Plot) -> Option<String> {
    let classed = |size, class: &str| {
        Some(draw(&plot, size)?.replacen("<svg ", &format!("<svg class=\"{class}\" "), 1))
    };
    Some(classed(LARGE, "wide")? + &classed(NARROW, "narrow")?)
}

pub(super) fn draw(plot: &Plot, size: Size) -> Option<String> {
    let mut svg = String::new();
    // Writing into a string cannot fail; a coordinate that plotters refuses leaves no chart.
    let area = draw_into(&mut svg, plot, size).ok()?;
    Some(svg.replacen("<svg ", &format!("<svg data-curve=\"{}\" ", plot.data(area)), 1))
}

/// Left, right, top and bottom of the plotting area, in units of the drawing.
type Area = [i32; 4];

fn draw_into(
    svg: &mut String,
    plot: &Plot,
    size: Size,
) -> Result<Area, Box<dyn std::error::Error>> {
    let Plot { points, lines, band, marks, events, domain, counted, range, color } = plot;
    let domain = *domain;
    let range = *range;
    let along = if *counted { Axis::counting(domain) } else { Axis::new(domain) };
    let root = SVGBackend::with_string(svg, (size.width, size.height)).into_drawing_area();
    let mut chart = ChartBuilder::on(&root)
        .margin(8)
        .margin_right(18)
        .x_label_area_size(size.font + 12)
        .y_label_area_size(52)
        .build_cartesian_2d(along, Axis::new(range))?;
    let text = draw_mesh(&mut chart, size)?;
    // Values outside the range are clamped to it.
    let inside = |&(x, y): &(f64, f64)| (x, y.clamp(range.0, range.1));
    if !band.is_empty() {
        let band: Vec<(f64, f64)> = band.iter().map(inside).collect();
        chart.draw_series([Polygon::new(band, BAND.filled())])?;
    }
    for mark in marks {
        let ends = [(domain.0, mark.at), (domain.1, mark.at)];
        chart.draw_series(DashedLineSeries::new(ends, 6, 4, mark.color.stroke_width(1)))?;
        let style = text.clone().color(&mark.color).pos(Pos::new(HPos::Left, VPos::Bottom));
        chart.draw_series([Text::new(minus_signs(&mark.label), (domain.0, mark.at), style)])?;
    }
    for (place, label) in events {
        let ends = [(*place, range.0), (*place, range.1)];
        chart.draw_series(DashedLineSeries::new(ends, 3, 5, INK.stroke_width(1)))?;
        let style = text.clone().pos(Pos::new(HPos::Left, VPos::Top));
        chart.draw_series([Text::new(label.clone(), (*place, range.1), style)])?;
    }
    for line in lines {
        let style = line.color.stroke_width(2);
        chart.draw_series(LineSeries::new(line.points.iter().map(inside), style))?;
    }
    chart.draw_series(LineSeries::new(points.iter().map(inside), color.stroke_width(2)))?;
    let (x, y) = chart.plotting_area().get_pixel_range();
    drop(chart);
    root.present()?;
    Ok([x.start, x.end, y.start, y.end])
}

/// The coordinates of a chart.
pub(super) type Plane = Cartesian2d<Axis, Axis>;

/// Draws grid and labels; returns the style of text.
pub(super) fn draw_mesh<'a>(
    chart: &mut ChartContext<'_, SVGBackend<'_>, Plane>,
    size: Size,
) -> Result<TextStyle<'a>, Box<dyn std::error::Error>> {
    let text = (FONT, size.font).into_font().color(&INK);
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .x_labels(size.labels.0)
        .y_labels(size.labels.1)
        .label_style(text.clone())
        .draw()?;
    Ok(text)
}

/// An axis whose labels are plain numbers: `1500`, `2.5`, never `1500.0`.
pub(super) struct Axis {
    coordinates: RangedCoordf64,
    /// Whether only whole numbers have a label.
    whole: bool,
}

impl Axis {
    /// The axis of a continuous quantity.
    pub fn new((low, high): (f64, f64)) -> Axis {
        Axis { coordinates: (low..high).into(), whole: false }
    }

    /// The axis of a count.
    pub fn counting((low, high): (f64, f64)) -> Axis {
        Axis { coordinates: (low..high).into(), whole: true }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.coordinates.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        let mut points = self.coordinates.key_points(hint);
        if self.whole {
            points.retain(|point| (point - point.round()).abs() < 1e-6);
        }
        points
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.coordinates.range()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        // Key points are sums of steps: round what adding up has left, and avoid "-0".
        let ends = self.coordinates.range();
        let scale = (ends.end - ends.start).abs().log10().floor();
        let unit = 10_f64.powf((5.0 - scale).clamp(6.0, 300.0));
        let rounded = (value * unit).round() / unit + 0.0;
        let text = if scale < -5.0 && rounded != 0.0 {
            format!("{rounded:e}")
        } else {
            rounded.to_string()
        };
        text.replace('-', "−")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The labels beside the vertical axis of the first drawing.
    fn labels(values: [f64; 3]) -> Vec<String> {
        let points: Vec<(f64, f64)> = [1.0, 2.0, 3.0].into_iter().zip(values).collect();
        let range = tight_range(values.into_iter()).expect("finite values");
        let svg = draw(&Plot::new(points, (1.0, 3.0), range), SMALL).expect("a chart");
        let beside = svg.split("<text").filter(|text| text.contains("text-anchor=\"end\""));
        let text = |part: &str| Some(part.split_once('>')?.1.split_once('<')?.0.trim().to_owned());
        beside.filter_map(text).collect()
    }

    #[test]
    fn an_axis_has_labels_that_differ_and_are_short_whatever_its_values() {
        for values in
            [[0.0; 3], [5.0; 3], [1.0, 2.0, 3.0], [1e-8, 2e-8, 3e-8], [0.1, 0.2, 0.15], [2e-9; 3]]
        {
            let labels = labels(values);
            assert!(labels.len() > 1, "{values:?}: {labels:?}");
            for (at, label) in labels.iter().enumerate() {
                assert!(!labels[..at].contains(label), "{values:?}: {labels:?}");
                let plain = label.replace('−', "-");
                assert!(plain.len() <= 8 && plain.parse::<f64>().is_ok(), "{values:?}: {labels:?}");
            }
        }
    }
}
