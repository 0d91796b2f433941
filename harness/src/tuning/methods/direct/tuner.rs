//! The tuner around a search.

use std::collections::BTreeMap;

use super::inverted::{Inverted, Search, View};
use crate::stats::Pentanomial;
use crate::tuning::methods::bayes::{Place, Surrogate};
use crate::tuning::methods::measure::measures;
use crate::tuning::space::{Candidate, Space};
use crate::tuning::trial::{Recommendation, Trial, TrialId, Tuner, UnknownTrial};

/// Evaluations of a run, unless that makes them less than a pair.
const EVALUATIONS: u64 = 250;

/// A tuner that plays where a search wants to look, and values places by all matches.
#[derive(Clone)]
pub struct DirectSearch<S> {
    space: Space,
    games: u64,
    known: Surrogate,
    search: Inverted<S>,
    /// The cube, relative to the start.
    bounds: [Place; 2],
    best: Place,
    /// Of the places that the search wants: how many were asked for, and which are told.
    given: usize,
    told: Vec<bool>,
    /// Counts the times that the search was answered.
    round: u64,
    asked: u64,
    against_start: Pentanomial,
    pending: BTreeMap<TrialId, Pending>,
}

/// A trial under way.
#[derive(Clone, Debug)]
struct Pending {
    places: [Place; 2],
    /// What it is for.
    purpose: Purpose,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Purpose {
    /// One of the places that the search wanted in a round.
    Evaluate { round: u64, index: usize },
    /// To measure the gain on the start.
    Measure,
}

impl<S: Search> DirectSearch<S> {
    /// A tuner for a run of `games` games.
    pub fn new(space: Space, games: u64, seed: u64) -> DirectSearch<S> {
        let known = Surrogate::new(space.clone());
        let start = space.start_unit();
        let bounds = [start.iter().map(|x| -x).collect(), start.iter().map(|x| 1.0 - x).collect()];
        let best = vec![0.0; start.len()];
        let search = S::start(&view(&|_| 0.0, &best, &bounds, 0.0, games), seed);
        let search = Inverted::new(search);
        DirectSearch {
            told: vec![false; search.wanted().len()],
            space,
            games,
            known,
            search,
            bounds,
            best,
            given: 0,
            round: 0,
            asked: 0,
            against_start: Pentanomial::default(),
            pending: BTreeMap::new(),
        }
    }

    fn over(&self) -> f64 {
        (2.0 * self.known.pairs() / self.games.max(1) as f64).min(1.0)
    }

    fn trial(&mut self) -> Trial {
        let id = TrialId(self.asked);
        self.asked += 1;
        let (best, start) = (self.known.candidate(&self.best), self.space.start());
        let measures = measures(self.over(), id);
        let (sides, purpose) = if measures && best != start {
            ([best, start], Purpose::Measure)
        } else {
            let wanted = self.search.wanted();
            // Where all are under way, the first ones get more games.
            let index = self.given % wanted.len().max(1);
            self.given += 1;
            let place = wanted.get(index).unwrap_or(&self.best);
            (self.duel(place), Purpose::Evaluate { round: self.round, index })
        };
        let places = sides.each_ref().map(|side| self.known.place(side));
        self.pending.insert(id, Pending { places, purpose });
        let [first, second] = sides;
        Trial { id, first, second, pairs: batch(self.games) }
    }

    /// A place against its mirror image on the other side of the best one: each says as much of the
    /// slope as the other, and together they say it with half the noise of a match against a third
    /// (D. Brockhoff and others, "Mirrored Sampling and Sequential Selection for Evolution
    /// Strategies", 2010).
    fn duel(&self, place: &[f64]) -> [Candidate; 2] {
        let off: Place = place.iter().zip(&self.best).map(|(x, best)| x - best).collect();
        let farthest = off.iter().fold(0.0f64, |most, by| most.max(by.abs()));
        // Neighbours are hard to tell apart: they are drawn away from each other.
        let stretch = if farthest > 0.0 { (NEAREST / farthest).max(1.0) } else { 0.0 };
        let side = |sign: f64| -> Candidate {
            let off = off.iter().map(|by| sign * stretch * by);
            let place: Place = self.best.iter().zip(off).map(|(best, by)| best + by).collect();
            self.known.candidate(&place)
        };
        let (first, second) = (side(1.0), side(-1.0));
        if first != second {
            return [first, second];
        }
        // The best place itself: against its neighbours on both sides, as far as integers let it.
        let apart: Place =
            self.known.resolution(place).iter().map(|whole| whole.max(LEAST_APART)).collect();
        let moved = |sign: f64| -> Candidate {
            let place: Place = place.iter().zip(&apart).map(|(x, by)| x + sign * by).collect();
            self.known.candidate(&place)
        };
        [moved(1.0), moved(-1.0)]
    }

    /// Answers the search once all that it wants is told.
    fn go_on(&mut self) {
        if !self.told.iter().all(|told| *told) {
            return;
        }
        let start = self.known.height(&vec![0.0; self.best.len()]);
        let cost = |place: &[f64]| start - self.known.height(place);
        let view = view(&cost, &self.best, &self.bounds, self.over(), self.games);
        let costs: Vec<f64> =
            self.search.wanted().iter().map(|place| cost(&view.inside(place.clone()))).collect();
        self.search.answer(costs, &view);
        self.round += 1;
        self.given = 0;
        self.told = vec![false; self.search.wanted().len()];
    }
}

/// Least distance of a side from the middle along the axis where it is farthest, in ranges, ...
const NEAREST: f64 = 0.15;
/// ... and along every axis where it is nowhere.
const LEAST_APART: f64 = 0.05;

/// Pairs of an evaluation.
fn batch(games: u64) -> u64 {
    (games / 2).div_ceil(EVALUATIONS).max(1)
}

fn view<'a>(
    cost: &'a dyn Fn(&[f64]) -> f64,
    best: &'a [f64],
    bounds: &'a [Place; 2],
    over: f64,
    games: u64,
) -> View<'a> {
    let evaluations = games / 2 / batch(games);
    View { cost, best, bounds: [&bounds[0], &bounds[1]], over, evaluations }
}

impl<S: Search> Tuner for DirectSearch<S> {
    fn ask(&mut self, count: usize) -> Vec<Trial> {
        (0..count).map(|_| self.trial()).collect()
    }

    fn tell(&mut self, id: TrialId, result: &Pentanomial) -> Result<(), UnknownTrial> {
        let Pending { places, purpose } = self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        match purpose {
            Purpose::Measure => {
                self.known.see(&places, result);
                self.against_start += *result;
            }
            Purpose::Evaluate { round, index } => {
                if !self.known.tell(places, result) {
                    // Nothing was learnt: the place is asked for again.
                    if round == self.round {
                        self.given = index;
                    }
                    return Ok(());
                }
                self.best = self.known.top(std::slice::from_ref(&self.best));
                if let Some(told) = self.told.get_mut(index)
                    && round == self.round
                {
                    *told = true;
                }
                self.go_on();
            }
        }
        Ok(())
    }

    fn recommend(&self) -> Recommendation {
        self.known.recommend(&self.best, &self.against_start)
    }
}
