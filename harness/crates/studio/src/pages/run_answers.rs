//! Answers to the script of the form of a new run: its command line, the options of an engine, how long a test takes,
//! the files of a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::refusal::{Refusal, answer, blocking};
use crate::error::StudioError;
use crate::form::Form;
use crate::lookup::{self, with_help};
use crate::recipe;
use crate::role::Role;
use crate::state::App;
use harness_base::config::Config;
use harness_base::secret::shown_words;
use harness_base::text::shell_words;
use harness_player as player;
use harness_stats::{Model, PLANNED_GAMES, RulePlan, Shape, Sprt, SprtPlan};

/// Files of a folder that are listed.
const MAX_FILES: usize = 500;

/// Share of drawn games for which the length of a test is shown.
const DRAW_RATIO: f64 = 0.5;

/// The routes of these answers.
pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/start/line", post(line))
        .route("/start/options", get(options))
        .route("/start/plan", get(plan))
        .route("/start/files", get(files))
}

/// `POST /start/line`: the command line of a YAML text, or what is wrong with it.
async fn line(State(app): State<Arc<App>>, sent: Form) -> Result<Response, Refusal> {
    let yaml = recipe::with_keys(sent.get("yaml"), app.launcher.flag);
    let words = recipe::words(&yaml).map_err(|error| error.to_string());
    let checked = words.and_then(|words| (app.launcher.check)(&words).map(|()| words));
    let value = match checked {
        Ok(words) => json!({ "line": format!("harness {}", shell_words(shown_words(&words))) }),
        // The page says itself that it is an error.
        Err(wrong) => json!({ "wrong": wrong.strip_prefix("error: ").unwrap_or(&wrong) }),
    };
    Ok(answer(StatusCode::OK, &value))
}

/// Refuses a request of one who may only look.
///
/// # Errors
/// Unless the role may start things.
pub(super) fn only_control(role: Role) -> Result<(), Refusal> {
    match role {
        Role::Control => Ok(()),
        Role::View => Err(Refusal(StatusCode::FORBIDDEN, StudioError::ReadOnly.to_string())),
    }
}

/// Query of the options of an engine.
#[derive(Deserialize)]
struct OptionsQuery {
    engine: String,
}

/// `/start/options?engine=NAME`: the options that an engine declares. A revision is not built for that.
async fn options(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Query(query): Query<OptionsQuery>,
) -> Result<Response, Refusal> {
    only_control(role)?;
    blocking(move || {
        let config = Config::find().map_err(|error| error.to_string())?;
        let found = player::look_up(&query.engine, &config).map_err(|error| with_help(&error))?;
        let value = match found {
            Some(spec) => json!({ "options": lookup::declared(&spec, &app.interrupt)? }),
            None => json!({ "note": "a revision: its options are known once it is built" }),
        };
        Ok(answer(StatusCode::OK, &value))
    })
    .await
}

/// Query of the expected length of a test.
#[derive(Deserialize)]
struct PlanQuery {
    #[serde(default)]
    elo0: String,
    #[serde(default)]
    elo1: String,
    /// Form of the bounds; empty for those of Wald.
    #[serde(default)]
    bounds: String,
    /// Conditional power below which it rejects; empty: it does not.
    #[serde(default)]
    stop_futile: String,
    /// Most games; empty: as many as it takes.
    #[serde(default)]
    max_games: String,
}

impl PlanQuery {
    /// The test, and the games after which it ends.
    fn test(&self) -> Result<(Sprt, u64), String> {
        let wrong = |error: &dyn std::fmt::Display| error.to_string();
        let number = |what: &str, text: &str| match text.trim() {
            "" => Ok(None),
            text => {
                text.parse::<f64>().map(Some).map_err(|_| format!("{what}: `{text}` is no number"))
            }
        };
        let shape = match self.bounds.trim() {
            "" => Shape::Wald,
            name => serde_json::from_value(json!(name))
                .map_err(|_| format!("there are no bounds `{name}`"))?,
        };
        let elo0 = number("H0 in nElo", &self.elo0)?.unwrap_or(0.0);
        let elo1 = number("H1 in nElo", &self.elo1)?.ok_or("H1 in nElo is missing")?;
        let test = Sprt::new(Model::Normalized, elo0, elo1, 0.05, 0.05);
        let test = test.and_then(|test| test.with_bounds(shape, DRAW_RATIO));
        let test = test.map_err(|error| wrong(&error))?;
        let last = test.last_pair().map_or(PLANNED_GAMES, |last| last.saturating_mul(2));
        let most = number("At most games", &self.max_games)?.map_or(last, |most| most as u64);
        match number("Give up", &self.stop_futile)? {
            Some(level) if level > 0.0 && level < 1.0 => {
                let test = test.with_futility(level, DRAW_RATIO, most.div_ceil(2));
                Ok((test.map_err(|error| wrong(&error))?, most))
            }
            Some(level) => Err(format!("a power of {level} does not lie between 0 and 1")),
            None => Ok((test, most)),
        }
    }
}

/// `/start/plan?elo0=E&elo1=E`: how many games an SPRT takes, as `harness sprt --plan` has it.
async fn plan(Query(query): Query<PlanQuery>) -> Result<Response, Refusal> {
    blocking(move || {
        let (test, most) = query.test()?;
        let plan = SprtPlan::new(test, &[DRAW_RATIO], most).map_err(|error| error.to_string())?;
        let spread = plan.plans.first();
        let rows: Vec<Value> = spread
            .into_iter()
            .flat_map(|spread| &spread.expectations)
            .map(|row| {
                json!({
                    "nelo": row.nelo, "elo": row.elo, "pass": row.pass, "undecided": row.undecided,
                    "games": row.games,
                })
            })
            .collect();
        let rule = |wanted: &&RulePlan| {
            wanted.bounds == test.rule.map_or(Shape::Wald, |rule| rule.shape)
                && wanted.futile
                    == test.rule.and_then(|rule| rule.futility).map(|futile| futile.level)
        };
        let rule = spread.and_then(|spread| spread.rules.iter().find(rule));
        let value = json!({
            "draws": DRAW_RATIO, "rows": rows, "most": rule.map_or(most, |rule| rule.max_games),
            "most_is_proven": test.last_pair().is_some(),
            "games95": rule.and_then(|rule| rule.courses.get(2)).map(|half_way| half_way.games95),
        });
        Ok(answer(StatusCode::OK, &value))
    })
    .await
}

/// Query of the files of a folder.
#[derive(Deserialize)]
struct FilesQuery {
    #[serde(default)]
    folder: String,
    /// Endings of names with commas between; empty for programs.
    #[serde(default)]
    ends: String,
}

/// `/start/files?folder=PATH&ends=pgn,epd`: the folders and files of a folder.
async fn files(
    Extension(role): Extension<Role>,
    Query(query): Query<FilesQuery>,
) -> Result<Response, Refusal> {
    only_control(role)?;
    blocking(move || {
        let folder = if query.folder.is_empty() { PathBuf::from(".") } else { query.folder.into() };
        let ends: Vec<&str> = query.ends.split(',').filter(|end| !end.is_empty()).collect();
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        let mut folders = Vec::new();
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder).map_err(failed)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                folders.push(name);
            } else if is_wanted(&path, &ends) {
                files.push(name);
            }
        }
        for names in [&mut folders, &mut files] {
            names.sort_unstable();
            names.truncate(MAX_FILES);
        }
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let value =
            json!({ "folder": whole.display().to_string(), "folders": folders, "files": files });
        Ok(answer(StatusCode::OK, &value))
    })
    .await
}

fn is_wanted(path: &Path, ends: &[&str]) -> bool {
    match path.extension().and_then(|end| end.to_str()) {
        _ if ends.is_empty() => harness_base::platform::is_program(path),
        Some(end) => ends.contains(&end),
        None => false,
    }
}
