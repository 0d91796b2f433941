//! The tuner around a solver.

use std::collections::BTreeMap;

use super::ask_tell::{AskTell, Search, View};
use crate::methods::bayes::{Place, Surrogate};
use crate::space::{Candidate, Space};
use crate::trial::{Recommendation, Trial, TrialId, Tuner, UnknownTrial};
use harness_stats::Pentanomial;

/// Evaluations of a run, if each has at least a pair.
const EVALUATIONS: u64 = 250;

/// A tuner that plays the places of a solver, and estimates their values from all matches.
#[derive(Clone)]
pub struct DirectSearch<S> {
    games: u64,
    surrogate: Surrogate,
    search: AskTell<S>,
    /// The unit cube, relative to the start.
    bounds: [Place; 2],
    best: Place,
    /// Of the missing places: how many `ask` has given, and which have results.
    given: usize,
    finished: Vec<bool>,
    /// Number of times that costs were given to the solver.
    round: u64,
    requested: u64,
    pending: BTreeMap<TrialId, Pending>,
}

/// A trial under way.
#[derive(Clone, Debug)]
struct Pending {
    places: [Place; 2],
    /// The missing place of the solver, in a round.
    round: u64,
    index: usize,
}

impl<S: Search> DirectSearch<S> {
    /// A tuner for a run of `games` games.
    pub fn new(space: Space, games: u64, seed: u64) -> DirectSearch<S> {
        let best = vec![0.0; space.dimension()];
        let surrogate = Surrogate::new(space);
        let bounds = surrogate.bounds();
        let search = S::start(&view(&|_| 0.0, &best, &bounds, 0.0, games), seed);
        let search = AskTell::new(search);
        DirectSearch {
            finished: vec![false; search.missing().len()],
            games,
            surrogate,
            search,
            bounds,
            best,
            given: 0,
            round: 0,
            requested: 0,
            pending: BTreeMap::new(),
        }
    }

    fn progress(&self) -> f64 {
        (2.0 * self.surrogate.pairs() / self.games.max(1) as f64).min(1.0)
    }

    fn trial(&mut self) -> Trial {
        let id = TrialId(self.requested);
        self.requested += 1;
        let missing = self.search.missing();
        // Where all are under way, the first ones get more games.
        let index = self.given % missing.len().max(1);
        self.given += 1;
        let sides = self.duel(missing.get(index).unwrap_or(&self.best));
        let places = sides.each_ref().map(|side| self.surrogate.place(side));
        self.pending.insert(id, Pending { places, round: self.round, index });
        let [first, second] = sides;
        Trial { id, first, second, pairs: batch(self.games) }
    }

    /// A place against its mirror image about the best one: both sides inform the gradient, with
    /// half the variance of two matches against a third (D. Brockhoff and others, "Mirrored
    /// Sampling and Sequential Selection for Evolution Strategies", 2010).
    fn duel(&self, place: &[f64]) -> [Candidate; 2] {
        let off: Place = place.iter().zip(&self.best).map(|(x, best)| x - best).collect();
        let farthest = off.iter().fold(0.0f64, |most, by| most.max(by.abs()));
        // Near places have a low signal-to-noise ratio: they are moved apart.
        let stretch = if farthest > 0.0 { (NEAREST / farthest).max(1.0) } else { 0.0 };
        let side = |sign: f64| -> Candidate {
            let off = off.iter().map(|by| sign * stretch * by);
            let place: Place = self.best.iter().zip(off).map(|(best, by)| best + by).collect();
            self.surrogate.candidate(&place)
        };
        let first = side(1.0);
        let second = side(-1.0);
        if first != second {
            return [first, second];
        }
        // The best place itself: against its neighbours on both sides, as far as integers allow.
        let apart: Place =
            self.surrogate.resolution(place).iter().map(|whole| whole.max(MIN_DISTANCE)).collect();
        let moved = |sign: f64| -> Candidate {
            let place: Place = place.iter().zip(&apart).map(|(x, by)| x + sign * by).collect();
            self.surrogate.candidate(&place)
        };
        [moved(1.0), moved(-1.0)]
    }

    /// Gives the costs to the solver once all missing places have results.
    fn advance(&mut self) {
        if !self.finished.iter().all(|finished| *finished) {
            return;
        }
        let start = self.surrogate.mean(&vec![0.0; self.best.len()]);
        let cost = |place: &[f64]| start - self.surrogate.mean(place);
        let view = view(&cost, &self.best, &self.bounds, self.progress(), self.games);
        let costs: Vec<f64> =
            self.search.missing().iter().map(|place| cost(&view.inside(place.clone()))).collect();
        self.search.provide(costs, &view);
        self.round += 1;
        self.given = 0;
        self.finished = vec![false; self.search.missing().len()];
    }
}

/// Least distance of a side from the middle along the longest axis, in ranges, ...
const NEAREST: f64 = 0.15;
/// ... and along every axis of a zero vector.
const MIN_DISTANCE: f64 = 0.05;

/// Pairs of an evaluation.
fn batch(games: u64) -> u64 {
    (games / 2).div_ceil(EVALUATIONS).max(1)
}

fn view<'a>(
    cost: &'a dyn Fn(&[f64]) -> f64,
    best: &'a [f64],
    bounds: &'a [Place; 2],
    progress: f64,
    games: u64,
) -> View<'a> {
    let evaluations = games / 2 / batch(games);
    View { cost, best, bounds: [&bounds[0], &bounds[1]], progress, evaluations }
}

impl<S: Search> Tuner for DirectSearch<S> {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        (0..count).map(|_| self.trial()).collect()
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        let Pending { places, round, index } = self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        if !self.surrogate.tell(places, result) {
            // An empty result: the place is given again.
            if round == self.round {
                self.given = index;
            }
            return Ok(());
        }
        self.best = self.surrogate.maximum(std::slice::from_ref(&self.best));
        if let Some(finished) = self.finished.get_mut(index)
            && round == self.round
        {
            *finished = true;
        }
        self.advance();
        Ok(())
    }

    fn widen(&mut self, space: &Space) {
        self.surrogate.widen(space);
        self.bounds = self.surrogate.bounds();
    }

    fn recommend(&self) -> Recommendation {
        self.surrogate.recommend(&self.best)
    }
}
