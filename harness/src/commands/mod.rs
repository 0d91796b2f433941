//! One thin file a subcommand: plan, run, report.

pub mod check;
pub mod perft;
pub mod stats;
pub mod suite;
