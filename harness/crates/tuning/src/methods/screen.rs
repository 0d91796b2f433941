//! Screening: a factorial experiment that finds the parameters that matter.
//!
//! Both players of a trial have every parameter at a low, the start or a high level, drawn for each trial: a
//! random fraction of the factorial design with three levels (G. Box and K. Wilson, "On the
//! Experimental Attainment of Optimum Conditions", 1951). Strength is modelled as a linear and a
//! quadratic effect of each parameter, `Σ aᵢsᵢ + bᵢsᵢ²`; least squares over all pairs estimate
//! both, with their errors. A parameter that starts at a bound, as a switch does, has two levels
//! and a linear effect only. A parameter without a significant effect (a chi-squared test of both,
//! Holm's correction for multiple tests) can keep its value. Interactions are noise here; a very
//! harmful parameter distorts the other estimates: screen again without it.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use rand::Rng;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::space::{Parameter, Space};
use crate::trial::{
    ELO_OF_NET_WIN, Effect, Estimate, Measured, Recommendation, Trial, TrialId, Tuner,
    UnknownTrial, net_wins,
};
use harness_outcome::tuned::{ALPHA, visible_effect};
use harness_stats::Pentanomial;
use harness_stats::random;

/// Distance of the low and the high level from the start, in ranges; at least a step of the
/// parameter.
const SHIFT: f64 = 0.2;
/// A level is left out where less than this part of the shift is within the bounds.
const MIN_SHIFT: f64 = 0.5;
/// Prior variance of a pair's net wins, and its weight in pairs.
const PRIOR_VARIANCE: f64 = 0.62;
const PRIOR_WEIGHT: f64 = 50.0;
/// Least number of pairs for the normal approximation of the test.
const MIN_PAIRS: f64 = 30.0;

/// The same before the first game, for the parameter with the largest error; `None` with too few
/// games or without a parameter.
pub fn planned_effect(space: &Space, games: u64) -> Option<f64> {
    let pairs = (games / 2) as f64;
    if pairs < MIN_PAIRS {
        return None;
    }
    let axes: Vec<Axis> = space.free().map(Axis::new).collect();
    // Levels of both sides are uniform over n levels: variance (n² - 1) / 12 each, in steps.
    let variance = |axis: &Axis| ((axis.levels.len().pow(2) - 1) as f64) / 6.0;
    let least = axes.iter().map(variance).fold(f64::INFINITY, f64::min);
    let error = ELO_OF_NET_WIN * (PRIOR_VARIANCE / (pairs * least)).sqrt();
    (least > 0.0 && least.is_finite()).then(|| visible_effect(error, axes.len()))
}

/// Levels of a parameter.
#[derive(Clone, Debug)]
struct Axis {
    start: f64,
    /// Distance of the low and of the high level from the start, in ranges.
    shift: f64,
    /// Places in the unit interval, in rising order.
    levels: Vec<f64>,
    /// Column of its quadratic effect; none with two levels.
    bend: Option<usize>,
}

impl Axis {
    fn new(parameter: &Parameter) -> Axis {
        let start = parameter.to_unit(parameter.start);
        // On a log scale a step differs upwards and downwards; it is clamped to the bounds.
        let step = [-parameter.step, parameter.step]
            .map(|step| (parameter.to_unit(parameter.start + step) - start).abs());
        let shift = SHIFT.max(step[0]).max(step[1]).max(parameter.resolution(start));
        let tried = |place: f64| {
            let place = place.clamp(0.0, 1.0);
            ((place - start).abs() >= MIN_SHIFT * shift).then_some(place)
        };
        let levels = [tried(start - shift), Some(start), tried(start + shift)];
        let levels = levels.into_iter().flatten().collect();
        Axis { start, shift, levels, bend: None }
    }
}

/// The state of a screening.
#[derive(Clone, Debug)]
pub struct Screen {
    space: Space,
    seed: u64,
    next_id: u64,
    axes: Vec<Axis>,
    /// The normal equations: sums of products of level differences, and of these with net wins.
    products: DMatrix<f64>,
    with_wins: DVector<f64>,
    squares: f64,
    pairs: f64,
    pending: BTreeMap<TrialId, DVector<f64>>,
}

impl Screen {
    /// A screening of these parameters.
    pub fn new(space: Space, seed: u64) -> Screen {
        let mut axes: Vec<Axis> = space.free().map(Axis::new).collect();
        let mut unknowns = axes.len();
        for axis in axes.iter_mut().filter(|axis| axis.levels.len() == 3) {
            axis.bend = Some(unknowns);
            unknowns += 1;
        }
        Screen {
            space,
            seed,
            next_id: 0,
            axes,
            products: DMatrix::zeros(unknowns, unknowns),
            with_wins: DVector::zeros(unknowns),
            squares: 0.0,
            pairs: 0.0,
            pending: BTreeMap::new(),
        }
    }

    fn trial(&mut self) -> Trial {
        let id = TrialId(self.next_id);
        self.next_id += 1;
        let mut random = random::stream("levels", self.seed, id.0);
        let sides = [(); 2].map(|()| {
            let level = |axis: &Axis| axis.levels[random.random_range(0..axis.levels.len())];
            let place: Vec<f64> = self.axes.iter().map(level).collect();
            self.space.candidate(&place)
        });
        // The played difference counts: rounded and clamped to the bounds.
        let levels = sides.each_ref().map(|side| self.levels(&self.space.to_unit(side)));
        let [first, second] = sides;
        self.pending.insert(id, &levels[0] - &levels[1]);
        Trial { id, first, second, pairs: 1 }
    }

    /// Regressors of a candidate: linear and quadratic.
    fn levels(&self, place: &[f64]) -> DVector<f64> {
        let mut levels = DVector::zeros(self.with_wins.len());
        for (row, (axis, place)) in self.axes.iter().zip(place).enumerate() {
            levels[row] = (place - axis.start) / axis.shift;
            if let Some(bend) = axis.bend {
                levels[bend] = levels[row] * levels[row];
            }
        }
        levels
    }

    /// Effects of the free parameters, in the order of the space; `None` with too few pairs.
    fn effects(&self) -> Option<Vec<Effect>> {
        if self.pairs < MIN_PAIRS {
            return None;
        }
        let inverse = self.products.clone().cholesky()?.inverse();
        let found = &inverse * &self.with_wins;
        let variance = (self.squares + PRIOR_VARIANCE * PRIOR_WEIGHT) / (self.pairs + PRIOR_WEIGHT);
        let measured = |row: usize| Measured {
            value: ELO_OF_NET_WIN * found[row],
            error: ELO_OF_NET_WIN * (inverse[(row, row)] * variance).sqrt(),
        };
        let chance = |(row, axis): (usize, &Axis)| {
            let rows: Vec<usize> = [Some(row), axis.bend].into_iter().flatten().collect();
            let values = DVector::from_fn(rows.len(), |i, _| found[rows[i]]);
            let covariance =
                DMatrix::from_fn(rows.len(), rows.len(), |i, j| inverse[(rows[i], rows[j])]);
            let distance = covariance
                .try_inverse()
                .map_or(0.0, |inverse| (values.transpose() * inverse * &values)[0] / variance);
            let null_distribution =
                ChiSquared::new(rows.len() as f64).expect("one or two of freedom");
            null_distribution.sf(distance.max(0.0))
        };
        let p_values: Vec<f64> = self.axes.iter().enumerate().map(chance).collect();
        let matters = holm(&p_values, ALPHA);
        let effect = |(i, (axis, parameter)): (usize, (&Axis, &Parameter))| Effect {
            name: parameter.name.clone(),
            tried: axis
                .levels
                .iter()
                .map(|&place| parameter.rounded(parameter.of_unit(place)))
                .collect(),
            slope: measured(i),
            bend: axis.bend.map(measured),
            p_value: p_values[i],
            matters: matters[i],
        };
        Some(self.axes.iter().zip(self.space.free()).enumerate().map(effect).collect())
    }
}

/// S. Holm's test (1979): the rejected hypotheses, with a family-wise error rate of at most
/// `alpha`.
fn holm(p_values: &[f64], alpha: f64) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut rejected = vec![false; p_values.len()];
    for (rank, index) in order.into_iter().enumerate() {
        if p_values[index] > alpha / (p_values.len() - rank) as f64 {
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

    /// Its levels are around the start, wherever the ranges end.
    fn widen(&mut self, space: &Space) {
        self.space = space.clone();
    }

    fn recommend(&self) -> Recommendation {
        let start =
            |parameter: &Parameter| Estimate { value: parameter.start, error: None, z: None };
        let parameters = self.space.parameters().iter().map(start).collect();
        Recommendation::of_method(self.space.start(), parameters)
    }

    fn effects(&self) -> Option<Vec<Effect>> {
        Screen::effects(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::Landscapes;
    use crate::space::{Kind, Scale};

    #[test]
    fn the_planned_effect_is_that_of_a_finished_screening() {
        let margin = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 100.0);
        let named = |name: &str| Parameter { name: name.into(), ..margin.clone() };
        let space = Space::new(["a", "b", "c"].map(named).into()).unwrap();
        assert_eq!(planned_effect(&space, 20), None);
        let planned = planned_effect(&space, 4_000).expect("enough games");
        // The errors of a screening after its games.
        let model = Landscapes::built_in().model;
        let mut screen = Screen::new(space, 1);
        let mut random = random::stream("promise", 1, 0);
        for _ in 0..2_000 {
            let trial = screen.ask(1).remove(0);
            screen.tell(trial.id, &model.play(0.0, 1, &mut random)).unwrap();
        }
        let effects = Screen::effects(&screen).expect("enough pairs");
        let found = visible_effect(effects[0].slope.error, effects.len());
        assert!((planned / found - 1.0).abs() < 0.15, "{planned} {found}");
        assert!(visible_effect(1.0, 40) > visible_effect(1.0, 1));
    }

    #[test]
    fn holm_rejects_from_the_smallest_on_until_one_stands() {
        assert_eq!(holm(&[0.04, 0.001, 0.02, 0.9], 0.05), [false, true, false, false]);
        assert_eq!(holm(&[0.01, 0.001, 0.012, 0.9], 0.05), [true, true, true, false]);
        assert!(holm(&[], 0.05).is_empty());
    }

    #[test]
    fn effects_are_separated_from_noise() {
        // One parameter has a linear effect, one a maximum at the start, six none.
        let parameter = |i: usize| Parameter::new(format!("p{i}"), Kind::Integer, 0.0, 100.0, 50.0);
        let space = Space::new((0..8).map(parameter).collect()).expect("sound");
        let elo = |candidate: &[f64]| {
            let [slope, peak] = [candidate[0] - 50.0, candidate[1] - 50.0].map(|off| off / 20.0);
            15.0 * slope - 20.0 * peak * peak
        };
        let effects = screened(space, 5, elo);
        let matters: Vec<bool> = effects.iter().map(|effect| effect.matters).collect();
        assert_eq!(matters, [true, true, false, false, false, false, false, false]);
        assert!(within(effects[0].slope, 15.0), "{:?}", effects[0]);
        assert!(within(effects[1].bend.expect("three levels"), -20.0), "{:?}", effects[1]);
        assert!(effects[0].slope.error < 4.0, "{:?}", effects[0]);
        assert_eq!(effects[0].tried, [30.0, 50.0, 70.0]);
    }

    #[test]
    fn switches_and_starts_at_a_bound_have_a_linear_effect_only() {
        let switch = |i: usize| Parameter::new(format!("s{i}"), Kind::Integer, 0.0, 1.0, 0.0);
        let bound = |name: &str, start| Parameter {
            step: 40.0,
            ..Parameter::new(name.into(), Kind::Integer, 0.0, 100.0, start)
        };
        let mut parameters: Vec<Parameter> = (0..4).map(switch).collect();
        parameters.extend([bound("lowest", 0.0), bound("highest", 95.0)]);
        let space = Space::new(parameters).expect("sound");
        let elo = |candidate: &[f64]| 12.0 * candidate[1] - candidate[5] / 4.0;
        let effects = screened(space, 7, elo);
        let matters: Vec<bool> = effects.iter().map(|effect| effect.matters).collect();
        assert_eq!(matters, [false, true, false, false, false, true]);
        assert!(effects.iter().all(|effect| effect.bend.is_none()), "{effects:?}");
        assert!(within(effects[1].slope, 12.0), "{:?}", effects[1]);
        assert!(within(effects[5].slope, -10.0), "{:?}", effects[5]);
        assert_eq!(effects[4].tried, [0.0, 40.0]);
        assert_eq!(effects[5].tried, [55.0, 95.0]);
    }

    #[test]
    fn a_step_is_as_long_as_its_scale_makes_it() {
        let log = Parameter {
            scale: Scale::Log,
            step: 10.0,
            ..Parameter::new("log".into(), Kind::Real, 1.0, 100.0, 20.0)
        };
        // From 20 down to 10 is 0.15 of two decades: the usual shift is longer.
        assert_eq!(Axis::new(&log).shift, SHIFT);
        let far = Axis::new(&Parameter { step: 15.0, ..log });
        assert!((far.shift - 4f64.log10() / 2.0).abs() < 1e-12, "{far:?}");
        assert!((far.levels[0] - 5f64.log10() / 2.0).abs() < 1e-12, "{far:?}");
    }

    /// Effects over 4,000 simulated pairs of players of this strength.
    fn screened(space: Space, seed: u64, elo: impl Fn(&[f64]) -> f64) -> Vec<Effect> {
        let model = Landscapes::built_in().model;
        let mut screen = Screen::new(space, seed);
        let mut games = random::stream("games", seed, 0);
        for trial in screen.ask(4_000) {
            let result = model.play(elo(&trial.first) - elo(&trial.second), 1, &mut games);
            screen.tell(trial.id, &result).expect("a pending trial");
        }
        screen.effects().expect("enough games")
    }

    fn within(measured: Measured, truth: f64) -> bool {
        (measured.value - truth).abs() < 4.0 * measured.error
    }

    #[test]
    fn a_single_game_gives_no_effect() {
        let switch = Parameter::new("switch".into(), Kind::Integer, 0.0, 1.0, 0.0);
        let mut screen = Screen::new(Space::new(vec![switch]).expect("sound"), 1);
        assert!(screen.effects().is_none());
        let trial = screen.ask(1).remove(0);
        screen.tell(trial.id, &Pentanomial([0, 0, 0, 0, 1])).expect("a pending trial");
        assert!(screen.effects().is_none());
    }
}
