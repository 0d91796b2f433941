//! The progress of a tuning run as text.

use super::Pace;
use super::text::{duration, grouped, plus};
use super::tune_text::{number, sparkline};
use harness_outcome::PathPoint;
use harness_outcome::parameter::{Parameter, bound_mark};

/// Parameters shown at most: those with the most significant gradients.
const MAX_ROWS: usize = 12;
/// Columns of a path.
const PATH_WIDTH: usize = 30;
/// Columns of a name, so that a line fits into 80.
const NAME_WIDTH: usize = 24;

/// Games, gain and pace; below, a line for each parameter with its path in its range:
/// `12,340/20,000  gain +23.1 Elo (80 %: +12.0 to +34.2)  1400/min  ETA 5 min 30 s`
pub fn tune_progress(
    all: &[Parameter],
    path: &[PathPoint],
    games: u64,
    of: u64,
    pace: Pace,
) -> String {
    let mut text = format!("{}/{}", grouped(games), grouped(of));
    if let Some(gain) = path.last().and_then(|point| point.found.gain) {
        text += &format!(
            "  gain {} Elo (80 %: {} to {})",
            plus(gain.value, 1),
            plus(gain.low80, 1),
            plus(gain.high80, 1)
        );
    }
    if let Some(left) = path.last().and_then(|point| point.found.left) {
        text += &format!("  {left:.1} left to gain");
    }
    if let Some(rate) = pace.per_minute {
        text += &format!("  {rate:.0}/min");
    }
    if let Some(left) = pace.seconds_left {
        text += &format!("  ETA {}", duration(left));
    }
    text + &parameters(all, path)
}

/// A line for each parameter, each after a line break; none while all have their start values.
fn parameters(parameters: &[Parameter], path: &[PathPoint]) -> String {
    let Some(now) = path.last() else { return String::new() };
    // Ranges may be wider by now.
    let ranged = |(index, parameter): (usize, &Parameter)| match now.found.ranges.get(index) {
        Some(range) => parameter.with_range(*range),
        None => parameter.clone(),
    };
    let parameters: Vec<Parameter> = parameters.iter().enumerate().map(ranged).collect();
    let estimates = parameters.iter().zip(&now.found.parameters).enumerate();
    let mut rows: Vec<_> = estimates.filter(|(_, (parameter, _))| !parameter.fixed).collect();
    if rows.iter().all(|(_, (parameter, estimate))| estimate.value == parameter.start) {
        return String::new();
    }
    let all = rows.len();
    rows.sort_by(|(_, (_, a)), (_, (_, b))| {
        let size = |z: Option<f64>| z.map_or(0.0, f64::abs);
        size(b.z).total_cmp(&size(a.z))
    });
    rows.truncate(MAX_ROWS);
    rows.sort_by_key(|(index, _)| *index);
    let mut text = String::new();
    for (index, (parameter, estimate)) in &rows {
        let values: Vec<f64> =
            path.iter().map(|point| point.found.parameters[*index].value).collect();
        let name: String = parameter.name.chars().take(NAME_WIDTH).collect();
        text += &format!(
            "\n  {name:<NAME_WIDTH$} {:>7} → {:<7} {}",
            number(parameter.start),
            number(parameter.rounded(estimate.value))
                + bound_mark(parameter.bound_at(estimate.value)),
            sparkline(&values, parameter.min, parameter.max, PATH_WIDTH)
        );
    }
    if all > MAX_ROWS {
        text += &format!("\n  and {} more", all - MAX_ROWS);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_outcome::parameter::Kind;

    #[test]
    fn a_value_beyond_the_planned_range_is_shown_in_the_wider_one_with_its_mark() {
        let all = [Parameter::new("margin".to_owned(), Kind::Integer, 0.0, 100.0, 60.0)];
        let mut path = path(&all);
        for point in &mut path {
            point.found.parameters[0].value = 150.0;
            point.found.ranges = vec![[0.0, 150.0]];
        }
        let text = parameters(&all, &path);
        assert!(text.contains("60 → 150▲"), "{text}");
        path.iter_mut().for_each(|point| point.found.ranges[0] = [0.0, 300.0]);
        let text = parameters(&all, &path);
        assert!(text.contains("60 → 150 ") && text.contains("▅"), "{text}");
    }
    use harness_outcome::tuned::{Estimate, Recommendation};

    fn path(parameters: &[Parameter]) -> Vec<PathPoint> {
        let estimate = |(index, parameter): (usize, &Parameter)| Estimate {
            value: parameter.start + 1.0,
            error: None,
            z: Some(index as f64),
        };
        let estimates = parameters.iter().enumerate().map(estimate).collect();
        let best = parameters.iter().map(|parameter| parameter.start).collect();
        let found = Recommendation::of_method(best, estimates);
        (0..99).map(|games| PathPoint { games, found: found.clone() }).collect()
    }

    #[test]
    fn the_parameters_that_matter_are_shown_in_their_order_and_fit_a_terminal() {
        let named = |index: usize| {
            let name = format!("parameter_with_a_long_name_{index:02}");
            Parameter::new(name[15..].to_owned(), Kind::Integer, 0.0, 20_000.0, 7_500.0)
        };
        let mut all: Vec<Parameter> = (0..20).map(named).collect();
        all[19].fixed = true;
        let text = parameters(&all, &path(&all));
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines.len(), MAX_ROWS + 1, "{text}");
        assert!(lines[0].contains("name_07") && lines[11].contains("name_18"), "{text}");
        assert!(lines[0].contains("7500 → 7501    ▄▄"), "{text}");
        assert_eq!(lines[12], "  and 7 more");
        assert!(lines.iter().all(|line| line.chars().count() < 80), "{text}");
        assert_eq!(parameters(&all, &[]), "");
        let mut still = path(&all);
        for point in &mut still {
            point.found.parameters.iter_mut().for_each(|estimate| estimate.value = 7_500.0);
        }
        assert_eq!(parameters(&all, &still), "");
    }
}
