//! A line of the benchmark's table: several runs of a tuner.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;

use super::run::{BenchError, BenchOutcome, Contestant, Schedule, run};
use crate::family;
use crate::landscape::{DrawModel, Landscape};

/// Random landscapes: those of every second number.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Number of parameters.
    pub dimension: usize,
    /// The first number.
    pub first: u64,
    /// Share of the parameters that do not matter.
    pub idle: f64,
    /// Their shape.
    pub shape: family::Shape,
}

/// Regret, in Elo, below which a difference is one of rounding.
const NOTHING: f64 = 1e-6;

/// Summary of several runs of a tuner on one landscape, or on landscapes of one dimension.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The tuner's name.
    pub method: String,
    /// The landscape's name.
    pub landscape: String,
    /// Games of a run.
    pub games: u64,
    /// Games that were played, median: fewer where runs may end early.
    pub median_games: u64,
    /// Trials under way at once.
    pub pending: usize,
    /// Number of runs.
    pub seeds: u64,
    /// Regret in Elo: median, ...
    pub median_gap: f64,
    /// ... first ...
    pub q25: f64,
    /// ... and third quartile, ...
    pub q75: f64,
    /// ... and 90th percentile.
    pub p90_gap: f64,
    /// ... and that of each run, in their order: the same landscapes for every tuner.
    pub gaps: Vec<f64>,
    /// Regret as a share of the start's: median, null where no start leaves anything, ...
    pub median_share: Option<f64>,
    /// ... and 90th percentile.
    pub p90_share: Option<f64>,
    /// Share of the runs whose recommended values are worse than the start, ...
    pub worse_share: f64,
    /// ... and of those that recommend the start.
    pub start_share: f64,
    /// Regret that the tuner itself expects, median; null where the method has no estimate.
    pub median_left: Option<f64>,
    /// The least regret to expect of any tuner, median.
    pub bound: f64,
    /// Coverage of the 80 % interval of the gain, of the runs that have one; null if none has.
    pub coverage80: Option<f64>,
    /// Coverage of the 80 % intervals of the parameters; null where the method has none.
    pub parameter_coverage80: Option<f64>,
    /// CPU time of the tuner a trial, in milliseconds, without the games.
    pub cpu_ms_per_step: f64,
}

impl Row {
    /// Runs a tuner on a landscape with the seeds from 1 to `seeds`, in parallel; `None` once `stop`
    /// is set.
    ///
    /// # Errors
    /// As [`run`].
    pub fn measure(
        contestant: &Contestant,
        (landscape, model): (&Landscape, &DrawModel),
        schedule: Schedule,
        seeds: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Row>, BenchError> {
        let one = |seed| run(contestant, landscape, model, schedule, seed);
        let runs = in_parallel(seeds, stop, one)?;
        Ok(runs.and_then(|runs| Row::from_runs(contestant, &landscape.name, schedule, &runs)))
    }

    /// Runs a tuner on `seeds` landscapes of the random [`family`](Family), one run each. `None` once
    /// `stop` is set.
    ///
    /// # Errors
    /// As [`run`].
    pub fn measure_family(
        contestant: &Contestant,
        of: Family,
        schedule: Schedule,
        seeds: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Row>, BenchError> {
        let runs = in_parallel(seeds, stop, |number| {
            let seed = of.first + 2 * (number - 1);
            let (landscape, model) = family::draw(of.dimension, seed, of.idle, of.shape);
            run(contestant, &landscape, &model, schedule, number)
        })?;
        let name = format!("R{}", of.dimension);
        Ok(runs.and_then(|runs| Row::from_runs(contestant, &name, schedule, &runs)))
    }

    /// Summarises the runs of one tuner; `None` without a run.
    fn from_runs(
        contestant: &Contestant,
        landscape: &str,
        schedule: Schedule,
        runs: &[BenchOutcome],
    ) -> Option<Row> {
        let sorted = |of: fn(&BenchOutcome) -> f64| {
            let mut numbers: Vec<f64> = runs.iter().map(of).collect();
            numbers.sort_by(f64::total_cmp);
            numbers
        };
        let gaps = sorted(|run| run.gap);
        // Of a start that is the optimum there is no share.
        let below = runs.iter().filter(|run| run.start_gap > NOTHING);
        let mut shares: Vec<f64> = below.map(|run| run.gap / run.start_gap).collect();
        shares.sort_by(f64::total_cmp);
        let mut left: Vec<f64> = runs.iter().filter_map(|run| run.left).collect();
        left.sort_by(f64::total_cmp);
        let covered: Vec<bool> = runs.iter().filter_map(|run| run.covered).collect();
        let of_runs = |holds: fn(&&BenchOutcome) -> bool| {
            runs.iter().filter(holds).count() as f64 / runs.len() as f64
        };
        let share = |covered: u64, of: u64| (of > 0).then(|| covered as f64 / of as f64);
        let parameters = runs.iter().map(|run| run.parameters_covered);
        let parameters = parameters.fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
        let trials: u64 = runs.iter().map(|run| run.trials).sum();
        let tuner: Duration = runs.iter().map(|run| run.tuner).sum();
        Some(Row {
            method: contestant.name(),
            landscape: landscape.to_owned(),
            games: schedule.games,
            median_games: quantile(&sorted(|run| run.games as f64), 0.5)? as u64,
            pending: schedule.pending,
            seeds: runs.len() as u64,
            median_gap: quantile(&gaps, 0.5)?,
            q25: quantile(&gaps, 0.25)?,
            q75: quantile(&gaps, 0.75)?,
            p90_gap: quantile(&gaps, 0.9)?,
            gaps: runs.iter().map(|run| run.gap).collect(),
            median_share: quantile(&shares, 0.5),
            p90_share: quantile(&shares, 0.9),
            worse_share: of_runs(|run| run.gap > run.start_gap + NOTHING),
            start_share: of_runs(|run| run.keeps_start),
            median_left: quantile(&left, 0.5),
            bound: quantile(&sorted(|run| run.bound), 0.5)?,
            coverage80: share(
                covered.iter().filter(|covered| **covered).count() as u64,
                covered.len() as u64,
            ),
            parameter_coverage80: share(parameters.0, parameters.1),
            cpu_ms_per_step: tuner.as_secs_f64() * 1e3 / trials.max(1) as f64,
        })
    }
}

/// The runs of the numbers from 1 to `count`; `None` once `stop` is set.
fn in_parallel(
    count: u64,
    stop: &AtomicBool,
    run: impl Fn(u64) -> Result<BenchOutcome, BenchError> + Sync,
) -> Result<Option<Vec<BenchOutcome>>, BenchError> {
    let one = |number| (!stop.load(Ordering::Relaxed)).then(|| run(number)).transpose();
    let runs: Result<Vec<Option<BenchOutcome>>, _> = (1..=count).into_par_iter().map(one).collect();
    Ok(runs?.into_iter().collect())
}

/// A quantile of sorted numbers, interpolated.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let below = place.floor();
    let above = place.ceil();
    let part = place - below;
    Some(sorted[below as usize] * (1.0 - part) + sorted[above as usize] * part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::Landscapes;
    use crate::methods::Method;

    /// Where every candidate is as good as the start, there is nothing to share.
    #[test]
    fn a_flat_landscape_has_no_share_and_every_number_is_finite() {
        let landscapes = Landscapes::built_in();
        let mut flat = landscapes.landscapes[0].clone();
        flat.params.iter_mut().for_each(|axis| axis.k = 0.0);
        for method in ["auto", "fishtest"] {
            let contestant = Contestant::Method(Method::find(method).unwrap());
            let schedule = Schedule::sequential(40);
            let stop = AtomicBool::new(false);
            let on = (&flat, &landscapes.model);
            let row = Row::measure(&contestant, on, schedule, 3, &stop).unwrap().unwrap();
            assert_eq!((row.median_share, row.p90_share), (None, None));
            assert_eq!((row.median_gap, row.worse_share), (0.0, 0.0));
            assert_eq!(row.gaps, [0.0; 3]);
            // NaN and infinity are null in JSON.
            let json = serde_json::json!(row);
            let empty = json.as_object().unwrap().iter().filter(|(_, value)| value.is_null());
            let unknown = ["median_share", "p90_share", "median_left", "coverage80"];
            for (key, _) in empty {
                let known = [&unknown[..], &["parameter_coverage80"]].concat();
                assert!(known.contains(&key.as_str()), "{method}: {key}");
            }
        }
    }

    #[test]
    fn quantiles_lie_between_the_numbers() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0, 8.0], 0.5), Some(3.0));
        assert_eq!(quantile(&[1.0], 0.25), Some(1.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
