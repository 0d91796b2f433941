//! One thin file a subcommand: plan, run, report.

pub mod stats;
