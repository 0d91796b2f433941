//! The parts of a page that change while a run goes on.

use std::path::Path;

use maud::{Markup, html};

use super::run::{action, head};
use super::runs::{progress, running as running_now};
use super::status;
use crate::hub::{Hub, LiveRun};
use crate::results::Results;
use crate::security::Role;
use crate::topics::{Fragment, Subject};
use harness_ledger::{Ledger, Status};
use harness_runs::kinds::losses;

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
            let version = ledger.and_then(|ledger| ledger.version()).unwrap_or_default();
            vec![
                ("running", running_now(hub).into_string()),
                // Not shown: the list asks for itself again when this changes.
                ("runs-version", format!("{version:?}")),
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
    let progress = watched.as_ref().map(|run| progress(run).into_string()).unwrap_or_default();
    fragments.push(("progress", progress));
    match (ledger.facts(id), &watched) {
        (Ok(run), _) => {
            fragments.push(("head", head(&run, role, csrf).into_string()));
            fragments.push(("result", results.of(ledger, hub, &run, true).into_string()));
        }
        (Err(_), Some(run)) => {
            fragments.push(("head", head_of_process(id, run, role, csrf).into_string()));
            fragments.push(("result", losses(&run.losses).into_string()));
        }
        // Self-play or a training that has ended, or a run that was deleted.
        (Err(_), None) => fragments.push(("head", over().into_string())),
    }
    fragments
}

fn over() -> Markup {
    html! { p { "It is over. " a href="/" { "All runs" } } }
}

/// The head of the page of something that the ledger does not know.
pub fn head_of_process(id: &str, run: &LiveRun, role: Role, csrf: &str) -> Markup {
    html! {
        div.run-head {
            div {
                h1 { (run.title) }
                p.soft { (run.command) " · " code { (id) } " " (status(Status::Running)) }
            }
            @if role == Role::Control {
                div.actions { (action(id, "finish", "Stop; what is done is kept", csrf, None)) }
            }
        }
    }
}
