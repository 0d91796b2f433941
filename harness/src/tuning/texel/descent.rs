//! Ways down: Adam, and L-BFGS of argmin.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use argmin::core::{
    CostFunction, Error as SolverError, Gradient, IterState, Problem, Solver, State as _,
};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::cache::Pair;
use super::fit::{Labelled, Settings};

/// Adam's constants, as in D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization".
const MOMENTUM: f64 = 0.9;
const SQUARES: f64 = 0.999;
const TINY: f64 = 1e-12;

/// Steps that L-BFGS remembers.
const REMEMBERED: usize = 10;
/// Passes that one line search may take; one that takes more has come to where rounding decides.
const PASSES_A_STEP: u32 = 20;
/// Lengths of a step, in those that L-BFGS proposes.
const STEP_LENGTHS: [f64; 2] = [1e-10, 1e3];

/// How a fit goes down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimizer {
    /// Adam: one pass over the data a step.
    #[default]
    Adam,
    /// L-BFGS (D. Liu and J. Nocedal, 1989) with the line search of J. Moré and D. Thuente: some
    /// passes a step, and fewer steps.
    Lbfgs,
}

/// What is to be made small: the loss of the positions that are learnt from, and the pull towards
/// the weights of the start.
pub struct Objective<'a> {
    train: &'a Labelled<'a>,
    k: f64,
    start: &'a [Pair],
    settings: &'a Settings,
    passes: Cell<u32>,
    spent: Cell<Duration>,
}

impl<'a> Objective<'a> {
    /// With the scale `k`.
    pub fn new(
        train: &'a Labelled<'a>,
        k: f64,
        start: &'a [Pair],
        settings: &'a Settings,
    ) -> Objective<'a> {
        let (passes, spent) = (Cell::new(0), Cell::new(Duration::ZERO));
        Objective { train, k, start, settings, passes, spent }
    }

    /// Passes over the data, and the time that they took.
    pub fn effort(&self) -> (u32, Duration) {
        (self.passes.get(), self.spent.get())
    }

    /// The loss without the pull, the pull, and the slopes of both together.
    fn at(&self, weights: &[Pair]) -> (f64, f64, Vec<Pair>) {
        let begun = Instant::now();
        let (loss, mut slopes) = self.train.gradient(self.k, weights, self.settings);
        self.spent.set(self.spent.get() + begun.elapsed());
        self.passes.set(self.passes.get() + 1);
        // A loss of `l2` a squared pawn.
        let (l2, mut pull) = (self.settings.l2 / 1e4, 0.0);
        for ((slope, weight), start) in slopes.iter_mut().zip(weights).zip(self.start) {
            for phase in 0..2 {
                let off = weight[phase] - start[phase];
                pull += l2 * off * off;
                slope[phase] += 2.0 * l2 * off;
            }
        }
        (loss, pull, slopes)
    }
}

/// A descent under way.
pub enum Descent<'a> {
    /// By Adam.
    Adam(Adam),
    /// By L-BFGS; `None` where there is nothing to do.
    Lbfgs(Option<Box<Lbfgs<'a>>>),
}

impl<'a> Descent<'a> {
    /// From the weights of the start.
    pub fn new(objective: &'a Objective<'a>) -> Descent<'a> {
        match objective.settings.optimizer {
            Optimizer::Adam => Descent::Adam(Adam::new(objective.start.len())),
            Optimizer::Lbfgs => Descent::Lbfgs(Lbfgs::new(objective).map(Box::new)),
        }
    }

    /// Steps to other weights, and gives the loss before that; `left` is the share of the steps
    /// that are still to come. `None` where there is no way further down.
    pub fn step(
        &mut self,
        objective: &Objective<'_>,
        weights: &mut Vec<Pair>,
        left: f64,
    ) -> Option<f64> {
        match self {
            Descent::Adam(adam) => {
                let (loss, _, slopes) = objective.at(weights);
                adam.step(weights, &slopes, objective.settings.rate * left);
                Some(loss)
            }
            Descent::Lbfgs(lbfgs) => lbfgs.as_mut()?.step(weights),
        }
    }
}

/// Adam's running means.
pub struct Adam {
    mean: Vec<Pair>,
    square: Vec<Pair>,
    steps: i32,
}

impl Adam {
    fn new(weights: usize) -> Adam {
        Adam { mean: vec![[0.0; 2]; weights], square: vec![[0.0; 2]; weights], steps: 0 }
    }

    fn step(&mut self, weights: &mut [Pair], gradient: &[Pair], rate: f64) {
        self.steps += 1;
        let (first, second) = (1.0 - MOMENTUM.powi(self.steps), 1.0 - SQUARES.powi(self.steps));
        for (number, slope) in gradient.iter().enumerate() {
            for phase in 0..2 {
                let mean = &mut self.mean[number][phase];
                *mean = MOMENTUM * *mean + (1.0 - MOMENTUM) * slope[phase];
                let square = &mut self.square[number][phase];
                *square = SQUARES * *square + (1.0 - SQUARES) * slope[phase] * slope[phase];
                weights[number][phase] -=
                    rate * (*mean / first) / ((*square / second).sqrt() + TINY);
            }
        }
    }
}

type Search = MoreThuenteLineSearch<Vec<f64>, Vec<f64>, f64>;
type State = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// argmin's L-BFGS, a step at a time.
pub struct Lbfgs<'a> {
    solver: LBFGS<Search, Vec<f64>, Vec<f64>, f64>,
    problem: Problem<Scaled<'a>>,
    /// Where it is; `None` at the bottom.
    state: Option<State>,
    /// Loss there, without the pull.
    loss: f64,
}

/// The objective, scaled so that the first step has the length of the first one of Adam: L-BFGS
/// takes the slopes for the first step as they are. argmin asks for values and slopes one by one;
/// they come from one pass.
struct Scaled<'a> {
    objective: &'a Objective<'a>,
    scale: f64,
    last: RefCell<Option<Evaluated>>,
    /// Passes that the step under way may still take.
    left: Cell<u32>,
}

/// A line search that goes nowhere.
#[derive(Debug, Error)]
#[error("the loss is not lower anywhere along the line")]
struct Astray;

#[derive(Clone)]
struct Evaluated {
    at: Vec<f64>,
    loss: f64,
    pull: f64,
    slopes: Vec<f64>,
}

impl Scaled<'_> {
    fn at(&self, place: &[f64]) -> Result<Evaluated, Astray> {
        let mut last = self.last.borrow_mut();
        if let Some(known) = last.as_ref().filter(|known| known.at == place) {
            return Ok(known.clone());
        }
        self.left.set(self.left.get().checked_sub(1).ok_or(Astray)?);
        let weights: Vec<Pair> = place.as_chunks::<2>().0.to_vec();
        let (loss, pull, slopes) = self.objective.at(&weights);
        let slopes = slopes.into_iter().flatten().map(|slope| self.scale * slope).collect();
        // argmin's line search compares numbers, and there is no order with those that are none.
        let finite = (loss + pull).is_finite();
        let known = Evaluated { at: place.to_vec(), loss, pull, slopes };
        if finite { Ok(last.insert(known).clone()) } else { Err(Astray) }
    }
}

impl CostFunction for Scaled<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, place: &Vec<f64>) -> Result<f64, SolverError> {
        let known = self.at(place)?;
        Ok(self.scale * (known.loss + known.pull))
    }
}

impl Gradient for Scaled<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, place: &Vec<f64>) -> Result<Vec<f64>, SolverError> {
        Ok(self.at(place)?.slopes)
    }
}

impl<'a> Lbfgs<'a> {
    /// `None` where there is no slope to follow.
    fn new(objective: &'a Objective<'a>) -> Option<Lbfgs<'a>> {
        let start: Vec<f64> = objective.start.iter().flatten().copied().collect();
        let mut scaled = Scaled {
            objective,
            scale: 1.0,
            last: RefCell::new(None),
            left: Cell::new(PASSES_A_STEP),
        };
        let Evaluated { loss, slopes, .. } = scaled.at(&start).ok()?;
        let steepest = slopes.iter().fold(0.0f64, |most, slope| most.max(slope.abs()));
        if steepest <= 0.0 || !steepest.is_finite() {
            return None;
        }
        scaled.scale = objective.settings.rate / steepest;
        scaled.last = RefCell::new(None);
        let mut problem = Problem::new(scaled);
        let [least, most] = STEP_LENGTHS;
        let line_search = MoreThuenteLineSearch::new().with_bounds(least, most).ok()?;
        let mut solver = LBFGS::new(line_search, REMEMBERED);
        let (state, _) = solver.init(&mut problem, State::new().param(start)).ok()?;
        Some(Lbfgs { solver, problem, state: Some(state), loss })
    }

    fn step(&mut self, weights: &mut Vec<Pair>) -> Option<f64> {
        let before = self.loss;
        self.problem.problem.as_ref()?.left.set(PASSES_A_STEP);
        let (mut next, _) = self.solver.next_iter(&mut self.problem, self.state.take()?).ok()?;
        // A line search that finds nothing lower ends it.
        let place = next.get_param().filter(|_| !next.terminated())?.clone();
        next.increment_iter();
        *weights = place.as_chunks::<2>().0.to_vec();
        self.loss = self.problem.problem.as_ref()?.at(&place).ok()?.loss;
        self.state = Some(next);
        Some(before)
    }
}
