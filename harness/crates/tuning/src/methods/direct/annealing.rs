//! Simulated annealing (S. Kirkpatrick, C. Gelatt and M. Vecchi, 1983).

use argmin::core::{CostFunction, Error, IterState, Problem, Solver, State as _};
use argmin::solver::simulatedannealing::{Anneal, SATempFunc, SimulatedAnnealing};
use rand::Rng;
use rand_pcg::Pcg64Mcg;

use super::ask_tell::{Costs, Search, View};
use crate::methods::bayes::Place;
use harness_stats::random;

/// Temperature at the start, in Elo: a step that loses as much is accepted one time in four.
const FIRST_TEMPERATURE: f64 = 10.0;
/// Temperature at the end.
const LAST_TEMPERATURE: f64 = 0.5;
/// Longest step along an axis at the first temperature, in ranges; it shrinks with its square root.
const STEP: f64 = 0.3;

/// State of the annealing.
#[derive(Clone)]
pub struct Annealing {
    solver: SimulatedAnnealing<f64, Pcg64Mcg>,
    place: Place,
    cost: f64,
    bounds: [Place; 2],
    seed: u64,
    steps: u64,
}

/// The problem: cost function and neighbourhood.
struct Walk<'a> {
    costs: Costs<'a>,
    bounds: [Place; 2],
    seed: u64,
    step: u64,
}

impl CostFunction for Walk<'_> {
    type Param = Place;
    type Output = f64;

    fn cost(&self, place: &Place) -> Result<f64, Error> {
        self.costs.cost(place)
    }
}

impl Anneal for Walk<'_> {
    type Param = Place;
    type Output = Place;
    type Float = f64;

    fn anneal(&self, place: &Place, temperature: f64) -> Result<Place, Error> {
        let mut random = random::stream("annealing", self.seed, self.step);
        let longest = STEP * (temperature / FIRST_TEMPERATURE).sqrt();
        let step = |((x, low), high): ((&f64, &f64), &f64)| {
            (x + longest * random.random_range(-1.0..=1.0)).clamp(*low, *high)
        };
        Ok(place.iter().zip(&self.bounds[0]).zip(&self.bounds[1]).map(step).collect())
    }
}

impl Search for Annealing {
    fn start(view: &View<'_>, seed: u64) -> Annealing {
        let cooling =
            (LAST_TEMPERATURE / FIRST_TEMPERATURE).powf(1.0 / view.evaluations.max(1) as f64);
        let solver =
            SimulatedAnnealing::new_with_rng(FIRST_TEMPERATURE, random::stream("luck", seed, 0))
                .expect("the temperature is above 0")
                .with_temp_func(SATempFunc::Exponential(cooling));
        let bounds = view.bounds.map(<[f64]>::to_vec);
        Annealing { solver, place: view.best.to_vec(), cost: 0.0, bounds, seed, steps: 0 }
    }

    fn begin(&mut self, view: &View<'_>) {
        self.cost = (view.cost)(&self.place);
    }

    fn iterate(&mut self, costs: Costs<'_>) -> Result<(), Error> {
        let walk = Walk { costs, bounds: self.bounds.clone(), seed: self.seed, step: self.steps };
        let state = IterState::new().param(self.place.clone()).cost(self.cost);
        let (mut state, _) = self.solver.next_iter(&mut Problem::new(walk), state)?;
        self.cost = state.get_cost();
        self.place = state.take_param().unwrap_or_else(|| self.place.clone());
        self.steps += 1;
        Ok(())
    }
}
