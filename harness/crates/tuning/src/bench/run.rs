//! A run of a tuner on a landscape.

use std::time::{Duration, Instant};

use miette::Diagnostic;
use rand::Rng;
use thiserror::Error;

use super::bound;
use super::external::{External, ExternalError};
use crate::landscape::{DrawModel, Landscape};
use crate::methods::Method;
use crate::space::{Candidate, Parameter, Space, SpaceError};
use crate::trial::{Gain, Recommendation};
use harness_stats::random;
use harness_stats::{Pentanomial, elo_of_score};

/// A tuner to measure.
#[derive(Clone)]
pub enum Contestant {
    /// One of ours.
    Method(&'static Method),
    /// Another program.
    External(External),
}

impl Contestant {
    /// Its name in the table.
    pub fn name(&self) -> String {
        match self {
            Contestant::Method(method) => method.name.to_owned(),
            Contestant::External(external) => external.name(),
        }
    }
}

/// Why a run has no result.
#[derive(Debug, Error, Diagnostic)]
pub enum BenchError {
    /// The landscape's parameters are invalid.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Space(#[from] SpaceError),
    /// An external tuner failed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    External(#[from] ExternalError),
}

/// How a run is played.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Games of a run.
    pub games: u64,
    /// Trials under way at once; their results come in random order.
    pub pending: usize,
    /// The run ends early once the tuner expects that further games gain fewer Elo than this.
    pub stop_below: Option<f64>,
}

impl Schedule {
    /// A run of this many games, one trial after the other.
    pub fn sequential(games: u64) -> Schedule {
        Schedule { games, pending: 1, stop_below: None }
    }
}

/// Result of one run of a tuner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BenchOutcome {
    /// Simple regret: Elo of the optimum above the recommended candidate, ...
    pub gap: f64,
    /// ... and above the start.
    pub start_gap: f64,
    /// Whether the recommended candidate is the start.
    pub keeps_start: bool,
    /// The least regret to expect of any tuner.
    pub bound: f64,
    /// The regret that the tuner expects; `None` without an estimate.
    pub left: Option<f64>,
    /// Whether the 80 % interval covers the true gain of the values found; `None` without an interval.
    pub covered: Option<bool>,
    /// Parameters whose 80 % interval covers the optimum, and those that have an interval and a
    /// single best value.
    pub parameters_covered: (u64, u64),
    /// Trials that were played.
    pub trials: u64,
    /// Games that were played.
    pub games: u64,
    /// CPU time of the tuner, without the games.
    pub tuner: Duration,
}

/// Trials after which a run that may end early looks at what is left, as in a batch of real games.
const CHECK_INTERVAL: u64 = 16;

/// A landscape with its games.
struct SimulatedGames<'a> {
    landscape: &'a Landscape,
    model: &'a DrawModel,
    random: rand_pcg::Pcg64Mcg,
    played: u64,
}

impl SimulatedGames<'_> {
    fn play(&mut self, first: &Candidate, second: &Candidate, pairs: u64) -> Pentanomial {
        let difference = self.landscape.elo(first) - self.landscape.elo(second);
        self.played += 2 * pairs;
        let there = self.landscape.draw_model(self.model, first, second);
        there.as_ref().unwrap_or(self.model).play(difference, pairs, &mut self.random)
    }
}

/// Lets a tuner play on a landscape; the seed determines the rest.
///
/// # Errors
/// When the landscape's parameters are invalid, or an external tuner fails.
pub fn run(
    contestant: &Contestant,
    landscape: &Landscape,
    model: &DrawModel,
    schedule: Schedule,
    seed: u64,
) -> Result<BenchOutcome, BenchError> {
    let space = landscape.space()?;
    let start = space.start();
    let parameters = space.parameters().to_vec();
    let random = random::stream(&landscape.name, seed, schedule.games);
    let mut games = SimulatedGames { landscape, model, random, played: 0 };
    let (found, trials, tuner) = match contestant {
        Contestant::Method(method) => run_method(method, space, &mut games, schedule, seed),
        Contestant::External(external) => {
            run_external(external, &space, &mut games, schedule, seed)?
        }
    };
    let there = landscape.draw_model(model, &found.candidate, &start);
    let gained = landscape.elo(&found.candidate) - landscape.elo(&start);
    // Draws make a large gain larger or smaller in Elo than the landscape has it.
    let gain = elo_of_score(there.as_ref().unwrap_or(model).score(gained));
    Ok(BenchOutcome {
        gap: landscape.gap(&found.best),
        start_gap: landscape.gap(&start),
        keeps_start: found.best == start,
        left: found.left,
        bound: bound::expected_gap(landscape, model, schedule.games),
        covered: found.gain.map(|found| (found.low80..=found.high80).contains(&gain)),
        parameters_covered: parameters_covered(landscape, &parameters, &found),
        trials,
        games: games.played,
        tuner,
    })
}

/// The recommendation, the number of trials and the time of the tuner.
fn run_method(
    method: &Method,
    space: Space,
    games: &mut SimulatedGames<'_>,
    schedule: Schedule,
    seed: u64,
) -> (Recommendation, u64, Duration) {
    let mut clock = Duration::ZERO;
    let mut order = random::stream("order", seed, schedule.games);
    let mut timed = Instant::now();
    let mut tuner = method.start_in_bench(space, schedule.games, seed);
    let mut left = schedule.games / 2;
    let mut count = 0;
    let mut pending = Vec::new();
    let mut stop_below = schedule.stop_below;
    loop {
        if count % CHECK_INTERVAL == 0
            && let Some(below) = stop_below
            && tuner.recommend().left.is_some_and(|left| left < below)
        {
            stop_below = None;
            let end = tuner.shorten().unwrap_or(games.played) / 2;
            left = left.min(end.saturating_sub(games.played / 2));
        }
        while left > 0
            && pending.len() < schedule.pending
            && let Some(mut trial) = tuner.ask(1).pop()
        {
            trial.pairs = trial.pairs.clamp(1, left);
            left -= trial.pairs;
            pending.push(trial);
        }
        clock += timed.elapsed();
        if pending.is_empty() {
            break;
        }
        let trial = pending.swap_remove(order.random_range(0..pending.len()));
        count += 1;
        let result = games.play(&trial.first, &trial.second, trial.pairs);
        timed = Instant::now();
        tuner.tell(trial.id, &result).expect("each trial has one result");
    }
    timed = Instant::now();
    let found = tuner.recommend();
    (found, count, clock + timed.elapsed())
}

/// As [`run_method`], with the time of the whole run.
fn run_external(
    external: &External,
    space: &Space,
    games: &mut SimulatedGames<'_>,
    schedule: Schedule,
    seed: u64,
) -> Result<(Recommendation, u64, Duration), ExternalError> {
    let begun = Instant::now();
    let mut trials = 0;
    let best = external.tune(space, schedule.games, seed, |first, second, pairs| {
        trials += 1;
        games.play(first, second, pairs)
    })?;
    let found = Recommendation::of_method(best, Vec::new());
    Ok((found, trials, begun.elapsed()))
}

/// Parameters whose 80 % interval covers the optimum, and those that have an interval and a single
/// best value.
///
/// An interval of an integer ends at the whole numbers nearest to its ends.
fn parameters_covered(
    landscape: &Landscape,
    parameters: &[Parameter],
    found: &Recommendation,
) -> (u64, u64) {
    let optimum = landscape.optimum();
    let mut covered = 0;
    let mut all = 0;
    for (i, estimate) in found.parameters.iter().enumerate() {
        let Some(error) = estimate.error.filter(|_| landscape.is_unique(i)) else { continue };
        all += 1;
        let parameter = &parameters[i];
        let end = |half: f64| parameter.rounded(estimate.value + half * Gain::HALF80 * error);
        covered += u64::from((end(-1.0)..=end(1.0)).contains(&optimum[i]));
    }
    (covered, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::Landscapes;
    use crate::methods::METHODS;

    /// The default method leaves less than a quarter of what a reference leaves.
    #[test]
    fn the_default_method_gains_most_of_the_elo_and_is_deterministic() {
        let landscapes = Landscapes::built_in();
        for landscape in &landscapes.landscapes[..2] {
            let gap = |name: &str| {
                let method = Contestant::Method(Method::find(name).unwrap());
                let once = || {
                    run(&method, landscape, &landscapes.model, Schedule::sequential(4_000), 1)
                        .unwrap()
                        .gap
                };
                let gap = once();
                assert_eq!(gap, once(), "{name}");
                gap
            };
            let ours = gap(METHODS[0].name);
            let reference = gap("openbench");
            assert!(ours < 0.25 * reference, "{}: {ours} {reference}", landscape.name);
        }
    }

    #[test]
    fn the_predicted_interval_has_its_nominal_coverage() {
        let landscapes = Landscapes::built_in();
        // The regression; the default takes a Gaussian process here, which takes minutes for as many runs.
        let regression = Contestant::Method(Method::find("screened").unwrap());
        let covered = |seed: &u64| {
            let landscape = &landscapes.landscapes[*seed as usize % 2];
            let run =
                run(&regression, landscape, &landscapes.model, Schedule::sequential(1_000), *seed)
                    .unwrap();
            run.covered.expect("an interval")
        };
        let share = (0..150).filter(covered).count() as f64 / 150.0;
        assert!((0.74..=0.86).contains(&share), "{share}");
    }

    /// However many trials are under way, no game is lost and none played twice.
    #[test]
    fn results_may_come_in_any_order() {
        let landscapes = Landscapes::built_in();
        let two = &landscapes.landscapes[0];
        for (pending, games) in [(1, 2_000), (8, 2_000), (64, 2_000), (512, 4_000)] {
            let late = Schedule { pending, ..Schedule::sequential(games) };
            let default = Contestant::Method(&METHODS[0]);
            let run = run(&default, two, &landscapes.model, late, 1).unwrap();
            assert!((games..games + 10).contains(&run.games), "{}", run.games);
            assert!(run.gap < 0.25 * run.start_gap, "{pending}: {}", run.gap);
        }
    }

    /// A run that may end early does so long before its budget, with a gain that was measured.
    #[test]
    fn an_early_end_leaves_little_and_has_an_interval() {
        let landscapes = Landscapes::built_in();
        let early = Schedule { stop_below: Some(2.0), ..Schedule::sequential(40_000) };
        let default = Contestant::Method(&METHODS[0]);
        let run = run(&default, &landscapes.landscapes[0], &landscapes.model, early, 1).unwrap();
        assert!(run.games < 20_000 && run.covered.is_some(), "{run:?}");
        assert!(run.gap < 4.0, "{run:?}");
    }

    /// A tuner in the shell: it plays one trial and takes its winner.
    #[test]
    fn another_program_tunes_by_the_protocol() {
        let landscapes = Landscapes::built_in();
        let two = &landscapes.landscapes[0];
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("one_trial.sh");
        let line = |text: &str| format!("echo '{text}'\n");
        let play = line(r#"{"play":[[0,0],[300,50]],"pairs":9999}"#);
        let best = line(r#"{"best":[300,50]}"#);
        let text = format!("read task\n{play}read counts\n[ -n \"$counts\" ] && {best}");
        std::fs::write(&script, text).unwrap();
        let external = External { command: format!("sh {}", script.display()) };
        assert_eq!(external.name(), "one_trial");
        let run = |external: &External| {
            let contestant = Contestant::External(external.clone());
            run(&contestant, two, &landscapes.model, Schedule::sequential(100), 1)
        };
        let found = run(&external).unwrap();
        assert_eq!((found.trials, found.covered), (1, None));
        let mute = run(&External { command: "true".to_owned() }).unwrap_err();
        assert!(mute.to_string().contains("ended without a result"), "{mute}");
    }
}
