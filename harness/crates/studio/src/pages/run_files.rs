//! Files of runs that need one, made in the form of a new run: the experiment of a tuning, the checks of a gate.
//!
//! The script `runfile.js` makes the text from the fields; what a run would refuse is refused here, and nothing
//! is written then.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::refusal::{Refusal, answer, blocking};
use super::run_answers::only_control;
use super::run_form::{LIMITS, presets};
use crate::error::StudioError;
use crate::form::Form;
use crate::lookup::{failure_text, with_help};
use crate::role::Role;
use crate::state::App;
use harness_base::config::Config;
use harness_base::files::write_file;
use harness_base::session::Session;
use harness_player as player;
use harness_runs::{gate, tune};

/// Most files of a kind.
const MAX_FILES: u32 = 10_000;

/// Largest text of a file, in bytes.
const MAX_TEXT: usize = 256 * 1024;

/// Presets of an experiment.
const TUNE_PRESETS: [(&str, &[(&str, &str)]); 3] = [
    (
        "Smoke test",
        &[
            ("file.limit-kind", "nodes"),
            ("file.limit", "1000"),
            ("file.games", "200"),
            ("file.validation", "0"),
        ],
    ),
    (
        "Fixed nodes",
        &[
            ("file.limit-kind", "nodes"),
            ("file.limit", "5000"),
            ("file.games", "20000"),
            ("file.validation", "10000"),
        ],
    ),
    (
        "STC",
        &[
            ("file.limit-kind", "tc"),
            ("file.limit", "8+0.08"),
            ("file.games", "20000"),
            ("file.validation", "10000"),
        ],
    ),
];

/// Presets of a gate.
const GATE_PRESETS: [(&str, &[(&str, &str)]); 3] = [
    (
        "Smoke test",
        &[
            ("file.suite", "bk"),
            ("file.suite-nodes", "2000"),
            ("file.sprt-limit-kind", "nodes"),
            ("file.sprt-limit", "1000"),
            ("file.elo0", "-50"),
            ("file.elo1", "0"),
            ("file.max-games", "100"),
        ],
    ),
    (
        "Fixed nodes",
        &[
            ("file.suite", "wac"),
            ("file.suite-nodes", "20000"),
            ("file.sprt-limit-kind", "nodes"),
            ("file.sprt-limit", "5000"),
            ("file.elo0", "-10"),
            ("file.elo1", "0"),
            ("file.max-games", "4000"),
        ],
    ),
    (
        "Non-regression STC",
        &[
            ("file.sprt-limit-kind", "tc"),
            ("file.sprt-limit", "8+0.08"),
            ("file.elo0", "-5"),
            ("file.elo1", "0"),
            ("file.max-games", "40000"),
        ],
    ),
];

/// The routes.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/start/parameters", get(parameters)).route("/start/file", post(file))
}

/// Fields of an experiment.
pub fn tune_fields() -> Markup {
    html! {
        details #run-file .run-file data-kind="tune" {
            summary { "Make the file here" }
            (presets(&TUNE_PRESETS))
            div.form-row {
                (field("Engine", "engine", "builtin", Some("run-engines")))
                (limit("Limit of a search", "limit", "5000"))
                (field("Games", "games", "20000", None))
                (field("Games of the validation", "validation", "10000", None))
                (field("Options for every game", "options", "Hash=16", None))
            }
            div.actions {
                button.button type="button" #read-parameters { "Read the engine's parameters" }
                (write_button())
            }
            div #parameters-host {}
            p #file-state role="status" {}
        }
    }
}

/// Fields of the checks of a gate.
pub fn gate_fields() -> Markup {
    html! {
        details #run-file .run-file data-kind="gate" {
            summary { "Make the file here" }
            (presets(&GATE_PRESETS))
            div.form-row {
                (field("Compared with", "base", "where it left main", Some("run-engines")))
                (field("Suite", "suite", "none", None))
                (field("Nodes a position", "suite-nodes", "20000", None))
                (field("Speed of the base, at least", "speed", "none, or 0.97", None))
            }
            div.form-row {
                (limit("Limit of the SPRT", "sprt-limit", "no SPRT"))
                (field("H0 in nElo", "elo0", "-10", None))
                (field("H1 in nElo", "elo1", "0", None))
                (field("At most games", "max-games", "4000", None))
                label { "If undecided"
                    select data-file="undecided" {
                        @for value in ["pass", "fail", "undecided"] { option value=(value) { (value) } }
                    }
                }
            }
            div.form-row {
                label { input type="checkbox" data-file="conformance"; " UCI conformance" }
                label { input type="checkbox" data-file="bench"; " Signature of the commit message" }
            }
            div.actions { (write_button()) }
            p #file-state role="status" {}
        }
    }
}

fn write_button() -> Markup {
    html! { button.button type="button" #write-file { "Write the file" } }
}

fn field(label: &str, name: &str, placeholder: &str, list: Option<&str>) -> Markup {
    html! {
        label { (label)
            input data-file=(name) list=[list] placeholder=(placeholder) spellcheck="false";
        }
    }
}

/// A limit of a search: its kind, and how much of it.
fn limit(label: &str, name: &str, placeholder: &str) -> Markup {
    html! {
        label { (label)
            span.with-button {
                select data-file={ (name) "-kind" } aria-label={ "Kind of limit: " (label) } {
                    @for (kind, about) in LIMITS {
                        option value=(kind) selected[kind == "nodes"] { (about) }
                    }
                }
                input.short data-file=(name) aria-label=(label) placeholder=(placeholder) spellcheck="false";
            }
        }
    }
}

/// Query of the parameters of an engine.
#[derive(Deserialize)]
struct ParametersQuery {
    engine: String,
}

/// `/start/parameters?engine=NAME`: the parameters that can be tuned, with the ranges that the engine declares.
async fn parameters(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Query(query): Query<ParametersQuery>,
) -> Result<Response, Refusal> {
    only_control(role)?;
    blocking(move || {
        let config = Config::find().map_err(|error| error.to_string())?;
        let found = player::look_up(&query.engine, &config).map_err(|error| with_help(&error))?;
        let Some(spec) = found else {
            let note = "a revision has to be built first: take a program, or the working tree's build";
            return Ok(answer(StatusCode::OK, &json!({ "note": note })));
        };
        let session = Session {
            reports: app.reports.clone(),
            probe: false,
            quiet: true,
            on: None,
            interrupt: app.interrupt.clone(),
        };
        let parameters = tune::tunable(&spec, &session).map_err(|error| failure_text(&error))?;
        let rows: Vec<_> = parameters
            .iter()
            .map(|one| {
                json!({ "name": one.name, "start": one.start, "min": one.min, "max": one.max, "step": one.step })
            })
            .collect();
        Ok(answer(StatusCode::OK, &json!({ "parameters": rows })))
    })
    .await
}

/// `POST /start/file`: writes the file of a run; gives its path.
async fn file(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    sent: Form,
) -> Result<Response, Refusal> {
    only_control(role)?;
    let (kind, text) = (sent.get("kind").to_owned(), sent.get("text").to_owned());
    if text.len() > MAX_TEXT {
        return Err(Refusal::wrong(format!("the file would have more than {MAX_TEXT} bytes")));
    }
    blocking(move || {
        let folder = app.reports.join("studio");
        fs::create_dir_all(&folder)
            .map_err(|error| StudioError::Unwritable(folder.display().to_string(), error))
            .map_err(|error| error.to_string())?;
        let path = unused(&folder, &kind)?;
        match kind.as_str() {
            "tune" => tune::check_experiment(&path, &text).map_err(|error| failure_text(&error))?,
            "gate" => {
                gate::Config::parse(&path, &text).map(drop).map_err(|error| with_help(&error))?
            }
            other => return Err(Refusal::wrong(format!("a run of `{other}` has no such file"))),
        }
        write_file(&path, text.as_bytes(), None).map_err(|error| error.to_string())?;
        Ok(answer(StatusCode::OK, &json!({ "path": path.display().to_string() })))
    })
    .await
}

/// A path in a folder that no file has: `tune-1.yaml`.
fn unused(folder: &Path, kind: &str) -> Result<PathBuf, Refusal> {
    let paths = (1..=MAX_FILES).map(|number| folder.join(format!("{kind}-{number}.yaml")));
    let full = || Refusal::wrong(format!("{} has {MAX_FILES} files of {kind}", folder.display()));
    paths.into_iter().find(|path| !path.exists()).ok_or_else(full)
}
