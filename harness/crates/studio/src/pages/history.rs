//! What was measured of each commit.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use maud::html;

use crate::error::StudioError;
use crate::frame::Framed;
use crate::security::Role;
use crate::server::{self, App, with_ledger};
use harness_report::html::history_page;
use harness_runs::gate::history;

/// Most commits to look back.
const COMMITS: u32 = 1000;

/// `/history`: of the repository in whose folder the studio was started.
///
/// # Errors
/// None: without a repository the page says so.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
) -> Result<Response, StudioError> {
    let page = with_ledger(app, move |app, _| {
        let content = match history(&app.reports, "HEAD", COMMITS) {
            Ok(history) if history.commits.is_empty() => html! {
                h1 { "History" }
                p.soft {
                    "Nothing was measured of any commit yet. " code { "harness gate" }
                    " measures HEAD, and so does " code { "harness suite wac HEAD" } "."
                }
            },
            Ok(history) => history_page(&history).content,
            Err(error) => html! {
                h1 { "History" }
                p { (error.to_string()) }
                p.soft { "Start " code { "harness studio" } " in the engine's repository." }
            },
        };
        Ok(Framed { title: "History", tab: "/history", topic: None, role, content }.page())
    });
    Ok(server::html(page.await?))
}
