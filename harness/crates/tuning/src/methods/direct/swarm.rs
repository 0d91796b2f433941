//! Particle swarm optimisation (J. Kennedy and R. Eberhart, 1995), with the coefficients of the
//! standard of 2011 (M. Clerc), argmin's defaults.

use argmin::core::{Error, PopulationState, Problem, Solver, State as _};
use argmin::solver::particleswarm::{Particle, ParticleSwarm};
use rand::Rng;
use rand_pcg::Pcg64Mcg;

use super::ask_tell::{Costs, Search, View};
use crate::methods::bayes::Place;
use harness_stats::random;

/// Bounds on a particle's initial distance from the start and velocity, in ranges.
const SPREAD: f64 = 0.3;
const SPEED: f64 = 0.15;

/// A particle, and a population with its best place.
type Member = Particle<Place, f64>;
type Population = PopulationState<Member, f64>;
type Solving = ParticleSwarm<Place, f64, Pcg64Mcg>;

/// The swarm.
#[derive(Clone)]
pub struct Swarm {
    seed: u64,
    /// The bounds that the solver has, and their number.
    bounds: [Place; 2],
    widened: u64,
    solver: Solving,
    /// The particles before their first costs: places and velocities.
    fresh: Vec<(Place, Place)>,
    state: Population,
}

/// Swarm size of the standard.
fn size(dimension: usize) -> usize {
    10 + (2.0 * (dimension as f64).sqrt()) as usize
}

/// The solver of a swarm within bounds that were widened `widened` times.
fn solver(bounds: &[Place; 2], size: usize, seed: u64, widened: u64) -> Solving {
    let [lower, upper] = bounds.clone();
    ParticleSwarm::new((lower, upper), size).with_rng_generator(random::stream(
        "swarm",
        seed,
        1 + widened,
    ))
}

impl Search for Swarm {
    fn start(view: &View<'_>, seed: u64) -> Swarm {
        let mut random = random::stream("swarm", seed, 0);
        let dimension = view.best.len();
        let mut within = |most: f64| -> Place {
            (0..dimension).map(|_| random.random_range(-most..=most)).collect()
        };
        let fresh: Vec<(Place, Place)> =
            (0..size(dimension)).map(|_| (view.inside(within(SPREAD)), within(SPEED))).collect();
        let bounds = view.bounds.map(<[f64]>::to_vec);
        let solver = solver(&bounds, fresh.len(), seed, 0);
        Swarm { seed, bounds, widened: 0, solver, fresh, state: PopulationState::new() }
    }

    fn begin(&mut self, view: &View<'_>) {
        let bounds = view.bounds.map(<[f64]>::to_vec);
        if bounds != self.bounds {
            self.widened += 1;
            self.solver = solver(&bounds, size(view.best.len()), self.seed, self.widened);
            self.bounds = bounds;
        }
        // The best place is re-evaluated, against the winner's curse.
        let best =
            Particle::new(view.best.to_vec(), (view.cost)(view.best), vec![0.0; view.best.len()]);
        let cost = best.cost;
        self.state = self.state.clone().individual(best).cost(cost);
    }

    fn iterate(&mut self, costs: Costs<'_>) -> Result<(), Error> {
        let mut problem = Problem::new(costs);
        if !self.fresh.is_empty() {
            let places: Vec<&Place> = self.fresh.iter().map(|(place, _)| place).collect();
            let all = problem.bulk_cost(&places)?;
            let members = self.fresh.drain(..).zip(all);
            let particles: Vec<Member> = members
                .map(|((place, velocity), cost)| Particle::new(place, cost, velocity))
                .collect();
            let state = PopulationState::new().population(particles);
            self.state = self.solver.init(&mut problem, state)?.0;
            return Ok(());
        }
        self.state = self.solver.next_iter(&mut problem, self.state.clone())?.0;
        Ok(())
    }
}
