//! What people and programs see: terminal, HTML with charts, Markdown, CSV, JSON.
//!
//! The room takes plain data and knows nothing of commands. [`MatchSummary`] and
//! [`SuiteReport`] are the results as `--json` prints them and `summary.json` keeps them; every
//! other form is rendered from these.

mod board;
mod chart;
pub mod html;
mod match_summary;
mod shell;
mod suite_summary;
mod tally;
mod text;

pub use match_summary::{
    EngineFacts, Estimate, MatchFacts, MatchSummary, PlayerRow, count_terminations,
};
pub use shell::shell_words;
pub use suite_summary::{SuiteFacts, SuiteReport, SuiteResult, SuiteSummary};
pub use tally::{CurvePoint, Outcome, Tally};
