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
use crate::fragments::runs_version;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::progress::running;
use crate::views::{self, choice, part_path, parts, run_path, status, time};
use harness_ledger::{Ledger, ListedRun, RunList, RunQuery, RunSort};
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
    sort: String,
    offset: u64,
}

impl RunsQuery {
    fn query(&self) -> RunQuery {
        let command = Some(self.command.clone()).filter(|command| !command.is_empty());
        let (key, descending) = sort_of(&self.sort);
        let query = RunQuery {
            text: self.q.clone(),
            command,
            title: Some(kinds::title),
            sort: key,
            ascending: !descending,
            offset: self.offset,
            limit: PAGE_ROWS,
            ..RunQuery::default()
        };
        query.in_state(&self.status)
    }

    fn link(&self, sort: &str, offset: u64) -> String {
        let fields = [
            ("q", self.q.as_str()),
            ("command", &self.command),
            ("status", &self.status),
            ("sort", sort),
        ];
        part_path("/", &fields, offset)
    }
}

/// Sort key and direction of a text: newest first without one.
fn sort_of(text: &str) -> (RunSort, bool) {
    let (key, descending) = match text.strip_prefix('-') {
        Some(key) => (key, true),
        None => (text, false),
    };
    let by = match key {
        "name" => RunSort::Name,
        "command" => RunSort::Command,
        "limit" => RunSort::Limit,
        "status" => RunSort::Status,
        "result" => RunSort::Result,
        "games" => RunSort::Games,
        "started" => RunSort::Started,
        _ => return (RunSort::Started, true),
    };
    (by, descending)
}

/// The head of a column by which runs can be sorted: names from A on first, numbers and dates from the
/// largest.
fn head(asked: &RunsQuery, name: &str, key: &str) -> Markup {
    let (own, (by, descending)) = (sort_of(key).0, sort_of(&asked.sort));
    let largest_first = matches!(own, RunSort::Started | RunSort::Result | RunSort::Games);
    let next_descending = if own == by { !descending } else { largest_first };
    let next = if next_descending { format!("-{key}") } else { key.to_owned() };
    let sorted = (own == by).then_some(if descending { "descending" } else { "ascending" });
    html! {
        th.number[own == RunSort::Games] data-column=(key) aria-sort=[sorted] {
            a id={ "sort-" (key) } href=(asked.link(&next, 0)) { (name) }
        }
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
        // Before the list is read: what changes meanwhile is asked for again.
        let version = runs_version(Some(ledger));
        let table = table(ledger, &asked)?;
        if part {
            return Ok(table.into_string());
        }
        let content = html! {
            div.title-row { h1 { "Runs" } a href="/workers" { "Workers" } }
            div #running { (running(&app.hub)) }
            section.card data-pages #runs data-refresh=(version) { (table) }
        };
        let topic = Some("runs".to_owned());
        Ok(FramedPage { title: "Runs", tab: "/", topic, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

fn table(ledger: &Ledger, asked: &RunsQuery) -> Result<Markup, StudioError> {
    let RunList { rows, offset, total } = ledger.list(&asked.query())?;
    // Runs that are sorted by their command stand in groups.
    let by_command = sort_of(&asked.sort).0 == RunSort::Command;
    Ok(html! {
        form.filter-form method="get" action="/" data-filter role="search" {
            label { "Search"
                input #search type="search" name="q" value=(asked.q) placeholder="engine, name, note, id";
            }
            (choice("Command", "command", &asked.command, KINDS.iter().map(|kind| (kind.key, kind.command()))))
            (choice("State", "status", &asked.status, RunQuery::STATES.map(|state| (state, state))))
            @if !asked.sort.is_empty() { input type="hidden" name="sort" value=(asked.sort); }
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
                    table.runs data-columns="runs" {
                        thead { tr {
                            th { span.visually-hidden { "Compare" } }
                            (head(asked, "Run", "name"))
                            (head(asked, "State", "status"))
                            (head(asked, "Result", "result"))
                            (head(asked, "Done", "games"))
                            (head(asked, "Command", "command"))
                            (head(asked, "Limit", "limit"))
                            (head(asked, "Started", "started"))
                        } }
                        tbody {
                            @for (at, row) in rows.iter().enumerate() {
                                @if by_command && (at == 0 || rows[at - 1].command != row.command) {
                                    tr.group { th colspan="8" scope="rowgroup" { (kinds::command_words(&row.command)) } }
                                }
                                (self::row(row))
                            }
                        }
                    }
                }
                button.button #compare-selected { "Compare selected" }
            }
        }
        (parts(total, offset, u64::from(PAGE_ROWS), |offset| asked.link(&asked.sort, offset)))
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
                @if let Some(note) = &run.note { div.soft.note { (views::note(note)) } }
                div.soft.on-phone { (kinds::command_words(&run.command)) " · " (time(&run.started)) }
            }
            td { (status(run.status, kinds::failed(&run.command, run.summary.as_ref()))) }
            td { (kinds::result_line(run)) }
            td.number { (kinds::done_line(run, (0, 0))) }
            td { (kinds::command_words(&run.command)) }
            td { (kinds::limit_in_words(&run.command, &run.plan)) }
            td { (time(&run.started)) }
        }
    }
}
