//! Charts within Markdown, in the language of Mermaid, which GitHub and other viewers draw.

use harness_outcome::{CurvePoint, RacePoint, RaceSummary};

/// Most points of a curve: more cannot be seen, and the text of a comment is limited.
const MAX_POINTS: usize = 60;

/// The log-likelihood ratio over games and its two bounds, which may fall. `None` with less than two
/// points.
pub fn llr_chart(curve: &[CurvePoint], bounds: [f64; 2]) -> Option<String> {
    let known = |point: &&CurvePoint| {
        point.llr.is_some()
            && point.bounds.is_none_or(|ends| ends.iter().all(|end| end.is_finite()))
    };
    let points: Vec<(u64, Vec<f64>)> = curve
        .iter()
        .filter(known)
        .filter_map(|point| {
            let [lower, upper] = point.bounds.unwrap_or(bounds);
            Some((point.games, vec![point.llr?, lower, upper]))
        })
        .collect();
    chart("LLR", &points)
}

/// Elo over games, and the line of no difference. `None` with less than two points.
pub fn elo_chart(curve: &[CurvePoint]) -> Option<String> {
    let at = |point: &CurvePoint| Some((point.games, vec![point.elo.value?, 0.0]));
    let points: Vec<(u64, Vec<f64>)> = curve.iter().filter_map(at).collect();
    // The first few games are noise and would set the scale.
    chart("Elo", &points[points.len() / 10..])
}

/// The evidence against the runner-up of a race: of the candidate that was dropped last, and the line at which it was.
/// `None` where none was.
pub fn evidence_chart(race: &RaceSummary) -> Option<String> {
    let last = race.runners.iter().find(|runner| runner.dropped.is_some())?;
    let engine = race.engines.iter().position(|engine| *engine == last.name)?;
    let line = race.drop_at?;
    let at = |point: &RacePoint| Some((point.games, vec![(*point.evidence.get(engine)?)?, line]));
    let heats = race.evidence.iter().filter_map(at);
    let points: Vec<(u64, Vec<f64>)> = std::iter::once((0, vec![0.0, line])).chain(heats).collect();
    chart("evidence", &points)
}

/// Curves over games: of each point the games and a value of each curve.
fn chart(axis: &str, points: &[(u64, Vec<f64>)]) -> Option<String> {
    let points = thinned(points);
    let [(first, values), .., (last, _)] = &points[..] else { return None };
    let all = || points.iter().flat_map(|(_, values)| values.iter().copied());
    let low = all().fold(f64::INFINITY, f64::min);
    let high = all().fold(f64::NEG_INFINITY, f64::max);
    let margin = ((high - low) * 0.05).max(0.05);
    let line = |curve: usize| {
        let values = points.iter().map(|(_, values)| format!("{:.2}", values[curve]));
        format!("  line [{}]\n", values.collect::<Vec<String>>().join(", "))
    };
    let lines: String = (0..values.len()).map(line).collect();
    Some(format!(
        "```mermaid\nxychart-beta\n  x-axis \"games\" {first} --> {last}\n  y-axis \"{axis}\" \
         {:.2} --> {:.2}\n{lines}```\n",
        low - margin,
        high + margin
    ))
}

/// At most [`MAX_POINTS`] points at equal distances, the first and the last among them.
fn thinned(points: &[(u64, Vec<f64>)]) -> Vec<(u64, Vec<f64>)> {
    if points.len() <= MAX_POINTS {
        return points.to_vec();
    }
    let steps = MAX_POINTS - 1;
    (0..=steps).map(|step| points[step * (points.len() - 1) / steps].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::Estimate;

    fn curve(points: u64) -> Vec<CurvePoint> {
        let at = |number: u64| CurvePoint {
            games: 2 * (number + 1),
            elo: Estimate::default(),
            llr: Some(number as f64 / 10.0),
            bounds: None,
        };
        (0..points).map(at).collect()
    }

    #[test]
    fn a_chart_has_the_curve_and_its_bounds_and_few_points() {
        for (points, shown) in [(2, 2), (60, 60), (61, 60), (5_000, 60)] {
            let text = llr_chart(&curve(points), [-2.94, 2.94]).expect("two points");
            let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  line")).collect();
            assert_eq!(lines.len(), 3, "{text}");
            for line in lines {
                assert_eq!(line.matches(", ").count() + 1, shown, "{line}");
            }
            assert!(text.contains(&format!("\"games\" 2 --> {}", 2 * points)), "{text}");
        }
    }

    #[test]
    fn less_than_two_points_are_no_chart() {
        for points in [0, 1] {
            assert_eq!(llr_chart(&curve(points), [-1.0, 1.0]), None);
        }
        assert_eq!(elo_chart(&curve(5)), None, "no Elo is known");
    }
}
