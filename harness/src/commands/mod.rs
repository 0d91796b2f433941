//! One thin file a subcommand: plan, run, report.

pub mod check;
pub mod perft;
pub mod report;
pub mod runs;
pub mod stats;
pub mod suite;
