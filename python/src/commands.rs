//! Commands with the flags that they have in a terminal: `harness match`, `sprt`, `race` and `suite`, from Python.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Arg, Args, CommandFactory, Parser};
use harness::commands::{engine, match_, race, sprt, suite};
use harness::config::{Config, EngineEntry};
use harness::context::Context;
use harness::failure::{Failure, OrFail};
use harness::kinds::{RunEvent, RunSink};
use harness::kinds::{games, suite as suites, tune as tuning};
use harness::runs::games::GamesRun;
use harness::runs::tune::{TuneRequest, TuneRun};
use harness::tuning::experiment::Experiment;
use pyo3::prelude::*;
use pythonize::{depythonize, pythonize};
use serde_json::{Value, json};

use crate::failure::UsageError;
use crate::runs::{Settings, watched};

/// Engines by name, beside those of `harness.yaml`.
type Engines = BTreeMap<String, EngineEntry>;

/// A command line that consists of the flags of one command.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Line<A: Args> {
    #[command(flatten)]
    args: A,
}

/// Reads flags as the command does.
fn parsed<A: Args>(words: Vec<String>) -> PyResult<A> {
    Line::<A>::try_parse_from(words).map(|line| line.args).map_err(|error| {
        let text = error.render().to_string();
        // What follows are the command's usage and a hint at its help.
        let message = text.split("\n\nUsage:").next().unwrap_or(&text);
        UsageError::new_err(message.trim_start_matches("error: ").trim_end().to_owned())
    })
}

/// Reads the flags and the engines of a command, executes it, and returns its result as `--json` prints
/// it.
fn command<'py, A: Args + Sync>(
    py: Python<'py>,
    words: Vec<String>,
    engines: &Bound<'py, PyAny>,
    settings: Settings<'py>,
    execute: impl FnOnce(&A, &Config, &Context, &RunSink<'_>) -> Result<Value, Failure> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let args: A = parsed(words)?;
    let engines: Engines = depythonize(engines)?;
    let result = watched(py, settings, |context, sink| {
        let mut config = Config::find().or_usage()?;
        config.engines.extend(engines);
        execute(&args, &config, context, sink)
    })?;
    Ok(pythonize(py, &result)?)
}

/// Executes a command by its name.
#[pyfunction]
fn run<'py>(
    py: Python<'py>,
    name: &str,
    words: Vec<String>,
    engines: &Bound<'py, PyAny>,
    settings: Settings<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    match name {
        "match" => command(py, words, engines, settings, |args, config, context, sink| {
            play(match_::plan_with(args, config, context)?, context, sink)
        }),
        "sprt" => command(py, words, engines, settings, |args, config, context, sink| {
            play(sprt::plan_with(args, config, context)?, context, sink)
        }),
        "race" => command(py, words, engines, settings, |args, config, context, sink| {
            play(race::plan_with(args, config, context)?, context, sink)
        }),
        "suite" => command(py, words, engines, settings, |args, config, context, sink| {
            let run = suite::plan_with(args, config, context)?;
            Ok(json!(run.start(context, &|event| suites::show(event, sink))?))
        }),
        other => Err(unknown(other)),
    }
}

/// Plays a tuning experiment, a file or the text of one; its result as `--json` prints it.
#[pyfunction]
#[pyo3(signature = (file, text, method, games, seed, jobs, validate, settings))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
fn tune<'py>(
    py: Python<'py>,
    file: PathBuf,
    text: Option<String>,
    method: Option<String>,
    games: Option<u64>,
    seed: Option<u64>,
    jobs: Option<u16>,
    validate: bool,
    settings: Settings<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let result = watched(py, settings, |context, sink| {
        let experiment = match &text {
            Some(text) => Experiment::parse(&file, text),
            None => Experiment::read(&file),
        };
        let experiment = experiment.or_usage()?;
        let request = TuneRequest {
            method: experiment.method(method.as_deref()).or_usage()?,
            engine: engine(&experiment.engine, &[], context)?,
            experiment,
            games,
            seed,
            jobs,
            validate,
        };
        let run = TuneRun::plan(request, context)?;
        if let Some(text) = run.plan.short_run_warning() {
            sink(&RunEvent::Record { name: "warning", value: &|| json!({ "text": text }) });
        }
        Ok(tuning::start(&run, context, sink)?.json)
    })?;
    Ok(pythonize(py, &result)?)
}

/// The flags of a command, without their dashes.
#[pyfunction]
fn flags(command: &str) -> PyResult<Vec<String>> {
    let command = match command {
        "match" => Line::<match_::MatchArgs>::command(),
        "sprt" => Line::<sprt::SprtArgs>::command(),
        "race" => Line::<race::RaceArgs>::command(),
        "suite" => Line::<suite::SuiteArgs>::command(),
        other => return Err(unknown(other)),
    };
    Ok(command.get_arguments().filter_map(Arg::get_long).map(str::to_owned).collect())
}

fn unknown(command: &str) -> PyErr {
    UsageError::new_err(format!("`{command}` is no command with keywords"))
}

/// The summary as `--json` prints it.
fn play(run: GamesRun, context: &Context, sink: &RunSink<'_>) -> Result<Value, Failure> {
    Ok(json!(run.start(context, &|event| games::show(event, sink))?.summary))
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(tune, module)?)?;
    module.add_function(wrap_pyfunction!(flags, module)?)
}
