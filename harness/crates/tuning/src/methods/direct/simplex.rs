//! Nelder and Mead's simplex ("A Simplex Method for Function Minimization", 1965).

use std::cell::RefCell;

use argmin::core::{Error, IterState, Problem, Solver, State as _};
use argmin::solver::neldermead::NelderMead;

use super::ask_tell::{Costs, Search, View};
use crate::methods::bayes::Place;

/// Length of the simplex's edges at the start, in ranges, ...
const FIRST_EDGE: f64 = 0.3;
/// ... and at the end.
const LAST_EDGE: f64 = 0.1;
/// A simplex narrower than this share of the edge in the schedule is restarted: it has converged on
/// noise.
const NARROWEST: f64 = 0.4;

/// The simplex: one vertex more than there are dimensions.
#[derive(Clone, Debug)]
pub struct Simplex {
    vertices: Vec<(Place, f64)>,
    bounds: [Place; 2],
}

impl Simplex {
    /// A simplex with its edges along the axes, towards the side with more room.
    fn around(view: &View<'_>) -> Vec<(Place, f64)> {
        let edge = edge(view);
        let corner = |axis: usize| {
            let mut place = view.best.to_vec();
            let [below, above] = view.bounds.map(|bound| (bound[axis] - place[axis]).abs());
            place[axis] += if above >= below { edge } else { -edge };
            view.inside(place)
        };
        let places = std::iter::once(view.best.to_vec()).chain((0..view.best.len()).map(corner));
        places.map(|place| (place, f64::NAN)).collect()
    }

    /// Its largest extent along an axis.
    fn width(&self) -> f64 {
        let along = |axis: usize| {
            let values = self.vertices.iter().map(|(place, _)| place[axis]);
            let (least, most) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            most - least
        };
        (0..self.bounds[0].len()).map(along).fold(0.0, f64::max)
    }
}

fn edge(view: &View<'_>) -> f64 {
    FIRST_EDGE * (LAST_EDGE / FIRST_EDGE).powf(view.progress)
}

impl Search for Simplex {
    fn start(view: &View<'_>, _seed: u64) -> Simplex {
        let bounds = view.bounds.map(<[f64]>::to_vec);
        Simplex { vertices: Simplex::around(view), bounds }
    }

    fn begin(&mut self, view: &View<'_>) {
        if self.width() < NARROWEST * edge(view) {
            self.vertices = Simplex::around(view);
            return;
        }
        for (place, cost) in &mut self.vertices {
            *cost = (view.cost)(place);
        }
    }

    fn iterate(&mut self, costs: Costs<'_>) -> Result<(), Error> {
        if self.vertices.iter().any(|(_, cost)| cost.is_nan()) {
            // All vertices of a new simplex are played before it moves.
            let places: Vec<&Place> = self.vertices.iter().map(|(place, _)| place).collect();
            let all = Problem::new(costs).bulk_cost(&places)?;
            for (vertex, cost) in self.vertices.iter_mut().zip(all) {
                vertex.1 = cost;
            }
            return Ok(());
        }
        let (places, known): (Vec<Place>, Vec<f64>) = self.vertices.iter().cloned().unzip();
        let mut solver = NelderMead::new(places);
        let first = RefCell::default();
        let (state, _) =
            solver.init(&mut Problem::new(Costs::new(&known, &first)), IterState::new())?;
        let known = costs.known();
        let requested = costs.requested();
        solver.next_iter(&mut Problem::new(costs), state)?;
        self.replace(requested.borrow().iter().cloned().zip(known.iter().copied()).collect());
        Ok(())
    }
}

impl Simplex {
    /// The simplex after an iteration with these places: reflected, expanded or contracted, one
    /// replaces the worst vertex (the better one of two); after a shrink, those after the second
    /// are all vertices but the best, contracted towards it.
    fn replace(&mut self, mut tried: Vec<(Place, f64)>) {
        self.vertices.sort_by(|a, b| a.1.total_cmp(&b.1));
        for (place, _) in &mut tried {
            for ((x, low), high) in place.iter_mut().zip(&self.bounds[0]).zip(&self.bounds[1]) {
                *x = x.clamp(*low, *high);
            }
        }
        if tried.len() > 2 {
            self.vertices.truncate(1);
            self.vertices.extend(tried.drain(2..));
        } else if let Some(better) = tried.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)) {
            self.vertices.pop();
            self.vertices.push(better);
        }
    }
}

#[cfg(test)]
impl Simplex {
    /// A simplex with known costs.
    pub fn from_vertices<const D: usize>(
        vertices: impl IntoIterator<Item = ([f64; D], f64)>,
        bounds: [&[f64]; 2],
    ) -> Simplex {
        let vertices = vertices.into_iter().map(|(place, cost)| (place.to_vec(), cost));
        Simplex { vertices: vertices.collect(), bounds: bounds.map(<[f64]>::to_vec) }
    }

    /// The places of its vertices.
    pub fn places(&self) -> Vec<Place> {
        self.vertices.iter().map(|(place, _)| place.clone()).collect()
    }
}
