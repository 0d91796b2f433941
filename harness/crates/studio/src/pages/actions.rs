//! Actions of the buttons of a run.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::post;

use crate::error::StudioError;
use crate::form::Form;
use crate::recipe::of_command;
use crate::state::{App, with_ledger};
use crate::views::{escaped, run_path};
use harness_ledger::Ledger;
use harness_runs::kinds;
use harness_runs::live::Request;

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/run/{id}/do/{what}", post(act))
}

/// `POST /run/ID/do/WHAT`.
///
/// # Errors
/// When there is no such run, or it cannot be done now.
pub async fn act(
    State(app): State<Arc<App>>,
    Path((id, what)): Path<(String, String)>,
    sent: Form,
) -> Result<Response, StudioError> {
    let back = run_path(&escaped(&id));
    let request = match what.as_str() {
        "finish" => Some(Request::Finish),
        "stop" => Some(Request::Stop),
        _ => None,
    };
    if let Some(request) = request {
        if !app.hub.ask(&id, request) {
            return Err(StudioError::NotRunning(id));
        }
        return Ok(Redirect::to(&back).into_response());
    }
    let after = match what.as_str() {
        "resume" => return resume(&app, id).await,
        "describe" => back,
        "delete" => "/".to_owned(),
        _ => return Err(StudioError::NotFound(format!("action `{what}`"))),
    };
    with_ledger(app, move |app, ledger| {
        // The whole id, not a beginning of it.
        if ledger.facts(&id)?.id != id {
            return Err(StudioError::NotFound(format!("run `{id}`")));
        }
        let ledger = Ledger::open_existing(&app.reports)?;
        match what.as_str() {
            "describe" => ledger.describe(&id, sent.get("name"), sent.get("note"))?,
            _ => ledger.delete(&id)?,
        }
        Ok(())
    })
    .await?;
    Ok(Redirect::to(&after).into_response())
}

/// Starts the command that continues a run.
async fn resume(app: &Arc<App>, id: String) -> Result<Response, StudioError> {
    let words = with_ledger(Arc::clone(app), move |_, ledger| {
        let run = ledger.facts(&id)?;
        let from_files = kinds::continuing_words(&run.command, &run.plan);
        Ok(from_files.and_then(of_command).unwrap_or_else(|| vec!["resume".to_owned(), id]))
    });
    let started = super::start::launch(app, words.await?, String::new())?;
    Ok(Redirect::to(&format!("/started/{}", started.number)).into_response())
}
