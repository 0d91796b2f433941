//! Matches and SPRTs: the flags of `harness match` and `harness sprt`, from Python.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Parser};
use harness::commands::{match_, sprt};
use harness::config::{Config, EngineEntry};
use harness::context::Context;
use harness::failure::{Failure, OrFail};
use harness::kinds::{Event, Sink};
use harness::runs::games::GamesRun;
use pyo3::prelude::*;
use pythonize::{depythonize, pythonize};
use serde_json::{Value, json};

use crate::failure::UsageError;
use crate::runs::{Settings, watched};

/// Engines by name, beside those of `harness.yaml`.
pub type Engines = BTreeMap<String, EngineEntry>;

/// A command line that consists of the flags of one command.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Line<A: Args> {
    #[command(flatten)]
    args: A,
}

/// Reads flags as the command does.
pub fn parsed<A: Args>(words: Vec<String>) -> PyResult<A> {
    Line::<A>::try_parse_from(words).map(|line| line.args).map_err(|error| {
        let text = error.render().to_string();
        // What follows are the command's usage and a hint at its help.
        let message = text.split("\n\nUsage:").next().unwrap_or(&text);
        UsageError::new_err(message.trim_start_matches("error: ").trim_end().to_owned())
    })
}

/// The `harness.yaml` of this folder, and further engines.
pub fn config(engines: Engines) -> Result<Config, Failure> {
    let mut config = Config::find().or_usage()?;
    config.engines.extend(engines);
    Ok(config)
}

/// Plays games between engines.
#[pyfunction]
#[pyo3(name = "match")]
fn play_match<'py>(
    py: Python<'py>,
    words: Vec<String>,
    engines: &Bound<'py, PyAny>,
    reports: PathBuf,
    probe: bool,
    on_event: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let args: match_::MatchArgs = parsed(words)?;
    let engines: Engines = depythonize(engines)?;
    let summary = watched(py, Settings { reports, probe, on_event }, |context, sink| {
        play(match_::plan_with(&args, &config(engines)?, context)?, context, sink)
    })?;
    Ok(pythonize(py, &summary)?)
}

/// Plays game pairs until a test is decided.
#[pyfunction]
#[pyo3(name = "sprt")]
fn play_sprt<'py>(
    py: Python<'py>,
    words: Vec<String>,
    engines: &Bound<'py, PyAny>,
    reports: PathBuf,
    probe: bool,
    on_event: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let args: sprt::SprtArgs = parsed(words)?;
    let engines: Engines = depythonize(engines)?;
    let summary = watched(py, Settings { reports, probe, on_event }, |context, sink| {
        play(sprt::plan_with(&args, &config(engines)?, context)?, context, sink)
    })?;
    Ok(pythonize(py, &summary)?)
}

/// The summary as `--json` prints it.
fn play(run: GamesRun, context: &Context, sink: &Sink<'_>) -> Result<Value, Failure> {
    Ok(json!(run.start(context, &|event| sink(&Event::Games(event)))?.summary))
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(play_match, module)?)?;
    module.add_function(wrap_pyfunction!(play_sprt, module)?)
}
