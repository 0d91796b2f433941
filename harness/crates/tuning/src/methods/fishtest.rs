//! SPSA exactly as in fishtest, as a reference.
//!
//! Source: fishtest, `server/fishtest/spsa_workflow.py`, `spsa_handler.py` and
//! `worker/games.py` at b8eecff2. One trial stands for the batch of one worker.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::iterate::{Iterate, Perturbed, flips, rounded_by_chance};
use crate::space::Space;
use crate::trial::{Recommendation, Trial, TrialId, Tuner, UnknownTrial};
use harness_stats::Pentanomial;

/// The settings of fishtest's form.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Games of the whole run.
    pub games: u64,
    /// `A` as a share of the iterations.
    pub a_ratio: f64,
    /// Exponent of the step sizes.
    pub alpha: f64,
    /// Exponent of the perturbations.
    pub gamma: f64,
    /// Step at the end, as a share of the perturbation; one for all parameters.
    pub r_end: f64,
    /// Pairs that one worker plays with the same perturbation.
    pub batch: u64,
}

impl Settings {
    /// The form's defaults for a run of `games`, and the usual `r_end`.
    pub fn usual(games: u64) -> Settings {
        Settings { games, a_ratio: 0.1, alpha: 0.602, gamma: 0.101, r_end: 0.002, batch: 8 }
    }

    /// Perturbation and step size of iteration `k`, counted from 1, for a parameter that ends with
    /// the perturbation `c_end`: `(c_k, R_k)`.
    pub fn at(&self, k: f64, c_end: f64) -> (f64, f64) {
        let iterations = (self.games / 2) as f64;
        let big_a = (self.a_ratio * self.games as f64 / 2.0).floor();
        let c = c_end * iterations.powf(self.gamma);
        let a_end = self.r_end * c_end * c_end;
        let a = a_end * (big_a + iterations).powf(self.alpha);
        let c_k = c / k.powf(self.gamma);
        (c_k, a / (big_a + k).powf(self.alpha) / (c_k * c_k))
    }
}

/// The tuner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fishtest {
    settings: Settings,
    /// Counted in pairs.
    iterate: Iterate,
}

impl Fishtest {
    /// A tuner that starts where the space does, with the parameters' steps as `c_end`.
    pub fn new(space: Space, settings: Settings, seed: u64) -> Fishtest {
        Fishtest { settings, iterate: Iterate::new(space, seed) }
    }

    /// The values now, not rounded.
    pub fn theta(&self) -> &[f64] {
        &self.iterate.theta
    }
}

/// A batch that perturbs every parameter in the direction of its `flip` (1 or -1; 0 where fixed),
/// not rounded.
fn batch(settings: &Settings, iterate: &Iterate, flips: &[f64]) -> Perturbed {
    let k = iterate.played as f64 + 1.0;
    let mut first = iterate.theta.clone();
    let mut second = iterate.theta.clone();
    let mut steps = Vec::with_capacity(flips.len());
    for (i, (parameter, &flip)) in iterate.space.parameters().iter().zip(flips).enumerate() {
        let (c, r) = settings.at(k, parameter.step);
        first[i] = (iterate.theta[i] + c * flip).clamp(parameter.min, parameter.max);
        second[i] = (iterate.theta[i] - c * flip).clamp(parameter.min, parameter.max);
        steps.push(r * c * flip);
    }
    (first, second, steps)
}

impl Tuner for Fishtest {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        let settings = self.settings;
        self.iterate.ask(count, "fishtest", settings.batch.max(1), |iterate, random| {
            let flips = flips(&iterate.space, random);
            let (mut first, mut second, steps) = batch(&settings, iterate, &flips);
            for (i, parameter) in iterate.space.parameters().iter().enumerate() {
                // The worker rounds each side on its own, so they may come out equal.
                first[i] = rounded_by_chance(parameter, first[i], random.random());
                second[i] = rounded_by_chance(parameter, second[i], random.random());
            }
            (first, second, steps)
        })
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        self.iterate.tell(id, result, result.pairs())
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
    use crate::space::{Kind, Parameter};

    fn space() -> Space {
        let whole = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 100.0);
        let real = Parameter::new("rate".into(), Kind::Real, 0.9, 1.05, 1.0);
        Space::new(vec![whole, Parameter { step: 0.05, ..real }]).unwrap()
    }

    /// Flips, net wins and pairs of four batches.
    const BATCHES: [([f64; 2], f64, u64); 4] = [
        ([1.0, -1.0], 5.0, 8),
        ([-1.0, -1.0], -3.0, 8),
        ([1.0, 1.0], 40.0, 32),
        ([-1.0, 1.0], -16.0, 32),
    ];

    fn path(settings: Settings) -> Vec<Vec<f64>> {
        let mut tuner = Fishtest::new(space(), settings, 1);
        BATCHES
            .iter()
            .map(|(flips, net_wins, pairs)| {
                let (_, _, steps) = batch(&tuner.settings, &tuner.iterate, flips);
                tuner.iterate.step(&steps, *net_wins, *pairs);
                tuner.theta().to_vec()
            })
            .collect()
    }

    fn assert_close(path: &[Vec<f64>], expected: &[[f64; 2]]) {
        for (theta, expected) in path.iter().zip(expected) {
            for (value, expected) in theta.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-12 * expected.abs(), "{path:?}");
            }
        }
    }

    /// Without exponents every net win is worth `r_end c_end`: 0.02 and 0.0001.
    #[test]
    fn a_net_win_moves_by_r_end_times_c_end_when_nothing_decays() {
        let settings = Settings { alpha: 0.0, gamma: 0.0, ..Settings::usual(20_000) };
        let expected = [[100.1, 0.9995], [100.16, 0.9998], [100.96, 1.0038], [101.28, 1.0022]];
        assert_close(&path(settings), &expected);
    }

    /// Reference values: fishtest's formulas, evaluated outside this program.
    #[test]
    fn the_path_is_that_of_the_formulas() {
        let expected = [
            [100.16697716448272, 0.9991651141775864],
            [100.2914589067733, 0.9997875228890393],
            [102.05293401663242, 1.0085948984383348],
            [102.82254513812477, 1.004746842830873],
        ];
        assert_close(&path(Settings::usual(20_000)), &expected);
    }

    #[test]
    fn sides_keep_to_the_bounds_and_so_do_values() {
        let mut tuner = Fishtest::new(space(), Settings::usual(20_000), 1);
        let (first, second, steps) = batch(&tuner.settings, &tuner.iterate, &[1.0, 1.0]);
        assert_eq!([first[1], second[1]], [1.05, 0.9]);
        tuner.iterate.step(&steps, 1e9, 8);
        assert_eq!(tuner.theta(), [200.0, 1.05]);
    }
}
