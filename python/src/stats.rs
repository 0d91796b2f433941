//! `harness::stats` for Python.

use std::path::PathBuf;

use harness::data::ratings;
use harness::runs::games::cores;
use harness::stats::{
    self, Decision, Elo, GameScore, Model, NormalizedElo, Pentanomial, Sample, Shape, SprtPlan,
    Summary, Wdl,
};
use pyo3::prelude::*;
use pyo3::types::PyAny;
use pythonize::{depythonize, pythonize};
use serde_json::json;

use crate::failure::{UsageError, usage};

/// Counts of pairs by score, or wins, draws and losses.
enum Counts {
    Pairs(Pentanomial),
    Games(Wdl),
}

impl Counts {
    fn of(counts: &[u64]) -> PyResult<Counts> {
        match *counts {
            [a, b, c, d, e] => Ok(Counts::Pairs(Pentanomial([a, b, c, d, e]))),
            [wins, draws, losses] => Ok(Counts::Games(Wdl { wins, draws, losses })),
            _ => Err(UsageError::new_err(format!(
                "{} counts\nhelp: give five counts of pairs by score 0, 1/2, 1, 3/2, 2, or three: \
                 wins, draws, losses",
                counts.len()
            ))),
        }
    }

    fn sample(&self) -> Sample {
        match self {
            Counts::Pairs(pairs) => pairs.into(),
            Counts::Games(games) => games.into(),
        }
    }
}

/// Rates the players of a PGN file.
#[pyfunction]
fn ratings_of_file<'py>(
    py: Python<'py>,
    file: PathBuf,
    min_games: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let rated = py.detach(|| ratings::rate(&file, min_games, cores()).map(|(rated, _)| rated));
    Ok(pythonize(py, &rated.map_err(usage)?)?)
}

/// Rates the players of results: White, Black, and the half points of White.
#[pyfunction]
fn ratings_of_results<'py>(
    py: Python<'py>,
    results: Vec<(String, String, u8)>,
    min_games: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let scored = results.into_iter().map(|(white, black, half_points)| {
        let score = GameScore::from_half_points(half_points);
        let wrong = || UsageError::new_err(format!("{half_points} half points are no result"));
        score.map(|score| ([white, black], score)).ok_or_else(wrong)
    });
    let results = scored.collect::<PyResult<Vec<_>>>()?;
    let rated = py.detach(|| ratings::rate_results(results, min_games));
    Ok(pythonize(py, &rated.map_err(usage)?)?)
}

/// A sequential probability ratio test.
#[pyclass(frozen, module = "tench._tench")]
pub struct Sprt(stats::Sprt);

#[pymethods]
impl Sprt {
    #[new]
    fn new(
        model: &str,
        elo0: f64,
        elo1: f64,
        rates: [f64; 2],
        bounds: &str,
        draw_ratio: f64,
    ) -> PyResult<Sprt> {
        let model = match model {
            "normalized" => Model::Normalized,
            "logistic" => Model::Logistic,
            other => {
                let text = format!("no model `{other}`\nhelp: it is `normalized` or `logistic`");
                return Err(UsageError::new_err(text));
            }
        };
        let shape: Shape = serde_json::from_value(json!(bounds)).map_err(|_| {
            let text = format!("no bounds `{bounds}`\nhelp: `wald`, `falling` or `triangular`");
            UsageError::new_err(text)
        })?;
        check_draw_ratio(draw_ratio)?;
        let [alpha, beta] = rates;
        let sprt = stats::Sprt::new(model, elo0, elo1, alpha, beta).map_err(usage)?;
        sprt.with_bounds(shape, draw_ratio).map(Sprt).map_err(usage)
    }

    /// A test as the summary of a run has it.
    #[staticmethod]
    fn of_summary(test: &Bound<'_, PyAny>) -> PyResult<Sprt> {
        Ok(Sprt(depythonize(test)?))
    }

    fn with_futility(&self, level: f64, draw_ratio: f64, max_games: u64) -> PyResult<Sprt> {
        check_draw_ratio(draw_ratio)?;
        self.0.with_futility(level, draw_ratio, max_games.div_ceil(2)).map(Sprt).map_err(usage)
    }

    fn bounds_at(&self, pairs: u64) -> [f64; 2] {
        self.0.bounds_at(pairs as f64)
    }

    fn last_pair(&self) -> Option<u64> {
        self.0.last_pair()
    }

    fn error_rates(&self, draw_ratio: f64, max_games: Option<u64>) -> PyResult<(f64, f64, f64)> {
        check_draw_ratio(draw_ratio)?;
        let rates = self.0.error_rates(draw_ratio, max_games.map(|games| games.div_ceil(2)));
        let [null, other] = rates.undecided;
        Ok((rates.alpha, rates.beta, null.max(other)))
    }

    fn bounds(&self) -> [f64; 2] {
        self.0.bounds()
    }

    fn llr(&self, counts: Vec<u64>) -> PyResult<Option<f64>> {
        Ok(self.0.llr(Counts::of(&counts)?.sample()))
    }

    fn decide(&self, counts: Vec<u64>) -> PyResult<Option<&'static str>> {
        let decision = self.0.decide(Counts::of(&counts)?.sample());
        Ok(decision.map(|decision| match decision {
            Decision::Accepted => "accepted",
            Decision::Rejected => "rejected",
        }))
    }

    fn plan<'py>(
        &self,
        py: Python<'py>,
        draw_ratios: Vec<f64>,
        max_games: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        draw_ratios.iter().try_for_each(|&ratio| check_draw_ratio(ratio))?;
        let plan = SprtPlan::new(self.0, &draw_ratios, max_games).map_err(usage)?;
        Ok(pythonize(py, &plan)?)
    }

    fn expectation<'py>(
        &self,
        py: Python<'py>,
        elo: f64,
        sigma: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(pythonize(py, &self.0.expectation(elo, sigma))?)
    }
}

/// Refuses what is no share of games.
fn check_draw_ratio(ratio: f64) -> PyResult<()> {
    if (0.0..1.0).contains(&ratio) {
        return Ok(());
    }
    let text = format!("draw ratio {ratio}\nhelp: a share of games lies from 0 to below 1");
    Err(UsageError::new_err(text))
}

/// All statistics of a result.
#[pyfunction]
fn summary<'py>(
    py: Python<'py>,
    counts: Vec<u64>,
    sprt: Option<&Sprt>,
) -> PyResult<Bound<'py, PyAny>> {
    let sprt = sprt.map(|sprt| &sprt.0);
    let summary = match Counts::of(&counts)? {
        Counts::Pairs(pairs) => Summary::of_pairs(&pairs, sprt),
        Counts::Games(games) => Summary::of_games(&games, sprt),
    };
    Ok(pythonize(py, &summary)?)
}

#[pyfunction]
fn elo(py: Python<'_>, counts: Vec<u64>) -> PyResult<Bound<'_, PyAny>> {
    let elo = Elo::from_counts(Counts::of(&counts)?.sample()).map_err(undefined)?;
    Ok(pythonize(py, &elo)?)
}

#[pyfunction]
fn nelo(py: Python<'_>, counts: Vec<u64>) -> PyResult<Bound<'_, PyAny>> {
    let elo = NormalizedElo::from_counts(Counts::of(&counts)?.sample()).map_err(undefined)?;
    Ok(pythonize(py, &elo)?)
}

fn undefined(why: stats::Undefined) -> PyErr {
    UsageError::new_err(format!("there is no Elo: {why}"))
}

#[pyfunction]
fn los(counts: Vec<u64>) -> PyResult<Option<f64>> {
    Ok(stats::los(Counts::of(&counts)?.sample()))
}

#[pyfunction]
fn visible_effect(counts: Vec<u64>) -> PyResult<Option<f64>> {
    Ok(stats::visible_effect(Counts::of(&counts)?.sample()))
}

#[pyfunction]
fn smallest_effect(pairs: u64, sigma: f64) -> Option<f64> {
    stats::smallest_effect(pairs, sigma)
}

#[pyfunction]
fn elo_of_score(score: f64) -> f64 {
    stats::elo_of_score(score)
}

#[pyfunction]
fn score_of_elo(elo: f64) -> f64 {
    stats::score_of_elo(elo)
}

#[pyfunction]
fn sigma_of_draws(share: f64) -> f64 {
    stats::sigma_of_draws(share)
}

#[pyfunction]
fn paired_ratio(py: Python<'_>, first: Vec<f64>, second: Vec<f64>) -> PyResult<Bound<'_, PyAny>> {
    let ratio = stats::paired_ratio(&first, &second);
    Ok(pythonize(py, &ratio.map_err(|why| UsageError::new_err(why.to_string()))?)?)
}

#[pyfunction]
fn wilcoxon(py: Python<'_>, differences: Vec<f64>) -> PyResult<Bound<'_, PyAny>> {
    Ok(pythonize(py, &stats::wilcoxon(&differences))?)
}

#[pyfunction]
fn mcnemar(gained: u64, lost: u64) -> f64 {
    stats::mcnemar(gained, lost)
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Sprt>()?;
    module.add_function(wrap_pyfunction!(summary, module)?)?;
    module.add_function(wrap_pyfunction!(elo, module)?)?;
    module.add_function(wrap_pyfunction!(nelo, module)?)?;
    module.add_function(wrap_pyfunction!(los, module)?)?;
    module.add_function(wrap_pyfunction!(visible_effect, module)?)?;
    module.add_function(wrap_pyfunction!(smallest_effect, module)?)?;
    module.add_function(wrap_pyfunction!(elo_of_score, module)?)?;
    module.add_function(wrap_pyfunction!(score_of_elo, module)?)?;
    module.add_function(wrap_pyfunction!(sigma_of_draws, module)?)?;
    module.add_function(wrap_pyfunction!(paired_ratio, module)?)?;
    module.add_function(wrap_pyfunction!(wilcoxon, module)?)?;
    module.add_function(wrap_pyfunction!(ratings_of_file, module)?)?;
    module.add_function(wrap_pyfunction!(ratings_of_results, module)?)?;
    module.add_function(wrap_pyfunction!(mcnemar, module)?)
}
