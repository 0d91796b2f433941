//! Measurements of each commit.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use maud::html;

use crate::error::StudioError;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use harness_report::html::{history_page, with_code};
use harness_runs::kinds::history::history;
use harness_runs::strength::strength;

/// Most commits to look back.
const MAX_COMMITS: u32 = 1000;

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/history", get(page))
}

/// `/history`: of the repository in whose folder the studio was started.
///
/// # Errors
/// None: without a repository the page says so.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
) -> Result<Response, StudioError> {
    let page = with_ledger(app, move |app, _| {
        let content = match history(&app.reports, "HEAD", MAX_COMMITS) {
            Ok(history) if history.commits.is_empty() => html! {
                h1 { "History" }
                p.soft {
                    "Nothing was measured of any commit yet. " code { "harness gate" }
                    " measures HEAD, and so does " code { "harness suite wac HEAD" } "."
                }
            },
            Ok(history) => {
                // Without games that connect commits the page does without.
                let curve = strength(&app.reports, "HEAD", MAX_COMMITS, None).ok();
                history_page(&history, curve.as_ref()).content
            }
            Err(error) => html! {
                h1 { "History" }
                p { (with_code(&error.to_string())) }
                p.soft { "Start " code { "harness studio" } " in the engine's repository." }
            },
        };
        Ok(FramedPage { title: "History", tab: "/history", topic: None, role, content }.page())
    });
    Ok(frame::response(page.await?))
}
