//! Runs side by side: settings that differ, results, curves over the same axes, positions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde_json::Value;

use crate::describe;
use crate::error::StudioError;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::{run_path, status};
use harness_ledger::{Ledger, RunFacts, RunQuery};
use harness_outcome::{MatchSummary, SuiteReport, SuiteSummary, TuneReport};
use harness_report::html::overlaid;
use harness_runs::report::{match_so_far, suite_report};
use harness_runs::tune;

/// Most runs beside each other.
const MAX_RUNS: usize = 6;

/// Runs that are offered for comparison.
const MAX_OFFERED: u32 = 30;

/// A run with what can be load_run of it.
struct ComparedRun {
    facts: RunFacts,
    name: String,
    content: Content,
}

enum Content {
    Games(Box<MatchSummary>, Vec<(f64, f64)>, Vec<(f64, f64)>),
    Suite(Box<SuiteReport>),
    Tune(Box<TuneReport>),
    /// Of another kind, or unreadable.
    Other,
}

/// Name and content of a row.
type Row = (&'static str, fn(&ComparedRun) -> Markup);

/// The points of a curve, if a run has it.
type Points<'a> = dyn Fn(&Content) -> Option<Vec<(f64, f64)>> + 'a;

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/compare", get(page))
}

/// `/compare?run=A&run=B`.
///
/// # Errors
/// When a run is not there.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    RawQuery(query): RawQuery,
) -> Result<Response, StudioError> {
    let fields: Vec<(String, String)> =
        serde_urlencoded::from_str(&query.unwrap_or_default()).unwrap_or_default();
    let runs = fields.into_iter().filter(|(name, id)| name == "run" && !id.is_empty());
    let mut ids: Vec<String> = runs.map(|(_, id)| id).collect();
    ids.dedup();
    ids.truncate(MAX_RUNS);
    let page = with_ledger(app, move |_, ledger| {
        let runs = ids.iter().map(|id| load_run(ledger, id)).collect::<Result<Vec<_>, _>>()?;
        let content = html! {
            h1 { "Compare" }
            @if runs.len() > 1 { (side_by_side(&runs)) }
            (offer(ledger, &ids)?)
        };
        Ok(FramedPage { title: "Compare", tab: "/compare", topic: None, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

fn load_run(ledger: &Ledger, id: &str) -> Result<ComparedRun, StudioError> {
    let facts = ledger.facts(id)?;
    let content = match facts.command.as_str() {
        "match" | "sprt" => match_so_far(ledger, &facts).map(|(summary, curve)| {
            let elo = curve.iter().filter_map(|at| Some((at.games as f64, at.elo.value?)));
            let llr = curve.iter().filter_map(|at| Some((at.games as f64, at.llr?)));
            Content::Games(Box::new(summary), elo.collect(), llr.collect())
        }),
        "suite" => suite_report(ledger, &facts).map(|report| Content::Suite(Box::new(report))),
        "tune" => {
            let replayed = tune::replay(ledger, &facts).map_err(Into::into);
            replayed.map(|report| Content::Tune(Box::new(report)))
        }
        _ => Ok(Content::Other),
    };
    let name = crate::views::run::title(&facts);
    // What cannot be read is load_run by its settings.
    Ok(ComparedRun { facts, name, content: content.unwrap_or(Content::Other) })
}

/// The form that adds runs.
fn offer(ledger: &Ledger, chosen: &[String]) -> Result<Markup, StudioError> {
    let list = ledger.list(&RunQuery { limit: MAX_OFFERED, ..RunQuery::default() })?;
    Ok(html! {
        section.card {
            h2 { "Runs" }
            form method="get" action="/compare" {
                ul.offer {
                    @for run in chosen.iter().filter(|id| list.rows.iter().all(|row| row.run != **id)) {
                        li { label { input type="checkbox" name="run" value=(run) checked; " " (run) } }
                    }
                    @for row in &list.rows {
                        li { label {
                            input type="checkbox" name="run" value=(row.run) checked[chosen.contains(&row.run)];
                            " " (row.command) " "
                            (row.name.clone().unwrap_or_else(|| describe::title(&row.command, &row.plan)))
                            span.soft { " " (row.run) " " (describe::result(row)) }
                        } }
                    }
                }
                button.button #compare { "Compare" }
            }
        }
    })
}

fn side_by_side(runs: &[ComparedRun]) -> Markup {
    html! {
        (results(runs))
        (settings(runs))
        (curves(runs))
        (suites(runs))
        (parameters(runs))
    }
}

/// The heads of the columns.
fn heads(runs: &[ComparedRun]) -> Markup {
    html! {
        @for run in runs {
            th scope="col" { a href=(run_path(&run.facts.id)) { (run.name) } br; code { (run.facts.id) } }
        }
    }
}

fn results(runs: &[ComparedRun]) -> Markup {
    let rows: [Row; 4] = [
        ("State", |run| status(run.facts.status)),
        ("Result", |run| html! { (result(run)) }),
        ("Won – drawn – lost", |run| match &run.content {
            Content::Games(summary, ..) => {
                html! { (summary.wins) " – " (summary.draws) " – " (summary.losses) }
            }
            _ => html! {},
        }),
        ("Note", |run| html! { (run.facts.note.as_deref().unwrap_or_default()) }),
    ];
    html! {
        section.card {
            h2 { "Results" }
            div.scroll tabindex="0" role="region" aria-label="Results" {
                table.compare {
                    thead { tr { td {} (heads(runs)) } }
                    tbody {
                        @for (name, cell) in rows {
                            tr { th scope="row" { (name) } @for run in runs { td { (cell(run)) } } }
                        }
                    }
                }
            }
        }
    }
}

fn result(run: &ComparedRun) -> String {
    match &run.content {
        Content::Games(summary, ..) => match summary.elo.value {
            Some(_) => format!("{:.1} Elo, {} games", summary.elo, summary.games)
                .replace("+-", "±")
                .replace('-', "−"),
            None => format!("{} games", summary.games),
        },
        Content::Suite(report) => {
            let first = &report.first;
            format!("{} of {} solved", first.solved, first.positions)
        }
        Content::Tune(report) => match report.summary.gain {
            Some(gain) => format!(
                "expected gain {:.1} Elo ({:.1} to {:.1}): {}",
                gain.value,
                gain.low80,
                gain.high80,
                report.summary.conclusion()
            ),
            None => format!("{} games: {}", report.summary.games, report.summary.conclusion()),
        },
        Content::Other => String::new(),
    }
}

/// The settings that differ, by their places in the plan.
fn settings(runs: &[ComparedRun]) -> Markup {
    let flat: Vec<BTreeMap<String, String>> =
        runs.iter().map(|run| flattened(&run.facts.plan)).collect();
    let keys: BTreeSet<&String> = flat.iter().flat_map(BTreeMap::keys).collect();
    let (differ, same): (Vec<&String>, Vec<&String>) =
        keys.into_iter().partition(|key| flat.iter().any(|one| one.get(*key) != flat[0].get(*key)));
    html! {
        section.card {
            h2 { "Settings that differ" }
            @if differ.is_empty() { p.soft { "None." } } @else {
                div.scroll tabindex="0" role="region" aria-label="Settings that differ" {
                    table.compare {
                        thead { tr { th { "Setting" } (heads(runs)) } }
                        tbody {
                            @for key in differ {
                                tr {
                                    th scope="row" { code { (key) } }
                                    @for one in &flat { td { (one.get(key).map_or("–", String::as_str)) } }
                                }
                            }
                        }
                    }
                }
            }
            p.soft.after { (same.len()) " further settings are the same." }
        }
    }
}

/// Settings by their paths: `conduct.chess960`. Long ones are left out: a suite's text, a command
/// line, hashes of files.
fn flattened(plan: &Value) -> BTreeMap<String, String> {
    fn add(flat: &mut BTreeMap<String, String>, path: &str, value: &Value) {
        let inside =
            |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        match value {
            Value::Object(keys) => {
                keys.iter().for_each(|(key, value)| add(flat, &inside(key), value))
            }
            Value::Array(values) => {
                (1..)
                    .zip(values)
                    .for_each(|(place, value)| add(flat, &inside(&format!("{place}")), value));
            }
            Value::Null => {}
            value => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                flat.insert(path.to_owned(), text);
            }
        }
    }
    let mut flat = BTreeMap::new();
    add(&mut flat, "", plan);
    flat.retain(|path, text| !path.ends_with("command_line") && text.len() <= 200);
    flat
}

fn curves(runs: &[ComparedRun]) -> Markup {
    let of = |points: &Points<'_>| {
        let curve = |run| {
            let ComparedRun { name, content, .. }: &ComparedRun = run;
            Some((name.as_str(), points(content)?))
        };
        runs.iter().filter_map(curve).collect::<Vec<_>>()
    };
    let elo = of(&|content| match content {
        Content::Games(_, elo, _) => Some(elo.clone()),
        _ => None,
    });
    let llr = of(&|content| match content {
        Content::Games(_, _, llr) if llr.len() > 1 => Some(llr.clone()),
        _ => None,
    });
    let gain = of(&|content| match content {
        Content::Tune(report) => {
            let known = report.path.iter();
            Some(known.filter_map(|at| Some((at.games as f64, at.found.gain?.value))).collect())
        }
        _ => None,
    });
    html! {
        (overlaid("Elo over games", "Logistic Elo of the first engine.", &elo))
        (overlaid("Log-likelihood ratio over games", "Of each run's own test.", &llr))
        (overlaid("Expected gain over games", "In Elo, as the tuner expects it.", &gain))
    }
}

/// The positions of suites that not all solve.
fn suites(runs: &[ComparedRun]) -> Markup {
    let suites: Vec<&SuiteSummary> = runs
        .iter()
        .filter_map(|run| match &run.content {
            Content::Suite(report) => Some(&report.first),
            _ => None,
        })
        .collect();
    let solved = |summary: &SuiteSummary| -> BTreeMap<String, bool> {
        summary.results.iter().map(|result| (result.id.clone(), result.solved)).collect()
    };
    let solved: Vec<BTreeMap<String, bool>> =
        suites.iter().map(|summary| solved(summary)).collect();
    let ids: BTreeSet<&String> = solved.iter().flat_map(BTreeMap::keys).collect();
    let differ: Vec<&String> = ids
        .into_iter()
        .filter(|id| solved.iter().any(|one| one.get(*id) != solved[0].get(*id)))
        .collect();
    html! {
        @if suites.len() > 1 {
            section.card {
                h2 { "Positions solved by some" }
                @if differ.is_empty() { p.soft { "They solve the same positions." } } @else {
                    div.scroll tabindex="0" role="region" aria-label="Positions" {
                        table.compare {
                            thead { tr {
                                th { "Position" }
                                @for summary in &suites { th scope="col" { (summary.engine) br; code { (summary.run) } } }
                            } }
                            tbody {
                                @for id in differ {
                                    tr {
                                        th scope="row" { (id) }
                                        @for one in &solved { (solved_cell(one.get(id).copied())) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn solved_cell(solved: Option<bool>) -> Markup {
    match solved {
        Some(true) => html! { td.good { "✓ solved" } },
        Some(false) => html! { td.bad { "✗ missed" } },
        None => html! { td { "–" } },
    }
}

/// The values of parameters.
fn parameters(runs: &[ComparedRun]) -> Markup {
    let tunes: Vec<(&str, BTreeMap<&str, String>)> = runs
        .iter()
        .filter_map(|run| match &run.content {
            Content::Tune(report) => {
                let values = report.summary.parameters.iter().filter(|one| !one.fixed).map(|one| {
                    let error =
                        one.error.map_or_else(String::new, |error| format!(" ± {error:.1}"));
                    (one.name.as_str(), format!("{} → {:.1}{error}", one.start, one.estimate))
                });
                Some((run.facts.id.as_str(), values.collect()))
            }
            _ => None,
        })
        .collect();
    let names: BTreeSet<&str> =
        tunes.iter().flat_map(|(_, values)| values.keys().copied()).collect();
    html! {
        @if tunes.len() > 1 {
            section.card {
                h2 { "Values" }
                div.scroll tabindex="0" role="region" aria-label="Values" {
                    table.compare {
                        thead { tr { th { "Parameter" } @for (id, _) in &tunes { th scope="col" { code { (id) } } } } }
                        tbody {
                            @for name in names {
                                tr {
                                    th scope="row" { code { (name) } }
                                    @for (_, values) in &tunes { td { (values.get(name).map_or("–", String::as_str)) } }
                                }
                            }
                        }
                    }
                }
                p.soft.after { "Start → value found, ± its standard error." }
            }
        }
    }
}
