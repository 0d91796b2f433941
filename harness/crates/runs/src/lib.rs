//! Runs as values: planned, executed with events, resumed.
//!
//! A run is planned from plain data, executed in a [`Session`](harness_base::session::Session) with a sink
//! of typed events, and gives an outcome; the ledger keeps its plan, so that [`games::resume`] goes
//! on after any end. Nothing here prints: the commands do, from the events. Knows the arena, the
//! players, the ledger and the statistics; start reading at [`games`], which is a match or an SPRT,
//! or [`suite`], and see `harness/examples/sprt.rs`.

pub mod audit;
pub mod backend;
pub mod bisect;
pub mod book;
pub mod calibrate;
pub mod curves;
pub mod games;
pub mod gate;
pub mod generate;
mod heads;
pub mod import;
pub mod kinds;
pub mod live;
pub mod loop_;
pub mod make;
pub mod notices;
pub mod openings;
pub mod preflight;
pub mod rate;
pub mod recorder;
pub mod replay;
pub mod report;
mod search;
pub mod speed;
pub mod stored;
pub mod strength;
pub mod suite;
pub mod texel;
pub mod train;
pub mod tune;

pub use search::{Event, Sink};

use serde::de::DeserializeOwned;
use serde_json::Value;

use harness_base::failure::Failure;
use harness_base::files::write_atomically;
use harness_base::hint::reports_command;
use harness_ledger::Run;
use harness_report::html::Page;

/// The plan of a run, as the ledger keeps it.
///
/// # Errors
/// When this version cannot read it.
pub fn read_plan<T: DeserializeOwned>(run: &Run, plan: Value) -> Result<T, Failure> {
    serde_json::from_value(plan).map_err(|error| {
        Failure::Failed(miette::miette!("the plan of run `{}` cannot be read: {error}", run.id()))
    })
}

/// Writes the page of a run whose result is in the ledger.
///
/// # Errors
/// When it cannot be written.
pub fn write_page(run: &Run, page: &Page) -> Result<(), Failure> {
    let path = run.folder().join("report.html");
    let text = page.file_of_run(run.started(), run.started_by());
    write_atomically(&path, text.as_bytes()).map_err(|error| {
        Failure::Failed(miette::miette!(
            help = format!(
                "the result is in the ledger: {} renders it again",
                reports_command("report", "")
            ),
            "cannot write {}: {error}",
            path.display()
        ))
    })
}
