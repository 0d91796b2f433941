//! The files in the folder of a run.

use std::fs;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;

use crate::error::StudioError;
use crate::state::{App, with_ledger};
use crate::views::{escaped, run_path};

/// The files that are shown, by their names alone: a path leads nowhere else.
const FILES: [&str; 4] = ["run.yaml", "summary.json", "games.pgn", "steps.csv"];

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/run/{id}/{file}", get(file))
}

/// `/run/ID/FILE`.
///
/// # Errors
/// When there is no such file.
pub async fn file(
    State(app): State<Arc<App>>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, StudioError> {
    if name == "report.html" {
        return Ok(Redirect::to(&run_path(&escaped(&id))).into_response());
    }
    let missing = || StudioError::NotFound(format!("file {name} of run `{id}`"));
    let name = FILES.into_iter().find(|known| *known == name).ok_or_else(missing)?;
    let content = with_ledger(app, move |_, ledger| {
        let run = ledger.facts(&id)?;
        // The ledger gives the folder: an id is no path.
        let content = (run.id == id).then(|| fs::read(run.folder.join(name)).ok());
        content.flatten().ok_or_else(|| StudioError::NotFound(format!("file {name} of run `{id}`")))
    });
    let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((kind, content.await?).into_response())
}
