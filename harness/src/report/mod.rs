//! What people and programs see: terminal, HTML with charts, Markdown, CSV, JSON.
//!
//! The room takes plain data and knows nothing of commands. [`MatchSummary`] and
//! [`SuiteReport`] are the results as `--json` prints them and `summary.json` keeps them; every
//! other form is rendered from these.

mod match_summary;
mod suite_summary;

pub use match_summary::{
    EngineFacts, Estimate, MatchFacts, MatchSummary, PlayerRow, SprtSettings, Verdict,
    count_terminations,
};
pub use suite_summary::{SuiteReport, SuiteResult, SuiteSummary};
