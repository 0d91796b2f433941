//! Runs side by side: settings that differ, results, curves over the same axes, positions.

mod picker;

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
use crate::error::StudioError;
use crate::frame::{self, FramedPage};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::{run_path, status};
use harness_base::text::counted;
use harness_ledger::{Ledger, RunFacts};
use harness_report::html::overlaid;
use harness_runs::kinds::{Comparison, Curve, Kind, SolvedPositions};

/// Most runs beside each other.
const MAX_RUNS: usize = 6;

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
/// # Errors
/// When a run is not there.
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
        let runs = asked.shown().map(load).collect::<Result<Vec<_>, _>>()?;
        let content = html! {
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
    let content = (kind.comparison)(ledger, &facts).unwrap_or_default();
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
            status(
                run.facts.status,
                harness_runs::kinds::failed(&run.facts.command, run.facts.summary.as_ref()),
            )
        }),
        ("Result", |run| html! { (run.content.result) }),
        ("Won – drawn – lost", |run| match run.content.score {
            Some([won, drawn, lost]) => html! { (won) " – " (drawn) " – " (lost) },
            None => html! {},
        }),
        ("Note", |run| html! { (run.facts.note.as_deref().unwrap_or_default()) }),
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

/// The settings that differ, by their places in the plan, of the runs of each kind: those of different
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
                    (alone.join(", ")) "."
                }
            }
        }
    }
}

fn settings_of(runs: &[&ComparedRun], kind: Option<&str>) -> Markup {
    let flat: Vec<BTreeMap<String, String>> =
        runs.iter().map(|run| flattened(&run.facts.plan)).collect();
    let keys: BTreeSet<&String> = flat.iter().flat_map(BTreeMap::keys).collect();
    let (differ, same): (Vec<&String>, Vec<&String>) =
        keys.into_iter().partition(|key| flat.iter().any(|one| one.get(*key) != flat[0].get(*key)));
    html! {
        section.card {
            h2 { "Settings that differ" @if let Some(kind) = kind { ": " (kind) } }
            @if differ.is_empty() { p.soft { "None." } } @else {
                div.scroll tabindex="0" role="region" aria-label={ "Settings that differ " (kind.unwrap_or_default()) } {
                    table.compare {
                        thead { tr { th { "Setting" } (heads(runs.iter().copied())) } }
                        tbody {
                            @for key in differ {
                                tr {
                                    th scope="row" { code { (path_text(key)) } }
                                    @for one in &flat { td { (one.get(key).map_or("–", String::as_str)) } }
                                }
                            }
                        }
                    }
                }
            }
            p.soft.after { (counted(same.len() as u64, "further setting is the same", "further settings are the same")) "." }
        }
    }
}

/// A path that may break behind its dots.
fn path_text(path: &str) -> Markup {
    html! {
        @for (place, part) in path.split('.').enumerate() {
            @if place > 0 { "." wbr; }
            (part)
        }
    }
}

/// Settings by their paths: `conduct.chess960`. Long ones are left out: a suite's text, a command
/// line, hashes of files; and the engines and limits that the plan has a second time, for reports.
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
    let is_left_out = |path: &str| {
        let is_second = path.starts_with("facts.engines.") || path == "facts.limit";
        is_second || path.ends_with("command_line") || path.ends_with("sha256")
    };
    flat.retain(|path, text| !is_left_out(path) && text.len() <= 200);
    flat
}

fn curves(runs: &[ComparedRun]) -> Markup {
    let of = |points: Points| {
        let curve = |run| {
            let ComparedRun { name, content, .. }: &ComparedRun = run;
            (name.as_str(), points(content).cloned().unwrap_or_default())
        };
        runs.iter().map(curve).collect::<Vec<_>>()
    };
    let elo = of(|content| content.elo.as_ref());
    let llr = of(|content| content.llr.as_ref());
    let gain = of(|content| content.gain.as_ref());
    html! {
        (overlaid("Elo over games", "Logistic Elo of the first engine.", &elo))
        (overlaid("Log-likelihood ratio over games", "Of each run's own test.", &llr))
        (overlaid("Expected gain over games", "In Elo, as the tuner expects it.", &gain))
    }
}

/// The positions of suites that not all solve.
fn suites(runs: &[ComparedRun]) -> Markup {
    let suites: Vec<&SolvedPositions> =
        runs.iter().filter_map(|run| run.content.solved.as_ref()).collect();
    let solved: Vec<&BTreeMap<String, bool>> =
        suites.iter().map(|suite| &suite.positions).collect();
    let ids: BTreeSet<&String> = solved.iter().flat_map(|one| one.keys()).collect();
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
