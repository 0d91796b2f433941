//! Solvers that call a cost function, turned into ones that are told costs.
//!
//! A solver's iteration is run on a copy of it, with a cost function that knows the costs told so
//! far. Where one is missing, the iteration ends with an error, and what it asked for is what has
//! to be played. When that is told, the iteration is run once more from where it began: it asks
//! the same, as nothing else has changed, and comes further.

use std::borrow::Borrow;
use std::cell::RefCell;

use argmin::core::{CostFunction, Error};
use thiserror::Error;

use crate::tuning::methods::bayes::Place;

/// A method's way to search, one iteration at a time.
pub trait Search: Clone {
    /// Where to begin. `seed` says all of its chance.
    fn start(view: &View<'_>, seed: u64) -> Self;

    /// Takes in, before an iteration, what its places are worth by now.
    fn begin(&mut self, view: &View<'_>);

    /// An iteration, or as much of it as the costs allow.
    ///
    /// # Errors
    /// [`Unanswered`] where a cost is missing; whatever else the solver says.
    fn iterate(&mut self, costs: Costs<'_>) -> Result<(), Error>;
}

/// The landscape as it is known; places are relative to the start.
pub struct View<'a> {
    /// Elo that a place is expected to lose to the start.
    pub cost: &'a dyn Fn(&[f64]) -> f64,
    /// The best place so far.
    pub best: &'a [f64],
    /// The corners of the unit cube.
    pub bounds: [&'a [f64]; 2],
    /// How much of the run is over, 0 to 1.
    pub over: f64,
    /// Evaluations that the whole run has games for.
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

/// A cost that was not told yet.
#[derive(Debug, Error)]
#[error("a cost is not known yet")]
pub struct Unanswered;

/// The cost function of an iteration: notes what it is asked for, and knows the answers to the
/// first questions.
pub struct Costs<'a> {
    answers: &'a [f64],
    asked: &'a RefCell<Vec<Place>>,
}

impl<'a> Costs<'a> {
    /// With these answers, and a place for the questions.
    pub fn new(answers: &'a [f64], asked: &'a RefCell<Vec<Place>>) -> Costs<'a> {
        Costs { answers, asked }
    }

    /// The answers.
    pub fn answers(&self) -> &'a [f64] {
        self.answers
    }

    /// What was asked for so far.
    pub fn asked(&self) -> &'a RefCell<Vec<Place>> {
        self.asked
    }
}

impl CostFunction for Costs<'_> {
    type Param = Place;
    type Output = f64;

    fn cost(&self, place: &Place) -> Result<f64, Error> {
        let mut asked = self.asked.borrow_mut();
        asked.push(place.clone());
        Ok(*self.answers.get(asked.len() - 1).ok_or(Unanswered)?)
    }

    /// Asks for all of them before it gives up, so that they can be played side by side.
    fn bulk_cost<P: Borrow<Place>>(&self, places: &[P]) -> Result<Vec<f64>, Error> {
        let costs: Vec<Result<f64, Error>> =
            places.iter().map(|place| self.cost(place.borrow())).collect();
        costs.into_iter().collect()
    }
}

/// A search with the iteration that is under way.
#[derive(Clone, Debug)]
pub struct Inverted<S> {
    search: S,
    asked: Vec<Place>,
    answers: Vec<f64>,
}

impl<S: Search> Inverted<S> {
    /// A search that waits for its first answers.
    pub fn new(search: S) -> Inverted<S> {
        let mut inverted = Inverted { search, asked: Vec::new(), answers: Vec::new() };
        inverted.run();
        inverted
    }

    /// The places whose costs are waited for. Empty only if the solver failed.
    pub fn wanted(&self) -> &[Place] {
        self.asked.get(self.answers.len()..).unwrap_or_default()
    }

    /// Takes the costs of all places that were waited for, and goes on until others are wanted.
    pub fn answer(&mut self, costs: impl IntoIterator<Item = f64>, view: &View<'_>) {
        self.answers.extend(costs);
        if self.run() {
            self.search.begin(view);
            self.run();
        }
    }

    /// Runs the iteration from its beginning; whether it is over. One that fails for another
    /// reason than an open question is given up: the next one begins from where it did.
    fn run(&mut self) -> bool {
        let asked = RefCell::default();
        let mut next = self.search.clone();
        let ended = next.iterate(Costs::new(&self.answers, &asked));
        if matches!(&ended, Err(reason) if reason.is::<Unanswered>()) {
            self.asked = asked.into_inner();
            return false;
        }
        if ended.is_ok() {
            self.search = next;
        }
        self.asked.clear();
        self.answers.clear();
        true
    }
}
