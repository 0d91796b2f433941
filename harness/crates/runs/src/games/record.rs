//! Keeping games: the ledger first, then the PGN, then the counts.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::time::Duration;

use miette::Diagnostic;
use thiserror::Error;

use super::event::{Event, KeptGame, Sink};
use super::node_limit::NodeLimitCheck;
use super::race::{RaceRecord, RaceStep};
use crate::stored::with_worker;
use harness_arena::{GameRecord, Leg, Plan, Termination};
use harness_ledger::{GamesFile, GamesFileError, Ledger, LedgerError, Run, StoredGame};
use harness_outcome::{Counter, Doubt, Fleet, MatchFacts, MatchSummary, Outcome, Suspect, Tally};
use harness_stats::GameScore;

/// An engine that is at fault in this many games in a row is broken.
const BROKEN_AFTER: u32 = 10;

/// A result that could not be kept.
#[derive(Debug, Error, Diagnostic)]
pub enum KeepError {
    /// The ledger failed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
    /// The PGN file failed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Pgn(#[from] GamesFileError),
    /// A stored game is not what this program stores.
    #[error("game {game} of pair {pair} in the ledger is damaged: {reason}")]
    #[diagnostic(help("restore the ledger from a backup, or start a new run"))]
    Damaged {
        /// Which game.
        game: u8,
        /// Which pair.
        pair: u64,
        /// The fault.
        reason: String,
    },
}

/// The games of a run: stored and counted.
pub struct Record<'a> {
    ledger: &'a Ledger,
    run: &'a Run,
    plan: &'a Plan,
    pgn: GamesFile,
    counter: Counter,
    done: HashSet<(u64, Leg)>,
    /// Games and half points of the first engine, by pair.
    scores: BTreeMap<u64, (u8, u8)>,
    /// Time of the games that were stored at the start.
    earlier: Duration,
    faults_in_a_row: BTreeMap<String, u32>,
    broken: BTreeMap<String, u32>,
    node_limit: NodeLimitCheck,
    /// Warnings of who played the games.
    noted: Vec<String>,
    /// Why their result does not stand, as far as who had them played knows.
    noted_doubt: Option<String>,
    /// The workers that played.
    fleet: Fleet,
    race: Option<RaceRecord>,
}

impl<'a> Record<'a> {
    /// Of a run, with its stored games. `games.pgn` is rewritten from the ledger: a killed harness
    /// may have stored games and not written them to the file.
    pub fn open(
        ledger: &'a Ledger,
        run: &'a Run,
        plan: &'a Plan,
        facts: &'a MatchFacts,
    ) -> Result<Record<'a>, KeepError> {
        let mut known = Known { fleet: Fleet::new(facts.sprt), ..Known::default() };
        let pgn = GamesFile::rewrite(ledger, run, |game| known.add(game))?;
        let mut record = Record {
            ledger,
            run,
            plan,
            pgn,
            counter: Counter::new(facts),
            done: known.done,
            scores: BTreeMap::new(),
            earlier: known.took,
            faults_in_a_row: BTreeMap::new(),
            broken: BTreeMap::new(),
            node_limit: NodeLimitCheck::new(plan),
            noted: Vec::new(),
            noted_doubt: None,
            fleet: known.fleet,
            race: plan.race.clone().map(RaceRecord::new),
        };
        for game in &known.outcomes {
            record.note_faults(game);
            record.note_score(game);
        }
        record.advance_race();
        for game in known.outcomes {
            record.count(game);
        }
        if let Some((sprt, first)) = record.race.as_ref().and_then(RaceRecord::test) {
            // The games of workers were added before it was known where the final begins.
            record.fleet = Fleet::new(None);
            record.fleet.begin_test(sprt, first);
            let fleet = &mut record.fleet;
            ledger.each_result_of_workers(run.id(), |game| {
                with_worker(&game, |game| fleet.add(game));
                Ok::<_, LedgerError>(())
            })?;
        }
        Ok(record)
    }

    /// How far the race has come, if this is one.
    pub fn race(&self) -> Option<&RaceRecord> {
        self.race.as_ref()
    }

    /// Passes the results that are there to the race; what happens in it by them.
    fn advance_race(&mut self) -> Vec<RaceStep> {
        let scores = &self.scores;
        let score = |pair: u64| complete(scores.get(&pair));
        self.race.as_mut().map(|race| race.advance(&score)).unwrap_or_default()
    }

    /// Counts a game.
    fn count(&mut self, game: Outcome) {
        self.race.iter_mut().for_each(|race| race.count(&game, self.plan));
        self.counter.add(game);
    }

    /// The result so far; of a race that of its final.
    pub fn summary(&self, facts: &MatchFacts, seconds: f64) -> MatchSummary {
        let mut summary = self.tally().summary(self.run.id(), facts, seconds);
        self.race.iter().for_each(|race| race.fill(&mut summary, self.plan));
        summary
    }

    /// The counts.
    pub fn tally(&self) -> &Tally {
        self.counter.tally()
    }

    /// The games that are stored.
    pub fn done(&self) -> &HashSet<(u64, Leg)> {
        &self.done
    }

    /// Half points of the first engine of a pair; `None` before both games are stored.
    pub fn score_of(&self, pair: u64) -> Option<u8> {
        complete(self.scores.get(&pair))
    }

    fn note_score(&mut self, game: &Outcome) {
        let (games, points) = self.scores.entry(game.pair).or_default();
        *games += 1;
        *points += game.score as u8;
    }

    /// Wall time, in seconds, of the games that were stored at the start.
    pub fn earlier_seconds(&self) -> f64 {
        self.earlier.as_secs_f64() / self.plan.jobs.max(1) as f64
    }

    /// Whether no more games are wanted: the test, if there is one, is decided, and its verdict does not
    /// depend on one worker.
    pub fn is_over(&mut self) -> bool {
        self.is_decided() && !matches!(self.doubt(), Some(Doubt::Hinges(_)))
    }

    /// Whether the test, or the race, is decided.
    fn is_decided(&self) -> bool {
        self.counter.is_decided() || self.race.as_ref().is_some_and(|race| race.course().is_over())
    }

    /// The workers whose results must not count.
    pub fn suspects(&self) -> Vec<Suspect> {
        self.fleet.tally().suspects()
    }

    /// Why the result does not stand.
    pub fn doubt(&mut self) -> Option<Doubt> {
        self.fleet.doubt(self.is_decided())
    }

    /// Warnings: engines that seem broken, or do not respect their limit.
    pub fn warnings(&self) -> Vec<String> {
        let broken = self.broken.iter().map(|(name, count)| {
            format!("{name} lost {count} games in a row by crashes or other faults")
        });
        broken.chain(self.node_limit.warnings()).chain(self.noted.iter().cloned()).collect()
    }

    /// Adds warnings of who played the games.
    pub fn note_warnings(&mut self, warnings: Vec<String>) {
        self.noted.extend(warnings);
    }

    /// Notes why the result does not stand, beside what the games show.
    pub fn note_doubt(&mut self, doubt: Option<String>) {
        self.noted_doubt = doubt;
    }

    /// The last such reason.
    pub fn noted_doubt(&self) -> Option<String> {
        self.noted_doubt.clone()
    }

    /// Removes the games beyond the pair that decided the test, so that the run is the same however
    /// many pairs were under way.
    pub fn end_test(&mut self, facts: &MatchFacts) -> Result<(), KeepError> {
        let of_race = self.race.as_ref().and_then(RaceRecord::end);
        let Some(end) = of_race.or_else(|| self.counter.end()) else { return Ok(()) };
        if self.ledger.remove_games_from(self.run, end)? == 0 {
            return Ok(());
        }
        let mut outcomes = Vec::new();
        self.pgn = GamesFile::rewrite(self.ledger, self.run, |game| {
            let score = game.score().ok_or_else(|| damaged(game, "it has no score"))?;
            outcomes.push(counted(game, score));
            Ok::<_, KeepError>(())
        })?;
        if let Some(race) = &mut self.race {
            race.recount();
            self.counter = Counter::new(facts);
            outcomes.into_iter().for_each(|game| self.count(game));
        }
        Ok(())
    }

    /// Stores and counts games; breaks once the test is decided, or a worker is found out.
    pub fn keep(
        &mut self,
        games: Vec<GameRecord>,
        sink: &Sink<'_>,
    ) -> Result<ControlFlow<()>, KeepError> {
        for game in &games {
            if let Some(warning) = self.node_limit.see(game) {
                sink(&Event::Warning(&warning));
            }
        }
        let ended: Vec<Ended> = games.iter().map(Ended::new).collect();
        let (games, outcomes): (Vec<StoredGame>, Vec<Outcome>) =
            games.into_iter().map(|game| self.stored(game)).unzip();
        self.ledger.record_games(self.run, &games)?;
        self.pgn.append(&games)?;
        for (ended, stored) in ended.iter().zip(&games) {
            self.done.insert((ended.pair, ended.leg));
            sink(&Event::Kept(&ended.with_pgn(&stored.pgn)));
        }
        for game in &games {
            with_worker(game, |game| self.fleet.add(game));
        }
        for outcome in outcomes {
            self.note_score(&outcome);
            if let Some(name) = self.note_faults(&outcome) {
                sink(&Event::Broken { engine: &name, games: BROKEN_AFTER });
            }
            self.count(outcome);
        }
        for step in self.advance_race() {
            if let RaceStep::Final { sprt, first, .. } = step {
                self.fleet.begin_test(sprt, first);
            }
            sink(&Event::Race(&step.event(self.plan)));
        }
        sink(&Event::Counted(self.tally()));
        let found = self.fleet.is_time() && !self.suspects().is_empty();
        Ok(if found || self.is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// A game as the ledger stores it, and its outcome.
    fn stored(&self, game: GameRecord) -> (StoredGame, Outcome) {
        let name = |engine: usize| self.plan.engines[engine].name.clone();
        let first_is_white = self.plan.pairing.colours.first_is_white(game.leg);
        let score = if first_is_white { game.result } else { game.result.reversed() };
        let stored = StoredGame {
            pair: game.pair,
            game: game.leg.index(),
            white: name(game.white),
            black: name(game.black),
            first_is_white,
            first_half_points: score as u8,
            termination: game.termination.key().to_owned(),
            plies: game.plies,
            milliseconds: u64::try_from(game.took.as_millis()).unwrap_or(u64::MAX),
            pgn: game.pgn,
            worker: game.worker,
        };
        let outcome = counted(&stored, score);
        (stored, outcome)
    }

    /// Counts faults in a row; returns the engine's name when it reaches [`BROKEN_AFTER`].
    fn note_faults(&mut self, game: &Outcome) -> Option<String> {
        let is_fault = Termination::from_key(&game.termination).is_some_and(Termination::is_fault);
        let mut broken = None;
        let first_won = game.score == GameScore::Win;
        for (name, lost) in [(&game.first, !first_won), (&game.second, first_won)] {
            let count = self.faults_in_a_row.entry(name.clone()).or_default();
            *count = if is_fault && lost { *count + 1 } else { 0 };
            if *count == BROKEN_AFTER {
                broken = Some(name.clone());
            }
            if *count >= BROKEN_AFTER {
                self.broken
                    .entry(name.clone())
                    .and_modify(|most| *most = (*most).max(*count))
                    .or_insert(*count);
            }
        }
        broken
    }
}

/// Half points of the first engine of a pair whose games are both stored.
fn complete(score: Option<&(u8, u8)>) -> Option<u8> {
    score.filter(|(games, _)| *games == 2).map(|(_, points)| *points)
}

/// A game that ended, without its moves.
struct Ended {
    pair: u64,
    leg: Leg,
    white: usize,
    black: usize,
    result: GameScore,
    termination: Termination,
    reason: String,
}

impl Ended {
    fn new(game: &GameRecord) -> Ended {
        let GameRecord { pair, leg, white, black, result, termination, ref reason, .. } = *game;
        Ended { pair, leg, white, black, result, termination, reason: reason.clone() }
    }

    fn with_pgn<'a>(&'a self, pgn: &'a str) -> KeptGame<'a> {
        let Ended { pair, leg, white, black, result, termination, ref reason } = *self;
        KeptGame { pair, leg, white, black, result, termination, reason, pgn }
    }
}

#[derive(Default)]
struct Known {
    outcomes: Vec<Outcome>,
    done: HashSet<(u64, Leg)>,
    took: Duration,
    fleet: Fleet,
}

impl Known {
    fn add(&mut self, game: &StoredGame) -> Result<(), KeepError> {
        let leg =
            Leg::from_index(game.game).ok_or_else(|| damaged(game, "it is no game of a pair"))?;
        let score = game.score().ok_or_else(|| damaged(game, "it has no score"))?;
        with_worker(game, |game| self.fleet.add(game));
        self.outcomes.push(counted(game, score));
        self.done.insert((game.pair, leg));
        self.took += Duration::from_millis(game.milliseconds);
        Ok(())
    }
}

fn damaged(game: &StoredGame, reason: &str) -> KeepError {
    KeepError::Damaged { game: game.game, pair: game.pair, reason: reason.to_owned() }
}

/// A game as it counts.
pub fn counted(game: &StoredGame, score: GameScore) -> Outcome {
    Outcome {
        pair: game.pair,
        first: game.first().to_owned(),
        second: game.second().to_owned(),
        score,
        termination: game.termination.clone(),
    }
}
