//! Speeds for people.

use std::time::Duration;

use super::table::table;
use super::text::{duration, grouped};
use harness_outcome::Speed;
use harness_stats::PairedRatio;

/// A table of the engines with its legend: of searches to a depth, stopped after `at_most`.
pub fn speed_text(
    speeds: &[Speed],
    depth: u32,
    at_most: Duration,
    positions: usize,
    rounds: u32,
) -> String {
    let header = ["Engine", "nodes/s", "over the first", "time", "over the first", "nodes"];
    let rows = speeds.iter().map(|speed| {
        let at_least = if speed.stopped > 0 { "≥ " } else { "" };
        vec![
            speed.engine.clone(),
            grouped(speed.nodes_per_second.round() as u64),
            ratio(speed.speed_ratio.as_ref()),
            format!("{at_least}{}", seconds(speed.seconds)),
            ratio(speed.time_ratio.as_ref()),
            grouped(speed.nodes.round() as u64),
        ]
    });
    let mut text = table(header, rows, 1);
    text += &format!(
        "\nTime and nodes to depth {depth}: geometric means of {positions} positions, {} each. \
         Ratios with\n95 % intervals, within turns.\n",
        if rounds == 1 { "once".to_owned() } else { format!("{rounds} times") },
    );
    for speed in speeds.iter().filter(|speed| speed.stopped > 0) {
        text += &format!(
            "{} was stopped {} times, after {}, before it reached depth {depth}.\n",
            speed.engine,
            speed.stopped,
            duration(at_most.as_secs_f64()),
        );
    }
    text
}

fn seconds(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", 1_000.0 * seconds) } else { duration(seconds) }
}

/// `1.035 [1.020, 1.051]`.
fn ratio(ratio: Option<&PairedRatio>) -> String {
    let Some(PairedRatio { value, ci95: [low, high], .. }) = ratio else {
        return String::new();
    };
    format!("{value:.3} [{low:.3}, {high:.3}]")
}
