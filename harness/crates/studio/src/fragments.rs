//! Fragments: the parts of a page that change during a run.

use std::path::Path;

use maud::{Markup, html};

use super::hub::Hub;
use super::results::Results;
use super::role::Role;
use super::views::progress::{progress, running};
use super::views::run::{head, head_of_process};
use harness_ledger::Ledger;
use harness_runs::kinds::losses;

/// A part of a page: the id of its element, and what stands in it.
pub type Fragment = (&'static str, String);

/// Subject of a page.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The list of runs.
    Runs,
    /// A run.
    Run(String, Role),
}

/// Version of the list of runs, which the list has from the beginning.
pub fn runs_version(ledger: Option<&Ledger>) -> String {
    let version = ledger.and_then(|ledger| ledger.version().ok());
    format!("{:?}", version.unwrap_or_default())
}

/// The fragments of a page as things stand.
pub fn fragments(
    reports: &Path,
    hub: &Hub,
    results: &Results,
    csrf: &str,
    subject: &Subject,
) -> Vec<Fragment> {
    let ledger = Ledger::open_to_read(reports);
    match subject {
        Subject::Runs => {
            let version = runs_version(ledger.as_ref().ok());
            vec![
                ("running", running(hub).into_string()),
                // Not shown: the list asks for itself again when this changes.
                ("runs-version", version),
            ]
        }
        Subject::Run(id, role) => {
            let Ok(ledger) = ledger else { return Vec::new() };
            of_run(&ledger, hub, results, (id, *role, csrf))
        }
    }
}

fn of_run(
    ledger: &Ledger,
    hub: &Hub,
    results: &Results,
    (id, role, csrf): (&str, Role, &str),
) -> Vec<Fragment> {
    let watched = hub.run(id);
    let mut fragments = Vec::new();
    let progress = watched.as_ref().map(|run| progress(hub, id, run).into_string());
    let progress = progress.unwrap_or_default();
    fragments.push(("progress", progress));
    match (ledger.facts(id), &watched) {
        (Ok(run), _) => {
            fragments.push(("head", head(&run, role, csrf).into_string()));
            fragments.push(("result", results.render(ledger, hub, &run, true).into_string()));
        }
        (Err(_), Some(run)) => {
            fragments.push(("head", head_of_process(id, run, role, csrf).into_string()));
            fragments.push(("result", losses(&run.losses).into_string()));
        }
        // A run that was deleted.
        (Err(_), None) => fragments.push(("head", over().into_string())),
    }
    fragments
}

fn over() -> Markup {
    html! { p { "This run is no longer in the list. " a href="/" { "All runs" } } }
}
