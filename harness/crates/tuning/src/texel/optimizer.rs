//! Optimisers: Adam, and L-BFGS of argmin.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use argmin::core::{
    CostFunction, Error as SolverError, Gradient, IterState, Problem, Solver, State as _,
};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use thiserror::Error;

use super::labelled::{Labelled, Optimizer, Settings};
use super::sparse::Pair;

/// Adam's constants, as in D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization".
const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f64 = 1e-12;

/// History length of L-BFGS.
const HISTORY: usize = 10;
/// Bound on the loss evaluations of a line search; beyond it rounding dominates.
const MAX_LINE_SEARCH: u32 = 20;
/// Bounds of the line search, relative to the step that L-BFGS proposes.
const STEP_LENGTHS: [f64; 2] = [1e-10, 1e3];

/// The objective: the loss over the training set, and the L2 penalty on the distance from the start
/// weights.
pub struct Objective<'a> {
    train: &'a Labelled<'a>,
    k: f64,
    start: &'a [Pair],
    settings: &'a Settings,
    evaluated: Cell<u32>,
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
        let evaluated = Cell::new(0);
        let spent = Cell::new(Duration::ZERO);
        Objective { train, k, start, settings, evaluated, spent }
    }

    /// Number of loss evaluations, and their time.
    pub fn evaluations(&self) -> (u32, Duration) {
        (self.evaluated.get(), self.spent.get())
    }

    /// The loss without the penalty, the penalty, and the gradient of their sum.
    fn at(&self, weights: &[Pair]) -> (f64, f64, Vec<Pair>) {
        let begun = Instant::now();
        let (loss, mut gradient) = self.train.gradient(self.k, weights, self.settings);
        self.spent.set(self.spent.get() + begun.elapsed());
        self.evaluated.set(self.evaluated.get() + 1);
        // A loss of `l2` a squared pawn.
        let l2 = self.settings.l2 / 1e4;
        let mut penalty = 0.0;
        for ((partial, weight), start) in gradient.iter_mut().zip(weights).zip(self.start) {
            for phase in 0..2 {
                let off = weight[phase] - start[phase];
                penalty += l2 * off * off;
                partial[phase] += 2.0 * l2 * off;
            }
        }
        (loss, penalty, gradient)
    }
}

/// The state of an optimiser.
pub enum Minimizer<'a> {
    /// By Adam.
    Adam(Adam),
    /// By L-BFGS; `None` at a minimum.
    Lbfgs(Option<Box<Lbfgs<'a>>>),
}

impl<'a> Minimizer<'a> {
    /// From the weights of the start.
    pub fn new(objective: &'a Objective<'a>) -> Minimizer<'a> {
        match objective.settings.optimizer {
            Optimizer::Adam => Minimizer::Adam(Adam::new(objective.start.len())),
            Optimizer::Lbfgs => Minimizer::Lbfgs(Lbfgs::new(objective).map(Box::new)),
        }
    }

    /// Makes a step, and returns the loss before it; `left` is the share of the steps that are
    /// left. `None` at a minimum.
    pub fn step(
        &mut self,
        objective: &Objective<'_>,
        weights: &mut Vec<Pair>,
        left: f64,
    ) -> Option<f64> {
        match self {
            Minimizer::Adam(adam) => {
                let (loss, _, gradient) = objective.at(weights);
                adam.step(weights, &gradient, objective.settings.rate * left);
                Some(loss)
            }
            Minimizer::Lbfgs(lbfgs) => lbfgs.as_mut()?.step(weights),
        }
    }
}

/// Adam's moment estimates.
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
        let first = 1.0 - BETA1.powi(self.steps);
        let second = 1.0 - BETA2.powi(self.steps);
        for (number, partial) in gradient.iter().enumerate() {
            for phase in 0..2 {
                let mean = &mut self.mean[number][phase];
                *mean = BETA1 * *mean + (1.0 - BETA1) * partial[phase];
                let square = &mut self.square[number][phase];
                *square = BETA2 * *square + (1.0 - BETA2) * partial[phase] * partial[phase];
                weights[number][phase] -=
                    rate * (*mean / first) / ((*square / second).sqrt() + EPSILON);
            }
        }
    }
}

type LineSearch = MoreThuenteLineSearch<Vec<f64>, Vec<f64>, f64>;
type State = IterState<Vec<f64>, Vec<f64>, (), (), (), f64>;

/// argmin's L-BFGS, a step at a time.
pub struct Lbfgs<'a> {
    solver: LBFGS<LineSearch, Vec<f64>, Vec<f64>, f64>,
    problem: Problem<Scaled<'a>>,
    /// Current iterate; `None` at the minimum.
    state: Option<State>,
    /// Loss there, without the penalty.
    loss: f64,
}

/// The objective, scaled so that the first step is as long as Adam's: the first step of L-BFGS is
/// the plain gradient. argmin requests values and gradients separately; one evaluation gives both.
struct Scaled<'a> {
    objective: &'a Objective<'a>,
    scale: f64,
    last: RefCell<Option<Evaluated>>,
    /// Loss evaluations left to the current step.
    left: Cell<u32>,
}

/// A line search that fails.
#[derive(Debug, Error)]
#[error("the loss is not lower anywhere along the line")]
struct LineSearchFailed;

#[derive(Clone)]
struct Evaluated {
    at: Vec<f64>,
    loss: f64,
    penalty: f64,
    gradient: Vec<f64>,
}

impl Scaled<'_> {
    fn at(&self, point: &[f64]) -> Result<Evaluated, LineSearchFailed> {
        let mut last = self.last.borrow_mut();
        if let Some(known) = last.as_ref().filter(|known| known.at == point) {
            return Ok(known.clone());
        }
        self.left.set(self.left.get().checked_sub(1).ok_or(LineSearchFailed)?);
        let weights: Vec<Pair> = point.as_chunks::<2>().0.to_vec();
        let (loss, penalty, gradient) = self.objective.at(&weights);
        let gradient = gradient.into_iter().flatten().map(|partial| self.scale * partial).collect();
        // argmin's line search requires finite values.
        let finite = (loss + penalty).is_finite();
        let known = Evaluated { at: point.to_vec(), loss, penalty, gradient };
        if finite { Ok(last.insert(known).clone()) } else { Err(LineSearchFailed) }
    }
}

impl CostFunction for Scaled<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, point: &Vec<f64>) -> Result<f64, SolverError> {
        let known = self.at(point)?;
        Ok(self.scale * (known.loss + known.penalty))
    }
}

impl Gradient for Scaled<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, point: &Vec<f64>) -> Result<Vec<f64>, SolverError> {
        Ok(self.at(point)?.gradient)
    }
}

impl<'a> Lbfgs<'a> {
    /// `None` where the gradient is zero.
    fn new(objective: &'a Objective<'a>) -> Option<Lbfgs<'a>> {
        let start: Vec<f64> = objective.start.iter().flatten().copied().collect();
        let mut scaled = Scaled {
            objective,
            scale: 1.0,
            last: RefCell::new(None),
            left: Cell::new(MAX_LINE_SEARCH),
        };
        let Evaluated { loss, gradient, .. } = scaled.at(&start).ok()?;
        let largest = gradient.iter().fold(0.0f64, |most, partial| most.max(partial.abs()));
        if largest <= 0.0 || !largest.is_finite() {
            return None;
        }
        scaled.scale = objective.settings.rate / largest;
        scaled.last = RefCell::new(None);
        let mut problem = Problem::new(scaled);
        let [least, most] = STEP_LENGTHS;
        let line_search = MoreThuenteLineSearch::new().with_bounds(least, most).ok()?;
        let mut solver = LBFGS::new(line_search, HISTORY);
        let (state, _) = solver.init(&mut problem, State::new().param(start)).ok()?;
        Some(Lbfgs { solver, problem, state: Some(state), loss })
    }

    fn step(&mut self, weights: &mut Vec<Pair>) -> Option<f64> {
        let before = self.loss;
        self.problem.problem.as_ref()?.left.set(MAX_LINE_SEARCH);
        let (mut next, _) = self.solver.next_iter(&mut self.problem, self.state.take()?).ok()?;
        // A failed line search ends the fit.
        let point = next.get_param().filter(|_| !next.terminated())?.clone();
        next.increment_iter();
        *weights = point.as_chunks::<2>().0.to_vec();
        self.loss = self.problem.problem.as_ref()?.at(&point).ok()?.loss;
        self.state = Some(next);
        Some(before)
    }
}
