//! The page of a run.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::html;

use crate::error::StudioError;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::progress::progress;
use crate::views::run::{head, head_of_process, title};
use crate::views::{escaped, run_path};
use harness_ledger::{RunFacts, Status};
use harness_runs::kinds::{self, Kind};
use harness_runs::live::MAX_BOARDS;

/// The routes of these pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/run/{id}", get(with_slash))
        .route("/run/{id}/", get(page))
        .route("/runs/{id}/report.html", get(with_slash))
}

/// `/run/ID` without the slash, from which the links of the page would lead astray.
pub async fn with_slash(Path(id): Path<String>) -> Response {
    Redirect::to(&run_path(&escaped(&id))).into_response()
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
        let facts = ledger.facts(&id);
        // Work whose ledger cannot be written is live all the same.
        if let (Err(_), Some(run)) = (&facts, hub.run(&id)) {
            let title = format!("{} {}", run.command, run.title);
            let content = html! {
                div #head { (head_of_process(&id, &run, role, csrf)) }
                div #progress { (progress(hub, &id, &run)) }
                div #result { (kinds::losses(&run.losses)) }
            };
            return Ok(FramedPage { title: &title, tab: "/", topic, role, content }.page());
        }
        let run = facts?;
        if run.id != id {
            return Err(StudioError::NotFound(format!("run `{id}`")));
        }
        let title = title(&run);
        let watched = hub.run(&id);
        let has_boards = Kind::by_key(&run.command).is_some_and(Kind::sends_boards);
        let content = html! {
            div #head { (head(&run, role, csrf)) }
            div #progress { @if let Some(run) = &watched { (progress(hub, &id, run)) } }
            @if run.status != Status::Finished && has_boards {
                // One that is interrupted may be continued while the page is open.
                div #boards.boards data-boards=(places(&run)) aria-label="Games in progress" role="group" hidden[watched.is_none()] {}
            }
            div #result { (app.results.render(ledger, hub, &run, false)) }
        };
        Ok(FramedPage { title: &title, tab: "/", topic, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

/// Number of boards: that of the games played at the same time.
fn places(run: &RunFacts) -> u64 {
    kinds::jobs(&run.plan).min(MAX_BOARDS as u64)
}
