//! Runs side by side: settings that differ, results, curves over the same axes, positions.

mod picker;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde_json::Value;

use self::picker::{Asked, picker};
use self::settings::{Shown, differences};
use crate::error::StudioError;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::{run_path, status};
use harness_base::text::counted;
use harness_ledger::{Ledger, RunFacts};
use harness_report::html::{as_sentence, overlaid, with_code};
use harness_runs::kinds::{self, Comparison, Curve, Kind, SolvedPositions};

/// Most runs beside each other.
const MAX_RUNS: usize = 6;

/// Below losses.
const LOSS: &str =
    "In thousandths. Losses of different data or labels say nothing about each other.";

/// A run with the parts of it that can be compared.
struct ComparedRun {
    facts: RunFacts,
    name: String,
    /// The parts of its result; none of a run that cannot be read.
    content: Comparison,
}

/// Name and content of a row.
type Row = (&'static str, fn(&ComparedRun) -> Markup);

/// The points of a curve, if a run has it.
type Points = fn(&Comparison) -> Option<&Curve>;

/// The routes of this page.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/compare", get(page))
}

/// `/compare?run=A&run=B`; `q`, `command` and `offset` choose the runs that are offered.
///
/// A run that is not there is named; the others are compared.
///
/// # Errors
/// When the ledger cannot be read.
pub async fn page(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, StudioError> {
    let asked = Asked::read(&query.unwrap_or_default());
    let part = headers.contains_key("x-fragment");
    let page = with_ledger(app, move |_, ledger| {
        let load = |id: &String| load_run(ledger, id);
        let loaded = asked.shown().map(|id| load(id).map_err(|error| error.to_string()));
        let (runs, missing): (Vec<_>, Vec<_>) = loaded.partition(Result::is_ok);
        let runs: Vec<ComparedRun> = runs.into_iter().flatten().collect();
        let missing = missing.into_iter().filter_map(Result::err);
        let content = html! {
            @for reason in missing { p.flash.error { (with_code(&as_sentence(&reason))) } }
            @if asked.chosen.len() > MAX_RUNS {
                p.wrong { (asked.chosen.len()) " runs are chosen, the first " (MAX_RUNS) " are shown." }
            }
            @if runs.len() > 1 { (side_by_side(&runs)) }
            (picker(ledger, &asked)?)
        };
        if part {
            return Ok(content.into_string());
        }
        let content = html! {
            h1 { "Compare" }
            div data-pages #compared { (content) }
        };
        Ok(FramedPage { title: "Compare", tab: "/compare", topic: None, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

fn load_run(ledger: &Ledger, id: &str) -> Result<ComparedRun, StudioError> {
    let facts = ledger.facts(id)?;
    let kind = Kind::by_key(&facts.command).unwrap_or(&Kind::PLAIN);
    // What cannot be read is compared by its settings.
    let mut content = (kind.comparison)(ledger, &facts).unwrap_or_default();
    // A kind without a result of its own for this page has that of the lists.
    if content.result.is_empty() {
        content.result = kinds::result_line(&ledger.listed_run(&facts.id)?);
    }
    let name = crate::views::run::title(&facts);
    Ok(ComparedRun { facts, name, content })
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
fn heads<'a>(runs: impl Iterator<Item = &'a ComparedRun>) -> Markup {
    html! {
        @for run in runs {
            th scope="col" { a href=(run_path(&run.facts.id)) { (run.name) } br; code { (run.facts.id) } }
        }
    }
}

fn results(runs: &[ComparedRun]) -> Markup {
    let rows: [Row; 4] = [
        ("State", |run| {
            status(run.facts.status, kinds::failed(&run.facts.command, run.facts.summary.as_ref()))
        }),
        ("Result", |run| html! { (run.content.result) }),
        ("Won – drawn – lost", |run| match run.content.score {
            Some([won, drawn, lost]) => html! { (won) " – " (drawn) " – " (lost) },
            None => html! {},
        }),
        ("Note", |run| html! { @if let Some(note) = &run.facts.note { div.note { (note) } } }),
    ];
    html! {
        section.card {
            h2 { "Results" }
            div.scroll tabindex="0" role="region" aria-label="Results" {
                table.compare {
                    thead { tr { td {} (heads(runs.iter())) } }
                    tbody {
                        @for (name, cell) in rows.into_iter().filter(|(_, cell)| runs.iter().any(|run| !cell(run).0.is_empty())) {
                            tr { th scope="row" { (name) } @for run in runs { td { (cell(run)) } } }
                        }
                    }
                }
            }
        }
    }
}

/// The settings that differ, by their places in the plan in words, of the runs of each kind: those of different
/// kinds have nothing in common.
fn settings(runs: &[ComparedRun]) -> Markup {
    let mut kinds: Vec<(&str, Vec<&ComparedRun>)> = Vec::new();
    for run in runs {
        let kind = run.facts.command.as_str();
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, same)) => same.push(run),
            None => kinds.push((kind, vec![run])),
        }
    }
    let alone = kinds.iter().filter(|(_, same)| same.len() == 1).map(|(kind, _)| *kind);
    let alone: Vec<&str> = alone.collect();
    html! {
        @for (kind, same) in kinds.iter().filter(|(_, same)| same.len() > 1) {
            (settings_of(same, (kinds.len() > 1).then_some(*kind)))
        }
        @if kinds.len() > 1 && !alone.is_empty() {
            section.card {
                h2 { "Settings of different kinds" }
                p.soft {
                    "Settings are compared between runs of one kind. Alone of its kind: "
                    (alone.iter().map(|kind| kinds::command_words(kind)).collect::<Vec<_>>().join(", ")) "."
                }
            }
        }
    }
}

fn settings_of(runs: &[&ComparedRun], kind: Option<&str>) -> Markup {
    let plans: Vec<&Value> =
        runs.iter().map(|run| run.content.settings.as_ref().unwrap_or(&run.facts.plan)).collect();
    let (differ, same) = differences(&plans);
    html! {
        section.card {
            h2 { "Settings that differ" @if let Some(kind) = kind { ": " (kinds::command_words(kind)) } }
            @if differ.is_empty() { p.soft { "None." } } @else {
                div.scroll tabindex="0" role="region" aria-label={ "Settings that differ " (kind.unwrap_or_default()) } {
                    table.compare {
                        thead { tr { th { "Setting" } (heads(runs.iter().copied())) } }
                        tbody {
                            @for setting in &differ {
                                tr {
                                    th scope="row" { (setting.name) }
                                    @for value in &setting.values { (setting_cell(value.as_ref())) }
                                }
                            }
                        }
                    }
                }
            }
            p.soft.after { (counted(same, "further setting is the same", "further settings are the same")) "." }
        }
    }
}

fn setting_cell(value: Option<&Shown>) -> Markup {
    match value {
        Some(Shown { text, whole }) => html! { td title=[whole.as_ref()] { (text) } },
        None => html! { td { "–" } },
    }
}

/// Names of the runs in a legend: those that share one have their ids, too.
fn legend_names(runs: &[ComparedRun]) -> Vec<String> {
    let is_shared = |name: &str| runs.iter().filter(|run| run.name == name).count() > 1;
    let name = |ComparedRun { name, facts, .. }: &ComparedRun| match is_shared(name) {
        true => format!("{name} ({})", facts.id),
        false => name.clone(),
    };
    runs.iter().map(name).collect()
}

fn curves(runs: &[ComparedRun]) -> Markup {
    let names = legend_names(runs);
    let of = |points: Points| {
        let curve = |(run, name): (&ComparedRun, _)| {
            (String::as_str(name), points(&run.content).cloned().unwrap_or_default())
        };
        runs.iter().zip(&names).map(curve).collect::<Vec<_>>()
    };
    let elo = of(|content| content.elo.as_ref());
    let llr = of(|content| content.llr.as_ref());
    let gain = of(|content| content.gain.as_ref());
    let loss = of(|content| content.loss.as_ref());
    let scores_loss = of(|content| content.scores_loss.as_ref());
    html! {
        (overlaid("Elo over games", "Logistic Elo of the first engine.", &elo, true))
        (overlaid("Log-likelihood ratio over games", "Of each run's own test.", &llr, true))
        (overlaid("Expected gain over games", "In Elo, as the tuner expects it.", &gain, true))
        (overlaid("Validation loss over the epochs", LOSS, &loss, false))
        (overlaid("Validation loss by scores alone", LOSS, &scores_loss, false))
    }
}

/// The positions of suites that some solve and others miss.
fn suites(runs: &[ComparedRun]) -> Markup {
    let suites: Vec<&SolvedPositions> = runs.iter().flat_map(|run| &run.content.solved).collect();
    let solved: Vec<&BTreeMap<String, bool>> =
        suites.iter().map(|suite| &suite.positions).collect();
    let ids: BTreeSet<&String> = solved.iter().flat_map(|one| one.keys()).collect();
    let is_by = |id: &String, wanted: bool| solved.iter().any(|one| one.get(id) == Some(&wanted));
    let (shared, others): (Vec<&String>, Vec<&String>) = ids
        .into_iter()
        .partition(|id| solved.iter().filter(|one| one.contains_key(*id)).count() > 1);
    let differ: Vec<&String> =
        shared.iter().copied().filter(|id| is_by(id, true) && is_by(id, false)).collect();
    html! {
        @if suites.len() > 1 {
            section.card {
                h2 { "Positions solved by some" }
                @if shared.is_empty() {
                    p.soft { "They have no position in common." }
                } @else if differ.is_empty() {
                    p.soft { "They solve the same positions." }
                } @else {
                    div.scroll tabindex="0" role="region" aria-label="Positions" {
                        table.compare {
                            thead { tr {
                                th { "Position" }
                                @for suite in &suites { th scope="col" { (suite.engine) br; code { (suite.run) } } }
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
                @if !shared.is_empty() && !others.is_empty() {
                    p.soft.after { (counted(others.len() as u64, "position was", "positions were")) " asked of one of them alone." }
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
    let tunes: Vec<(&str, &BTreeMap<String, String>)> = runs
        .iter()
        .filter_map(|run| Some((run.facts.id.as_str(), run.content.values.as_ref()?)))
        .collect();
    let names: BTreeSet<&str> =
        tunes.iter().flat_map(|(_, values)| values.keys().map(String::as_str)).collect();
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
