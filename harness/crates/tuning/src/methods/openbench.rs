//! SPSA exactly as in OpenBench, as a reference.
//!
//! Source: OpenBench, `OpenBench/spsa_utils.py`, `OpenBench/utils.py` and `Client/worker.py` at
//! 9906bad. One trial stands for one runner's workload.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::iterate::{Iterate, Perturbed, flips, rounded_by_chance};
use crate::space::{Kind, Space};
use crate::trial::{Recommendation, Trial, TrialId, Tuner, UnknownTrial};
use harness_stats::Pentanomial;

/// Least perturbation of integers, so that the sides always differ.
const SMALLEST_INTEGER_C: f64 = 0.5;

/// The settings of OpenBench's form.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Iterations of the whole run.
    pub iterations: u64,
    /// Game pairs an iteration.
    pub pairs_per: u64,
    /// `A` as a share of the iterations.
    pub a_ratio: f64,
    /// Exponent of the step sizes.
    pub alpha: f64,
    /// Exponent of the perturbations.
    pub gamma: f64,
    /// Step at the end, as a share of the perturbation; one for all parameters.
    pub r_end: f64,
}

impl Settings {
    /// The form's defaults for a run of `games`, and the usual `r_end`.
    pub fn usual(games: u64) -> Settings {
        let pairs_per = 8;
        Settings {
            iterations: games.div_ceil(2 * pairs_per).max(1),
            pairs_per,
            a_ratio: 0.1,
            alpha: 0.602,
            gamma: 0.101,
            r_end: 0.002,
        }
    }

    /// Perturbation and step size after `games` games for a parameter that ends with the
    /// perturbation `c_end`: `(c_k, R_k)`.
    pub fn at(&self, games: u64, kind: Kind, c_end: f64) -> (f64, f64) {
        let iterations = self.iterations as f64;
        let big_a = self.a_ratio * iterations;
        let c = c_end * iterations.powf(self.gamma);
        let a = self.r_end * c_end * c_end * (big_a + iterations).powf(self.alpha);
        let k = 1.0 + games as f64 / (2.0 * self.pairs_per as f64);
        let c_k = c / k.powf(self.gamma);
        let c_k = if kind == Kind::Integer { c_k.max(SMALLEST_INTEGER_C) } else { c_k };
        (c_k, a / (big_a + k).powf(self.alpha) / (c_k * c_k))
    }
}

/// The tuner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenBench {
    settings: Settings,
    /// Counted in games.
    iterate: Iterate,
}

impl OpenBench {
    /// A tuner that starts where the space does, with the parameters' steps as `c_end`.
    pub fn new(space: Space, settings: Settings, seed: u64) -> OpenBench {
        OpenBench { settings, iterate: Iterate::new(space, seed) }
    }

    /// The values now, not rounded.
    pub fn theta(&self) -> &[f64] {
        &self.iterate.theta
    }
}

/// A workload that perturbs every parameter in the direction of its `flip` (1 or -1; 0 where
/// fixed), rounded by its `chance`.
fn workload(settings: &Settings, iterate: &Iterate, flips: &[f64], chances: &[f64]) -> Perturbed {
    let mut first = iterate.theta.clone();
    let mut second = iterate.theta.clone();
    let mut steps = Vec::with_capacity(flips.len());
    for (i, parameter) in iterate.space.parameters().iter().enumerate() {
        let (c, r) = settings.at(iterate.played, parameter.kind, parameter.step);
        let side = |value: f64| {
            let value = rounded_by_chance(parameter, value, chances[i]);
            value.clamp(parameter.min, parameter.max)
        };
        first[i] = side(iterate.theta[i] + flips[i] * c);
        second[i] = side(iterate.theta[i] - flips[i] * c);
        steps.push(r * c * flips[i]);
    }
    (first, second, steps)
}

impl Tuner for OpenBench {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        let settings = self.settings;
        self.iterate.ask(count, "openbench", settings.pairs_per, |iterate, random| {
            let flips = flips(&iterate.space, random);
            let chances: Vec<f64> = flips.iter().map(|_| random.random()).collect();
            workload(&settings, iterate, &flips, &chances)
        })
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        self.iterate.tell(id, result, result.games())
    }

    fn step_per_net_win(&self, id: TrialId) -> Option<Vec<f64>> {
        Some(self.iterate.step_per_net_win(id))
    }

    fn widen(&mut self, space: &Space) {
        self.iterate.space = space.clone();
    }

    fn recommend(&self) -> Recommendation {
        self.iterate.recommend()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Parameter;

    fn space() -> Space {
        let margin = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 100.0);
        let rate = Parameter::new("rate".into(), Kind::Real, 0.9, 1.05, 1.0);
        let depth = Parameter::new("depth".into(), Kind::Integer, 1.0, 5.0, 3.0);
        let rate = Parameter { step: 0.05, ..rate };
        let depth = Parameter { step: 0.2, ..depth };
        Space::new(vec![margin, rate, depth]).unwrap()
    }

    /// Reference values: OpenBench's formulas, evaluated outside this program.
    #[test]
    fn the_path_is_that_of_the_formulas() {
        let settings = Settings { iterations: 1250, ..Settings::usual(20_000) };
        let mut tuner = OpenBench::new(space(), settings, 1);
        let flips = [[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0]];
        let results = [(5.0, 8), (-3.0, 8), (40.0, 32), (-16.0, 32)];
        let expected = [
            [100.20513853270954, 0.9989743073364523, 3.0033722917737156],
            [100.33652049766545, 0.9996312171612318, 3.001358522909938],
            [102.15291067630945, 1.0087131680544519, 2.9746347485262654],
            [102.92985462190299, 1.0048284483264842, 2.9851280628697676],
        ];
        for ((flips, (net_wins, pairs)), expected) in flips.iter().zip(results).zip(expected) {
            let (_, _, steps) = workload(&tuner.settings, &tuner.iterate, flips, &[0.5; 3]);
            tuner.iterate.step(&steps, net_wins, 2 * pairs);
            for (value, expected) in tuner.theta().iter().zip(expected) {
                assert!((value - expected).abs() < 1e-12 * expected, "{:?}", tuner.theta());
            }
        }
    }

    /// Without exponents every net win is worth `r_end c_end`, except that an integer's `c` is at
    /// least a half: 0.02, 0.0001, and 0.002 * 0.2^2 / 0.5 = 0.00016.
    #[test]
    fn a_net_win_moves_by_r_end_times_c_end_when_nothing_decays() {
        let settings = Settings { alpha: 0.0, gamma: 0.0, ..Settings::usual(20_000) };
        let mut tuner = OpenBench::new(space(), settings, 1);
        let (_, _, steps) = workload(&tuner.settings, &tuner.iterate, &[1.0, -1.0, 1.0], &[0.5; 3]);
        tuner.iterate.step(&steps, 5.0, 16);
        for (value, expected) in tuner.theta().iter().zip([100.1, 0.9995, 3.0008]) {
            assert!((value - expected).abs() < 1e-12 * expected);
        }
    }

    #[test]
    fn integers_of_the_two_sides_always_differ_inside_the_bounds() {
        let mut tuner = OpenBench::new(space(), Settings::usual(20_000), 1);
        for trial in tuner.ask(200) {
            assert_ne!(trial.first[2], trial.second[2]);
        }
    }

    #[test]
    fn a_deserialised_tuner_continues_like_the_original() {
        let mut tuner = OpenBench::new(space(), Settings::usual(2_000), 1);
        let trials = tuner.ask(3);
        tuner.tell(trials[1].id, &Pentanomial([0, 1, 2, 4, 1])).unwrap();
        let text = serde_json::to_string(&tuner).unwrap();
        let mut again: OpenBench = serde_json::from_str(&text).unwrap();
        for tuner in [&mut tuner, &mut again] {
            tuner.tell(trials[0].id, &Pentanomial([1, 1, 2, 1, 3])).unwrap();
        }
        assert_eq!(tuner, again);
        assert_eq!(tuner.ask(2), again.ask(2));
    }
}
