//! SPSA with hyperparameters from the number of games.
//!
//! As in J. Spall, "Multivariate stochastic approximation using a simultaneous perturbation
//! gradient approximation", two candidates on either side of the current values play, and the
//! values move towards the winner. The step size is 1 over the square root of the number of pairs,
//! which balances the noise that a run accumulates and the distance that it can move. The
//! perturbation is a share of the range, large at first for a better signal-to-noise ratio, smaller
//! at the end for less bias by curved valleys. The result is the Polyak average of the last part of
//! the path (B. Polyak and A. Juditsky, "Acceleration of stochastic approximation by averaging").

use std::collections::BTreeMap;

use rand::seq::SliceRandom;

use super::measure::{AVERAGE_FROM, PRIOR_VARIANCE, PairVariance, PathAverage, estimates};
use crate::space::Space;
use crate::trial::{Estimate, Recommendation, Trial, TrialId, Tuner, UnknownTrial, net_wins};
use harness_stats::Pentanomial;
use harness_stats::random;

/// Perturbation at the start, in ranges.
const FIRST_PERTURBATION: f64 = 0.25;
/// Perturbation at the end of a run of a thousand pairs. It shrinks with the sixth root of the
/// number of pairs: the variance of the result is proportional to `1/(c² pairs)`, its squared bias
/// to `c⁴`.
const LAST_PERTURBATION: f64 = 0.20;
/// Step size of a net win, in perturbations, times the square root of the number of pairs, at the
/// usual variance. A smaller variance allows longer steps.
const STEP: f64 = 1.5;
/// Parameters, as a multiple of the square root of the number of pairs, beyond which steps are shorter. Where
/// many parameters share the Elo that the start lacks, the noise of the path costs a share of it that does
/// not depend on their number, `b s²` with steps of `s` times the usual size, and the drift gains one that is
/// inversely proportional to it, `2 a s √pairs / parameters`. The difference is largest at
/// `s = (a / b) √pairs / parameters`, with `b` 0.27 by the distances of the random family, and `a` about 1 by
/// what runs of 500 games with 60 of its parameters gain.
const MANY: f64 = 4.0;
/// Share of the step size that is left at the end.
const LAST_STEP: f64 = 0.4;
/// Bound on the movement per net win, in perturbations, for short runs.
const MAX_STEP: f64 = 0.2;
/// Share of the run that estimates the gradient at the start.
const GRADIENT_UNTIL: f64 = 0.2;
/// Block of trials in which signs are balanced.
const BLOCK: usize = 16;
/// Trials of a run, if each has at least a pair.
const TRIALS: u64 = 2_500;

/// The tuner.
#[derive(Clone, Debug)]
pub struct Spsa {
    space: Space,
    games: u64,
    seed: u64,
    place: Vec<f64>,
    next_id: u64,
    /// Pairs so far.
    pairs: f64,
    /// Polyak average over the last part of the path.
    average: PathAverage,
    /// Sums of net wins by the parameters' signs, at the start, and the sum of their squares.
    gradient: (Vec<f64>, f64),
    variance: PairVariance,
    /// Of each trial under way, the movement per net win.
    pending: BTreeMap<TrialId, Vec<f64>>,
}

impl Spsa {
    /// A tuner for a run of `games` games.
    pub fn new(space: Space, games: u64, seed: u64) -> Spsa {
        let place = space.start_unit();
        Spsa {
            gradient: (vec![0.0; place.len()], 0.0),
            variance: PairVariance::default(),
            average: PathAverage::new(place.len()),
            space,
            games,
            seed,
            place,
            next_id: 0,
            pairs: 0.0,
            pending: BTreeMap::new(),
        }
    }

    /// Progress of the run, 0 to 1.
    fn progress(&self) -> f64 {
        (2.0 * self.pairs / self.games.max(1) as f64).min(1.0)
    }

    /// Current perturbation, in ranges.
    fn perturbation(&self) -> f64 {
        let thousands = (self.games as f64 / 2_000.0).max(0.1);
        let last = (LAST_PERTURBATION * thousands.powf(-1.0 / 6.0)).min(FIRST_PERTURBATION);
        FIRST_PERTURBATION * (last / FIRST_PERTURBATION).powf(self.progress())
    }

    /// Current movement per net win, in perturbations.
    fn step(&self) -> f64 {
        let pairs = (self.games as f64 / 2.0).max(1.0);
        let decided = (self.variance.value() / PRIOR_VARIANCE).sqrt().max(0.1);
        let crowded = (MANY * pairs.sqrt() / self.place.len() as f64).min(1.0);
        let step = (STEP / (pairs.sqrt() * decided)).min(MAX_STEP);
        step * crowded * LAST_STEP.powf(self.progress())
    }

    /// Pairs of a trial.
    fn batch(&self) -> u64 {
        (self.games / 2 / TRIALS).clamp(1, 16)
    }

    /// The recommended place: the Polyak average once there is one.
    fn best_place(&self) -> &[f64] {
        self.average.mean().unwrap_or(&self.place)
    }

    fn trial(&mut self) -> Trial {
        let id = TrialId(self.next_id);
        let signs = balanced_signs(self.place.len(), self.seed, self.next_id);
        self.next_id += 1;
        let widest = self.perturbation();
        let mut sides = [self.place.clone(), self.place.clone()];
        for (i, parameter) in self.space.free().enumerate() {
            // Apart by at least one integer, so that rounding never makes the sides equal.
            let half = widest.max(0.5 * parameter.resolution(self.place[i]));
            for (side, sign) in sides.iter_mut().zip([signs[i], -signs[i]]) {
                let [low, high] = parameter.unit_bounds();
                side[i] = (self.place[i] + sign * half).clamp(low, high);
            }
        }
        let [first, second] = sides.map(|side| self.space.candidate(&side));
        let a = self.space.to_unit(&first);
        let b = self.space.to_unit(&second);
        // The played difference counts: rounded and clamped to the bounds.
        let step = self.step();
        let moves = a.iter().zip(&b).map(|(a, b)| step * 0.5 * (a - b)).collect();
        self.pending.insert(id, moves);
        Trial { id, first, second, pairs: self.batch() }
    }
}

/// Signs of the parameters, balanced within a block of trials.
pub(super) fn balanced_signs(dimension: usize, seed: u64, trial: u64) -> Vec<f64> {
    let mut random = random::stream("signs", seed, trial / BLOCK as u64);
    let sign = |_| {
        let mut signs: [f64; BLOCK] = std::array::from_fn(|i| if i % 2 == 0 { 1.0 } else { -1.0 });
        signs.shuffle(&mut random);
        signs[(trial % BLOCK as u64) as usize]
    };
    (0..dimension).map(sign).collect()
}

impl Tuner for Spsa {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        (0..count).map(|_| self.trial()).collect()
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        let moves = self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        let pairs = result.pairs() as f64;
        if pairs == 0.0 {
            return Ok(());
        }
        let learns_slopes = self.progress() < GRADIENT_UNTIL;
        self.pairs += pairs;
        let net_wins = net_wins(result);
        self.variance.add(result);
        let bounds = self.space.unit_bounds();
        for ((place, step), [low, high]) in self.place.iter_mut().zip(&moves).zip(bounds) {
            *place = (*place + step * net_wins).clamp(low, high);
        }
        if learns_slopes {
            self.gradient.1 += net_wins * net_wins;
            for (sum, step) in self.gradient.0.iter_mut().zip(&moves) {
                *sum += step.signum() * net_wins;
            }
        }
        if self.progress() >= AVERAGE_FROM {
            self.average.add(&self.place, pairs);
        }
        Ok(())
    }

    fn step_per_net_win(&self, id: TrialId) -> Option<Vec<f64>> {
        let moves = self.pending.get(&id)?;
        let mut free = moves.iter().zip(&self.place);
        let pulls = self.space.parameters().iter().map(|parameter| {
            if parameter.fixed {
                return 0.0;
            }
            free.next().map_or(0.0, |(step, place)| {
                parameter.of_unit(place + step) - parameter.of_unit(*place)
            })
        });
        Some(pulls.collect())
    }

    fn widen(&mut self, space: &Space) {
        self.space = space.clone();
    }

    fn recommend(&self) -> Recommendation {
        let place = self.best_place();
        let best = self.space.candidate(place);
        let parameters = estimates(&self.space, |i, parameter| {
            let (sums, squares) = &self.gradient;
            let z = (*squares > 0.0).then(|| sums[i] / squares.sqrt());
            Estimate { value: parameter.of_unit(place[i]), error: None, z }
        });
        Recommendation::of_method(best, parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Kind, Parameter};

    #[test]
    fn within_a_block_each_parameter_goes_up_as_often_as_down() {
        let mut sums = vec![0.0; 5];
        for trial in 0..BLOCK as u64 {
            for (sum, sign) in sums.iter_mut().zip(balanced_signs(5, 1, trial)) {
                *sum += sign;
            }
        }
        assert_eq!(sums, [0.0; 5]);
    }

    #[test]
    fn a_run_of_a_pair_takes_a_bounded_step() {
        let margin = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 100.0);
        let mut tuner = Spsa::new(Space::new(vec![margin]).unwrap(), 2, 1);
        let trial = tuner.ask(1).remove(0);
        tuner.tell(trial.id, &Pentanomial([0, 0, 0, 0, 1])).unwrap();
        assert!((tuner.recommend().best[0] - 100.0).abs() <= 20.0);
    }
}
