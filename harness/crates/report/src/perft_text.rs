//! The result of a perft suite as text.

use harness_outcome::perft::{PerftCount, PerftReport};

/// The mismatches and a line that sums up.
pub fn perft_text(report: &PerftReport) -> String {
    let line = |mismatch: &PerftCount| {
        let PerftCount { suite, line, fen, depth, expected, found } = mismatch;
        format!("{suite}:{line}: depth {depth}: {found} instead of {expected}: {fen}\n")
    };
    let mismatches: String = report.mismatches.iter().map(line).collect();
    let verdict = match report.mismatches.len() {
        0 => "all as expected".to_owned(),
        1 => "1 differs".to_owned(),
        n => format!("{n} differ"),
    };
    format!(
        "{mismatches}{} counts, {verdict}; {:.1} G nodes in {:.1} s, {:.0} Mnps\n",
        report.counts,
        report.nodes as f64 / 1e9,
        report.seconds,
        report.nodes_per_second / 1e6
    )
}
