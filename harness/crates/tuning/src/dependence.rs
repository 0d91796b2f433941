//! Partial dependence of strength on each parameter, from all results of a run.
//!
//! A Gaussian process is fitted to the results, whatever the method. The partial dependence of a
//! parameter is the effect of changing it alone, averaged over the places that the run has visited
//! (J. Friedman, "Greedy Function Approximation: A Gradient Boosting Machine", section 8.2).

use super::methods::bayes::{Place, Surrogate};
use super::space::{Candidate, Space};
pub use harness_outcome::tuned::{Curve, Dependence, Map};
use harness_stats::Pentanomial;

/// Bound on the results used; more are subsampled evenly.
const RESULTS: usize = 1_000;
/// Parameters beyond which a process of all results takes longer than the games, and no page shows all
/// curves.
const MAX_PARAMETERS: usize = 100;
/// Least number of results.
const MIN_RESULTS: usize = 20;
/// Number of places to average over.
const PLACES: usize = 8;
/// Points of a curve, and of a side of a map.
const POINTS: usize = 17;
/// Number of most important parameters with maps of each two.
const MAPPED: usize = 3;

/// Two candidates that have played, and the result of the first.
pub type Played = ([Candidate; 2], Pentanomial);

/// The dependence from results; `best` is the recommended place, in the unit cube. `None` with too
/// few results, or with more than a hundred parameters.
pub fn dependence(space: &Space, results: &[Played], best: &[f64]) -> Option<Dependence> {
    let counted = results.iter().filter(|(_, result)| result.pairs() > 0);
    let counted: Vec<&Played> = counted.collect();
    if counted.len() < MIN_RESULTS || space.dimension() > MAX_PARAMETERS {
        return None;
    }
    let mut surrogate = Surrogate::new(space.clone());
    let chosen = counted.iter().step_by(counted.len().div_ceil(RESULTS));
    let chosen: Vec<([Place; 2], Pentanomial)> = chosen
        .map(|(sides, result)| (sides.each_ref().map(|side| surrogate.place(side)), *result))
        .collect();
    let visited = Visited::from_results(&chosen);
    surrogate.tell_all(chosen);
    let start = space.start_unit();
    let best: Place = best.iter().zip(&start).map(|(x, start)| x - start).collect();
    let axes: Vec<Axis> = free(space)
        .enumerate()
        .map(|(axis, parameter)| Axis { axis, parameter, places: visited.along(axis, best[axis]) })
        .collect();
    let model =
        Model { space, surrogate: &surrogate, visited: &visited, start: &start, best: &best };
    let curves: Vec<Curve> = axes.iter().map(|axis| model.curve(axis)).collect();
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by(|&a, &b| curves[b].height().total_cmp(&curves[a].height()));
    order.truncate(MAPPED);
    let pairs =
        order.iter().enumerate().flat_map(|(i, &b)| order[..i].iter().map(move |&a| [a, b]));
    let maps = pairs.map(|[a, b]| model.map(&axes[a], &axes[b])).collect();
    Some(Dependence { curves, maps })
}

/// Numbers of the parameters that are not fixed.
fn free(space: &Space) -> impl Iterator<Item = usize> {
    let parameters = space.parameters().iter().enumerate();
    parameters.filter(|(_, parameter)| !parameter.fixed).map(|(number, _)| number)
}

/// Region that a run has visited.
struct Visited {
    /// Some places between the candidates of late trials.
    centres: Vec<Place>,
    /// Least and greatest coordinate along each axis.
    ends: Vec<(f64, f64)>,
}

impl Visited {
    fn from_results(results: &[([Place; 2], Pentanomial)]) -> Visited {
        let late = &results[results.len() / 2..];
        let centre = |([a, b], _): &([Place; 2], Pentanomial)| -> Place {
            a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect()
        };
        let centres = late.iter().step_by(late.len().div_ceil(PLACES)).map(centre).collect();
        let all = results.iter().flat_map(|(places, _)| places);
        let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); results[0].0[0].len()];
        for place in all {
            for ((low, high), x) in ends.iter_mut().zip(place) {
                (*low, *high) = (low.min(*x), high.max(*x));
            }
        }
        Visited { centres, ends }
    }

    /// Places along an axis, within the visited region.
    fn along(&self, axis: usize, best: f64) -> Vec<f64> {
        let (low, high) = self.ends[axis];
        let low = low.min(best);
        let high = high.max(best);
        let share = |point: usize| point as f64 / (POINTS - 1) as f64;
        (0..POINTS).map(|point| low + (high - low) * share(point)).collect()
    }
}

/// A free parameter.
struct Axis {
    axis: usize,
    parameter: usize,
    places: Vec<f64>,
}

struct Model<'a> {
    space: &'a Space,
    surrogate: &'a Surrogate,
    visited: &'a Visited,
    start: &'a [f64],
    best: &'a [f64],
}

impl Model<'_> {
    /// Elo gain on the best values with some of them replaced, averaged over the others.
    fn replaced(&self, by: &[(usize, f64)]) -> Vec<(Place, f64)> {
        let weight = 1.0 / self.visited.centres.len() as f64;
        let mut terms = Vec::with_capacity(2 * self.visited.centres.len());
        for centre in &self.visited.centres {
            let mut there = centre.clone();
            let mut here = centre.clone();
            for &(axis, place) in by {
                (there[axis], here[axis]) = (place, self.best[axis]);
            }
            terms.push((there, weight));
            terms.push((here, -weight));
        }
        terms
    }

    fn values(&self, axis: &Axis) -> Vec<f64> {
        let parameter = &self.space.parameters()[axis.parameter];
        axis.places.iter().map(|place| parameter.of_unit(place + self.start[axis.axis])).collect()
    }

    fn curve(&self, axis: &Axis) -> Curve {
        let points = self.values(axis).into_iter().zip(&axis.places).map(|(value, &place)| {
            let (elo, error) = self.surrogate.combination(&self.replaced(&[(axis.axis, place)]));
            (value, elo, error)
        });
        Curve { parameter: axis.parameter, points: points.collect() }
    }

    fn map(&self, a: &Axis, b: &Axis) -> Map {
        let elo = |x: f64, y: f64| {
            let terms = self.replaced(&[(a.axis, x), (b.axis, y)]);
            terms.iter().map(|(place, weight)| weight * self.surrogate.mean(place)).sum()
        };
        let row = |&y: &f64| a.places.iter().map(|&x| elo(x, y)).collect();
        Map {
            parameters: [a.parameter, b.parameter],
            values: [self.values(a), self.values(b)],
            elo: b.places.iter().map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::Landscapes;
    use crate::methods::Method;
    use crate::space::Parameter;
    use harness_stats::random;

    /// Results of a run on a landscape, and its recommendation.
    fn results(games: u64) -> (Space, Vec<Played>, Vec<f64>) {
        let landscapes = Landscapes::built_in();
        let two = &landscapes.landscapes[0];
        let space = two.space().expect("sound");
        let mut tuner = Method::find("spsa").expect("known").start(space.clone(), games, 1);
        let mut random = random::stream("games", 1, 0);
        let mut played = Vec::new();
        for _ in 0..games / 2 {
            let trial = tuner.ask(1).remove(0);
            let difference = two.elo(&trial.first) - two.elo(&trial.second);
            let result = landscapes.model.play(difference, trial.pairs, &mut random);
            tuner.tell(trial.id, &result).expect("a pending trial");
            played.push(([trial.first, trial.second], result));
        }
        let best = tuner.recommend().candidate;
        let unit = space.to_unit(&best);
        (space, played, unit)
    }

    #[test]
    fn curves_are_zero_at_the_best_value_and_fall_towards_the_start() {
        let (space, played, best) = results(1_000);
        let found = dependence(&space, &played, &best).expect("many results");
        assert_eq!((found.curves.len(), found.maps.len()), (2, 1));
        for (curve, best) in found.curves.iter().zip(&best) {
            let parameter = &space.parameters()[curve.parameter];
            let at = |value: f64| {
                let off = |point: &&(f64, f64, f64)| (point.0 - value).abs();
                curve.points.iter().min_by(|a, b| off(a).total_cmp(&off(b))).expect("points")
            };
            let (_, here, sure) = at(parameter.of_unit(*best));
            let (_, start, error) = at(parameter.start);
            assert!(here.abs() < 6.0 && start < here, "{curve:?}");
            assert!(sure < error && error.is_finite(), "{curve:?}");
        }
        let [map] = &found.maps[..] else { panic!("one map") };
        assert_eq!((map.elo.len(), map.elo[0].len()), (POINTS, POINTS));
        assert_eq!(map.values[0].len(), POINTS);
    }

    #[test]
    fn a_fixed_parameter_has_no_curve_and_few_results_give_none() {
        let (space, played, best) = results(200);
        assert_eq!(dependence(&space, &played[..MIN_RESULTS - 1], &best), None);
        let nothing = vec![(played[0].0.clone(), Pentanomial::default()); 100];
        assert_eq!(dependence(&space, &nothing, &best), None);
        let mut parameters = space.parameters().to_vec();
        parameters[0] = Parameter { fixed: true, ..parameters[0].clone() };
        let space = Space::new(parameters).expect("one is free");
        let found = dependence(&space, &played, &best[1..]).expect("many results");
        let numbers: Vec<usize> = found.curves.iter().map(|curve| curve.parameter).collect();
        assert_eq!((numbers, found.maps.len()), (vec![1], 0));
    }
}
