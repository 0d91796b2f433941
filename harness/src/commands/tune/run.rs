//! Playing a tuning run, from its plan to its recommendation.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::summary::{ParameterSummary, Step, TuneSummary};
use crate::arena::{Conduct, GameRecord, Leg, Openings, OpeningsSpec, Termination};
use crate::commands::play::interruption;
use crate::context::Context;
use crate::failure::{Failure, OrFail};
use crate::ledger::{Ledger, LedgerError, Run, StoredGame};
use crate::player::{EngineSpec, Fault, Limit};
use crate::report::{Pace, Progress, csv, text};
use crate::stats::{GameScore, Pentanomial};
use crate::tuning::experiment::Validation;
use crate::tuning::method::Method;
use crate::tuning::pairs::{Crew, PairTask, PlayedPair, Settings, Trouble, first_half_points};
use crate::tuning::space::{Candidate, Kind, Space};
use crate::tuning::trial::{Trial, Tuner};

/// So many pairs that did not count, one after the other, and the run stops.
const BROKEN_AFTER: u64 = 10;

/// Everything that decides a run: with it, and the games that were played, it can be gone on with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the method.
    pub method: String,
    /// The engine, with the options for every game.
    pub engine: EngineSpec,
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
}

/// Why a tuning run cannot go on.
#[derive(Debug, Error, Diagnostic)]
enum TuneError {
    #[error("{0}")]
    #[diagnostic(help(
        "`harness check ENGINE` shows what it says; what was played is kept, and `harness resume \
         last` goes on"
    ))]
    Engine(Fault),
    #[error("{0} pairs in a row did not count; the last one: {1}")]
    #[diagnostic(help(
        "games lost to crashes say nothing of a parameter's value; mend the engine or narrow the \
         ranges, then `harness resume last` goes on"
    ))]
    Broken(u64, String),
    #[error("opening of pair {0}: {1}")]
    Opening(u64, crate::arena::OpeningError),
    #[error("cannot write {}: {source}", path.display())]
    #[diagnostic(help("what was played is kept; `harness resume last` goes on"))]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
    #[error("a stored game of pair {0} is not one that this plan plays")]
    #[diagnostic(help("the ledger was changed, or another harness played it: start a new run"))]
    Damaged(u64),
}

/// A pair's result as the tuner wants it; `None`: it did not count.
type Scores = Option<[GameScore; 2]>;

/// What is going on in a run.
struct Tuning<'a> {
    plan: &'a Plan,
    ledger: &'a Ledger,
    run: &'a Run,
    tuner: Box<dyn Tuner + Send>,
    /// Results of pairs that were played by an earlier process.
    stored: HashMap<u64, Scores>,
    games: u64,
    void: u64,
    void_in_a_row: u64,
    totals: Pentanomial,
    steps: Vec<Step>,
    progress: Progress,
    pgn: File,
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
    let begun = Instant::now();
    let mut tuning = Tuning::open(plan, ledger, run, context)?;
    let crew = Crew::new(
        &plan.engine,
        plan.limit,
        &plan.conduct,
        &openings,
        plan.jobs,
        &context.interrupt,
    );
    let mut next_pair = 0;
    while next_pair < plan.games / 2 {
        let trials = tuning.ask(plan.games / 2 - next_pair);
        if trials.is_empty() {
            break;
        }
        next_pair = tuning.play_batch(&crew, &trials, next_pair, context)?;
    }
    let seconds = begun.elapsed().as_secs_f64();
    Ok(tuning.summary(seconds))
}

impl<'a> Tuning<'a> {
    fn open(
        plan: &'a Plan,
        ledger: &'a Ledger,
        run: &'a Run,
        context: &Context,
    ) -> Result<Tuning<'a>, Failure> {
        let method = Method::named(&plan.method).or_usage()?;
        let (pgn, csv) = (run.folder().join("games.pgn"), run.folder().join("steps.csv"));
        let failed = |path: &PathBuf| {
            let path = path.clone();
            move |source| TuneError::Unwritable { path, source }
        };
        let mut pgn_file = File::create(&pgn).map_err(failed(&pgn)).or_failed()?;
        let mut csv_file = File::create(&csv).map_err(failed(&csv)).or_failed()?;
        let names = plan.space.parameters().iter().map(|parameter| parameter.name.as_str());
        let head = csv::line(["games", "gain_elo"].into_iter().chain(names));
        csv_file.write_all(head.as_bytes()).map_err(failed(&csv)).or_failed()?;
        let mut halves: HashMap<u64, [Option<StoredGame>; 2]> = HashMap::new();
        let mut stored = 0;
        ledger
            .each_game(run.id(), |mut game| {
                stored += 1;
                pgn_file.write_all(game.pgn.as_bytes()).map_err(failed(&pgn))?;
                game.pgn.clear();
                let leg = usize::from(game.game.min(1));
                let pair = game.pair;
                halves.entry(pair).or_default()[leg] = Some(game);
                Ok::<_, TuneError>(())
            })
            .or_failed()?;
        let stored_pairs = halves.into_iter().map(|(pair, games)| match games {
            [Some(first), Some(second)] => Ok((pair, scores(&first, &second))),
            // Both games of a pair are stored in one transaction.
            _ => Err(TuneError::Damaged(pair)),
        });
        Ok(Tuning {
            plan,
            ledger,
            run,
            tuner: method.start(plan.space.clone(), plan.games, plan.seed),
            stored: stored_pairs.collect::<Result<_, _>>().or_failed()?,
            games: 0,
            void: 0,
            void_in_a_row: 0,
            totals: Pentanomial::default(),
            steps: Vec::new(),
            progress: Progress::start(Some(plan.games), stored, context.quiet),
            pgn: pgn_file,
            csv: csv_file,
        })
    }

    /// Trials for a batch of pairs, and for no more pairs than are left.
    fn ask(&mut self, mut left: u64) -> Vec<Trial> {
        let mut trials = Vec::new();
        let mut wanted = self.plan.batch as u64;
        while wanted > 0 && left > 0 {
            let asked = self.tuner.ask(1);
            if asked.is_empty() {
                break;
            }
            for mut trial in asked {
                trial.pairs = trial.pairs.min(left);
                left -= trial.pairs;
                wanted = wanted.saturating_sub(trial.pairs);
                trials.push(trial);
            }
        }
        trials
    }

    /// Plays the pairs of some trials and tells the tuner; gives the number of the next pair.
    fn play_batch(
        &mut self,
        crew: &Crew<'_>,
        trials: &[Trial],
        first_pair: u64,
        context: &Context,
    ) -> Result<u64, Failure> {
        let (mut tasks, mut results) = (Vec::new(), BTreeMap::new());
        let mut pair = first_pair;
        for trial in trials {
            for _ in 0..trial.pairs {
                match self.stored.remove(&pair) {
                    Some(scores) => {
                        results.insert(pair, scores);
                    }
                    None => tasks.push(PairTask {
                        pair,
                        sides: [
                            settings(&self.plan.space, &trial.first),
                            settings(&self.plan.space, &trial.second),
                        ],
                    }),
                }
                pair += 1;
            }
        }
        if !tasks.is_empty() {
            let (ledger, run, done) = (self.ledger, self.run, self.games);
            let (pgn, progress, steps) = (&mut self.pgn, &mut self.progress, &self.steps);
            let mut played = 0;
            let (mut in_a_row, mut evidence) = (self.void_in_a_row, String::new());
            // The ledger belongs to this thread: workers hand their pairs over.
            let (sender, receiver) = std::sync::mpsc::channel::<PlayedPair>();
            let outcome = std::thread::scope(|scope| {
                let playing = scope.spawn(|| {
                    let sender = sender;
                    crew.play(&tasks, |pair| sender.send(pair).map_err(|_nobody_listens| ()))
                });
                let mut kept = Ok(());
                for pair in receiver {
                    if let Err(failure) = keep(ledger, run, pgn, &pair) {
                        kept = Err(failure);
                        break;
                    }
                    let scores = pair.scores();
                    in_a_row = if scores.is_some() { 0 } else { in_a_row + 1 };
                    if scores.is_none() {
                        evidence = fault_of(&pair);
                    }
                    results.insert(pair.pair, scores);
                    played += 2;
                    progress
                        .show(done + played, |pace| line(self.plan, steps, done + played, pace));
                    if in_a_row >= BROKEN_AFTER {
                        kept = Err(TuneError::Broken(in_a_row, evidence.clone())).or_failed();
                        break;
                    }
                }
                let playing = playing.join().expect("workers do not panic");
                kept.map(|()| playing)
            })?;
            self.void_in_a_row = in_a_row;
            match outcome {
                Ok(_) => {}
                Err(Trouble::Interrupted) => return Err(interruption(self.run, context)),
                Err(Trouble::Fault(fault)) => return Err(TuneError::Engine(fault)).or_failed(),
                Err(Trouble::Book(error)) => return Err(error).or_failed(),
                Err(Trouble::Opening(pair, error)) => {
                    return Err(TuneError::Opening(pair, error)).or_failed();
                }
            }
        }
        self.tell(trials, first_pair, &results)?;
        Ok(pair)
    }

    fn tell(
        &mut self,
        trials: &[Trial],
        first_pair: u64,
        results: &BTreeMap<u64, Scores>,
    ) -> Result<(), Failure> {
        let mut pair = first_pair;
        for trial in trials {
            let mut counts = Pentanomial::default();
            for scores in results.range(pair..pair + trial.pairs).map(|(_, scores)| scores) {
                match scores {
                    Some([first, second]) => {
                        counts.add_pair(*first, *second);
                        self.totals.add_pair(*first, *second);
                    }
                    None => self.void += 1,
                }
                self.games += 2;
            }
            pair += trial.pairs;
            self.tuner.tell(trial.id, &counts).or_failed()?;
        }
        self.note_step()
    }

    /// The path of the recommendation, a line a batch.
    fn note_step(&mut self) -> Result<(), Failure> {
        let now = self.tuner.recommend();
        let values: Vec<f64> = now.parameters.iter().map(|estimate| estimate.value).collect();
        let gain = now.gain.map(|gain| gain.value);
        let numbers = std::iter::once(gain.map_or_else(String::new, |gain| format!("{gain:.2}")))
            .chain(values.iter().map(|value| format!("{value:.4}")));
        let line = csv::line(std::iter::once(self.games.to_string()).chain(numbers));
        let path = self.run.folder().join("steps.csv");
        self.csv
            .write_all(line.as_bytes())
            .map_err(|source| TuneError::Unwritable { path, source })
            .or_failed()?;
        self.steps.push(Step { games: self.games, gain: now.gain, values });
        Ok(())
    }

    fn summary(self, seconds: f64) -> TuneSummary {
        let found = self.tuner.recommend();
        let space = &self.plan.space;
        let both = space.parameters().iter().zip(&found.best).zip(&found.parameters);
        let parameters =
            both.enumerate().map(|(index, ((parameter, &best), estimate))| ParameterSummary {
                name: parameter.name.clone(),
                start: parameter.start,
                best,
                estimate: estimate.value,
                error: estimate.error,
                z: estimate.z,
                min: parameter.min,
                max: parameter.max,
                fixed: parameter.fixed,
                path: self.steps.iter().map(|step| step.values[index]).collect(),
            });
        TuneSummary {
            method: self.plan.method.clone(),
            engine: self.plan.engine.name.clone(),
            limit: self.plan.limit.to_string(),
            games: self.games,
            void_pairs: self.void,
            draw_ratio: self.totals.draw_ratio(),
            start: settings(space, &space.start()),
            best: settings(space, &found.best),
            gain: found.gain,
            parameters: parameters.collect(),
            steps: self.steps.iter().map(|step| step.games).collect(),
            validation: None,
            seconds,
            run: self.run.id().to_owned(),
        }
    }
}

/// Both games of a pair, durable before they count.
fn keep(ledger: &Ledger, run: &Run, pgn: &mut File, pair: &PlayedPair) -> Result<(), Failure> {
    let games = [stored(&pair.games[0]), stored(&pair.games[1])];
    ledger.record_games(run, &games).or_failed()?;
    for game in &games {
        let path = run.folder().join("games.pgn");
        pgn.write_all(game.pgn.as_bytes())
            .map_err(|source| TuneError::Unwritable { path, source })
            .or_failed()?;
    }
    Ok(())
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

/// As [`PlayedPair::scores`], of games from the ledger.
fn scores(first: &StoredGame, second: &StoredGame) -> Scores {
    let score = |game: &StoredGame| {
        let termination = Termination::from_key(&game.termination)?;
        if termination.is_fault() && termination != Termination::TimeForfeit {
            return None;
        }
        match game.first_half_points {
            0 => Some(GameScore::Loss),
            1 => Some(GameScore::Draw),
            2 => Some(GameScore::Win),
            _ => None,
        }
    };
    Some([score(first)?, score(second)?])
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

/// `12,340/20,000  gain +23.1 (80 %: +12.0 to +34.2)  1400/min  ETA 5:30`
fn line(plan: &Plan, steps: &[Step], games: u64, pace: Pace) -> String {
    let mut line = format!("{}/{}", text::grouped(games), text::grouped(plan.games));
    if let Some(gain) = steps.last().and_then(|step| step.gain) {
        line += &format!(
            "  gain {:+.1} Elo (80 %: {:+.1} to {:+.1})",
            gain.value, gain.low80, gain.high80
        );
    }
    if let Some(rate) = pace.per_minute {
        line += &format!("  {rate:.0}/min");
    }
    if let Some(left) = pace.seconds_left {
        line += &format!("  ETA {}", text::duration(left));
    }
    line
}
