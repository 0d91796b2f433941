//! Benchmark of tuners: the remaining gap of a method after a number of games on a landscape.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;

use super::family;
use super::landscape::{DrawModel, Landscape};
use super::methods::Method;
use super::space::SpaceError;
use super::trial::{Gain, Recommendation};
use crate::random;
use crate::stats::elo_of_score;

/// Result of one run of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Simple regret: Elo of the optimum above the recommended candidate, ...
    pub gap: f64,
    /// ... and above the start.
    pub start_gap: f64,
    /// The regret that the method expects; `None` if it has no estimate.
    pub expected_gap: Option<f64>,
    /// Parameters whose 80 % interval covers the optimum, and those that have an interval and a
    /// single best value.
    pub parameters_covered: (u64, u64),
    /// Whether the 80 % interval covers the true gain; `None` without an interval.
    pub covered: Option<bool>,
    /// Trials that were played.
    pub steps: u64,
    /// CPU time of the tuner, without the games.
    pub tuner: Duration,
}

/// Summary of several runs of a method on one landscape.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The method's name.
    pub method: String,
    /// The landscape's name.
    pub landscape: String,
    /// Games of a run.
    pub games: u64,
    /// Number of runs.
    pub seeds: u64,
    /// Regret in Elo: median, ...
    pub median_gap: f64,
    /// ... first ...
    pub q25: f64,
    /// ... and third quartile.
    pub q75: f64,
    /// Coverage of the 80 % interval of the gain; null where the method has none.
    pub coverage80: Option<f64>,
    /// CPU time of the tuner a trial, in milliseconds, without the games.
    pub cpu_ms_per_step: f64,
}

/// Runs a method on a landscape for `games` games; the seed determines the rest.
///
/// # Errors
/// When the landscape's parameters are invalid.
pub fn run(
    method: &Method,
    landscape: &Landscape,
    model: &DrawModel,
    games: u64,
    seed: u64,
) -> Result<Outcome, SpaceError> {
    let space = landscape.space()?;
    let start = space.start();
    let mut games_played = random::stream(&landscape.name, seed, games);
    let mut clock = Duration::ZERO;
    let mut timed = Instant::now();
    let mut tuner = method.start(space, games, seed);
    let (mut left, mut steps) = (games / 2, 0);
    while left > 0 {
        let trials = tuner.ask(1);
        clock += timed.elapsed();
        let Some(trial) = trials.first() else { break };
        let pairs = trial.pairs.clamp(1, left);
        left -= pairs;
        steps += 1;
        let difference = landscape.elo(&trial.first) - landscape.elo(&trial.second);
        let there = landscape.draw_model(model, &trial.first, &trial.second);
        let result = there.as_ref().unwrap_or(model).play(difference, pairs, &mut games_played);
        timed = Instant::now();
        tuner.tell(trial.id, &result).expect("each trial has one result");
    }
    timed = Instant::now();
    let recommendation = tuner.recommend();
    clock += timed.elapsed();
    let there = landscape.draw_model(model, &recommendation.best, &start);
    let gained = landscape.elo(&recommendation.best) - landscape.elo(&start);
    // Draws make a large gain larger or smaller in Elo than the landscape has it.
    let gain = elo_of_score(there.as_ref().unwrap_or(model).score(gained));
    let covered = recommendation.gain.map(|found| (found.low80..=found.high80).contains(&gain));
    Ok(Outcome {
        gap: landscape.gap(&recommendation.best),
        start_gap: landscape.gap(&start),
        expected_gap: recommendation.left,
        parameters_covered: parameters_covered(landscape, &recommendation),
        covered,
        steps,
        tuner: clock,
    })
}

/// Parameters whose 80 % interval covers the optimum, and those that have an interval and a single
/// best value.
fn parameters_covered(landscape: &Landscape, found: &Recommendation) -> (u64, u64) {
    let optimum = landscape.optimum();
    let (mut covered, mut all) = (0, 0);
    for (i, estimate) in found.parameters.iter().enumerate() {
        let Some(error) = estimate.error.filter(|_| landscape.is_unique(i)) else { continue };
        all += 1;
        covered += u64::from((estimate.value - optimum[i]).abs() <= Gain::HALF80 * error);
    }
    (covered, all)
}

impl Row {
    /// Runs a method on a landscape with the seeds from 1 to `seeds`, in parallel; `None` once
    /// `stop` is set.
    ///
    /// # Errors
    /// When the landscape's parameters are invalid.
    pub fn measure(
        method: &Method,
        landscape: &Landscape,
        model: &DrawModel,
        games: u64,
        seeds: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Row>, SpaceError> {
        let runs = in_parallel(seeds, stop, |seed| run(method, landscape, model, games, seed))?;
        Ok(runs.and_then(|runs| Row::of(method, &landscape.name, games, &runs)))
    }

    /// Runs a method on `seeds` landscapes of the random [`family`](super::family), one run each:
    /// those of every second number from `first` on. `None` once `stop` is set.
    ///
    /// # Errors
    /// When a landscape's parameters are invalid.
    pub fn measure_family(
        method: &Method,
        dimension: usize,
        first: u64,
        games: u64,
        seeds: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Row>, SpaceError> {
        let runs = in_parallel(seeds, stop, |number| {
            let (landscape, model) = family::draw(dimension, first + 2 * (number - 1));
            run(method, &landscape, &model, games, number)
        })?;
        Ok(runs.and_then(|runs| Row::of(method, &format!("R{dimension}"), games, &runs)))
    }

    /// Summarises the runs of one method on one landscape; `None` without a run.
    pub fn of(method: &Method, landscape: &str, games: u64, runs: &[Outcome]) -> Option<Row> {
        let mut gaps: Vec<f64> = runs.iter().map(|run| run.gap).collect();
        gaps.sort_by(f64::total_cmp);
        let covered: Option<Vec<bool>> = runs.iter().map(|run| run.covered).collect();
        let steps: u64 = runs.iter().map(|run| run.steps).sum();
        let tuner: Duration = runs.iter().map(|run| run.tuner).sum();
        Some(Row {
            method: method.name.to_owned(),
            landscape: landscape.to_owned(),
            games,
            seeds: runs.len() as u64,
            median_gap: quantile(&gaps, 0.5)?,
            q25: quantile(&gaps, 0.25)?,
            q75: quantile(&gaps, 0.75)?,
            coverage80: covered.map(|covered| {
                covered.iter().filter(|covered| **covered).count() as f64 / runs.len() as f64
            }),
            cpu_ms_per_step: tuner.as_secs_f64() * 1e3 / steps.max(1) as f64,
        })
    }
}

/// The runs of the numbers from 1 to `count`; `None` once `stop` is set.
fn in_parallel(
    count: u64,
    stop: &AtomicBool,
    run: impl Fn(u64) -> Result<Outcome, SpaceError> + Sync,
) -> Result<Option<Vec<Outcome>>, SpaceError> {
    let one = |number| (!stop.load(Ordering::Relaxed)).then(|| run(number)).transpose();
    let runs: Result<Vec<Option<Outcome>>, _> = (1..=count).into_par_iter().map(one).collect();
    Ok(runs?.into_iter().collect())
}

/// A quantile of sorted numbers, interpolated.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (place.floor(), place.ceil());
    let part = place - below;
    Some(sorted[below as usize] * (1.0 - part) + sorted[above as usize] * part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::landscape::Landscapes;
    use crate::tuning::methods::METHODS;

    #[test]
    fn quantiles_lie_between_the_numbers() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 8.0], 0.5), Some(3.0));
        assert_eq!(quantile(&[1.0], 0.25), Some(1.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    /// The default method leaves less than a quarter of what a reference leaves.
    #[test]
    fn the_default_method_gains_most_of_the_elo_and_is_deterministic() {
        let landscapes = Landscapes::built_in();
        for landscape in &landscapes.landscapes[..2] {
            let gap = |name: &str| {
                let method = Method::named(name).unwrap();
                let once = || run(method, landscape, &landscapes.model, 4_000, 1).unwrap().gap;
                let gap = once();
                assert_eq!(gap, once(), "{name}");
                gap
            };
            let (ours, reference) = (gap(METHODS[0].name), gap("openbench"));
            assert!(ours < 0.25 * reference, "{}: {ours} {reference}", landscape.name);
        }
    }

    #[test]
    fn the_predicted_interval_has_its_nominal_coverage() {
        let landscapes = Landscapes::built_in();
        let runs: Vec<Outcome> = (0..150_u64)
            .into_par_iter()
            .map(|seed| {
                let landscape = &landscapes.landscapes[seed as usize % 2];
                run(&METHODS[0], landscape, &landscapes.model, 1_000, seed).unwrap()
            })
            .collect();
        let row = Row::of(&METHODS[0], &landscapes.landscapes[0].name, 1_000, &runs).unwrap();
        let share = row.coverage80.unwrap();
        assert!((0.74..=0.86).contains(&share), "{share}");
    }
}
