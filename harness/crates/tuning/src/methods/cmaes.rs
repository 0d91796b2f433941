//! CMA-ES: evolution strategy with covariance matrix adaptation.
//!
//! The algorithm of N. Hansen ("The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772), for
//! games. Samples come in mirrored pairs, `m + σz` and `m - σz` (D. Brockhoff and others, "Mirrored
//! Sampling and Sequential Selection for Evolution Strategies", 2010), which play each other: a
//! duel has half the variance of two matches against a third. The step size is a schedule over the
//! budget instead of a function of the path length, which is unreliable under this much noise. The
//! result is the Polyak average of the last part of the path, as in [`super::spsa`].

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand::Rng;

use super::measure::{AVERAGE_FROM, PathAverage, estimates};
use crate::space::Space;
use crate::trial::{Estimate, Recommendation, Trial, TrialId, Tuner, UnknownTrial, net_wins};
use harness_stats::Pentanomial;
use harness_stats::random;

/// Standard deviation of the population at the start, in ranges, ...
const FIRST_SIGMA: f64 = 0.22;
/// ... and at the end of a run of a thousand pairs; longer runs end narrower.
const LAST_SIGMA: f64 = 0.14;
/// Learning rate of the mean, times the square root of the number of generations: selection is
/// noisy, and steps have to average out.
const MEAN_RATE: f64 = 3.0;
/// Share of that step that is left at the end.
const LAST_MEAN_RATE: f64 = 0.5;
/// Bound on the variance of a direction relative to the usual one, as a factor and its inverse: a
/// wide search along a curved valley is biased.
const MAX_ELONGATION: f64 = 1.6;
/// Generations of a run, if the games suffice.
const GENERATIONS: u64 = 150;

/// The tuner.
#[derive(Clone, Debug)]
pub struct CmaEs {
    space: Space,
    games: u64,
    seed: u64,
    /// Duels a generation, and pairs a duel.
    duels: usize,
    batch: u64,
    weights: Weights,
    mean: DVector<f64>,
    covariance: DMatrix<f64>,
    /// Square root of the covariance.
    root: DMatrix<f64>,
    /// Evolution path of the covariance.
    path: DVector<f64>,
    generation: u64,
    /// Duels of this generation given by `ask`.
    given_duels: u64,
    next_id: u64,
    /// Pairs and trials that have a result.
    pairs: f64,
    trials: f64,
    /// Finished duels of this generation by number: offset of the first from the mean, in standard
    /// deviations, and its net wins a pair.
    results: BTreeMap<u64, (DVector<f64>, f64)>,
    average: PathAverage,
    pending: BTreeMap<TrialId, Duel>,
}

/// A duel under way, with its number in its generation and the first one's place.
#[derive(Clone, Debug)]
struct Duel {
    generation: u64,
    number: u64,
    place: DVector<f64>,
}

/// Recombination weights and learning rates, as in the tutorial's table 1.
#[derive(Clone, Debug)]
struct Weights {
    best: Vec<f64>,
    effective: f64,
    path: f64,
    rank_one: f64,
    rank_mu: f64,
}

impl Weights {
    fn new(members: usize, dimension: usize) -> Weights {
        let d = dimension as f64;
        let half = members as f64 / 2.0;
        let raw: Vec<f64> =
            (1..=members / 2).map(|rank| (half + 0.5).ln() - (rank as f64).ln()).collect();
        let sum: f64 = raw.iter().sum();
        let best: Vec<f64> = raw.iter().map(|weight| weight / sum).collect();
        let effective = 1.0 / best.iter().map(|weight| weight * weight).sum::<f64>();
        let rank_one = 2.0 / ((d + 1.3).powi(2) + effective);
        let rank_mu = (2.0 * (effective - 2.0 + 1.0 / effective) / ((d + 2.0).powi(2) + effective))
            .clamp(0.0, 1.0 - rank_one);
        let path = (4.0 + effective / d) / (d + 4.0 + 2.0 * effective / d);
        Weights { best, effective, path, rank_one, rank_mu }
    }
}

impl CmaEs {
    /// A tuner for a run of `games` games.
    pub fn new(space: Space, games: u64, seed: u64) -> CmaEs {
        let mean = DVector::from_vec(space.start_unit());
        let d = mean.len();
        let duels = 4 + (3.0 * (d as f64).ln()).floor() as usize;
        let batch = (games / 2 / (GENERATIONS * duels as u64)).clamp(1, 64);
        CmaEs {
            games,
            seed,
            duels,
            batch,
            weights: Weights::new(2 * duels, d),
            covariance: DMatrix::identity(d, d),
            root: DMatrix::identity(d, d),
            path: DVector::zeros(d),
            generation: 0,
            given_duels: 0,
            next_id: 0,
            pairs: 0.0,
            trials: 0.0,
            results: BTreeMap::new(),
            average: PathAverage::new(d),
            pending: BTreeMap::new(),
            mean,
            space,
        }
    }

    fn progress(&self) -> f64 {
        (2.0 * self.pairs / self.games.max(1) as f64).min(1.0)
    }

    fn sigma(&self) -> f64 {
        let thousands = (self.games as f64 / 2_000.0).max(0.1);
        let last = (LAST_SIGMA * thousands.powf(-1.0 / 6.0)).min(FIRST_SIGMA);
        FIRST_SIGMA * (last / FIRST_SIGMA).powf(self.progress())
    }

    fn step(&self) -> f64 {
        // The difference of a numeric objective stands for more pairs than were asked for.
        let batch = (self.pairs / self.trials.max(1.0)).max(self.batch as f64);
        let generations = self.games as f64 / (2.0 * batch * self.duels as f64);
        (MEAN_RATE / generations.max(1.0).sqrt()).min(1.0) * LAST_MEAN_RATE.powf(self.progress())
    }

    fn best_place(&self) -> &[f64] {
        self.average.mean().unwrap_or(self.mean.as_slice())
    }

    fn trial(&mut self) -> Trial {
        let id = TrialId(self.next_id);
        self.next_id += 1;
        let pairs = self.batch;
        let z = standard_normals(self.mean.len(), self.seed, id.0);
        let off = &self.root * z * self.sigma();
        let mut sides = [1.0, -1.0].map(|sign| (&self.mean + sign * &off).as_slice().to_vec());
        for (i, parameter) in self.space.free().enumerate() {
            // Apart by at least one integer, so that rounding never makes the sides equal; at a
            // bound one side alone has to reach it.
            let half = 0.51 * parameter.resolution(self.mean[i]);
            let sign = if off[i] < 0.0 { -1.0 } else { 1.0 };
            for (side, sign) in sides.iter_mut().zip([sign, -sign]) {
                let least = self.mean[i] + sign * half;
                let place = if sign > 0.0 { side[i].max(least) } else { side[i].min(least) };
                let [low, high] = parameter.unit_bounds();
                side[i] = place.clamp(low, high);
            }
        }
        let [first, second] = sides.map(|side| self.space.candidate(&side));
        // The played difference counts: rounded and clamped to the bounds.
        let a = self.space.to_unit(&first);
        let b = self.space.to_unit(&second);
        let half = a.iter().zip(&b).map(|(a, b)| 0.5 * (a - b) / self.sigma());
        let place = DVector::from_iterator(self.mean.len(), half);
        let generation = self.generation;
        let number = self.given_duels;
        self.given_duels += 1;
        self.pending.insert(id, Duel { generation, number, place });
        Trial { id, first, second, pairs }
    }

    /// Updates the distribution once this generation's duels are over.
    fn update(&mut self) {
        let mut members: Vec<(DVector<f64>, f64)> = Vec::with_capacity(2 * self.results.len());
        for (place, wins) in std::mem::take(&mut self.results).into_values() {
            members.push((-&place, -wins));
            members.push((place, wins));
        }
        // A stable sort: ties stay in the order of the duels, which is independent of strength.
        members.sort_by(|a, b| b.1.total_cmp(&a.1));
        let weights = shared_among_ties(&self.weights.best, &members);
        let chosen = || weights.iter().zip(&members).map(|(weight, (place, _))| (*weight, place));
        let step = chosen().map(|(weight, place)| place * weight).sum::<DVector<f64>>();
        let sigma = self.sigma();
        self.mean += self.step() * sigma * &step;
        for (place, [low, high]) in self.mean.iter_mut().zip(self.space.unit_bounds()) {
            *place = place.clamp(low, high);
        }

        let Weights { effective, path, rank_one, rank_mu, .. } = self.weights;
        self.path = &self.path * (1.0 - path) + step * (path * (2.0 - path) * effective).sqrt();
        let spread = chosen()
            .map(|(weight, place)| place * place.transpose() * weight)
            .sum::<DMatrix<f64>>();
        self.covariance = &self.covariance * (1.0 - rank_one - rank_mu)
            + &self.path * self.path.transpose() * rank_one
            + spread * rank_mu;
        self.keep_determinant();
        self.generation += 1;
        self.given_duels = 0;
        if self.progress() >= AVERAGE_FROM {
            self.average.add(self.mean.as_slice(), 1.0);
        }
    }

    /// The covariance keeps its determinant, as the step size is scheduled.
    fn keep_determinant(&mut self) {
        let eigen = SymmetricEigen::new(self.covariance.clone());
        let values = eigen.eigenvalues.map(|value| value.max(1e-6));
        let size = (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp();
        let values = values.map(|value| (value / size).clamp(1.0 / MAX_ELONGATION, MAX_ELONGATION));
        let with = |values: DVector<f64>| {
            &eigen.eigenvectors * DMatrix::from_diagonal(&values) * eigen.eigenvectors.transpose()
        };
        self.covariance = with(values.clone());
        self.root = with(values.map(f64::sqrt));
    }
}

/// Recombination weights by rank; tied members share those of their ranks.
fn shared_among_ties(weights: &[f64], members: &[(DVector<f64>, f64)]) -> Vec<f64> {
    let mut shared = Vec::with_capacity(members.len());
    let of_rank = |rank: usize| weights.get(rank).copied().unwrap_or(0.0);
    for tied in members.chunk_by(|a, b| a.1 == b.1) {
        let ranks = shared.len()..shared.len() + tied.len();
        let mean = ranks.map(of_rank).sum::<f64>() / tied.len() as f64;
        shared.resize(shared.len() + tied.len(), mean);
    }
    shared
}

/// Standard normal numbers (G. Box and M. Muller, 1958).
fn standard_normals(count: usize, seed: u64, trial: u64) -> DVector<f64> {
    let mut random = random::stream("members", seed, trial);
    DVector::from_fn(count, |_, _| {
        let (a, b): (f64, f64) = (random.random(), random.random());
        (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
    })
}

impl Tuner for CmaEs {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        (0..count).map(|_| self.trial()).collect()
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        let Duel { generation, number, place } =
            self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        let pairs = result.pairs() as f64;
        if pairs == 0.0 {
            return Ok(());
        }
        self.pairs += pairs;
        self.trials += 1.0;
        // A duel of a past generation is not used.
        let number = if generation == self.generation { number } else { u64::MAX - id.0 };
        self.results.insert(number, (place, net_wins(result) / pairs));
        if self.results.len() >= self.duels {
            self.update();
        }
        Ok(())
    }

    fn widen(&mut self, space: &Space) {
        self.space = space.clone();
    }

    fn recommend(&self) -> Recommendation {
        let place = self.best_place();
        let best = self.space.candidate(place);
        let parameters = estimates(&self.space, |i, parameter| Estimate {
            value: parameter.of_unit(place[i]),
            error: None,
            z: None,
        });
        Recommendation::of_method(best, parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::Landscapes;

    #[test]
    fn weights_are_those_of_the_tutorial() {
        // λ = 6 in 2 dimensions, worked by hand: ln 3.5 - ln i for i = 1, 2, 3.
        let weights = Weights::new(6, 2);
        let raw = [3.5_f64.ln(), 1.75_f64.ln(), (3.5_f64 / 3.0).ln()];
        let sum: f64 = raw.iter().sum();
        for (weight, raw) in weights.best.iter().zip(raw) {
            assert!((weight - raw / sum).abs() < 1e-12);
        }
        let effective = sum * sum / raw.iter().map(|raw| raw * raw).sum::<f64>();
        assert!((weights.effective - effective).abs() < 1e-12);
        assert!((weights.rank_one - 2.0 / (3.3_f64.powi(2) + effective)).abs() < 1e-12);
    }

    #[test]
    fn members_with_equal_results_weigh_the_same() {
        let member = |wins: f64| (DVector::zeros(1), wins);
        let members = [member(2.0), member(0.0), member(0.0), member(-2.0)];
        assert_eq!(shared_among_ties(&[0.7, 0.3], &members), [0.7, 0.15, 0.15, 0.0]);
    }

    #[test]
    fn it_improves() {
        let landscapes = Landscapes::built_in();
        let landscape = &landscapes.landscapes[0];
        let space = landscape.space().expect("sound");
        let mut tuner = CmaEs::new(space, 10_000, 3);
        let mut random = random::stream("games", 3, 0);
        let mut games = 0;
        while games < 10_000 {
            for trial in tuner.ask(4) {
                let difference = landscape.elo(&trial.first) - landscape.elo(&trial.second);
                let result = landscapes.model.play(difference, trial.pairs, &mut random);
                games += 2 * trial.pairs;
                tuner.tell(trial.id, &result).expect("a pending trial");
            }
        }
        let found = tuner.recommend();
        let gap = -landscape.elo(&found.best);
        assert!(gap < 2.0, "{gap}");
    }
}
