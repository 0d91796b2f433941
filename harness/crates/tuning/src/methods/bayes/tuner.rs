//! The tuner.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::acquisition::{Domain, choose};
use super::posterior::{Comparison, Posterior};
use super::surrogate::Surrogate;
use crate::space::{Candidate, Space};
use crate::trial::{Recommendation, Trial, TrialId, Tuner, UnknownTrial};
use harness_stats::Pentanomial;
use harness_stats::random;

/// Trials of a run, if each has at resolution a pair.
const TRIALS: u64 = 300;

/// A tuner with a Gaussian process surrogate.
#[derive(Clone, Debug)]
pub struct Bayes {
    games: u64,
    seed: u64,
    surrogate: Surrogate,
    /// Maximum of the posterior mean, relative to the start.
    best: Vec<f64>,
    /// Since the last result; made on the first query.
    recommendation: OnceCell<Recommendation>,
    next_id: u64,
    pending: BTreeMap<TrialId, Pending>,
}

/// A trial under way.
#[derive(Clone, Debug)]
struct Pending {
    /// Its candidates' places, relative to the start.
    places: [Vec<f64>; 2],
    pairs: u64,
}

impl Bayes {
    /// A tuner for a run of `games` games.
    pub fn new(space: Space, games: u64, seed: u64) -> Bayes {
        Bayes {
            best: vec![0.0; space.dimension()],
            surrogate: Surrogate::new(space),
            recommendation: OnceCell::new(),
            games,
            seed,
            next_id: 0,
            pending: BTreeMap::new(),
        }
    }

    /// Pairs of a trial.
    fn batch(&self) -> u64 {
        (self.games / 2).div_ceil(TRIALS).max(1)
    }

    /// Kriging believer: a trial under way counts as if it had its predicted result.
    fn fantasy(&self, pending: &Pending) -> Comparison {
        Comparison {
            places: pending.places.clone(),
            elo: self.surrogate.predicted(&pending.places),
            variance: self.surrogate.noise(pending.pairs),
        }
    }

    /// The next trial, given the results and the trials under way.
    fn trial(&mut self, posterior: &Posterior) -> Trial {
        let id = TrialId(self.next_id);
        self.next_id += 1;
        let pairs = self.batch();
        let [first, second] = self.informative(posterior, id, pairs);
        let places = [self.surrogate.place(&first), self.surrogate.place(&second)];
        self.pending.insert(id, Pending { places, pairs });
        Trial { id, first, second, pairs }
    }

    /// Adds a result, and moves to the maximum of the mean.
    fn learn(&mut self, places: [Vec<f64>; 2], result: &Pentanomial) {
        if self.surrogate.tell(places, result) {
            self.best = self.surrogate.maximum(std::slice::from_ref(&self.best));
            self.recommendation.take();
        }
    }

    /// The candidates with the largest knowledge gradient.
    fn informative(&self, posterior: &Posterior, id: TrialId, pairs: u64) -> [Candidate; 2] {
        let resolution: Vec<f64> =
            self.surrogate.resolution(&self.best).iter().map(|whole| 0.5 * whole).collect();
        let domain = Domain {
            centre: &self.best,
            resolution: &resolution,
            playable: &|place| self.surrogate.place(&self.surrogate.candidate(place)),
            noise: self.surrogate.noise(pairs),
        };
        let mut random = random::stream("bayes", self.seed, id.0);
        choose(posterior, &domain, &mut random).map(|side| self.surrogate.candidate(&side))
    }
}

impl Tuner for Bayes {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        let mut posterior = self.surrogate.posterior().clone();
        for pending in self.pending.values() {
            posterior.add(&self.fantasy(pending));
        }
        let mut trials = Vec::new();
        while trials.len() < count {
            if let Some(last) = trials.last().and_then(|trial: &Trial| self.pending.get(&trial.id))
            {
                posterior.add(&self.fantasy(last));
            }
            trials.push(self.trial(&posterior));
        }
        trials
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        let Pending { places, .. } = self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        self.learn(places, result);
        Ok(())
    }

    fn observe(&mut self, candidates: [&Candidate; 2], result: &Pentanomial) {
        let places = candidates.map(|candidate| self.surrogate.place(candidate));
        self.learn(places, result);
    }

    fn widen(&mut self, space: &Space) {
        self.surrogate.widen(space);
        self.recommendation.take();
    }

    fn recommend(&self) -> Recommendation {
        self.recommendation.get_or_init(|| self.surrogate.recommend(&self.best)).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{self, Contestant, Schedule};
    use crate::landscape::Landscapes;
    use crate::methods::Method;
    use crate::space::{Kind, Parameter};

    fn margin() -> Space {
        let margin = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 150.0);
        Space::new(vec![margin]).unwrap()
    }

    #[test]
    fn few_games_gain_most_of_the_elo() {
        let landscapes = Landscapes::built_in();
        let method = Contestant::Method(Method::find("bayes").unwrap());
        let few = Schedule::sequential(200);
        let run =
            bench::run(&method, &landscapes.landscapes[0], &landscapes.model, few, 1).unwrap();
        assert!(run.gap < 15.0, "{}", run.gap);
    }

    /// It falls with the games, and as many again gain a part of it.
    #[test]
    fn a_recommendation_says_what_is_left() {
        let hill = |x: &[f64]| -60.0 * ((x[0] - 60.0) / 100.0).powi(2);
        let model = Landscapes::built_in().model;
        let mut random = random::stream("left", 1, 1);
        let mut tuner = Bayes::new(margin(), 2_000, 1);
        assert_eq!(tuner.recommend().left, None);
        let mut left = Vec::new();
        for _ in 0..120 {
            let trial = tuner.ask(1).remove(0);
            let difference = hill(&trial.first) - hill(&trial.second);
            tuner.tell(trial.id, &model.play(difference, trial.pairs, &mut random)).unwrap();
            let found = tuner.recommend();
            left.push(found.left.unwrap());
            assert!((0.0..=found.left.unwrap()).contains(&found.gain_of_twice.unwrap()));
        }
        assert!(left[119] < 0.5 * left[9], "{left:?}");
    }

    #[test]
    fn one_sided_results_give_finite_estimates() {
        let mut tuner = Bayes::new(margin(), 700, 1);
        for _ in 0..25 {
            for trial in tuner.ask(2) {
                assert!(trial.first.iter().chain(&trial.second).all(|x| (0.0..=200.0).contains(x)));
                let lower = trial.first[0] < trial.second[0];
                let result = if lower { [0, 0, 0, 0, 7] } else { [7, 0, 0, 0, 0] };
                tuner.tell(trial.id, &Pentanomial(result)).unwrap();
            }
        }
        let found = tuner.recommend();
        assert!(found.best[0] < 75.0, "{found:?}");
        assert!(found.parameters[0].error.unwrap().is_finite());
    }
}
