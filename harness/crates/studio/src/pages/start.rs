//! Starting a run from a form.

use std::sync::Arc;

use axum::Extension;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use super::run_form::{fields, purpose};
use crate::error::StudioError;
use crate::form::Form;
use crate::frame::{self, FramedPage};
use crate::launch::LaunchedCommand;
use crate::lookup::{Lookup, look_up};
use crate::recipe::{self, Recipe, commands, of_command, templates};
use crate::role::Role;
use crate::state::{App, with_ledger};
use crate::views::run_path;
use harness_base::secret::shown_words;
use harness_base::text::{shell_split, shell_words};
use harness_ledger::RunFacts;
use harness_report::html::{command_words, with_code};
use harness_runs::{games, kinds, suite};

/// Query of the address.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct StartQuery {
    /// A command.
    kind: String,
    /// A run to be repeated with changes.
    like: String,
    /// A file of positions to be searched.
    suite: String,
    /// The run itself, as a sentence asked for it.
    yaml: String,
}

/// The routes of these pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/start", get(form).post(start)).route("/started/{number}", get(started))
}

/// `GET /start`: the form.
///
/// # Errors
/// When the run to be repeated is not there.
pub async fn form(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Query(query): Query<StartQuery>,
) -> Result<Response, StudioError> {
    if role == Role::View {
        return Err(StudioError::ReadOnly);
    }
    let page = with_ledger(app, move |app, ledger| {
        let (yaml, note) = match query.like.as_str() {
            "" if !query.suite.is_empty() => {
                let words = [suite::COMMAND, &query.suite, "builtin"].map(str::to_owned);
                (recipe::yaml(&words, app.launcher.flag), None)
            }
            "" if !query.yaml.is_empty() => {
                (recipe::with_keys(&query.yaml, app.launcher.flag), None)
            }
            "" => (template(&query.kind), None),
            run => like(app, &ledger.facts(run)?),
        };
        let remarks = Remarks { note: note.as_deref(), ..Remarks::default() };
        let content = content(app, &yaml, &remarks);
        Ok(FramedPage { title: "New run", tab: "/start", topic: None, role, content }.page())
    });
    Ok(frame::response(page.await?))
}

/// The beginning of a run of a kind, of an SPRT if no page starts that kind.
fn template(kind: &str) -> String {
    let of = |kind: &str| templates().into_iter().find(|(command, _)| *command == kind);
    of(kind).or_else(|| of(games::SPRT)).map(|(_, yaml)| yaml).unwrap_or_default()
}

/// The command line of a run as YAML, and what it lacks.
fn like(app: &App, run: &RunFacts) -> (String, Option<String>) {
    let line = kinds::starting_line(run);
    let words = line.as_deref().and_then(shell_split).unwrap_or_default();
    // The run of a gate is not the gate.
    let Some(words) = of_command(words) else {
        let note = match &line {
            Some(line) => format!(
                "There is no form of `harness {}`; in a terminal: `{line}`. This is a new run.",
                kinds::command_words(&run.command)
            ),
            None => format!(
                "The command line of {} is not known: its plan is in its run.yaml. This is a new run.",
                run.id
            ),
        };
        return (template(&run.command), Some(note));
    };
    (recipe::yaml(&words, app.launcher.flag), None)
}

/// Remarks above the form.
#[derive(Default)]
struct Remarks<'a> {
    note: Option<&'a str>,
    /// Findings about the names of the run.
    found: &'a [String],
    wrong: Option<&'a str>,
    /// The page answers a form that was sent: its address says nothing.
    sent: bool,
}

fn content(app: &App, yaml: &str, remarks: &Remarks<'_>) -> Markup {
    let recipe = Recipe::read(yaml);
    let known = commands();
    let first = recipe.command.split(' ').next().unwrap_or_default();
    let command = if known.contains(&first) { &*recipe.command } else { "" };
    let help = format!("harness {command} --help").replace("  ", " ");
    html! {
        h1 { "New run" }
        nav.kinds aria-label="Templates" {
            @for command in &known { a.button href={ "/start?kind=" (command) } aria-current=[(*command == first).then_some("page")] { (command) } }
        }
        @let purpose = purpose(command);
        @if !purpose.is_empty() { p.soft { (purpose) } }
        @if let Some(note) = remarks.note {
            section.card.warning[remarks.found.is_empty()].noted[!remarks.found.is_empty()] {
                p { (with_code(note)) }
                @if !remarks.found.is_empty() { ul #found { @for line in remarks.found { li { (line) } } } }
            }
        }
        @if let Some(wrong) = remarks.wrong {
            section.card.warning role="alert" { pre #wrong { (wrong) } }
        }
        section.card {
            form method="post" action="/start" {
                input type="hidden" name="csrf" value=(app.secrets.csrf());
                noscript {
                    p.wrong { "The fields and the command line need JavaScript, which is switched off in this browser: what is below as YAML is run." }
                }
                (fields(&recipe))
                label { "The run as YAML"
                    textarea.yaml #yaml name="yaml" rows="9" spellcheck="false" data-sent[remarks.sent] { (yaml) }
                }
                // Above what appears while the text changes, as that would move them away from the pointer.
                div.actions {
                    button.button.primary #start name="do" value="start" { "Start" }
                    button.button #check name="do" value="check" { "Check" }
                }
                p.soft #left-aside hidden { "A command line counts as it is: the fields above are left aside until there is YAML again." }
                pre #command-line role="status" aria-label="Command line" {}
                p.soft {
                    "A command line can be pasted, too. " code { "arguments" } " stand without a flag; every \
                    other key is a flag of the command: " code { (command_words(&help)) } " lists them. Paths are seen from the \
                    folder in which the studio was started."
                }
            }
        }
    }
}

/// `POST /start`: checks the YAML, starts the run.
///
/// # Errors
/// When the command cannot be started.
pub async fn start(State(app): State<Arc<App>>, sent: Form) -> Result<Response, StudioError> {
    let yaml = recipe::with_keys(sent.get("yaml"), app.launcher.flag);
    let only_check = sent.get("do") == "check";
    let checked = Arc::clone(&app);
    let text = yaml.clone();
    let checking = tokio::task::spawn_blocking(move || check(&checked, &text));
    let result =
        checking.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
    let (note, found, wrong) = match result {
        Ok((words, found)) if only_check => {
            let line = shell_words(shown_words(&words));
            (Some(format!("Everything that it names is there: harness {line}")), found, None)
        }
        Ok((words, _)) => {
            let started = launch(&app, words, yaml)?;
            return Ok(Redirect::to(&format!("/started/{}", started.number)).into_response());
        }
        Err(wrong) => (None, Vec::new(), Some(wrong)),
    };
    let remarks =
        Remarks { note: note.as_deref(), found: &found, wrong: wrong.as_deref(), sent: true };
    let content = content(&app, &yaml, &remarks);
    let title = "New run";
    let tab = "/start";
    let topic = None;
    let role = Role::Control;
    Ok(frame::response(FramedPage { title, tab, topic, role, content }.page()))
}

/// The words of a YAML text, and what was found of what they name.
///
/// # Errors
/// The faults, in words for people.
fn check(app: &App, yaml: &str) -> Result<(Vec<String>, Vec<String>), String> {
    let words = recipe::words(yaml).map_err(|error| error.to_string())?;
    (app.launcher.check)(&words)?;
    let Lookup { found, wrong } = look_up(&Recipe::read(yaml), &app.interrupt);
    if wrong.is_empty() { Ok((words, found)) } else { Err(wrong.join("\n\n")) }
}

/// Starts a command on the studio's reports folder; `typed` is the text of the form.
///
/// # Errors
/// When it cannot be started.
pub fn launch(
    app: &App,
    mut words: Vec<String>,
    typed: String,
) -> Result<Arc<LaunchedCommand>, StudioError> {
    let reports = std::path::absolute(&app.reports).unwrap_or_else(|_| app.reports.clone());
    words.insert(0, format!("--reports={}", reports.display()));
    let folder = app.reports.join("studio");
    app.launched
        .start(&folder, &reports, words, typed)
        .map_err(|error| StudioError::Unwritable(folder.display().to_string(), error))
}

/// `/started/N`: leads to the run once there is one, or shows why there is none.
///
/// # Errors
/// When nothing of this number was started.
pub async fn started(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path(number): Path<usize>,
) -> Result<Response, StudioError> {
    let missing = || StudioError::NotFound(format!("command {number}"));
    let started = app.launched.get(number).ok_or_else(missing)?;
    if let Some(run) = app.hub.run_of(started.pid).or_else(|| started.run(&app.reports)) {
        return Ok(Redirect::to(&run_path(&run)).into_response());
    }
    let ended = started.ended();
    if ended.is_some_and(|code| code != Some(0)) && !started.typed.is_empty() {
        return Ok(failed(&app, role, &started));
    }
    let content = html! {
        h1 { "harness " (started.words.get(1).map_or("", String::as_str)) }
        pre { "harness " (started.line()) }
        @match ended {
            None => p role="status" { "It starts: engines are built and probed." },
            Some(code) => p role="status" {
                @match code {
                    Some(0) => { "It has ended." }
                    Some(code) => { "It has ended with exit status " (code) "." }
                    None => { "It was killed." }
                }
                " " a href="/start" { "New run" }
            },
        }
        pre #printed { (started.printed()) }
        @if ended.is_none() { div data-reload="500" {} }
    };
    let framed = FramedPage { title: "Starting", tab: "/start", topic: None, role, content };
    Ok(frame::response(framed.page()))
}

/// The form again, with what was typed and what the command said.
fn failed(app: &App, role: Role, started: &LaunchedCommand) -> Response {
    let how = match started.ended().flatten() {
        Some(code) => format!("It has ended with exit status {code}: harness {}", started.line()),
        None => format!("It was killed: harness {}", started.line()),
    };
    let printed = started.printed();
    let wrong = if printed.trim().is_empty() { "It printed nothing." } else { printed.trim() };
    let remarks = Remarks { note: Some(&how), wrong: Some(wrong), ..Remarks::default() };
    let content = match role {
        Role::Control => content(app, &started.typed, &remarks),
        Role::View => html! { h1 { "New run" } p { (how) } pre #wrong { (wrong) } },
    };
    let framed = FramedPage { title: "New run", tab: "/start", topic: None, role, content };
    frame::response(framed.page())
}
