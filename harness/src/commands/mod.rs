//! One thin file a subcommand: plan, run, report.

pub mod check;
pub mod data;
pub mod fastchess;
pub mod gate;
pub mod history;
pub mod match_;
pub mod openings;
mod openings_polyglot;
pub mod perft;
pub mod play;
pub mod report;
pub mod resume;
pub mod runs;
pub mod sprt;
pub mod sprt_plan;
pub mod stats;
mod stats_pgn;
pub mod suite;
pub mod train;
pub mod tune;
