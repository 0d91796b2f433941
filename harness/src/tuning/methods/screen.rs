//! Screening: which of many parameters matter at all?
//!
//! Both players of a trial have every parameter at a low, the start or a high value, drawn anew: a
//! random fraction of the factorial design with three levels (G. Box and K. Wilson, "On the
//! Experimental Attainment of Optimum Conditions", 1951). Strength is taken as a slope and a bend
//! along each parameter, `Σ aᵢsᵢ + bᵢsᵢ²`; the results of all pairs give both by least squares,
//! with their errors. A parameter that starts at a bound, as a switch does, has two levels and a
//! slope only. A parameter whose slope and bend together are no more than noise (a chi-squared
//! test, Holm's correction for looking at all) can keep its value, and the games go to the others.
//! What parameters do to each other is noise here; one that does great harm changes what the
//! others seem worth: screen again without it.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use rand::Rng;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::outcome::tuned::{ALPHA, visible_effect};
use crate::random;
use crate::stats::Pentanomial;
use crate::tuning::space::{Parameter, Space};
use crate::tuning::trial::{
    Effect, Estimate, Measured, Recommendation, Trial, TrialId, Tuner, UnknownTrial, net_wins,
};

/// The low and the high value lie so far from the start, in ranges, or a step of the parameter
/// where that is more.
const SHIFT: f64 = 0.2;
/// A level is left out where the bounds leave less than this part of the shift to it.
const ROOM: f64 = 0.5;
/// Elo of a net win a pair, for players that are nearly equal.
const ELO_OF_NET_WIN: f64 = 400.0 / std::f64::consts::LN_10;
/// Variance of a pair's net wins before it is measured, and the pairs that this is worth.
const USUAL_VARIANCE: f64 = 0.62;
const GUESS_WORTH: f64 = 50.0;
/// With fewer pairs the results are too far from normally distributed to be tested so.
const FEWEST_PAIRS: f64 = 30.0;

/// The same before the first game, of the parameter that is seen worst; `None` where so few games
/// say nothing, or there is no parameter.
pub fn planned_effect(space: &Space, games: u64) -> Option<f64> {
    let pairs = (games / 2) as f64;
    if pairs < FEWEST_PAIRS {
        return None;
    }
    let axes: Vec<Axis> = space.free().map(Axis::new).collect();
    // Both sides' levels are drawn from as many, evenly: (n² - 1) / 12 each, in steps.
    let variance = |axis: &Axis| ((axis.levels.len().pow(2) - 1) as f64) / 6.0;
    let least = axes.iter().map(variance).fold(f64::INFINITY, f64::min);
    let error = ELO_OF_NET_WIN * (USUAL_VARIANCE / (pairs * least)).sqrt();
    (least > 0.0 && least.is_finite()).then(|| visible_effect(error, axes.len()))
}

/// What is tried of a parameter.
#[derive(Clone, Debug)]
struct Axis {
    start: f64,
    /// Distance of the low and of the high level from the start, in ranges.
    shift: f64,
    /// Places in the unit interval, in rising order.
    levels: Vec<f64>,
    /// Which unknown its bend is; none where there are two levels only.
    bend: Option<usize>,
}

impl Axis {
    fn new(parameter: &Parameter) -> Axis {
        let start = parameter.to_unit(parameter.start);
        // On a log scale a step is not the same upwards and downwards; beyond a bound it is cut off.
        let step = [-parameter.step, parameter.step]
            .map(|step| (parameter.to_unit(parameter.start + step) - start).abs());
        let shift = SHIFT.max(step[0]).max(step[1]).max(parameter.resolution(start));
        let tried = |place: f64| {
            let place = place.clamp(0.0, 1.0);
            ((place - start).abs() >= ROOM * shift).then_some(place)
        };
        let levels = [tried(start - shift), Some(start), tried(start + shift)];
        let levels = levels.into_iter().flatten().collect();
        Axis { start, shift, levels, bend: None }
    }
}

/// The screen.
#[derive(Clone, Debug)]
pub struct Screen {
    space: Space,
    seed: u64,
    asked: u64,
    axes: Vec<Axis>,
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
        let mut axes: Vec<Axis> = space.free().map(Axis::new).collect();
        let mut unknowns = axes.len();
        for axis in axes.iter_mut().filter(|axis| axis.levels.len() == 3) {
            axis.bend = Some(unknowns);
            unknowns += 1;
        }
        Screen {
            space,
            seed,
            asked: 0,
            axes,
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
        let sides = [(); 2].map(|()| {
            let level = |axis: &Axis| axis.levels[random.random_range(0..axis.levels.len())];
            let place: Vec<f64> = self.axes.iter().map(level).collect();
            self.space.candidate(&place)
        });
        // What is really played counts: rounded, and cut off at the bounds.
        let levels = sides.each_ref().map(|side| self.levels(&self.space.to_unit(side)));
        let [first, second] = sides;
        self.pending.insert(id, &levels[0] - &levels[1]);
        Trial { id, first, second, pairs: 1 }
    }

    /// Slopes' and bends' variables of a candidate.
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

    /// What was found of each free parameter, in the order of the space; nothing yet while there
    /// are too few pairs to tell.
    fn effects(&self) -> Option<Vec<Effect>> {
        if self.pairs < FEWEST_PAIRS {
            return None;
        }
        let inverse = self.products.clone().cholesky()?.inverse();
        let found = &inverse * &self.with_wins;
        let variance = (self.squares + USUAL_VARIANCE * GUESS_WORTH) / (self.pairs + GUESS_WORTH);
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
            let by_chance = ChiSquared::new(rows.len() as f64).expect("one or two of freedom");
            by_chance.sf(distance.max(0.0))
        };
        let chances: Vec<f64> = self.axes.iter().enumerate().map(chance).collect();
        let matters = holm(&chances, ALPHA);
        let effect = |(i, (axis, parameter)): (usize, (&Axis, &Parameter))| Effect {
            name: parameter.name.clone(),
            tried: axis
                .levels
                .iter()
                .map(|&place| parameter.rounded(parameter.of_unit(place)))
                .collect(),
            slope: measured(i),
            bend: axis.bend.map(measured),
            p_value: chances[i],
            matters: matters[i],
        };
        Some(self.axes.iter().zip(self.space.free()).enumerate().map(effect).collect())
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
        let start =
            |parameter: &Parameter| Estimate { value: parameter.start, error: None, z: None };
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
    use crate::tuning::space::{Kind, Scale};

    #[test]
    fn what_a_screening_can_show_is_known_beforehand() {
        let margin = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 100.0);
        let named = |name: &str| Parameter { name: name.into(), ..margin.clone() };
        let space = Space::new(["a", "b", "c"].map(named).into()).unwrap();
        assert_eq!(planned_effect(&space, 20), None);
        let planned = planned_effect(&space, 4_000).expect("enough games");
        // What the errors of a screening that was played come to.
        let model = Landscapes::built_in().model;
        let (mut screen, mut random) = (Screen::new(space, 1), random::stream("promise", 1, 0));
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
    fn what_matters_is_told_from_what_does_not() {
        // One parameter has a slope, one a peak at the start, six do nothing.
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
    fn switches_and_what_starts_at_a_bound_have_a_slope_alone() {
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

    /// What 4,000 simulated pairs of players of this strength tell.
    fn screened(space: Space, seed: u64, elo: impl Fn(&[f64]) -> f64) -> Vec<Effect> {
        let model = Landscapes::built_in().model;
        let mut screen = Screen::new(space, seed);
        let mut games = random::stream("games", seed, 0);
        for trial in screen.ask(4_000) {
            let result = model.play(elo(&trial.first) - elo(&trial.second), 1, &mut games);
            screen.tell(trial.id, &result).expect("asked for");
        }
        screen.effects().expect("enough games")
    }

    fn within(measured: Measured, truth: f64) -> bool {
        (measured.value - truth).abs() < 4.0 * measured.error
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
