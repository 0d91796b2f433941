//! Playing the trials of a tuning run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use miette::Diagnostic;
use thiserror::Error;

use super::state::{IncompletePair, Scores, StoredPairs, TrialResult, TunerState};
use super::{Event, Plan, Sink};
use crate::backend;
use crate::backend::quarantine::{self, Dependence};
use crate::games::interruption;
use crate::stored::with_worker;
use harness_arena::{Executor, GameRecord, Leg, Openings, Stopped, Unplayed, play_all};
use harness_base::context::Session;
use harness_base::failure::{Failure, OrFail};
use harness_base::hint::reports_command;
use harness_cluster::Backend;
use harness_cluster::work::GamePairs;
use harness_ledger::{GamesFile, GamesFileError, Ledger, LedgerError, Run, StoredGame};
use harness_outcome::{Fleet, PathPoint, Suspect, TuneSummary, WorkerGame};
use harness_player::StartSettings;
use harness_player::pool::start_with;
use harness_report::csv;
use harness_tuning::pairs::{Halves, Pairs, PlayedPair, first_half_points};
use harness_tuning::space::Space;
use harness_tuning::trial::{Trial, net_wins};

/// The run stops after this many pairs in a row that did not count.
const BROKEN_AFTER: u64 = 10;

/// Why a tuning run cannot continue.
#[derive(Debug, Error, Diagnostic)]
enum TuneError {
    #[error("{0} pairs in a row did not count; the last one: {1}")]
    #[diagnostic(help(
        "games lost to crashes say nothing of a parameter's value; fix the engine or narrow the \
         ranges, then {} continues",
        reports_command("resume", "last")
    ))]
    Broken(u64, String),
    #[error("an earlier version of the harness began this run")]
    #[diagnostic(help(
        "its tuner had other trials, and cannot continue here: start the run again"
    ))]
    OtherTrials,
    #[error("cannot write {}: {source}", path.display())]
    #[diagnostic(help("what was played is kept; {} continues", reports_command("resume", "last")))]
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

impl From<IncompletePair> for TuneError {
    fn from(IncompletePair(pair): IncompletePair) -> TuneError {
        TuneError::Damaged(pair)
    }
}

/// A run while its trials are played.
struct Trials<'a> {
    plan: &'a Plan,
    ledger: &'a Ledger,
    run: &'a Run,
    session: &'a Session,
    sink: &'a Sink<'a>,
    state: TunerState<'a>,
    /// Pairs of an earlier process.
    stored: StoredPairs,
    void_in_a_row: u64,
    /// The recommendation after each batch.
    path: Vec<PathPoint>,
    pgn: GamesFile,
    steps: StepsFile,
    /// The workers that played.
    fleet: Fleet,
}

/// Plays the trials of a run that are not in the ledger; gives its summary, without validation.
///
/// The tuner's `ask` and `tell` are called in the same order, whether a pair is played now or was
/// played before, so that a resumed run continues like an undisturbed one.
///
/// # Errors
/// When the engine fails, a result cannot be kept, or the user interrupts.
pub fn play(
    plan: &Plan,
    ledger: &Ledger,
    run: &Run,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<TuneSummary, Failure> {
    if !plan.has_our_trials() {
        return Err(TuneError::OtherTrials).or_usage();
    }
    let warn = |text: &str| sink(&Event::Warning(text));
    let out = quarantine::take_out_quarantined(ledger, run, Dependence::OnEarlier, session)?;
    quarantine::warn(&out, &warn);
    let begun = Instant::now();
    let settings = StartSettings::default();
    let start = start_with(settings.clone());
    let event = format!("tuning {}", plan.engine.name);
    let rules = GamePairs { event, conduct: plan.conduct.clone() };
    let games = backend::Games {
        ledger,
        run,
        pairs: &rules,
        engines: std::slice::from_ref(&plan.engine),
        limits: &[plan.limit],
        jobs: plan.jobs,
        settings,
        start: &start,
    };
    // It stays when a worker is found out, since it knows who is still to be checked.
    let mut executor = games.executor(session, None).or_usage()?;
    loop {
        let trials = play_all_trials(plan, ledger, run, session, sink, begun, &mut executor);
        if !matches!(trials, Ok(Err(_))) {
            let warnings = executor.warnings().into_iter().chain(executor.doubt());
            warnings.for_each(|warning| warn(&warning));
        }
        let suspects = match trials? {
            Ok(summary) => return Ok(summary),
            Err(FoundOut(suspects)) => suspects,
        };
        // Their results decided what was played after them: others play all of that again.
        let dependence = Dependence::OnEarlier;
        quarantine::warn(
            &quarantine::take_out_suspects(ledger, run, &suspects, dependence, session)?,
            &warn,
        );
        quarantine::warn(
            &quarantine::take_out_quarantined(ledger, run, dependence, session)?,
            &warn,
        );
    }
}

/// Workers whose results must not count; none if another process has quarantined one.
struct FoundOut(Vec<Suspect>);

/// Plays the trials until all are played, or a worker is found out.
fn play_all_trials(
    plan: &Plan,
    ledger: &Ledger,
    run: &Run,
    session: &Session,
    sink: &Sink<'_>,
    begun: Instant,
    executor: &mut Backend<'_, GamePairs>,
) -> Result<Result<TuneSummary, FoundOut>, Failure> {
    let openings = Openings::load(&plan.openings).or_usage()?;
    let steps = StepsFile::create(run, &plan.space).or_failed()?;
    let pgn = GamesFile::rewrite(ledger, run, |_| Ok::<_, TuneError>(())).or_failed()?;
    let mut fleet = Fleet::new(None);
    ledger
        .each_result_of_workers(run.id(), |game| {
            count_worker(&mut fleet, &game);
            Ok::<_, LedgerError>(())
        })
        .or_failed()?;
    let stored = StoredPairs::read::<TuneError>(ledger, run.id()).or_failed()?;
    let state = TunerState::new(plan).or_usage()?;
    sink(&Event::Started { run: run.id(), plan, done: stored.games });
    let earlier = stored.seconds(plan.jobs);
    let (void_in_a_row, path) = (0, Vec::new());
    let mut trials = Trials {
        plan,
        ledger,
        run,
        session,
        sink,
        state,
        stored,
        void_in_a_row,
        path,
        pgn,
        steps,
        fleet,
    };
    let pairs = Pairs { engine: &plan.engine, limit: plan.limit, openings: &openings };
    let ended = trials.play_all(executor, &pairs);
    if let Err(found) = ended? {
        return Ok(Err(found));
    }
    let seconds = earlier + begun.elapsed().as_secs_f64();
    let summary = trials.state.summary(run.id(), &trials.path, seconds);
    let taken_out = quarantine::taken_out(run)?;
    let reference_nps = backend::kept_reference(run.folder());
    Ok(Ok(TuneSummary { reference_nps, taken_out, ..summary }))
}

/// Pairs of a tuner that are compared with each other: it plays other values later.
const COMPARED_PAIRS: u64 = 500;

/// Counts a game for its worker.
fn count_worker(fleet: &mut Fleet, game: &StoredGame) {
    with_worker(game, |of| {
        let block = (of.pair / COMPARED_PAIRS).to_string();
        fleet.add(&WorkerGame { stratum: &block, ..*of });
    });
}

impl Trials<'_> {
    /// Plays all trials, until a worker is found out.
    fn play_all(
        &mut self,
        executor: &mut dyn Executor,
        pairs: &Pairs<'_>,
    ) -> Result<Result<(), FoundOut>, Failure> {
        let mut next_pair = 0;
        loop {
            let batch = self.state.ask();
            if batch.is_empty() || self.fleet.is_time() {
                let suspects = self.fleet.tally().suspects();
                if !suspects.is_empty() {
                    return Ok(Err(FoundOut(suspects)));
                }
            }
            if batch.is_empty() {
                return self.settle(executor);
            }
            match self.play_batch(executor, pairs, &batch, next_pair)? {
                Ok(next) => next_pair = next,
                Err(found) => return Ok(Err(found)),
            }
        }
    }

    /// Makes sure of the games before the result stands.
    fn settle(&self, executor: &mut dyn Executor) -> Result<Result<(), FoundOut>, Failure> {
        match executor.settle() {
            Ok(()) => Ok(Ok(())),
            Err(Unplayed::Interrupted) => Err(interruption(self.run, self.session)),
            Err(reason) if quarantine::is_quarantine(&reason) => Ok(Err(FoundOut(Vec::new()))),
            Err(reason) => Err(reason).or_failed(),
        }
    }

    /// Plays a batch and passes its results to the tuner; gives the number of the next pair, or that a
    /// worker was quarantined.
    fn play_batch(
        &mut self,
        executor: &mut dyn Executor,
        pairs: &Pairs<'_>,
        batch: &[Trial],
        first_pair: u64,
    ) -> Result<Result<u64, FoundOut>, Failure> {
        let of_trials = batch.iter().flat_map(|trial| (0..trial.pairs).map(move |_| trial));
        let (mut missing, mut results) = (Vec::new(), BTreeMap::new());
        for (pair, trial) in (first_pair..).zip(of_trials) {
            match self.stored.scores.remove(&pair) {
                Some(scores) => {
                    results.insert(pair, scores);
                }
                None => missing.push((pair, trial)),
            }
        }
        let next_pair = first_pair + (missing.len() + results.len()) as u64;
        let space = &self.plan.space;
        let mut jobs = missing.into_iter().map(|(pair, trial)| {
            pairs.job(pair, [space.options(&trial.first), space.options(&trial.second)])
        });
        // Those of an earlier process are played, too.
        let (mut halves, mut played) = (Halves::default(), 2 * results.len() as u64);
        let ended = play_all(executor, &mut jobs, &mut |games| {
            for pair in games.into_iter().filter_map(|game| halves.complete(game)) {
                self.keep(&pair)?;
                results.insert(pair.pair, pair.scores());
                played += 2;
                let (plan, path) = (self.plan, &*self.path);
                (self.sink)(&Event::Played { plan, games: self.state.games + played, path });
                if self.void_in_a_row >= BROKEN_AFTER {
                    return Err(TuneError::Broken(self.void_in_a_row, fault_of(&pair)));
                }
            }
            Ok(ControlFlow::Continue(()))
        });
        match ended {
            Ok(()) => {}
            Err(Stopped::Unplayed(Unplayed::Interrupted)) => {
                return Err(interruption(self.run, self.session));
            }
            Err(Stopped::Unplayed(reason)) if quarantine::is_quarantine(&reason) => {
                return Ok(Err(FoundOut(Vec::new())));
            }
            Err(reason) => return Err(reason).or_failed(),
        }
        self.tell(batch, first_pair, &results)?;
        Ok(Ok(next_pair))
    }

    /// Keeps a pair: it is durable before it counts.
    fn keep(&mut self, pair: &PlayedPair) -> Result<(), TuneError> {
        let games = [stored(&pair.games[0]), stored(&pair.games[1])];
        self.ledger.record_games(self.run, &games)?;
        self.pgn.append(&games)?;
        games.iter().for_each(|game| count_worker(&mut self.fleet, game));
        self.void_in_a_row = if pair.scores().is_some() { 0 } else { self.void_in_a_row + 1 };
        Ok(())
    }

    /// Passes the results of a batch to the tuner, and writes a line for each trial.
    fn tell(
        &mut self,
        batch: &[Trial],
        first_pair: u64,
        results: &BTreeMap<u64, Scores>,
    ) -> Result<(), Failure> {
        let mut pair = first_pair;
        let mut lines = String::new();
        for trial in batch {
            let result = self.state.tell(trial, pair, results).or_failed()?;
            lines += &line(&result, &self.state.point());
            pair += trial.pairs;
        }
        self.path.push(self.state.point());
        self.steps.write(&lines).or_failed()
    }
}

/// `steps.csv`: a line for each trial, with the recommendation after it.
struct StepsFile {
    path: PathBuf,
    file: File,
}

impl StepsFile {
    /// Begins the file with its header. `result` is the net wins of the trial's first candidate.
    fn create(run: &Run, space: &Space) -> Result<StepsFile, TuneError> {
        let path = run.folder().join("steps.csv");
        let created = File::create(&path);
        let file =
            created.map_err(|source| TuneError::Unwritable { path: path.clone(), source })?;
        let mut steps = StepsFile { path, file };
        let names = space.parameters().iter().map(|parameter| parameter.name.as_str());
        let header = ["trial", "games", "gain_elo"].into_iter().chain(names).chain(["result"]);
        steps.write(&csv::line(header))?;
        Ok(steps)
    }

    fn write(&mut self, lines: &str) -> Result<(), TuneError> {
        let written = self.file.write_all(lines.as_bytes());
        written.map_err(|source| TuneError::Unwritable { path: self.path.clone(), source })
    }
}

/// The line of a trial. Unknown values are empty, as the result of a trial whose pairs did not
/// count.
fn line(trial: &TrialResult, now: &PathPoint) -> String {
    let gain = now.found.gain.map(|gain| format!("{:.2}", gain.value));
    let result = (trial.result.pairs() > 0).then(|| format!("{:.0}", net_wins(&trial.result)));
    let begin = [trial.id.0.to_string(), now.games.to_string(), gain.unwrap_or_default()];
    let values = now.found.parameters.iter().map(|estimate| format!("{:.4}", estimate.value));
    csv::line(begin.into_iter().chain(values).chain([result.unwrap_or_default()]))
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
        worker: game.worker.clone(),
    }
}

fn fault_of(pair: &PlayedPair) -> String {
    let faulty = pair.games.iter().find(|game| game.termination.is_fault());
    faulty.map_or_else(String::new, |game| game.reason.clone())
}
