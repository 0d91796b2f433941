//! Numeric objectives: differences of any number to be made large, as results of game pairs.
//!
//! The tuners know pair scores. A difference becomes the pair score of an Elo difference that is
//! proportional to it; the unit is the root mean square of the differences seen, so that neither the
//! objective's unit nor its offset matters. A pair score is a multiple of a quarter, so that a
//! difference stands for many pairs, whose mean is as fine as the model needs.

use harness_stats::{Pentanomial, score_of_elo};

/// Pairs that the difference of two evaluations stands for.
const PAIRS: u64 = 64;

/// Elo of a difference of the usual size: small enough that the curve of scores is nearly straight.
const USUAL_ELO: f64 = 60.0;

/// The largest Elo difference that can be distinguished.
const MAX_ELO: f64 = 600.0;

/// Turns differences of a numeric objective into results of pairs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Differences {
    /// Sum of the squares, and their number.
    squares: f64,
    count: f64,
}

impl Differences {
    /// Games of a tuning run with this many evaluations: each trial has two, of one pair of candidates.
    pub fn games(evaluations: u64) -> u64 {
        evaluations.saturating_mul(PAIRS)
    }

    /// The result of a trial whose first candidate is better than the second by `difference`, in any
    /// unit. A number that is not finite says nothing and gives an empty result.
    pub fn result(&mut self, difference: f64) -> Pentanomial {
        if !difference.is_finite() {
            return Pentanomial::default();
        }
        self.squares += difference * difference;
        self.count += 1.0;
        let usual = (self.squares / self.count).sqrt();
        let share = if usual > 0.0 { difference / usual } else { 0.0 };
        let elo = (USUAL_ELO * share).clamp(-MAX_ELO, MAX_ELO);
        let quarters = (score_of_elo(elo) * (4 * PAIRS) as f64).round() as u64;
        let cell = (quarters / PAIRS) as usize;
        let rest = quarters % PAIRS;
        let mut counts = [0; 5];
        counts[cell] = PAIRS - rest;
        if rest > 0 {
            counts[cell + 1] = rest;
        }
        Pentanomial(counts)
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::methods::{METHODS, Method};
    use crate::space::{Kind, Parameter, Space};
    use harness_stats::random;

    #[test]
    fn a_difference_becomes_a_result_in_its_direction_whatever_its_unit() {
        for unit in [1e-9, 1.0, 1e9] {
            let mut differences = Differences::default();
            let results = [2.0, -1.0, 0.0, 3.0].map(|it| differences.result(it * unit));
            let means = results.map(|result| result.mean().expect("pairs"));
            assert_eq!(results.map(|result| result.pairs()), [PAIRS; 4]);
            assert!(means[0] > 0.55 && means[1] < 0.45 && means[2] == 0.5, "{means:?}");
            assert!(means[3] > means[0], "{means:?}");
        }
        assert_eq!(Differences::default().result(f64::NAN).pairs(), 0);
        assert_eq!(Differences::default().result(0.0).mean(), Some(0.5));
    }

    #[test]
    fn a_number_without_noise_is_climbed_in_few_evaluations() {
        let real = Parameter::new("x".into(), Kind::Real, -1.0, 1.0, 0.9);
        let integer = Parameter::new("y".into(), Kind::Integer, 0.0, 20.0, 18.0);
        let space = Space::new(vec![real, integer]).expect("valid");
        let value = |at: &[f64]| -(at[0] - 0.2).powi(2) - 0.03 * (at[1] - 7.0).powi(2);
        let start = value(&space.start());
        for name in ["auto", "spsa", "bayes", "cmaes", "nelder-mead"] {
            for seed in 1..=4 {
                let evaluations = 200;
                let method = Method::find(name).expect("a method");
                let games = Differences::games(evaluations);
                let mut tuner = method.start(space.clone(), games, seed);
                let mut differences = Differences::default();
                for _ in 0..evaluations / 2 {
                    let trial = tuner.ask(1).remove(0);
                    let result = differences.result(value(&trial.first) - value(&trial.second));
                    tuner.tell(trial.id, &result).expect("under way");
                }
                let best = value(&tuner.recommend().best);
                assert!(best > 0.15 * start, "{name}, seed {seed}: {best} of {start}");
            }
        }
    }

    #[test]
    fn every_method_climbs_a_noisy_bowl() {
        let parameter = |name: &str| Parameter::new(name.into(), Kind::Real, 0.0, 100.0, 20.0);
        let space = Space::new(vec![parameter("a"), parameter("b")]).expect("valid");
        let value = |at: &[f64]| -(at[0] - 60.0).powi(2) - 2.0 * (at[1] - 40.0).powi(2);
        let start = value(&space.start());
        for method in METHODS {
            let evaluations = 160;
            let mut tuner = method.start(space.clone(), Differences::games(evaluations), 7);
            let mut differences = Differences::default();
            let mut noise = random::stream("noisy bowl", 7, 0);
            for _ in 0..evaluations / 2 {
                let trial = tuner.ask(1).remove(0);
                let noise = 50.0 * (noise.random::<f64>() - 0.5);
                let difference = value(&trial.first) - value(&trial.second) + noise;
                tuner.tell(trial.id, &differences.result(difference)).expect("under way");
            }
            let best = value(&tuner.recommend().best);
            // The two references move slowly by their own step sizes.
            assert!(best > 0.5 * start, "{}: {best} of {start}", method.name);
        }
    }
}
