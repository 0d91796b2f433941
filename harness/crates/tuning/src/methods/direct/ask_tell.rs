//! Ask/tell interface for solvers that call a cost function.
//!
//! An iteration runs on a copy of the solver, with a cost function that has the costs known so far.
//! A missing cost ends the iteration with an error, and its place is the next to play. Once it is
//! known, the iteration is replayed from its start: it is deterministic, so it requests the same
//! places, and gets further.

use std::borrow::Borrow;
use std::cell::RefCell;

use argmin::core::{CostFunction, Error};
use thiserror::Error;

use crate::methods::bayes::Place;

/// A solver, one iteration at a time.
pub trait Search: Clone {
    /// The initial state; `seed` determines its random numbers.
    fn start(view: &View<'_>, seed: u64) -> Self;

    /// Re-evaluates the places of the state before an iteration.
    fn begin(&mut self, view: &View<'_>);

    /// Runs an iteration, or as much of it as the known costs allow.
    ///
    /// # Errors
    /// [`MissingCost`] where a cost is missing; otherwise the solver's error.
    fn iterate(&mut self, costs: Costs<'_>) -> Result<(), Error>;
}

/// The estimated landscape; places are relative to the start.
pub struct View<'a> {
    /// Elo that a place is estimated to lose to the start.
    pub cost: &'a dyn Fn(&[f64]) -> f64,
    /// The best place so far.
    pub best: &'a [f64],
    /// The corners of the unit cube.
    pub bounds: [&'a [f64]; 2],
    /// Progress of the run, 0 to 1.
    pub progress: f64,
    /// Evaluations in the whole run.
    pub evaluations: u64,
}

impl View<'_> {
    /// The nearest place in the unit cube.
    pub fn inside(&self, mut place: Place) -> Place {
        let [lower, upper] = self.bounds;
        for ((x, low), high) in place.iter_mut().zip(lower).zip(upper) {
            *x = x.clamp(*low, *high);
        }
        place
    }
}

/// A cost that is not known yet.
#[derive(Debug, Error)]
#[error("a cost is not known yet")]
pub struct MissingCost;

/// The cost function of an iteration: records requested places, and returns the known costs in
/// their order.
pub struct Costs<'a> {
    known: &'a [f64],
    requested: &'a RefCell<Vec<Place>>,
}

impl<'a> Costs<'a> {
    /// With the known costs, and a record of requested places.
    pub fn new(known: &'a [f64], requested: &'a RefCell<Vec<Place>>) -> Costs<'a> {
        Costs { known, requested }
    }

    /// The known costs.
    pub fn known(&self) -> &'a [f64] {
        self.known
    }

    /// The places requested so far.
    pub fn requested(&self) -> &'a RefCell<Vec<Place>> {
        self.requested
    }
}

impl CostFunction for Costs<'_> {
    type Param = Place;
    type Output = f64;

    fn cost(&self, place: &Place) -> Result<f64, Error> {
        let mut requested = self.requested.borrow_mut();
        requested.push(place.clone());
        Ok(*self.known.get(requested.len() - 1).ok_or(MissingCost)?)
    }

    /// Requests all of them before it fails, so that they are played in parallel.
    fn bulk_cost<P: Borrow<Place>>(&self, places: &[P]) -> Result<Vec<f64>, Error> {
        let costs: Vec<Result<f64, Error>> =
            places.iter().map(|place| self.cost(place.borrow())).collect();
        costs.into_iter().collect()
    }
}

/// A solver with its current iteration.
#[derive(Clone, Debug)]
pub struct AskTell<S> {
    search: S,
    requested: Vec<Place>,
    known: Vec<f64>,
}

impl<S: Search> AskTell<S> {
    /// A solver before its first costs.
    pub fn new(search: S) -> AskTell<S> {
        let mut ask_tell = AskTell { search, requested: Vec::new(), known: Vec::new() };
        ask_tell.run();
        ask_tell
    }

    /// The places whose costs are missing. Empty only if the solver failed.
    pub fn missing(&self) -> &[Place] {
        self.requested.get(self.known.len()..).unwrap_or_default()
    }

    /// Takes the costs of all missing places, and runs until others are missing.
    pub fn provide(&mut self, costs: impl IntoIterator<Item = f64>, view: &View<'_>) {
        self.known.extend(costs);
        if self.run() {
            self.search.begin(view);
            self.run();
        }
    }

    /// Replays the iteration; whether it is complete. An iteration with another error than a missing
    /// cost is abandoned: the next one starts from the same state.
    fn run(&mut self) -> bool {
        let requested = RefCell::default();
        let mut next = self.search.clone();
        let ended = next.iterate(Costs::new(&self.known, &requested));
        if matches!(&ended, Err(reason) if reason.is::<MissingCost>()) {
            self.requested = requested.into_inner();
            return false;
        }
        if ended.is_ok() {
            self.search = next;
        }
        self.requested.clear();
        self.known.clear();
        true
    }
}
