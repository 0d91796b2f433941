//! What a tuning run found, for `--json`, the terminal and the page.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::report::text::{duration, grouped, percent};
use crate::report::{MatchSummary, terminal};
use crate::tuning::trial::Gain;

/// The result of a tuning run.
#[derive(Clone, Debug, Serialize)]
pub struct TuneSummary {
    /// Name of the method.
    pub method: String,
    /// Name of the engine.
    pub engine: String,
    /// What ended a search.
    pub limit: String,
    /// Games played.
    pub games: u64,
    /// Pairs that did not count, because an engine crashed or hung.
    pub void_pairs: u64,
    /// Share of drawn pairs.
    pub draw_ratio: Option<f64>,
    /// The values before, as UCI options.
    pub start: BTreeMap<String, String>,
    /// The values found, as UCI options.
    pub best: BTreeMap<String, String>,
    /// What the tuner expects them to gain.
    pub gain: Option<Gain>,
    /// A line a parameter.
    pub parameters: Vec<ParameterSummary>,
    /// Games played at each point of the parameters' paths.
    pub steps: Vec<u64>,
    /// The match of the result against the start.
    pub validation: Option<MatchSummary>,
    /// Wall time.
    pub seconds: f64,
    /// The run's id.
    pub run: String,
}

/// What became of a parameter.
#[derive(Clone, Debug, Serialize)]
pub struct ParameterSummary {
    /// Its name.
    pub name: String,
    /// Value before.
    pub start: f64,
    /// Value found.
    pub best: f64,
    /// The same, not rounded.
    pub estimate: f64,
    /// Standard error of the estimate.
    pub error: Option<f64>,
    /// Standard errors by which the slope at the start differs from none.
    pub z: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Whether it was left alone.
    pub fixed: bool,
    /// The estimate after each batch.
    pub path: Vec<f64>,
}

/// The recommendation at one point of a run.
#[derive(Clone, Debug)]
pub struct Step {
    /// Games played by then.
    pub games: u64,
    /// Expected gain.
    pub gain: Option<Gain>,
    /// Estimates of all parameters.
    pub values: Vec<f64>,
}

/// The summary as people read it.
pub fn tune_text(summary: &TuneSummary) -> String {
    let mut text = String::new();
    let rows = summary.parameters.iter().filter(|parameter| !parameter.fixed).map(|parameter| {
        let optional = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
        };
        vec![
            parameter.name.clone(),
            number(parameter.start),
            number(parameter.best),
            optional(parameter.error, 1),
            optional(parameter.z, 1),
            sparkline(&parameter.path, parameter.min, parameter.max, 30),
        ]
    });
    text += &terminal::table(
        ["Parameter", "Start", "Best", "± 1 s.e.", "z", "Path in its range"],
        rows,
        1,
    );
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
            "expected gain {:+.1} Elo, with 80 % between {:+.1} and {:+.1}",
            gain.value, gain.low80, gain.high80
        );
    }
    if summary.void_pairs > 0 {
        let _ = writeln!(
            text,
            "warning: {} pairs did not count: a player crashed, hung or answered nonsense",
            summary.void_pairs
        );
    }
    match &summary.validation {
        Some(validation) => {
            let _ = write!(text, "\nValidation, tuned against start:\n\n");
            text += &terminal::match_text(validation);
        }
        None if summary.start == summary.best => text += "the start values are the best ones\n",
        None => {}
    }
    let _ = writeln!(
        text,
        "\n`harness tune apply {}` writes the values into the engine's table, `--format uci` \
         prints them",
        summary.run
    );
    text
}

/// A value without digits that say nothing.
fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

/// A curve of block characters, between the bounds.
fn sparkline(path: &[f64], min: f64, max: f64, width: usize) -> String {
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
    fn a_path_is_drawn_within_its_bounds_and_its_width() {
        assert_eq!(sparkline(&[0.0, 5.0, 10.0], 0.0, 10.0, 30), "▁▅█");
        assert_eq!(sparkline(&[1.0; 100], 0.0, 10.0, 4), "▁▁▁▁");
        assert_eq!(sparkline(&[], 0.0, 10.0, 4), "");
    }
}
