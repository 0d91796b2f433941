//! What people and programs see: terminal, HTML with charts, Markdown, CSV, JSON.
//!
//! The room takes plain data and knows nothing of commands. [`MatchSummary`] and
//! [`SuiteReport`] are the results as `--json` prints them and `summary.json` keeps them; every
//! other form is rendered from these.

mod board;
mod chart;
pub mod csv;
mod dependence_chart;
pub mod history;
pub mod html;
pub mod junit;
mod live;
mod load;
pub mod loop_summary;
mod markdown;
mod match_summary;
mod openbench;
mod progress;
mod ratings;
mod shell;
mod suite_summary;
mod tally;
pub mod terminal;
pub mod text;
mod tune_summary;

pub use live::MatchProgress;
pub use load::overload;
pub use markdown::{match_markdown, suite_markdown};
pub use match_summary::{EngineFacts, Estimate, MatchFacts, MatchSummary, count_terminations};
pub use openbench::openbench_block;
pub use progress::{Pace, Progress, clock};
pub use ratings::{PlayerRow, Standings, standings_text};
pub use shell::shell_words;
pub use suite_summary::{SuiteFacts, SuiteLine, SuiteReport, SuiteResult, SuiteSummary};
pub use tally::{CurvePoint, Outcome, Tally};
pub use tune_summary::{ParameterSummary, PathPoint, TuneReport, TuneSummary};
