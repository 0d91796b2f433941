//! Playing a tuning run, from its plan to its recommendation.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::learner::{HalfAPair, Learner, Scores, StoredPairs};
use super::{live, steps};
use crate::arena::{
    Conduct, Executor, GameRecord, Leg, LocalExecutor, Openings, OpeningsSpec, Stopped, Unplayed,
    play_all,
};
use crate::context::Context;
use crate::data::filter::Filters;
use crate::failure::{Failure, OrFail};
use crate::ledger::{GamesFile, GamesFileError, Ledger, LedgerError, Run, StoredGame};
use crate::outcome::{PathPoint, TuneSummary};
use crate::player::pool::{Settings, start_with};
use crate::player::{EngineSpec, Limit, NamedFiles, StartSettings};
use crate::report::Progress;
use crate::runs::games::interruption;
use crate::tuning::experiment::Validation;
use crate::tuning::methods::Method;
use crate::tuning::pairs::{Halves, Pairs, PlayedPair, first_half_points};
use crate::tuning::reach;
use crate::tuning::space::{Candidate, Kind, Space};
use crate::tuning::trial::Trial;

/// So many pairs that did not count, one after the other, and the run stops.
const BROKEN_AFTER: u64 = 10;

/// Everything that decides a run: with it, and the games that were played, it can be gone on with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the method.
    pub method: String,
    /// The engine, with the options for every game.
    pub engine: EngineSpec,
    /// What its options name.
    #[serde(default, skip_serializing_if = "NamedFiles::is_empty")]
    pub files: NamedFiles,
    /// What ends a search.
    pub limit: Limit,
    /// Games to play.
    pub games: u64,
    /// Pairs asked for at once.
    pub batch: usize,
    /// Pairs played at the same time.
    pub jobs: usize,
    /// Seed of the tuner.
    pub seed: u64,
    /// Where games start.
    pub openings: OpeningsSpec,
    /// How games are played.
    pub conduct: Conduct,
    /// What is tuned.
    pub space: Space,
    /// The match of the result against the start.
    pub validation: Validation,
    /// Which positions of the games are kept as training data, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collect: Option<Filters>,
}

impl Plan {
    /// What the games can show, in a sentence.
    pub fn promise(&self) -> Option<String> {
        let method = Method::named(&self.method).ok()?;
        Some(reach::detectable(method, &self.space, self.games))
    }

    /// What to say of a run that is too short for some of its parameters.
    pub fn too_short(&self) -> Option<String> {
        let method = Method::named(&self.method).ok()?;
        reach::short_run_warning(method, &self.space, self.games, self.seed)
    }
}

/// Why a tuning run cannot go on.
#[derive(Debug, Error, Diagnostic)]
enum TuneError {
    #[error("{0} pairs in a row did not count; the last one: {1}")]
    #[diagnostic(help(
        "games lost to crashes say nothing of a parameter's value; mend the engine or narrow the \
         ranges, then `harness resume last` goes on"
    ))]
    Broken(u64, String),
    #[error("cannot write {}: {source}", path.display())]
    #[diagnostic(help("what was played is kept; `harness resume last` goes on"))]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    #[diagnostic(transparent)]
    Pgn(#[from] GamesFileError),
    #[error("a stored game of pair {0} is not one that this plan plays")]
    #[diagnostic(help("the ledger was changed, or another harness played it: start a new run"))]
    Damaged(u64),
}

impl From<HalfAPair> for TuneError {
    fn from(HalfAPair(pair): HalfAPair) -> TuneError {
        TuneError::Damaged(pair)
    }
}

/// What is going on in a run.
struct Tuning<'a> {
    plan: &'a Plan,
    ledger: &'a Ledger,
    run: &'a Run,
    learner: Learner<'a>,
    /// Pairs that were played by an earlier process.
    stored: StoredPairs,
    void_in_a_row: u64,
    /// Games of the batch that were played by now.
    in_batch: u64,
    /// Where the tuner stood after each batch.
    path: Vec<PathPoint>,
    progress: Progress,
    pgn: GamesFile,
    csv: File,
}

/// Plays what is missing of a run and gives its summary, without validation.
///
/// A tuner is asked and told the same in the same order, whether a pair was played now or before:
/// so a run that was killed goes on as if it had not been.
///
/// # Errors
/// When the engine fails, a result cannot be kept or the user interrupts.
pub fn play(
    plan: &Plan,
    ledger: &Ledger,
    run: &Run,
    context: &Context,
) -> Result<TuneSummary, Failure> {
    let openings = Openings::load(&plan.openings).or_usage()?;
    let start = start_with(StartSettings::default());
    let event = format!("tuning {}", plan.engine.name);
    let mut executor =
        LocalExecutor::new(&plan.conduct, &event, plan.jobs, &start, &context.interrupt)
            .or_usage()?;
    let begun = Instant::now();
    let mut tuning = Tuning::open(plan, ledger, run, context)?;
    let earlier = tuning.stored.seconds(plan.jobs);
    let pairs = Pairs { engine: &plan.engine, limit: plan.limit, openings: &openings };
    let mut next_pair = 0;
    while next_pair < plan.games / 2 {
        let trials = tuning.learner.ask(plan.games / 2 - next_pair);
        if trials.is_empty() {
            break;
        }
        next_pair = tuning.play_batch(&mut executor, &pairs, &trials, next_pair, context)?;
    }
    let seconds = earlier + begun.elapsed().as_secs_f64();
    Ok(tuning.learner.summary(run.id(), &tuning.path, seconds))
}

impl<'a> Tuning<'a> {
    fn open(
        plan: &'a Plan,
        ledger: &'a Ledger,
        run: &'a Run,
        context: &Context,
    ) -> Result<Tuning<'a>, Failure> {
        let csv = run.folder().join("steps.csv");
        let failed = |path: &PathBuf| {
            let path = path.clone();
            move |source| TuneError::Unwritable { path, source }
        };
        let mut csv_file = File::create(&csv).map_err(failed(&csv)).or_failed()?;
        csv_file
            .write_all(steps::head(&plan.space).as_bytes())
            .map_err(failed(&csv))
            .or_failed()?;
        let pgn = GamesFile::rewrite(ledger, run, |_| Ok::<_, TuneError>(())).or_failed()?;
        let stored = StoredPairs::read::<TuneError>(ledger, run.id()).or_failed()?;
        Ok(Tuning {
            plan,
            ledger,
            run,
            learner: Learner::new(plan).or_usage()?,
            void_in_a_row: 0,
            in_batch: 0,
            path: Vec::new(),
            progress: Progress::start(Some(plan.games), stored.games, context.quiet),
            stored,
            pgn,
            csv: csv_file,
        })
    }

    /// Plays the pairs of some trials and tells the tuner; gives the number of the next pair.
    fn play_batch(
        &mut self,
        executor: &mut dyn Executor,
        pairs: &Pairs<'_>,
        trials: &[Trial],
        first_pair: u64,
        context: &Context,
    ) -> Result<u64, Failure> {
        let (mut missing, mut results) = (Vec::new(), BTreeMap::new());
        let mut pair = first_pair;
        for trial in trials {
            for _ in 0..trial.pairs {
                match self.stored.scores.remove(&pair) {
                    Some(scores) => {
                        results.insert(pair, scores);
                    }
                    None => missing.push((pair, trial)),
                }
                pair += 1;
            }
        }
        let space = &self.plan.space;
        let mut jobs = missing.into_iter().map(|(pair, trial)| {
            pairs.job(pair, [settings(space, &trial.first), settings(space, &trial.second)])
        });
        let mut halves = Halves::default();
        self.in_batch = 0;
        let played = play_all(executor, &mut jobs, &mut |games| {
            for pair in games.into_iter().filter_map(|game| halves.complete(game)) {
                self.keep(&pair, &mut results)?;
            }
            Ok::<_, TuneError>(ControlFlow::Continue(()))
        });
        match played {
            Ok(()) => {}
            Err(Stopped::Unplayed(Unplayed::Interrupted)) => {
                return Err(interruption(self.run, context));
            }
            Err(reason) => return Err(reason).or_failed(),
        }
        self.tell(trials, first_pair, &results)?;
        Ok(pair)
    }

    /// Keeps a pair: durable before it counts.
    fn keep(
        &mut self,
        pair: &PlayedPair,
        results: &mut BTreeMap<u64, Scores>,
    ) -> Result<(), TuneError> {
        let games = [stored(&pair.games[0]), stored(&pair.games[1])];
        self.ledger.record_games(self.run, &games)?;
        self.pgn.append(&games)?;
        let scores = pair.scores();
        self.void_in_a_row = if scores.is_some() { 0 } else { self.void_in_a_row + 1 };
        results.insert(pair.pair, scores);
        self.in_batch += 2;
        let (plan, path) = (self.plan, &self.path);
        let games = self.learner.games + self.in_batch;
        self.progress.show(games, |pace| live::lines(plan, path, games, pace));
        if self.void_in_a_row >= BROKEN_AFTER {
            return Err(TuneError::Broken(self.void_in_a_row, fault_of(pair)));
        }
        Ok(())
    }

    /// Tells the tuner the results of a batch and writes a line a trial.
    fn tell(
        &mut self,
        trials: &[Trial],
        first_pair: u64,
        results: &BTreeMap<u64, Scores>,
    ) -> Result<(), Failure> {
        let mut pair = first_pair;
        let mut lines = String::new();
        for trial in trials {
            let told = self.learner.tell(trial, pair, results).or_failed()?;
            lines += &steps::line(&told, &self.learner.point());
            pair += trial.pairs;
        }
        self.path.push(self.learner.point());
        let path = self.run.folder().join("steps.csv");
        self.csv
            .write_all(lines.as_bytes())
            .map_err(|source| TuneError::Unwritable { path, source })
            .or_failed()
    }
}

fn stored(game: &GameRecord) -> StoredGame {
    let first_is_white = game.leg == Leg::First;
    let names = if first_is_white { ["first", "second"] } else { ["second", "first"] };
    let [white, black] = names.map(str::to_owned);
    StoredGame {
        pair: game.pair,
        game: game.leg.index(),
        white,
        black,
        first_is_white,
        first_half_points: first_half_points(game.leg, game.result),
        termination: game.termination.key().to_owned(),
        plies: game.plies,
        milliseconds: u64::try_from(game.took.as_millis()).unwrap_or(u64::MAX),
        pgn: game.pgn.clone(),
    }
}

fn fault_of(pair: &PlayedPair) -> String {
    let faulty = pair.games.iter().find(|game| game.termination.is_fault());
    faulty.map_or_else(String::new, |game| game.reason.clone())
}

/// A candidate as UCI options.
pub fn settings(space: &Space, candidate: &Candidate) -> Settings {
    let both = space.parameters().iter().zip(candidate);
    both.map(|(parameter, value)| {
        let text = match parameter.kind {
            Kind::Integer => format!("{value:.0}"),
            Kind::Real => value.to_string(),
        };
        (parameter.name.clone(), text)
    })
    .collect()
}
