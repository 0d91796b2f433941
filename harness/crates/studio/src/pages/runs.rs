//! The list of runs.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use crate::error::StudioError;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::progress::running;
use crate::views::{choice, escaped, parts, run_path, status, time};
use harness_ledger::{Ledger, ListedRun, RunList, RunQuery, Status};
use harness_runs::kinds::{self, KINDS};

/// Rows of a part of the list.
const PAGE_ROWS: u32 = 50;

/// Query of the address; it can be passed on.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct RunsQuery {
    q: String,
    command: String,
    status: String,
    offset: u64,
}

impl RunsQuery {
    fn query(&self) -> RunQuery {
        let status = match self.status.as_str() {
            "running" => Some(Status::Running),
            "finished" => Some(Status::Finished),
            "interrupted" => Some(Status::Interrupted),
            _ => None,
        };
        let command = Some(self.command.clone()).filter(|command| !command.is_empty());
        RunQuery { text: self.q.clone(), command, status, offset: self.offset, limit: PAGE_ROWS }
    }

    fn link(&self, offset: u64) -> String {
        let q = escaped(&self.q);
        let command = escaped(&self.command);
        let status = escaped(&self.status);
        format!("/?q={q}&command={command}&status={status}&offset={offset}")
    }
}

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/", get(list))
}

/// `/`: all runs, newest first.
///
/// # Errors
/// When the ledger cannot be read.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Query(asked): Query<RunsQuery>,
    headers: HeaderMap,
) -> Result<Response, StudioError> {
    let part = headers.contains_key("x-fragment");
    let page = with_ledger(app, move |app, ledger| {
        let table = table(ledger, &asked)?;
        if part {
            return Ok(table.into_string());
        }
        let content = html! {
            h1 { "Runs" }
            div #running { (running(&app.hub)) }
            section.card data-pages #runs data-refresh { (table) }
        };
        let topic = Some("runs".to_owned());
        Ok(FramedPage { title: "Runs", tab: "/", topic, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

fn table(ledger: &Ledger, asked: &RunsQuery) -> Result<Markup, StudioError> {
    let RunList { rows, total } = ledger.list(&asked.query())?;
    Ok(html! {
        form.filter-form method="get" action="/" data-filter role="search" {
            label { "Search"
                input #search type="search" name="q" value=(asked.q) placeholder="engine, name, note, id";
            }
            (choice("Command", "command", &asked.command, KINDS.iter().filter(|kind| kind.is_in_ledger).map(|kind| kind.key)))
            (choice("State", "status", &asked.status, ["running", "finished", "interrupted"]))
            noscript { button.button { "Search" } }
        }
        @if rows.is_empty() {
            p.soft {
                "No run "
                @if asked.q.is_empty() && asked.command.is_empty() && asked.status.is_empty() {
                    "yet. In a terminal, " code { "harness suite wac" } " makes the first one."
                } @else { "is like this." }
            }
        } @else {
            form method="get" action="/compare" {
                div.scroll tabindex="0" role="region" aria-label="Runs" {
                    table.runs {
                        thead { tr {
                            th { span.visually-hidden { "Compare" } }
                            th { "Run" } th { "Command" } th { "Limit" } th { "Started" }
                            th { "State" } th { "Result" }
                        } }
                        tbody { @for row in &rows { (self::row(row)) } }
                    }
                }
                button.button #compare-selected { "Compare selected" }
            }
        }
        (parts(total, asked.offset, u64::from(PAGE_ROWS), |offset| asked.link(offset)))
    })
}

fn row(run: &ListedRun) -> Markup {
    let title = kinds::title(&run.command, &run.plan);
    let title = if title.is_empty() { &run.run } else { &title };
    html! {
        tr {
            td {
                input type="checkbox" name="run" value=(run.run) aria-label={ "compare " (run.run) };
            }
            td {
                a href=(run_path(&run.run)) { (run.name.as_ref().unwrap_or(title)) }
                @if run.name.is_some() { div.soft { (title) } }
                @if let Some(note) = &run.note { div.soft.note { (note) } }
            }
            td { (run.command) }
            td { (kinds::limit(&run.command, &run.plan)) }
            td { (time(&run.started)) }
            td { (status(run.status)) }
            td { (kinds::result_line(run)) }
        }
    }
}
