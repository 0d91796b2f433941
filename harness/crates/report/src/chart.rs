//! Curves over games, epochs, hours or commits, as inline SVG; [`plot`](super::plot) draws them.

use plotters::style::RGBColor;

use super::plot::{
    BAD, GOOD, INK, Line, Mark, Plot, SMALL, band, draw, draw_wide, ends, extremes, range,
    tight_range, zero,
};
use harness_outcome::training::Losses;
use harness_outcome::tuned::{Estimate, Gain};
use harness_outcome::{CurvePoint, ParameterSummary, PathPoint, RacePoint, RaceSummary};

/// The log-likelihood ratio over games, with its two bounds. `None` with less than two points.
pub fn llr_chart(curve: &[CurvePoint], bounds: [f64; 2]) -> Option<String> {
    let points: Vec<(f64, f64)> =
        curve.iter().filter_map(|point| Some((point.games as f64, point.llr?))).collect();
    let lines = bound_lines(curve);
    if !lines.is_empty() {
        let along = lines.iter().flat_map(|line| &line.points).map(|point| point.1);
        let range = range(points.iter().map(|point| point.1).chain(along))?;
        let games = ends(&points)?;
        return draw_wide(Plot { lines, ..Plot::new(points, games, range) });
    }
    let marks = vec![
        Mark { at: bounds[1], label: format!("accept {:.2}", bounds[1]), color: GOOD },
        Mark { at: bounds[0], label: format!("reject {:.2}", bounds[0]), color: BAD },
    ];
    let values = points.iter().map(|point| point.1).chain(bounds);
    let games = ends(&points)?;
    let range = range(values)?;
    draw_wide(Plot { marks, ..Plot::new(points, games, range) })
}

/// Bounds that change in the course of a test, as two lines; none where they stand still.
fn bound_lines(curve: &[CurvePoint]) -> Vec<Line> {
    let bounds = || {
        let with_games = |point: &CurvePoint| Some((point.games as f64, point.bounds?));
        let known = curve.iter().filter_map(with_games);
        known.filter(|(_, bounds)| bounds.iter().all(|bound| bound.is_finite()))
    };
    let stands_still = bounds().zip(bounds().skip(1)).all(|(one, next)| one.1 == next.1);
    if stands_still {
        return Vec::new();
    }
    let line = |side: usize, color| Line {
        points: bounds().map(|(games, bounds)| (games, bounds[side])).collect(),
        color,
    };
    vec![line(1, GOOD), line(0, BAD)]
}

/// Elo over games, with its 95 % band. `None` with less than two points.
pub fn elo_chart(curve: &[CurvePoint]) -> Option<String> {
    let known: Vec<(f64, f64, [f64; 2])> = curve
        .iter()
        .filter_map(|point| Some((point.games as f64, point.elo.value?, point.elo.interval()?)))
        .collect();
    let points: Vec<(f64, f64)> = known.iter().map(|&(games, elo, _)| (games, elo)).collect();
    let band = band(known.iter().map(|&(games, _, [low, high])| (games, low, high)));
    // The first few games are noise and would set the scale.
    let settled = known.len() / 10;
    let values = known[settled..].iter().flat_map(|&(_, _, ends)| ends).chain([0.0]);
    let games = ends(&points)?;
    let marks = vec![zero()];
    draw_wide(Plot { band, marks, ..Plot::new(points, games, range(values)?) })
}

/// The expected gain of a tuner over games, with its 80 % band. `None` with less than two estimates.
pub fn gain_chart(path: &[PathPoint]) -> Option<String> {
    let known: Vec<(f64, Gain)> =
        path.iter().filter_map(|point| Some((point.games as f64, point.found.gain?))).collect();
    let points: Vec<(f64, f64)> = known.iter().map(|&(games, gain)| (games, gain.value)).collect();
    let band = band(known.iter().map(|&(games, gain)| (games, gain.low80, gain.high80)));
    // The first few measurements are noise and would set the scale.
    let settled = known.len() / 4;
    let values = known[settled..].iter().flat_map(|(_, gain)| [gain.low80, gain.high80]);
    let range = range(values.chain([0.0]))?;
    let games = ends(&points)?;
    draw_wide(Plot { band, marks: vec![zero()], ..Plot::new(points, games, range) })
}

/// The recommended value of a parameter over games, with its standard error if known, between the
/// parameter's bounds. `None` with less than two points.
pub fn parameter_chart(
    path: &[PathPoint],
    index: usize,
    parameter: &ParameterSummary,
) -> Option<String> {
    let known: Vec<(f64, Estimate)> = path
        .iter()
        .filter_map(|point| Some((point.games as f64, *point.found.parameters.get(index)?)))
        .collect();
    let points: Vec<(f64, f64)> = known.iter().map(|&(games, now)| (games, now.value)).collect();
    let band = band(known.iter().filter_map(|&(games, Estimate { value, error, .. })| {
        error.map(|error| (games, value - error, value + error))
    }));
    let start = Mark { at: parameter.start, label: String::new(), color: INK };
    let games = ends(&points)?;
    let range = (parameter.min, parameter.max);
    let plot = Plot { band, marks: vec![start], ..Plot::new(points, games, range) };
    draw(&plot, SMALL)
}

/// Values over an increasing quantity, with errors.
pub struct Series {
    /// Place, value, and half of its interval (0 without one), by increasing place.
    pub points: Vec<(f64, f64, f64)>,
    /// The places are counted: only whole numbers have a label.
    pub counted: bool,
}

/// A curve with the band of its errors. `None` with less than two points.
pub fn series_chart(series: &Series) -> Option<String> {
    let points: Vec<(f64, f64)> = series.points.iter().map(|&(x, y, _)| (x, y)).collect();
    let edges = series.points.iter().map(|&(x, y, error)| (x, y - error, y + error));
    let has_errors = series.points.iter().any(|point| point.2 > 0.0);
    let band = if has_errors { band(edges.clone()) } else { Vec::new() };
    let (low, high) = extremes(edges.flat_map(|(_, low, high)| [low, high]))?;
    let (bottom, top) = range([low, high].into_iter())?;
    // What is never negative, as a number of positions, has no axis below zero.
    let range = (if low >= 0.0 { bottom.max(0.0) } else { bottom }, top);
    let domain = ends(&points)?;
    draw_wide(Plot { band, counted: series.counted, ..Plot::new(points, domain, range) })
}

/// Strength over commits (place, Elo, ends of its interval), with tags at their places. `None` with less than
/// two points.
pub fn strength_chart(points: &[(f64, f64, [f64; 2])], tags: Vec<(f64, String)>) -> Option<String> {
    let edges = points.iter().map(|&(place, _, [low, high])| (place, low, high));
    let range = range(points.iter().flat_map(|(.., ends)| *ends))?;
    let band = band(edges);
    let points: Vec<(f64, f64)> = points.iter().map(|&(place, elo, _)| (place, elo)).collect();
    let domain = ends(&points)?;
    let marks = vec![zero()];
    draw_wide(Plot { band, marks, events: tags, ..Plot::new(points, domain, range) })
}

/// Validation and training loss over the epochs, in thousandths, as curves; that of scores alone where
/// labels have more parts, and the epoch that is chosen. `None` with less than two epochs.
pub fn loss_chart(epochs: &[Losses]) -> Option<String> {
    let curve = |loss: fn(&Losses) -> Option<f64>| -> Vec<(f64, f64)> {
        let numbered = (1..).zip(epochs);
        numbered.filter_map(|(epoch, of)| Some((f64::from(epoch), 1e3 * loss(of)?))).collect()
    };
    let validation = curve(|epoch| Some(epoch.validation));
    let lines = vec![
        Line { points: curve(|epoch| Some(epoch.train)), color: GOOD },
        Line { points: curve(|epoch| epoch.scores), color: BAD },
    ];
    // The first epochs would set the scale.
    let settled = |points: &[(f64, f64)]| points[points.len() / 10..].to_vec();
    let curves = lines.iter().map(|line| &line.points).chain([&validation]);
    let range = tight_range(curves.flat_map(|points| settled(points)).map(|point| point.1))?;
    let domain = ends(&validation)?;
    let chosen = Losses::best_epoch(epochs).map(|best| (f64::from(best), String::new()));
    let lines = lines.into_iter().filter(|line| !line.points.is_empty()).collect();
    let events = chosen.into_iter().collect();
    draw_wide(Plot { lines, events, counted: true, ..Plot::new(validation, domain, range) })
}

/// Most curves that [`overlay_chart`] draws.
pub const MAX_OVERLAID: usize = 6;

/// Curves of several runs over the same axes, each in a colour and dashes of its own, which the
/// style sheet names `--series-1`, ... `None` without a curve of two points. `has_zero`: whether the axis reaches zero; losses would be flat lines then.
pub fn overlay_chart(curves: &[Vec<(f64, f64)>], has_zero: bool) -> Option<String> {
    let all = || curves.iter().take(MAX_OVERLAID).flatten();
    // The first points are noise and would set the scale.
    let settled = curves.iter().take(MAX_OVERLAID).flat_map(|curve| &curve[curve.len() / 10..]);
    let values = settled.map(|&(_, y)| y);
    let range = if has_zero { range(values.chain([0.0])) } else { tight_range(values) }?;
    let domain = extremes(all().map(|&(x, _)| x)).filter(|(low, high)| low < high)?;
    // A run without points keeps its colour: it may have a curve in the next chart.
    let drawn =
        (11..).zip(curves.iter().take(MAX_OVERLAID)).filter(|(_, points)| !points.is_empty());
    let mut lines = drawn.map(|(color, points)| Line {
        points: points.clone(),
        color: RGBColor(color, color, color),
    });
    let Line { points, color } = lines.next()?;
    draw_wide(Plot { lines: lines.collect(), color, ..Plot::new(points, domain, range) })
}

/// The evidence against each runner of a race over games, with the line at which it is dropped: a curve ends
/// where its runner left. `None` before the first heat is over.
pub fn evidence_chart(race: &RaceSummary) -> Option<String> {
    let drop_at = race.drop_at?;
    // Before the first game there is none.
    let curve = |engine: usize| -> Vec<(f64, f64)> {
        let at = |point: &RacePoint| Some((point.games as f64, (*point.evidence.get(engine)?)?));
        std::iter::once((0.0, 0.0)).chain(race.evidence.iter().filter_map(at)).collect()
    };
    let curves: Vec<(usize, Vec<(f64, f64)>)> = (0..race.engines.len())
        .map(|engine| (engine, curve(engine)))
        .filter(|(_, points)| points.len() > 1)
        .collect();
    let points = || curves.iter().flat_map(|(_, points)| points.iter().copied());
    let games = extremes(points().map(|(games, _)| games));
    let domain = games.filter(|(low, high)| low < high)?;
    // Evidence far beyond the line, and far from it, says no more.
    let values = points().map(|(_, value)| value.clamp(-drop_at, 2.0 * drop_at));
    let range = range(values.chain([drop_at]))?;
    let mut lines =
        curves.into_iter().map(|(engine, points)| Line { points, color: series(engine) });
    let Line { points, color } = lines.next()?;
    let marks = vec![Mark { at: drop_at, label: format!("dropped at {drop_at:.2}"), color: BAD }];
    draw_wide(Plot { lines: lines.collect(), marks, color, ..Plot::new(points, domain, range) })
}

/// The place in the style sheet of the colour of a curve of several, from 1.
pub fn series_number(curve: usize) -> usize {
    1 + curve % MAX_OVERLAID
}

/// The colour of a curve of several; see [`overlay_chart`].
fn series(curve: usize) -> RGBColor {
    let color = u8::try_from(10 + series_number(curve)).unwrap_or(11);
    RGBColor(color, color, color)
}

#[cfg(test)]
mod tests {
    use super::super::plot::CURVE;
    use super::*;
    use harness_outcome::Estimate;

    fn curve(points: usize) -> Vec<CurvePoint> {
        (1..=points)
            .map(|pair| CurvePoint {
                games: 2 * pair as u64,
                elo: Estimate::new(5.0, 300.0 / pair as f64),
                llr: Some(pair as f64 / 100.0),
                bounds: None,
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
    fn what_is_counted_has_whole_numbers_on_its_axis() {
        let labels = |last: u32| -> Vec<String> {
            let svg = loss_chart(&epochs(last, false)).expect("a chart");
            let wide = svg.split("</svg>").next().expect("a first chart").to_owned();
            // Labels below the chart are anchored in their middle.
            let below = wide.split("<text").filter(|text| text.contains("text-anchor=\"middle\""));
            below
                .filter_map(|text| {
                    Some(text.split_once('>')?.1.split_once('<')?.0.trim().to_owned())
                })
                .collect()
        };
        assert_eq!(labels(2), ["1", "2"]);
        assert_eq!(labels(3), ["1", "2", "3"]);
        assert!(labels(11).iter().all(|label| label.parse::<u32>().is_ok()), "{:?}", labels(11));
    }

    /// Losses that fall, those of scores alone up to epoch 15.
    fn epochs(last: u32, by_scores: bool) -> Vec<Losses> {
        let of = |number: u32| Losses {
            train: 1.0 / f64::from(number),
            validation: 1.2 / f64::from(number),
            scores: by_scores.then(|| (f64::from(number) - 15.0).powi(2) / 100.0 + 0.2),
        };
        (1..=last).map(of).collect()
    }

    #[test]
    fn each_loss_is_a_curve_and_the_chosen_epoch_a_line() {
        let curve =
            |color: RGBColor| format!("stroke=\"#{:02X}{:02X}{:02X}\"", color.0, color.1, color.2);
        for (by_scores, red) in [(false, 0), (true, 1)] {
            let svg = loss_chart(&epochs(20, by_scores)).expect("a chart");
            let wide = svg.split("</svg>").next().expect("a first chart");
            assert!(!wide.contains("<polygon"), "{wide}");
            for (color, count) in [(CURVE, 1), (GOOD, 1), (BAD, red)] {
                let lines = wide.split("<polyline").filter(|line| line.contains(&curve(color)));
                assert_eq!(lines.count(), count, "{wide}");
            }
            let dashes = wide.split('<').filter(|tag| tag.contains(&curve(INK))).count();
            assert!(dashes > 5, "{dashes} dashes mark the chosen epoch: {wide}");
        }
        assert_eq!(loss_chart(&epochs(1, true)), None);
    }

    #[test]
    fn bounds_that_fall_are_two_lines() {
        let mut falling = curve(100);
        for (number, point) in falling.iter_mut().enumerate() {
            let fall = number as f64 / 50.0;
            point.bounds = Some([fall - 3.5, 3.5 - fall]);
        }
        // Before a change of the bounds there were none.
        falling[0].bounds = Some([f64::NEG_INFINITY, f64::INFINITY]);
        let svg = llr_chart(&falling, [-1.5, 1.5]).expect("a chart");
        let wide = svg.split("</svg>").next().expect("a first chart");
        for color in ["#050505", "#060606"] {
            let stroke = format!("stroke=\"{color}\"");
            let lines = wide.split("<polyline").filter(|line| line.contains(&stroke));
            assert_eq!(lines.count(), 1, "{wide}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn tags_stand_at_their_places() {
        let points = [(1.0, 0.0, [0.0, 0.0]), (2.0, 5.0, [1.0, 9.0]), (3.0, 7.0, [2.0, 12.0])];
        let svg = strength_chart(&points, vec![(2.0, "v0.1".to_owned())]).expect("a chart");
        assert_eq!(svg.matches("v0.1").count(), 2, "on the wide and on the narrow one: {svg}");
        assert!(svg.contains("<polygon"), "{svg}");
        assert_eq!(strength_chart(&points[..1], Vec::new()), None);
    }

    #[test]
    fn what_is_never_negative_has_no_axis_below_zero() {
        for (values, has_minus) in [([1.0, 0.0], false), ([1.0, -1.0], true)] {
            let points = [1.0, 2.0].into_iter().zip(values);
            let points = points.map(|(place, value)| (place, value, 0.0)).collect();
            let svg = series_chart(&Series { points, counted: true }).expect("a chart");
            assert_eq!(svg.contains("\n−"), has_minus, "{svg}");
        }
    }

    #[test]
    fn the_bounds_of_a_test_are_named() {
        let svg = llr_chart(&curve(100), [-2.944, 2.944]).expect("a chart");
        assert!(svg.contains("accept 2.94") && svg.contains("reject −2.94"), "{svg}");
    }
}
