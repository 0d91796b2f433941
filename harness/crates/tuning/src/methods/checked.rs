//! The values that a method found play the start, and are recommended once they are shown to be better.
//!
//! A method compares candidates on either side of a place, which shows slopes there and nothing of
//! the height in between: where strength saturates, or a parameter only hurts, the slopes add up to
//! a maximum that does not exist. So the start is a candidate like every other. From the middle of a
//! run on, a share of the games is between it and the values found, and so are the last games. Their
//! sum is the gain with its interval: the values found are recommended where that is above 0, and
//! otherwise the start is. A method may learn from these games ([`Tuner::observe`]).

use std::collections::BTreeMap;

use super::measure::{PairVariance, gain};
use super::widening::Widening;
use crate::space::{Candidate, Space};
use crate::trial::{Effect, Gain, Recommendation, Trial, TrialId, Tuner, UnknownTrial};
use harness_outcome::tuned::Finding;
use harness_stats::Pentanomial;

/// Share of the run after which the values found play the start ...
const COMPARE_FROM: f64 = 0.5;
/// ... in every third trial, ...
const COMPARE_EVERY: u64 = 3;
/// ... and the share after which they do in all.
const CHECK_FROM: f64 = 0.9;
/// Share of a run's games that are between the values found and the start.
pub const SHARE: f64 = 1.0 - CHECK_FROM + (CHECK_FROM - COMPARE_FROM) / COMPARE_EVERY as f64;
/// Games of a run of `games` games that are the method's own.
pub fn games_of_method(games: u64) -> u64 {
    ((games as f64 * (1.0 - SHARE)) as u64).max(2)
}

/// A one-sided score of fewer pairs than this says nothing.
const MIN_ONE_SIDED: u64 = 8;

/// A method whose values are recommended once they are shown to be better than the start.
pub struct Checked {
    method: Box<dyn Tuner + Send>,
    space: Space,
    /// Pairs of the whole run.
    budget: u64,
    next_id: u64,
    /// Pairs that were asked for, and of these the ones that have a result.
    asked: u64,
    played: u64,
    /// Pairs of the method's last trial: one against the start has as many.
    batch: u64,
    /// Results of the values found against the start, and the variance of the method's own pairs.
    against_start: Pentanomial,
    trials: PairVariance,
    pending: BTreeMap<TrialId, Purpose>,
    widening: Widening,
}

/// Purpose of a trial under way.
#[derive(Clone)]
enum Purpose {
    /// The method's, with its number there.
    Method(TrialId),
    /// The values found against the start.
    Check(Candidate),
}

impl Checked {
    /// A run of `games` games, of which `start` makes a method for the first ones.
    pub fn new(
        space: Space,
        games: u64,
        start: impl FnOnce(Space, u64) -> Box<dyn Tuner + Send>,
    ) -> Checked {
        Checked {
            method: start(space.clone(), games_of_method(games)),
            widening: Widening::new(&space),
            space,
            budget: (games / 2).max(1),
            next_id: 0,
            asked: 0,
            batch: 1,
            played: 0,
            against_start: Pentanomial::default(),
            trials: PairVariance::default(),
            pending: BTreeMap::new(),
        }
    }

    /// Share of the run that is over.
    fn over(&self) -> f64 {
        // A crash has no result, and that of a numeric objective stands for more pairs than asked.
        self.asked.max(self.played) as f64 / self.budget as f64
    }

    /// Whether the values found play the start in the next trial.
    fn checks(&self) -> bool {
        let over = self.over();
        let compares = self.next_id.is_multiple_of(COMPARE_EVERY);
        over >= CHECK_FROM || (over >= COMPARE_FROM && compares)
    }

    /// Widens the ranges at whose bounds the values found stand, where that is allowed.
    fn widen_ranges(&mut self) {
        if self.widening.is_due(self.over()) {
            let found = self.method.recommend();
            if let Some(space) = self.widening.widened(&self.space, &found.parameters) {
                self.widen(&space);
            }
        }
    }

    fn trial(&mut self) -> Option<Trial> {
        self.widen_ranges();
        let id = TrialId(self.next_id);
        let found = self.checks().then(|| self.method.recommend().best);
        let (trial, purpose) = match found.filter(|found| *found != self.space.start()) {
            Some(first) => {
                let purpose = Purpose::Check(first.clone());
                (Trial { id, first, second: self.space.start(), pairs: self.batch }, purpose)
            }
            None => {
                let trial = self.method.ask(1).pop()?;
                self.batch = trial.pairs;
                let purpose = Purpose::Method(trial.id);
                (Trial { id, ..trial }, purpose)
            }
        };
        self.next_id += 1;
        self.asked += trial.pairs;
        self.pending.insert(id, purpose);
        Some(trial)
    }

    /// Evidence for the values found.
    fn finding(&self, found: &Recommendation, gain: Option<Gain>) -> Finding {
        if found.best == self.space.start() {
            return Finding::Start;
        }
        match gain {
            Some(gain) => Finding::from_gain(gain),
            None => self.one_sided(),
        }
    }

    /// That of a score near all or nothing.
    fn one_sided(&self) -> Finding {
        let score = self.against_start.mean().unwrap_or(0.5);
        match self.against_start.pairs() {
            0..MIN_ONE_SIDED => Finding::TooFew,
            _ if score > 0.5 => Finding::Better,
            _ => Finding::Worse,
        }
    }
}

impl Tuner for Checked {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        (0..count).map_while(|_| self.trial()).collect()
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        let purpose = self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        self.played += result.pairs();
        match purpose {
            Purpose::Check(first) => {
                self.against_start += *result;
                self.method.observe([&first, &self.space.start()], result);
            }
            Purpose::Method(of_method) => {
                self.trials.add(result);
                self.method.tell(of_method, result).map_err(|_| UnknownTrial(id))?;
            }
        }
        Ok(())
    }

    fn step_per_net_win(&self, id: TrialId) -> Option<Vec<f64>> {
        match self.pending.get(&id)? {
            Purpose::Method(of_method) => self.method.step_per_net_win(*of_method),
            // It moves nothing.
            Purpose::Check(_) => Some(Vec::new()),
        }
    }

    fn recommend(&self) -> Recommendation {
        let found = self.method.recommend();
        let gain = gain(&self.against_start, &self.trials);
        let finding = self.finding(&found, gain);
        // Earlier candidates' games say nothing of the start.
        let gain = gain.filter(|_| finding != Finding::Start);
        let best = match finding {
            Finding::Better => found.best.clone(),
            _ => self.space.start(),
        };
        let ranges = self.widening.ranges(&self.space);
        Recommendation { candidate: found.best.clone(), best, gain, finding, ranges, ..found }
    }

    fn widen(&mut self, space: &Space) {
        self.space = space.clone();
        self.method.widen(space);
    }

    fn shorten(&mut self) -> Option<u64> {
        // Rounded down, so that the last phase has begun.
        let pairs = (self.played as f64 / CHECK_FROM) as u64;
        self.budget = self.budget.min(pairs.max(1));
        Some(2 * self.budget)
    }

    fn frozen(&self) -> Vec<String> {
        self.method.frozen()
    }

    fn effects(&self) -> Option<Vec<Effect>> {
        self.method.effects()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::Landscapes;
    use crate::methods::{METHODS, Method};
    use crate::space::{Kind, Parameter};
    use harness_stats::random;

    fn space() -> Space {
        let scale = |name: &str| Parameter::new(name.into(), Kind::Integer, 0.0, 500.0, 100.0);
        Space::new(vec![scale("material"), scale("king")]).expect("valid")
    }

    /// A run of `games` games of an engine of this strength.
    fn run(method: &Method, games: u64, seed: u64, elo: &dyn Fn(&[f64]) -> f64) -> Recommendation {
        let model = Landscapes::built_in().model;
        let mut tuner = method.start(space(), games, seed);
        let mut random = random::stream("checked", seed, games);
        let mut left = games / 2;
        while left > 0 {
            let trial = tuner.ask(1).remove(0);
            let pairs = trial.pairs.clamp(1, left);
            left -= pairs;
            let result = model.play(elo(&trial.first) - elo(&trial.second), pairs, &mut random);
            tuner.tell(trial.id, &result).expect("under way");
        }
        tuner.recommend()
    }

    /// As an engine whose evaluation has the scale of its material as an option: less of it costs
    /// hundreds of Elo, more of it little, and the start is best.
    fn only_hurts(values: &[f64]) -> f64 {
        let below = (100.0 - values[0]).max(0.0) / 100.0;
        let above = (values[0] - 100.0).max(0.0) / 400.0;
        let king = (values[1] - 100.0).abs() / 400.0;
        -700.0 * below.powf(1.5) - 200.0 * above - 60.0 * king
    }

    #[test]
    fn where_every_change_hurts_each_method_keeps_the_start() {
        for method in METHODS {
            let games = if method.name == "auto" { 2_000 } else { 400 };
            let found = run(method, games, 3, &only_hurts);
            assert_eq!(found.best, space().start(), "{}: {found:?}", method.name);
            assert_ne!(found.finding, Finding::Better, "{}", method.name);
        }
    }

    #[test]
    fn the_default_method_learns_from_the_games_against_the_start() {
        let far = (1..=4).map(|seed| {
            let found = run(&METHODS[0], 2_000, seed, &only_hurts);
            only_hurts(&found.candidate)
        });
        let mean = far.sum::<f64>() / 4.0;
        assert!(mean > -30.0, "{mean}");
    }

    #[test]
    fn what_is_shown_to_be_better_is_recommended() {
        let hill = |values: &[f64]| -400.0 * ((values[0] - 300.0) / 500.0).powi(2);
        for name in ["auto", "spsa", "cmaes"] {
            let method = Method::find(name).expect("a method");
            let found = run(method, 2_000, 1, &hill);
            let gain = found.gain.expect("measured");
            assert_eq!((found.finding, &found.best), (Finding::Better, &found.candidate), "{name}");
            assert!(gain.low80 > 0.0 && found.best[0] > 150.0, "{name}: {found:?}");
        }
    }

    #[test]
    fn few_games_tell_nothing_and_give_no_number() {
        // A run so short that the values found lose or win all of their games against the start.
        for (sign, games) in [(1.0, 10), (-1.0, 10), (-1.0, 40)] {
            let steep = |values: &[f64]| sign * 1e5 * (values[0] - 100.0).abs();
            let found = run(&METHODS[0], games, 1, &steep);
            assert_eq!((found.gain, &found.best), (None, &space().start()), "{sign} {games}");
            let known = [Finding::TooFew, Finding::Worse, Finding::Start];
            assert!(known.contains(&found.finding), "{found:?}");
        }
    }

    #[test]
    fn a_run_that_is_shortened_checks_at_once() {
        let mut tuner = METHODS[0].start(space(), 2_000, 1);
        for _ in 0..90 {
            let trial = tuner.ask(1).remove(0);
            let result =
                if trial.first[0] > trial.second[0] { [0, 0, 0, 1, 0] } else { [0, 1, 0, 0, 0] };
            tuner.tell(trial.id, &Pentanomial(result)).expect("under way");
        }
        assert_eq!(tuner.shorten(), Some(200));
        for trial in tuner.ask(10) {
            assert_eq!(trial.second, space().start());
            assert_ne!(trial.first, trial.second);
        }
    }
}
