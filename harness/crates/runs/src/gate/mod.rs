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
mod rating;
pub mod run;
mod runs;
#[cfg(test)]
mod simulated;
mod speed;
mod sprt;
mod suite;
mod trial;
pub mod watch;

pub use config::{Config, ConfigError, FILE_NAME, TEMPLATE, Undecided};
pub use conformance::Faults;
pub use error::CheckError;
pub use harness_outcome::gate::{CheckResult, GateReport, Measured, Verdict};
pub use history::HistoryError;
pub(crate) use history::{Commits, matches_of_gates, series};
pub use init::{BENCH_PATIENCE, Tried, TriedBench, try_out};
pub use trial::{Repeats, Searched};
