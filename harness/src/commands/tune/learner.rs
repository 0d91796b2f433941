//! A tuner that is asked and told batch by batch, in the same way whether a pair is played now or
//! was played before: so a run can be gone on with, and its path drawn again.

use std::collections::{BTreeMap, HashMap};

use super::run::{Plan, settings};
use crate::arena::Termination;

use crate::ledger::{Ledger, LedgerError, StoredGame};
use crate::outcome::{ParameterSummary, PathPoint, TuneSummary};
use crate::stats::{GameScore, Pentanomial};
use crate::tuning::methods::{Method, UnknownMethod};
use crate::tuning::trial::{Recommendation, Trial, TrialId, Tuner, UnknownTrial};

/// A pair's result as the tuner wants it; `None`: it did not count.
pub type Scores = Option<[GameScore; 2]>;

/// The tuner of a run, with what it was told.
pub struct Learner<'a> {
    plan: &'a Plan,
    tuner: Box<dyn Tuner + Send>,
    /// Games of the trials that were told.
    pub games: u64,
    void: u64,
    totals: Pentanomial,
}

/// A trial whose result the tuner has heard.
pub struct Told {
    /// Its number.
    pub trial: TrialId,
    /// Its result, seen from the first candidate; empty if no pair counted.
    pub result: Pentanomial,
}

impl<'a> Learner<'a> {
    /// A tuner that knows nothing yet.
    pub fn new(plan: &'a Plan) -> Result<Learner<'a>, UnknownMethod> {
        let method = Method::named(&plan.method)?;
        let tuner = method.start(plan.space.clone(), plan.games, plan.seed);
        Ok(Learner { plan, tuner, games: 0, void: 0, totals: Pentanomial::default() })
    }

    /// Trials for a batch of pairs, and for no more pairs than are left.
    pub fn ask(&mut self, mut left: u64) -> Vec<Trial> {
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

    /// Tells the result of a trial whose pairs are numbered from `first_pair` on.
    pub fn tell(
        &mut self,
        trial: &Trial,
        first_pair: u64,
        results: &BTreeMap<u64, Scores>,
    ) -> Result<Told, UnknownTrial> {
        let mut result = Pentanomial::default();
        for (_, scores) in results.range(first_pair..first_pair + trial.pairs) {
            match scores {
                Some([first, second]) => result.add_pair(*first, *second),
                None => self.void += 1,
            }
            self.games += 2;
        }
        self.totals += result;
        self.tuner.tell(trial.id, &result)?;
        Ok(Told { trial: trial.id, result })
    }

    /// Where the tuner stands.
    pub fn point(&self) -> PathPoint {
        PathPoint { games: self.games, found: self.recommend() }
    }

    /// The tuner's best estimate so far.
    pub fn recommend(&self) -> Recommendation {
        self.tuner.recommend()
    }

    /// What the run has come to; `path` is where the tuner stood after each batch.
    pub fn summary(&self, run: &str, path: &[PathPoint], seconds: f64) -> TuneSummary {
        let found = self.recommend();
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
                path: path.iter().map(|point| point.found.parameters[index].value).collect(),
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
            effects: self.tuner.effects(),
            steps: path.iter().map(|point| point.games).collect(),
            validation: None,
            seconds,
            run: run.to_owned(),
        }
    }
}

/// The pairs of a run that were played already.
#[derive(Default)]
pub struct StoredPairs {
    /// Their results.
    pub scores: HashMap<u64, Scores>,
    /// Their number, twice.
    pub games: u64,
    /// Thinking and waiting of all games, one after the other.
    pub milliseconds: u64,
}

impl StoredPairs {
    /// Reads them.
    ///
    /// # Errors
    /// When the ledger cannot be read, or half a pair is missing.
    pub fn read<E: From<LedgerError> + From<HalfAPair>>(
        ledger: &Ledger,
        run: &str,
    ) -> Result<StoredPairs, E> {
        let mut halves: HashMap<u64, [Option<Option<GameScore>>; 2]> = HashMap::new();
        let mut stored = StoredPairs::default();
        ledger.each_game(run, |game| {
            stored.games += 1;
            stored.milliseconds += game.milliseconds;
            halves.entry(game.pair).or_default()[usize::from(game.game.min(1))] =
                Some(score(&game));
            Ok::<_, E>(())
        })?;
        for (pair, games) in halves {
            // Both games of a pair are stored in one transaction.
            let [Some(first), Some(second)] = games else { return Err(HalfAPair(pair).into()) };
            stored.scores.insert(pair, first.zip(second).map(|(first, second)| [first, second]));
        }
        Ok(stored)
    }

    /// Wall time that the games took, in seconds, with `jobs` of them at the same time.
    pub fn seconds(&self, jobs: usize) -> f64 {
        self.milliseconds as f64 / 1000.0 / jobs.max(1) as f64
    }
}

/// A stored pair that lacks a game.
#[derive(Clone, Copy, Debug)]
pub struct HalfAPair(pub u64);

/// As [`crate::tuning::pairs::PlayedPair::scores`], of a game from the ledger.
fn score(game: &StoredGame) -> Option<GameScore> {
    let termination = Termination::from_key(&game.termination)?;
    if termination.is_fault() && termination != Termination::TimeForfeit {
        return None;
    }
    game.score()
}
