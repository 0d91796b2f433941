//! The files in the folder of a run.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::{self, State};
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;

use crate::error::StudioError;
use crate::state::{App, with_ledger};
use crate::views::{escaped, run_path};
use harness_base::platform;

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
    extract::Path((id, name)): extract::Path<(String, String)>,
) -> Result<Response, StudioError> {
    if name == "report.html" {
        return Ok(Redirect::to(&run_path(&escaped(&id))).into_response());
    }
    let missing = || StudioError::NotFound(format!("file {name} of run `{id}`"));
    let name = FILES.into_iter().find(|known| *known == name).ok_or_else(missing)?;
    let content = with_ledger(app, move |_, ledger| {
        let run = ledger.facts(&id)?;
        // The ledger gives the folder: an id is no path.
        let content = (run.id == id).then(|| read(&run.folder, name).ok());
        content.flatten().ok_or_else(|| StudioError::NotFound(format!("file {name} of run `{id}`")))
    });
    let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((kind, content.await?).into_response())
}

/// A file of a run's folder, which may be that of a foreign ledger: links in it are not followed.
fn read(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    platform::open_beneath(folder, name)?.read_to_end(&mut content)?;
    Ok(content)
}
