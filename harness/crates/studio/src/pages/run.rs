//! The page of a run.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

use super::live;
use super::{run_path, status, time};
use crate::error::StudioError;
use crate::frame::Framed;
use crate::hub::LiveRun;
use crate::security::Role;
use crate::server::{self, App, with_ledger};
use harness_ledger::{RunFacts, Status};
use harness_runs::kinds::{self, Games, Kind};
use harness_runs::live::MOST_BOARDS;

/// `/run/ID` without the slash, from which the links of the page would lead astray.
pub async fn with_slash(Path(id): Path<String>) -> Response {
    Redirect::to(&run_path(&super::escaped(&id))).into_response()
}

/// `/run/ID/`: a run, live while it runs.
///
/// # Errors
/// When there is no such run.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path(id): Path<String>,
) -> Result<Response, StudioError> {
    let page = with_ledger(app, move |app, ledger| {
        let hub = &app.hub;
        let csrf = app.secrets.csrf();
        let topic = Some(format!("run/{id}"));
        if let Some(run) = hub.run(&id).filter(is_no_run_of_the_ledger) {
            let title = format!("{} {}", run.command, run.title);
            let content = html! {
                div #head { (live::head_of_process(&id, &run, role, csrf)) }
                div #progress { (super::runs::progress(&run)) }
                div #result { (kinds::losses(&run.losses)) }
            };
            return Ok(Framed { title: &title, tab: "/", topic, role, content }.page());
        }
        let run = ledger.facts(&id)?;
        if run.id != id {
            return Err(StudioError::NotFound(format!("run `{id}`")));
        }
        let title = title(&run);
        let watched = hub.run(&id);
        let kind = Kind::by_key(&run.command);
        let has_boards = kind.is_some_and(|kind| kind.games == Games::Counted);
        let content = html! {
            div #head { (head(&run, role, csrf)) }
            div #progress { @if let Some(run) = &watched { (super::runs::progress(run)) } }
            @if run.status == Status::Running && has_boards {
                div #boards.boards data-boards=(places(&run)) aria-label="Games in progress" role="group" {}
            }
            div #result { (app.results.of(ledger, hub, &run, false)) }
        };
        Ok(Framed { title: &title, tab: "/", topic, role, content }.page())
    });
    Ok(server::html(page.await?))
}

/// Whether a process writes a file instead of a run of the ledger.
fn is_no_run_of_the_ledger(run: &LiveRun) -> bool {
    Kind::by_key(&run.command).is_some_and(|kind| !kind.is_in_ledger)
}

/// Games that are played at the same time: so many boards there are.
fn places(run: &RunFacts) -> u64 {
    kinds::jobs(&run.plan).min(MOST_BOARDS as u64)
}

/// What a run is called.
pub fn title(run: &RunFacts) -> String {
    let title = kinds::title(&run.command, &run.plan);
    match &run.name {
        Some(name) => name.clone(),
        None if title.is_empty() => run.id.clone(),
        None => title,
    }
}

/// Name, state, note and what can be done with the run.
pub fn head(run: &RunFacts, role: Role, csrf: &str) -> Markup {
    let has_games = Kind::by_key(&run.command).is_some_and(Kind::has_games);
    html! {
        div.run-head {
            div {
                p.soft {
                    (run.command) " · " (time(&run.started)) " · " code { (run.id) } " "
                    (status(run.status))
                }
                @if let Some(name) = &run.name { p { strong { (name) } } }
                @if let Some(note) = &run.note { p.note { (note) } }
            }
            div.actions {
                @if has_games { a.button href={ "/games?run=" (run.id) } { "Games" } }
                a.button href={ "/compare?run=" (run.id) } { "Compare" }
                @if role == Role::Control { (actions(run, csrf)) }
            }
        }
    }
}

fn actions(run: &RunFacts, csrf: &str) -> Markup {
    html! {
        @match run.status {
            Status::Running => {
                (action(&run.id, "finish", "Stop after the games in progress", csrf, None))
                (action(&run.id, "stop", "Stop now", csrf, Some("Games in progress are abandoned. Stop?")))
            }
            Status::Interrupted => (action(&run.id, "resume", "Resume", csrf, None)),
            Status::Finished => {}
        }
        @if Kind::by_key(&run.command).is_none_or(Kind::is_planned) { a.button href={ "/start?like=" (run.id) } { "Repeat with changes" } }
        details #describe.describe {
            summary { "Name and note" }
            form method="post" action={ "/run/" (run.id) "/do/describe" } {
                input type="hidden" name="csrf" value=(csrf);
                label { "Name" input #run-name name="name" maxlength="200" value=[run.name.as_ref()]; }
                label { "Note"
                    textarea #run-note name="note" rows="3" maxlength="10000" { (run.note.as_deref().unwrap_or_default()) }
                }
                button.button { "Save" }
            }
        }
        @if run.status != Status::Running {
            (action(&run.id, "delete", "Delete", csrf, Some("Its games and results are deleted, too. Delete the run?")))
        }
    }
}

/// A button that does something with a run.
pub fn action(run: &str, what: &str, name: &str, csrf: &str, confirm: Option<&str>) -> Markup {
    html! {
        form method="post" action={ "/run/" (run) "/do/" (what) } {
            input type="hidden" name="csrf" value=(csrf);
            button.button.danger[confirm.is_some()] id={ "do-" (what) } data-confirm=[confirm] { (name) }
        }
    }
}
