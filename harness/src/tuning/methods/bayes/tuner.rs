//! The tuner.

use std::collections::BTreeMap;
use std::f64::consts::LN_10;

use super::acquisition::{Field, choose, inverse_curvature};
use super::climb::climb;
use super::kernel::Shape;
use super::posterior::{Comparison, Posterior};
use crate::stats::{Pentanomial, score_of_elo};
use crate::tuning::methods::measure::{error_at, estimates, gain};
use crate::tuning::random;
use crate::tuning::space::{Candidate, Space};
use crate::tuning::trial::{Estimate, Recommendation, Trial, TrialId, Tuner, UnknownTrial};

/// Trials of a run, unless that makes them less than a pair.
const TRIALS: u64 = 300;
/// Comparisons before the hyperparameters are fitted, ...
const FIRST_FIT: usize = 10;
/// ... by how much more of them each time, ...
const FIT_EVERY: f64 = 1.5;
/// ... and how many the fit looks at.
const FIT_OF: usize = 400;
/// Steps of a fit.
const FIT_STEPS: usize = 12;
/// Steps of a climb to the top of the mean.
const CLIMB_STEPS: usize = 60;
/// Variance of a pair's mean score before it is measured, and the pairs that this is worth.
const USUAL_VARIANCE: f64 = 0.0388;
const GUESS_WORTH: f64 = 50.0;
/// Share of the run after which the recommendation is measured against the start, ...
const MEASURE_FROM: f64 = 0.85;
/// ... by every so many trials.
const MEASURE_EVERY: u64 = 3;
/// A difference beyond this says no more, in Elo.
const LARGEST: f64 = 250.0;

/// A tuner that keeps a Gaussian process of the landscape.
#[derive(Clone, Debug)]
pub struct Bayes {
    space: Space,
    games: u64,
    seed: u64,
    /// The unit cube, relative to the start.
    lower: Vec<f64>,
    upper: Vec<f64>,
    told: Vec<Told>,
    posterior: Posterior,
    /// Top of the posterior mean, relative to the start.
    best: Vec<f64>,
    /// Number of results at which the hyperparameters are fitted again.
    next_fit: usize,
    asked: u64,
    /// Pairs told, and the squares of what their scores were off the expected ones.
    pairs: f64,
    squares: f64,
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

/// A result.
#[derive(Clone, Debug)]
struct Told {
    places: [Vec<f64>; 2],
    /// Mean score of the first, 0 to 1.
    score: f64,
    pairs: f64,
}

impl Bayes {
    /// A tuner for a run of `games` games.
    pub fn new(space: Space, games: u64, seed: u64) -> Bayes {
        let start = space.start_unit();
        let shape = Shape::expected(start.len());
        Bayes {
            lower: start.iter().map(|x| -x).collect(),
            upper: start.iter().map(|x| 1.0 - x).collect(),
            best: vec![0.0; start.len()],
            posterior: Posterior::of(shape, &[]).expect("nothing contradicts nothing"),
            space,
            games,
            seed,
            told: Vec::new(),
            next_fit: FIRST_FIT,
            asked: 0,
            pairs: 0.0,
            squares: 0.0,
            against_start: Pentanomial::default(),
            pending: BTreeMap::new(),
        }
    }

    /// Pairs of a trial.
    fn batch(&self) -> u64 {
        (self.games / 2).div_ceil(TRIALS).max(1)
    }

    /// Variance of a pair's mean score between equals.
    fn pair_variance(&self) -> f64 {
        (self.squares + USUAL_VARIANCE * GUESS_WORTH) / (self.pairs + GUESS_WORTH)
    }

    /// Variance of the result of so many pairs between equals, in Elo².
    fn noise(&self, pairs: u64) -> f64 {
        self.pair_variance() / pairs as f64 * (1600.0 / LN_10).powi(2)
    }

    /// Strength at the first place less that at the second, as far as is known.
    fn predicted(&self, places: &[Vec<f64>; 2]) -> f64 {
        let height =
            |place: &Vec<f64>| self.posterior.mean(&self.posterior.shape().scaled(place)).0;
        (height(&places[0]) - height(&places[1])).clamp(-LARGEST, LARGEST)
    }

    /// A result as a difference in Elo. The logistic curve is replaced by its tangent at what was
    /// predicted, as in Fisher scoring: lopsided results stay finite, and their errors normal.
    fn comparison(&self, told: &Told) -> Comparison {
        let predicted = self.predicted(&told.places);
        let expected = score_of_elo(predicted);
        let spread = expected * (1.0 - expected);
        let steepness = spread * LN_10 / 400.0;
        let elo = predicted + (told.score - expected) / steepness;
        let variance = self.pair_variance() * 4.0 * spread / told.pairs / steepness.powi(2);
        Comparison { places: told.places.clone(), elo, variance }
    }

    /// What a trial under way will teach if it ends as predicted: certainty, but nothing new.
    fn fantasy(&self, pending: &Pending) -> Comparison {
        Comparison {
            places: pending.places.clone(),
            elo: self.predicted(&pending.places),
            variance: self.noise(pending.pairs),
        }
    }

    /// The next trial, given what is known and what is under way.
    fn trial(&mut self, posterior: &Posterior) -> Trial {
        let id = TrialId(self.asked);
        self.asked += 1;
        let pairs = self.batch();
        let over = 2.0 * self.pairs / self.games.max(1) as f64;
        let measures = over >= MEASURE_FROM && id.0.is_multiple_of(MEASURE_EVERY);
        let [first, second] = if measures {
            [self.candidate(&self.best), self.space.start()]
        } else {
            self.informative(posterior, id, pairs)
        };
        let places = [self.place(&first), self.place(&second)];
        self.pending.insert(id, Pending { places, pairs, measures });
        Trial { id, first, second, pairs }
    }

    /// The candidates whose comparison teaches most.
    fn informative(&self, posterior: &Posterior, id: TrialId, pairs: u64) -> [Candidate; 2] {
        let free = self.space.free().zip(self.best.iter().zip(&self.lower));
        let least: Vec<f64> =
            free.map(|(parameter, (x, low))| 0.5 * parameter.resolution(x - low)).collect();
        let field = Field {
            centre: &self.best,
            least: &least,
            playable: &|place| self.place(&self.candidate(place)),
            noise: self.noise(pairs),
        };
        let mut random = random::stream("bayes", self.seed, id.0);
        choose(posterior, &field, &mut random).map(|side| self.candidate(&side))
    }

    /// Fits the hyperparameters: the most probable ones, given the results and the priors.
    fn fit(&mut self) {
        let stride = self.told.len().div_ceil(FIT_OF);
        let all: Vec<Comparison> = self.told.iter().map(|told| self.comparison(told)).collect();
        let some: Vec<Comparison> = all.iter().step_by(stride).cloned().collect();
        let start = self.posterior.shape().logs();
        let prior: Vec<(f64, f64)> =
            (0..start.len()).map(|i| Shape::prior(i, self.best.len())).collect();
        let lower: Vec<f64> = prior.iter().map(|(mean, sd)| mean - 3.0 * sd).collect();
        let upper: Vec<f64> = prior.iter().map(|(mean, sd)| mean + 3.0 * sd).collect();
        let (logs, _) = climb(start, (&lower, &upper), FIT_STEPS, |logs| {
            let Some(posterior) = Posterior::of(Shape::of_logs(logs), &some) else {
                return (f64::NEG_INFINITY, vec![0.0; logs.len()]);
            };
            let (mut value, mut slopes) = posterior.evidence();
            for ((log, (mean, sd)), slope) in logs.iter().zip(&prior).zip(&mut slopes) {
                value -= 0.5 * ((log - mean) / sd).powi(2);
                *slope -= (log - mean) / (sd * sd);
            }
            (value, slopes)
        });
        if let Some(posterior) = Posterior::of(Shape::of_logs(&logs), &all) {
            self.posterior = posterior;
        }
    }

    /// The top of the mean, climbed to from several places.
    fn top(&self, starts: &[Vec<f64>]) -> Vec<f64> {
        let lengths = &self.posterior.shape().lengths;
        let scaled = |place: &[f64]| self.posterior.shape().scaled(place);
        let (lower, upper) = (scaled(&self.lower), scaled(&self.upper));
        let tops = starts.iter().map(|start| {
            climb(scaled(start), (&lower, &upper), CLIMB_STEPS, |z| self.posterior.mean(z))
        });
        let best = tops.max_by(|a, b| a.1.total_cmp(&b.1)).expect("there is a start").0;
        best.iter().zip(lengths).map(|(z, length)| z * length).collect()
    }

    /// The candidate nearest to a place relative to the start.
    fn candidate(&self, place: &[f64]) -> Candidate {
        let unit: Vec<f64> = place.iter().zip(&self.lower).map(|(x, low)| x - low).collect();
        self.space.candidate(&unit)
    }

    /// Where a candidate is, relative to the start.
    fn place(&self, candidate: &[f64]) -> Vec<f64> {
        self.space.to_unit(candidate).iter().zip(&self.lower).map(|(x, low)| x + low).collect()
    }
}

impl Tuner for Bayes {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        let mut posterior = self.posterior.clone();
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
        let Some(score) = result.mean() else { return Ok(()) };
        let expected = score_of_elo(self.predicted(&places));
        for (count, score) in result.0.iter().zip([0.0, 0.25, 0.5, 0.75, 1.0]) {
            self.squares += *count as f64 * (score - expected) * (score - expected);
        }
        let pairs = result.pairs() as f64;
        self.pairs += pairs;
        if measures {
            // Far apart and far from where it counts: the model would bend to explain it.
            self.against_start += *result;
            return Ok(());
        }
        let told = Told { places, score, pairs };
        let comparison = self.comparison(&told);
        self.told.push(told);
        if self.told.len() >= self.next_fit {
            self.next_fit = (self.next_fit as f64 * FIT_EVERY).ceil() as usize;
            self.fit();
        } else {
            self.posterior.learn(&comparison);
        }
        self.best = self.top(std::slice::from_ref(&self.best));
        Ok(())
    }

    fn recommend(&self) -> Recommendation {
        let place = match self.told.is_empty() {
            true => self.best.clone(),
            false => self.top(&[self.best.clone(), vec![0.0; self.best.len()]]),
        };
        let shape = self.posterior.shape();
        let z = shape.scaled(&place);
        let inverse = inverse_curvature(&self.posterior, &z);
        let slopes = self.posterior.slopes_covariance(&self.posterior.slopes(&z));
        let covariance = &inverse * slopes * &inverse;
        let start = vec![0.0; z.len()];
        let slope = self.posterior.mean(&start).1;
        let doubt = self.posterior.slopes_covariance(&self.posterior.slopes(&start));
        let parameters = estimates(&self.space, |i, parameter| {
            let unit = place[i] - self.lower[i];
            let value = parameter.of_unit(unit);
            if self.told.is_empty() {
                return Estimate { value, error: None, z: None };
            }
            let spread = covariance[(i, i)].max(0.0).sqrt() * shape.lengths[i];
            let error = error_at(parameter, unit, spread);
            let z = (doubt[(i, i)] > 0.0).then(|| slope[i] / doubt[(i, i)].sqrt());
            Estimate { value, error: Some(error), z }
        });
        let gain = gain(&self.against_start, self.pair_variance());
        Recommendation { best: self.candidate(&place), parameters, gain }
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
