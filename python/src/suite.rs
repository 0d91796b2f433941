//! Test suites: the flags of `harness suite`, from Python.

use std::path::PathBuf;

use harness::commands::suite::{SuiteArgs, plan_with};
use harness::kinds::Event;
use pyo3::prelude::*;
use pythonize::{depythonize, pythonize};
use serde_json::json;

use crate::games::{Engines, config, parsed};
use crate::runs::{Settings, watched};

/// Searches the positions of a suite.
#[pyfunction]
fn suite<'py>(
    py: Python<'py>,
    words: Vec<String>,
    engines: &Bound<'py, PyAny>,
    reports: PathBuf,
    probe: bool,
    on_event: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let args: SuiteArgs = parsed(words)?;
    let engines: Engines = depythonize(engines)?;
    let outcome = watched(py, Settings { reports, probe, on_event }, |context, sink| {
        let run = plan_with(&args, &config(engines)?, context)?;
        Ok(json!(run.start(context, &|event| sink(&Event::Suite(event)))?))
    })?;
    Ok(pythonize(py, &outcome)?)
}

/// Adds the function to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(suite, module)?)
}
