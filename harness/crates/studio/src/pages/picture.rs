//! Positions of pictures: a screenshot comes, the squares that were read go back.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use harness_picture::{MAX_BYTES, read};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Semaphore;

use super::refusal::{Refusal, answer, blocking};
use crate::secrets::same;
use crate::state::App;

/// Time for a picture to arrive.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Pictures are read one at a time: each may take some hundred megabytes for a moment.
static READING: Semaphore = Semaphore::const_new(1);

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/picture", post(position))
}

/// The token of the page.
#[derive(Deserialize)]
pub struct Sent {
    #[serde(default)]
    csrf: String,
}

/// `POST /picture?csrf=TOKEN`: the position of a PNG, JPEG or WebP file.
///
/// # Errors
/// When the file is too large, no picture, or shows no board.
pub async fn position(
    State(app): State<Arc<App>>,
    Query(query): Query<Sent>,
    body: Body,
) -> Result<Response, Refusal> {
    if !same(&query.csrf, app.secrets.csrf()) {
        return Err(Refusal(StatusCode::FORBIDDEN, "it is not of this studio".to_owned()));
    }
    let bytes = tokio::time::timeout(TIMEOUT, axum::body::to_bytes(body, MAX_BYTES)).await;
    let bytes = bytes.map_err(|_| Refusal::wrong("the picture does not arrive"))?;
    let large = |_| {
        let reason =
            format!("the picture has more than {} MB: crop it to the board", MAX_BYTES >> 20);
        Refusal(StatusCode::PAYLOAD_TOO_LARGE, reason)
    };
    let bytes = bytes.map_err(large)?;
    let turn = READING.acquire().await;
    let read = blocking(move || read(&bytes).map_err(|error| Refusal::wrong(error.to_string())));
    let reading = read.await?;
    drop(turn);
    Ok(answer(StatusCode::OK, &json!(reading)))
}
