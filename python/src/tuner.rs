//! The tuning methods with their ask/tell interface.

use std::sync::{Mutex, MutexGuard};

use harness::stats::Pentanomial;
use harness::tuning::methods::{METHODS, Method, SCREEN};
use harness::tuning::objective::Differences;
use harness::tuning::space::{Kind, Parameter, Scale, Space};
use harness::tuning::trial::{self, TrialId};
use pyo3::prelude::*;
use pythonize::{depythonize, pythonize};
use serde::Deserialize;

use crate::failure::usage;
use harness::sync::lock;

/// A parameter as `tench.Parameter` describes it.
#[derive(Deserialize)]
struct Described {
    name: String,
    kind: Kind,
    min: f64,
    max: f64,
    start: f64,
    step: Option<f64>,
    scale: Scale,
    fixed: bool,
}

impl From<Described> for Parameter {
    fn from(described: Described) -> Parameter {
        let Described { name, kind, min, max, start, step, scale, fixed } = described;
        let usual = Parameter::new(name, kind, min, max, start);
        Parameter { step: step.unwrap_or(usual.step), scale, fixed, ..usual }
    }
}

/// A tuner. Its random numbers follow from its seed.
#[pyclass(frozen, module = "tench._tench")]
pub struct Tuner {
    state: Mutex<State>,
}

struct State {
    tuner: Box<dyn trial::Tuner + Send>,
    differences: Differences,
}

impl Tuner {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Number, candidates and pairs of a trial.
type Asked = (u64, Vec<f64>, Vec<f64>, u64);

#[pymethods]
impl Tuner {
    #[new]
    fn new(method: &str, parameters: &Bound<'_, PyAny>, games: u64, seed: u64) -> PyResult<Tuner> {
        let parameters: Vec<Described> = depythonize(parameters)?;
        let parameters = parameters.into_iter().map(Parameter::from).collect();
        let space = Space::new(parameters).map_err(usage)?;
        let tuner = Method::find(method).map_err(usage)?.start(space, games, seed);
        Ok(Tuner { state: Mutex::new(State { tuner, differences: Differences::default() }) })
    }

    fn ask(&self, py: Python<'_>, count: usize) -> Vec<Asked> {
        let trials = py.detach(|| self.state().tuner.ask(count));
        let asked = |trial: trial::Trial| (trial.id.0, trial.first, trial.second, trial.pairs);
        trials.into_iter().map(asked).collect()
    }

    fn tell(&self, py: Python<'_>, id: u64, counts: [u64; 5]) -> PyResult<()> {
        let result = py.detach(|| self.state().tuner.tell(TrialId(id), &Pentanomial(counts)));
        result.map_err(usage)
    }

    fn tell_difference(&self, py: Python<'_>, id: u64, difference: f64) -> PyResult<()> {
        let result = py.detach(|| {
            let State { tuner, differences } = &mut *self.state();
            let result = differences.result(difference);
            tuner.tell(TrialId(id), &result)
        });
        result.map_err(usage)
    }

    fn recommend<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let recommendation = py.detach(|| self.state().tuner.recommend());
        Ok(pythonize(py, &recommendation)?)
    }

    fn effects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let effects = py.detach(|| self.state().tuner.effects());
        Ok(pythonize(py, &effects)?)
    }

    fn frozen(&self) -> Vec<String> {
        self.state().tuner.frozen()
    }
}

/// Names and descriptions of the methods, the default one first.
#[pyfunction]
fn methods() -> Vec<(&'static str, &'static str)> {
    METHODS.iter().chain([&SCREEN]).map(|method| (method.name, method.about)).collect()
}

/// Games of a run with this many evaluations of a numeric objective.
#[pyfunction]
fn games_of_evaluations(evaluations: u64) -> u64 {
    Differences::games(evaluations)
}

/// Adds the class and the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Tuner>()?;
    module.add_function(wrap_pyfunction!(methods, module)?)?;
    module.add_function(wrap_pyfunction!(games_of_evaluations, module)?)
}
