//! The tuner.

use std::collections::BTreeMap;

use super::acquisition::{Field, choose};
use super::posterior::{Comparison, Posterior};
use super::surrogate::Surrogate;
use crate::random;
use crate::stats::Pentanomial;
use crate::tuning::methods::measure::measures;
use crate::tuning::space::{Candidate, Space};
use crate::tuning::trial::{Recommendation, Trial, TrialId, Tuner, UnknownTrial};

/// Trials of a run, unless that makes them less than a pair.
const TRIALS: u64 = 300;
/// A tuner that keeps a Gaussian process of the landscape.
#[derive(Clone, Debug)]
pub struct Bayes {
    space: Space,
    games: u64,
    seed: u64,
    known: Surrogate,
    /// Top of the posterior mean, relative to the start.
    best: Vec<f64>,
    asked: u64,
    /// Results of recommendations against the start.
    against_start: Pentanomial,
    pending: BTreeMap<TrialId, Pending>,
}

/// A trial under way.
#[derive(Clone, Debug)]
struct Pending {
    /// Its candidates' places, relative to the start.
    places: [Vec<f64>; 2],
    pairs: u64,
    /// Whether it measures the recommendation against the start.
    measures: bool,
}

impl Bayes {
    /// A tuner for a run of `games` games.
    pub fn new(space: Space, games: u64, seed: u64) -> Bayes {
        Bayes {
            best: vec![0.0; space.dimension()],
            known: Surrogate::new(space.clone()),
            space,
            games,
            seed,
            asked: 0,
            against_start: Pentanomial::default(),
            pending: BTreeMap::new(),
        }
    }

    /// Pairs of a trial.
    fn batch(&self) -> u64 {
        (self.games / 2).div_ceil(TRIALS).max(1)
    }

    /// What a trial under way will teach if it ends as predicted: certainty, but nothing new.
    fn fantasy(&self, pending: &Pending) -> Comparison {
        Comparison {
            places: pending.places.clone(),
            elo: self.known.predicted(&pending.places),
            variance: self.known.noise(pending.pairs),
        }
    }

    /// The next trial, given what is known and what is under way.
    fn trial(&mut self, posterior: &Posterior) -> Trial {
        let id = TrialId(self.asked);
        self.asked += 1;
        let pairs = self.batch();
        let over = 2.0 * self.known.pairs() / self.games.max(1) as f64;
        let measures = measures(over, id);
        let [first, second] = if measures {
            [self.known.candidate(&self.best), self.space.start()]
        } else {
            self.informative(posterior, id, pairs)
        };
        let places = [self.known.place(&first), self.known.place(&second)];
        self.pending.insert(id, Pending { places, pairs, measures });
        Trial { id, first, second, pairs }
    }

    /// The candidates whose comparison teaches most.
    fn informative(&self, posterior: &Posterior, id: TrialId, pairs: u64) -> [Candidate; 2] {
        let least: Vec<f64> =
            self.known.resolution(&self.best).iter().map(|whole| 0.5 * whole).collect();
        let field = Field {
            centre: &self.best,
            least: &least,
            playable: &|place| self.known.place(&self.known.candidate(place)),
            noise: self.known.noise(pairs),
        };
        let mut random = random::stream("bayes", self.seed, id.0);
        choose(posterior, &field, &mut random).map(|side| self.known.candidate(&side))
    }
}

impl Tuner for Bayes {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        let mut posterior = self.known.posterior().clone();
        for pending in self.pending.values() {
            posterior.learn(&self.fantasy(pending));
        }
        let mut trials = Vec::new();
        while trials.len() < count {
            if let Some(last) = trials.last().and_then(|trial: &Trial| self.pending.get(&trial.id))
            {
                posterior.learn(&self.fantasy(last));
            }
            trials.push(self.trial(&posterior));
        }
        trials
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        let Pending { places, measures, .. } = self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        if measures {
            // Far apart and far from where it counts: the model would bend to explain it.
            self.known.see(&places, result);
            self.against_start += *result;
            return Ok(());
        }
        if self.known.tell(places, result) {
            self.best = self.known.top(std::slice::from_ref(&self.best));
        }
        Ok(())
    }

    fn recommend(&self) -> Recommendation {
        self.known.recommend(&self.best, &self.against_start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::bench;
    use crate::tuning::landscape::Landscapes;
    use crate::tuning::methods::Method;
    use crate::tuning::space::{Kind, Parameter};

    fn margin() -> Space {
        let margin = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 150.0);
        Space::new(vec![margin]).unwrap()
    }

    #[test]
    fn few_games_find_most_of_the_elo() {
        let landscapes = Landscapes::built_in();
        let method = Method::named("bayes").unwrap();
        let run = bench::run(method, &landscapes.landscapes[0], &landscapes.model, 200, 1).unwrap();
        assert!(run.gap < 15.0, "{}", run.gap);
    }

    #[test]
    fn a_run_told_again_asks_the_same() {
        let landscapes = Landscapes::built_in();
        let six = &landscapes.landscapes[1];
        let mut tuner = Bayes::new(six.space().unwrap(), 2_000, 7);
        let mut again = tuner.clone();
        let mut games = random::stream("games", 1, 1);
        for _ in 0..6 {
            let trials = tuner.ask(3);
            assert_eq!(trials, again.ask(3));
            for trial in trials.iter().rev() {
                let difference = six.elo(&trial.first) - six.elo(&trial.second);
                let result = landscapes.model.play(difference, trial.pairs, &mut games);
                tuner.tell(trial.id, &result).unwrap();
                again.tell(trial.id, &result).unwrap();
            }
        }
        assert_eq!(tuner.recommend(), again.recommend());
        let trial = tuner.ask(1).remove(0);
        assert_ne!(trial.first, trial.second);
    }

    #[test]
    fn results_without_any_doubt_give_numbers_all_the_same() {
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
        let gain = found.gain.unwrap();
        assert!(gain.low80 > 0.0 && gain.high80.is_finite() && gain.low80 < gain.high80);
        assert!(found.parameters[0].error.unwrap().is_finite());
    }

    #[test]
    fn the_sides_differ_even_where_one_step_is_the_range() {
        let switch = Parameter::new("switch".into(), Kind::Integer, 0.0, 1.0, 0.0);
        let depth = Parameter::new("depth".into(), Kind::Integer, 1.0, 4.0, 4.0);
        let fixed = Parameter { fixed: true, name: "fixed".into(), ..depth.clone() };
        let space = Space::new(vec![switch, fixed, depth]).unwrap();
        for trial in Bayes::new(space, 1_000, 1).ask(10) {
            assert_ne!(trial.first[0], trial.second[0]);
            assert_eq!([trial.first[1], trial.second[1]], [4.0, 4.0]);
            assert_ne!(trial.first[2], trial.second[2]);
        }
    }

    #[test]
    fn without_a_result_the_start_is_recommended() {
        let mut tuner = Bayes::new(margin(), 1_000, 1);
        let trial = tuner.ask(1).remove(0);
        tuner.tell(trial.id, &Pentanomial::default()).unwrap();
        let found = tuner.recommend();
        assert_eq!((found.best, found.gain), (vec![150.0], None));
        assert_eq!(tuner.tell(trial.id, &Pentanomial::default()), Err(UnknownTrial(trial.id)));
    }
}
