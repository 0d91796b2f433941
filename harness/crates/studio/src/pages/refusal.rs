//! Shared by the requests of scripts: answers in JSON, refusals, work that may wait.

use std::sync::Arc;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::boards::board::Board;
use crate::boards::opponent::wake_sleeping;
use crate::state::App;
use harness_report::html::as_sentence;

/// A refusal that a script shows.
pub struct Refusal(pub StatusCode, pub String);

impl Refusal {
    /// Of a form or an address that is not understood.
    pub fn wrong(reason: impl Into<String>) -> Refusal {
        Refusal(StatusCode::UNPROCESSABLE_ENTITY, reason.into())
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal::wrong(reason)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        answer(self.0, &json!({ "error": as_sentence(&self.1) }))
    }
}

/// An answer in JSON.
pub fn answer(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// The board of an address, as its file has it now. An engine that was to move when the studio ended is asked
/// again.
///
/// # Errors
/// When there is none.
pub fn find(app: &App, id: &str) -> Result<Arc<Board>, Refusal> {
    let missing = || Refusal(StatusCode::NOT_FOUND, format!("there is no board `{id}`"));
    let board = app.shelf.get(id)?.ok_or_else(missing)?;
    wake_sleeping(&board, &app.engines);
    Ok(board)
}

/// Runs what may wait for an engine or the disk.
///
/// # Errors
/// As `work`.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}
