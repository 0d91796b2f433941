//! CI regression gating: a list of checks, each with a bound, and one verdict.
//!
//! Checks that play or solve are runs of their own in the ledger. Knows the runs, suites and
//! players; start reading at [`run`] and `checks.rs`.

mod checks;
mod comparison;
mod config;
mod conformance;
mod error;
mod history;
mod init;
mod page;
mod report;
pub mod run;
mod runs;
#[cfg(test)]
mod simulated;
mod speed;
mod sprt;
mod suite;
mod text;
mod trial;
pub mod watch;

pub use config::{Config, ConfigError, FILE_NAME, TEMPLATE, Undecided};
pub use conformance::Faults;
pub use error::CheckError;
pub(crate) use history::Commits;
pub use history::{HistoryError, history};
pub use init::{BENCH_PATIENCE, Tried, TriedBench, try_out};
pub use page::gate_page;
pub use report::{Measured, Report, Result as CheckResult, Verdict};
pub use text::{annotations, markdown, table, verdict};
pub use trial::{Repeats, Searched};
