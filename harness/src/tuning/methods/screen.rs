//! Screening: which of many parameters matter at all?
//!
//! Both players of a trial have every parameter at a low, the start or a high value, drawn anew: a
//! random fraction of the factorial design with three levels (G. Box and K. Wilson, "On the
//! Experimental Attainment of Optimum Conditions", 1951). Strength is taken as a slope and a bend
//! along each parameter, `Σ aᵢsᵢ + bᵢsᵢ²`; the results of all pairs give both by least squares,
//! with their errors. A parameter whose slope and bend together are no more than noise (a
//! chi-squared test with two degrees of freedom, Holm's correction for looking at all) can keep its
//! value, and the games go to the others. What parameters do to each other is noise here.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use rand::Rng;

use crate::stats::Pentanomial;
use crate::tuning::random;
use crate::tuning::space::Space;
use crate::tuning::trial::{
    Effect, Estimate, Recommendation, Trial, TrialId, Tuner, UnknownTrial, net_wins,
};

/// The low and the high value lie so far from the start, in ranges.
const SHIFT: f64 = 0.2;
/// Elo of a net win a pair, for players that are nearly equal.
const ELO_OF_NET_WIN: f64 = 400.0 / std::f64::consts::LN_10;
/// Variance of a pair's net wins before it is measured, and the pairs that this is worth.
const USUAL_VARIANCE: f64 = 0.62;
const GUESS_WORTH: f64 = 50.0;
/// Chance that a parameter without any effect is said to matter.
const ALPHA: f64 = 0.05;

/// The screen.
#[derive(Clone, Debug)]
pub struct Screen {
    space: Space,
    seed: u64,
    asked: u64,
    /// Sums of products of the levels' differences, and of these with the net wins.
    products: DMatrix<f64>,
    with_wins: DVector<f64>,
    squares: f64,
    pairs: f64,
    pending: BTreeMap<TrialId, DVector<f64>>,
}

impl Screen {
    /// A screen of these parameters.
    pub fn new(space: Space, seed: u64) -> Screen {
        let unknowns = 2 * space.dimension();
        Screen {
            space,
            seed,
            asked: 0,
            products: DMatrix::zeros(unknowns, unknowns),
            with_wins: DVector::zeros(unknowns),
            squares: 0.0,
            pairs: 0.0,
            pending: BTreeMap::new(),
        }
    }

    fn trial(&mut self) -> Trial {
        let id = TrialId(self.asked);
        self.asked += 1;
        let mut random = random::stream("levels", self.seed, id.0);
        let start = self.space.start_unit();
        let sides = [(); 2].map(|()| {
            let place: Vec<f64> = (self.space.free().zip(&start))
                .map(|(parameter, &start)| {
                    let shift = SHIFT.max(parameter.resolution(start));
                    let level = f64::from(random.random_range(-1..=1));
                    (start + level * shift).clamp(0.0, 1.0)
                })
                .collect();
            self.space.candidate(&place)
        });
        // What is really played counts: rounded, and cut off at the bounds.
        let levels = sides.each_ref().map(|side| self.levels(&self.space.to_unit(side), &start));
        let [first, second] = sides;
        self.pending.insert(id, &levels[0] - &levels[1]);
        Trial { id, first, second, pairs: 1 }
    }

    /// Slopes' and bends' variables of a candidate.
    fn levels(&self, place: &[f64], start: &[f64]) -> DVector<f64> {
        let dimension = start.len();
        DVector::from_fn(2 * dimension, |row, _| {
            let level = (place[row % dimension] - start[row % dimension]) / SHIFT;
            if row < dimension { level } else { level * level }
        })
    }

    /// What was found of each free parameter, in the order of the space.
    fn effects(&self) -> Option<Vec<Effect>> {
        let inverse = self.products.clone().cholesky()?.inverse();
        let found = &inverse * &self.with_wins;
        let variance = (self.squares + USUAL_VARIANCE * GUESS_WORTH) / (self.pairs + GUESS_WORTH);
        let dimension = self.space.dimension();
        let chances: Vec<f64> = (0..dimension)
            .map(|i| {
                let rows = [i, i + dimension];
                let value = nalgebra::Vector2::new(found[rows[0]], found[rows[1]]);
                let covariance =
                    nalgebra::Matrix2::from_fn(|row, column| inverse[(rows[row], rows[column])]);
                let distance = covariance
                    .try_inverse()
                    .map_or(0.0, |inverse| (value.transpose() * inverse * value)[0] / variance);
                // Chi-squared with two degrees of freedom has no other tail than this.
                (-0.5 * distance.max(0.0)).exp()
            })
            .collect();
        let matters = holm(&chances, ALPHA);
        let error = |row: usize| ELO_OF_NET_WIN * (inverse[(row, row)] * variance).sqrt();
        let effect = |(i, parameter): (usize, &crate::tuning::space::Parameter)| Effect {
            name: parameter.name.clone(),
            slope: ELO_OF_NET_WIN * found[i],
            slope_error: error(i),
            bend: ELO_OF_NET_WIN * found[i + dimension],
            bend_error: error(i + dimension),
            p_value: chances[i],
            matters: matters[i],
        };
        Some(self.space.free().enumerate().map(effect).collect())
    }
}

/// S. Holm's test (1979): which of these hypotheses are rejected, all of them right with a chance
/// of at most `alpha` that one is rejected wrongly.
fn holm(chances: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&a, &b| chances[a].total_cmp(&chances[b]));
    let mut rejected = vec![false; chances.len()];
    for (rank, index) in order.into_iter().enumerate() {
        if chances[index] > alpha / (chances.len() - rank) as f64 {
            break;
        }
        rejected[index] = true;
    }
    rejected
}

impl Tuner for Screen {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        (0..count).map(|_| self.trial()).collect()
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        let levels = self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        let pairs = result.pairs() as f64;
        self.products += &levels * levels.transpose() * pairs;
        self.with_wins += levels * net_wins(result);
        self.pairs += pairs;
        for (count, wins) in result.0.iter().zip([-2.0, -1.0, 0.0, 1.0, 2.0]) {
            self.squares += *count as f64 * wins * wins;
        }
        Ok(())
    }

    fn recommend(&self) -> Recommendation {
        let start = |parameter: &crate::tuning::space::Parameter| Estimate {
            value: parameter.start,
            error: None,
            z: None,
        };
        let parameters = self.space.parameters().iter().map(start).collect();
        Recommendation { best: self.space.start(), parameters, gain: None }
    }

    fn effects(&self) -> Option<Vec<Effect>> {
        Screen::effects(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::landscape::Landscapes;
    use crate::tuning::space::{Kind, Parameter};

    #[test]
    fn holm_rejects_from_the_smallest_on_until_one_stands() {
        assert_eq!(holm(&[0.04, 0.001, 0.02, 0.9], 0.05), [false, true, false, false]);
        assert_eq!(holm(&[0.01, 0.001, 0.012, 0.9], 0.05), [true, true, true, false]);
        assert!(holm(&[], 0.05).is_empty());
    }

    #[test]
    fn what_matters_is_told_from_what_does_not() {
        // One parameter has a slope, one a peak at the start, six do nothing.
        let parameter = |i: usize| Parameter::new(format!("p{i}"), Kind::Integer, 0.0, 100.0, 50.0);
        let space = Space::new((0..8).map(parameter).collect()).expect("sound");
        let elo = |candidate: &[f64]| {
            let [slope, peak] = [candidate[0] - 50.0, candidate[1] - 50.0].map(|off| off / 20.0);
            15.0 * slope - 20.0 * peak * peak
        };
        let model = Landscapes::built_in().model;
        let mut screen = Screen::new(space, 5);
        let mut games = random::stream("games", 5, 0);
        for trial in screen.ask(4_000) {
            let result = model.play(elo(&trial.first) - elo(&trial.second), 1, &mut games);
            screen.tell(trial.id, &result).expect("asked for");
        }
        let effects = screen.effects().expect("enough games");
        let matters: Vec<bool> = effects.iter().map(|effect| effect.matters).collect();
        assert_eq!(matters, [true, true, false, false, false, false, false, false]);
        let within = |value: f64, error: f64, truth: f64| (value - truth).abs() < 4.0 * error;
        assert!(within(effects[0].slope, effects[0].slope_error, 15.0), "{:?}", effects[0]);
        assert!(within(effects[1].bend, effects[1].bend_error, -20.0), "{:?}", effects[1]);
        assert!(effects[0].slope_error < 4.0, "{:?}", effects[0]);
    }

    #[test]
    fn a_single_game_says_nothing_and_is_no_panic() {
        let switch = Parameter::new("switch".into(), Kind::Integer, 0.0, 1.0, 0.0);
        let mut screen = Screen::new(Space::new(vec![switch]).expect("sound"), 1);
        assert!(screen.effects().is_none());
        let trial = screen.ask(1).remove(0);
        screen.tell(trial.id, &Pentanomial([0, 0, 0, 0, 1])).expect("asked for");
        assert!(screen.effects().is_none());
    }
}
