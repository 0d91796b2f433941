//! A tuner with the results so far, batch by batch: the same for pairs played now and for pairs of
//! the ledger, so that a run can be resumed, and its path reconstructed.

use std::collections::{BTreeMap, HashMap};

use super::Plan;
use harness_arena::Termination;
use harness_ledger::{Ledger, LedgerError, StoredGame};
use harness_outcome::tune_summary::SCREEN;
use harness_outcome::tuned::Recommendation;
use harness_outcome::{AtBound, ParameterSummary, PathPoint, TuneSummary};
use harness_stats::{GameScore, Pentanomial};
use harness_tuning::methods::UnknownMethod;
use harness_tuning::trial::{Trial, TrialId, Tuner, UnknownTrial};

/// Scores of the first candidate in both games of a pair; `None`: the pair does not count.
pub type Scores = Option<[GameScore; 2]>;

/// Equal pairs that say that nothing had an effect.
const MIN_EQUAL_PAIRS: u64 = 10;

/// The tuner of a run, and totals of its results.
pub struct TunerState<'a> {
    plan: &'a Plan,
    tuner: Box<dyn Tuner + Send>,
    /// Games of the trials with a result.
    pub games: u64,
    void: u64,
    totals: Pentanomial,
    /// Pairs that were asked for, ...
    asked: u64,
    /// ... and pairs of the run: fewer than planned once further games are worth too little.
    pairs: u64,
    ends_early: bool,
}

/// A finished trial.
pub struct TrialResult {
    /// Its number.
    pub id: TrialId,
    /// Its result, seen from the first candidate; empty if no pair counted.
    pub result: Pentanomial,
}

impl<'a> TunerState<'a> {
    /// A tuner without results.
    pub fn new(plan: &'a Plan) -> Result<TunerState<'a>, UnknownMethod> {
        let method = plan.method()?;
        let tuner = method.start(plan.space.clone(), plan.games, plan.seed);
        Ok(TunerState {
            plan,
            tuner,
            games: 0,
            void: 0,
            totals: Pentanomial::default(),
            asked: 0,
            pairs: plan.games / 2,
            ends_early: false,
        })
    }

    /// Trials of the next batch, whose results come before the next ones are asked for; none at the end.
    pub fn ask(&mut self) -> Vec<Trial> {
        self.end_early();
        let mut left = self.pairs.saturating_sub(self.asked);
        let mut trials = Vec::new();
        let mut wanted = self.plan.batch as u64;
        while wanted > 0
            && left > 0
            && let Some(mut trial) = self.tuner.ask(1).pop()
        {
            trial.pairs = trial.pairs.min(left);
            left -= trial.pairs;
            self.asked += trial.pairs;
            wanted = wanted.saturating_sub(trial.pairs);
            trials.push(trial);
        }
        trials
    }

    /// Begins the last phase of the run once further games are expected to gain less than the
    /// experiment asks for.
    fn end_early(&mut self) {
        let Some(below) = self.plan.stop_below.filter(|_| !self.ends_early) else { return };
        if self.tuner.recommend().left.is_some_and(|left| left < below) {
            self.ends_early = true;
            self.pairs = self.tuner.shorten().map_or(self.asked, |games| games / 2);
        }
    }

    /// Passes the result of a trial to the tuner; its pairs are numbered from `first_pair` on.
    pub fn tell(
        &mut self,
        trial: &Trial,
        first_pair: u64,
        results: &BTreeMap<u64, Scores>,
    ) -> Result<TrialResult, UnknownTrial> {
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
        Ok(TrialResult { id: trial.id, result })
    }

    /// Whether all pairs were equal, and enough of them to say so.
    fn all_equal(&self) -> bool {
        let [_, _, equal, _, _] = self.totals.0;
        equal >= MIN_EQUAL_PAIRS && equal == self.totals.pairs()
    }

    /// The tuner's recommendation so far. Where all pairs were equal, what is left to gain comes from its
    /// assumptions alone, and is left out.
    fn recommendation(&self) -> Recommendation {
        let found = self.tuner.recommend();
        match self.all_equal() {
            true => Recommendation { left: None, gain_of_twice: None, ..found },
            false => found,
        }
    }

    /// The recommendation so far, and the games that it comes from.
    pub fn point(&self) -> PathPoint {
        PathPoint { games: self.games, found: self.recommendation() }
    }

    /// The result so far; `path` is the recommendation after each batch.
    pub fn summary(&self, run: &str, path: &[PathPoint], seconds: f64) -> TuneSummary {
        let summary = self.plan.summary(run, &self.recommendation(), path);
        TuneSummary {
            games: self.games,
            void_pairs: self.void,
            draw_ratio: self.totals.draw_ratio(),
            no_effect: self.all_equal(),
            effects: self.tuner.effects(),
            frozen: self.tuner.frozen(),
            seconds,
            ..summary
        }
    }
}

impl Plan {
    /// The result of a recommendation, as far as that and the path say it.
    pub(super) fn summary(
        &self,
        run: &str,
        found: &Recommendation,
        path: &[PathPoint],
    ) -> TuneSummary {
        let space = &self.space.with_ranges(&found.ranges);
        let moves = self.method != SCREEN && path.last().is_some_and(|point| point.games > 0);
        let both = space.parameters().iter().zip(&found.parameters);
        let parameters = both.enumerate().map(|(index, (parameter, estimate))| ParameterSummary {
            name: parameter.name.clone(),
            start: parameter.start,
            best: found.best[index],
            candidate: found.candidate.get(index).copied(),
            estimate: estimate.value,
            error: estimate.error,
            z: estimate.z,
            min: parameter.min,
            max: parameter.max,
            planned: parameter.planned,
            at_bound: AtBound::new(parameter, estimate.value).filter(|_| moves),
            fixed: parameter.fixed,
            path: path.iter().map(|point| point.found.parameters[index].value).collect(),
        });
        TuneSummary {
            method: self.method.clone(),
            engine: self.engine.name.clone(),
            limit: self.limit.to_string(),
            reference_nps: None,
            taken_out: Vec::new(),
            games: path.last().map_or(0, |point| point.games),
            void_pairs: 0,
            draw_ratio: None,
            start: space.options(&space.start()),
            best: space.options(&found.best),
            candidate: space.options(&found.candidate),
            verdict: Some(found.finding),
            gain: found.gain,
            left: found.left,
            gain_of_twice: found.gain_of_twice,
            frozen: Vec::new(),
            no_effect: false,
            without_effect: self.without_effect.clone(),
            parameters: parameters.collect(),
            effects: None,
            steps: path.iter().map(|point| point.games).collect(),
            validation: None,
            network: None,
            seconds: 0.0,
            run: run.to_owned(),
        }
    }
}

/// The pairs of a run in the ledger.
#[derive(Default)]
pub struct StoredPairs {
    /// Their results.
    pub scores: HashMap<u64, Scores>,
    /// Number of their games.
    pub games: u64,
    /// Sum of the games' wall times.
    milliseconds: u64,
}

impl StoredPairs {
    /// Reads them.
    ///
    /// # Errors
    /// When the ledger cannot be read, or a game of a pair is missing.
    pub fn read<E: From<LedgerError> + From<IncompletePair>>(
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
            let [Some(first), Some(second)] = games else {
                return Err(IncompletePair(pair).into());
            };
            stored.scores.insert(pair, first.zip(second).map(|(first, second)| [first, second]));
        }
        Ok(stored)
    }

    /// Wall time of the games in seconds, with `jobs` of them at the same time.
    pub fn seconds(&self, jobs: usize) -> f64 {
        self.milliseconds as f64 / 1000.0 / jobs.max(1) as f64
    }
}

/// A stored pair that lacks a game.
#[derive(Clone, Copy, Debug)]
pub struct IncompletePair(pub u64);

/// As in [`harness_tuning::pairs::PlayedPair::scores`], of a game in the ledger.
fn score(game: &StoredGame) -> Option<GameScore> {
    let termination = Termination::from_key(&game.termination)?;
    if termination.is_fault() && termination != Termination::TimeForfeit {
        return None;
    }
    game.score()
}
