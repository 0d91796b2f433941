//! How far a run can move its parameters: known before the first game.

use super::landscape::Landscapes;
use super::methods::Method;
use super::random;
use super::space::Space;
use crate::stats::score_of_elo;

/// Elo that a step of a parameter is taken to be worth. A parameter whose range is 20 steps then
/// decides over 20 Elo, which few do.
const ELO_A_STEP: f64 = 1.0;
/// Differences that a trial is taken to have at most, in Elo: curves end where lines do not.
const MOST_ELO: f64 = 30.0;
/// A run is not said to need more games than this.
const MOST_GAMES: u64 = 2_000_000;

/// How far a run is expected to move one parameter, in the parameter's steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The parameter's name.
    pub name: String,
    /// By the difference that it makes, if a step is worth one Elo.
    pub drift: f64,
    /// By chance: one standard deviation.
    pub noise: f64,
}

impl Reach {
    /// Whether what the run finds says more of luck than of the parameter, or it cannot find
    /// anything but the start.
    pub fn is_short(&self) -> bool {
        self.drift < self.noise.max(0.5)
    }
}

/// How far a run of `games` games is expected to move each parameter that is not fixed: the sum
/// over its trials of what a net win moves the values, times the net wins to be expected, and the
/// same for their variance. Games are those of the landscapes' model between equals, so that the
/// tuner sees the noise of games. Empty for a method that does not say how it moves.
pub fn reach(method: &Method, space: &Space, games: u64, seed: u64) -> Vec<Reach> {
    let model = Landscapes::built_in().model;
    let wins = [-2.0f64, -1.0, 0.0, 1.0, 2.0];
    let variance: f64 = model.chances(0.0).iter().zip(wins).map(|(p, wins)| p * wins * wins).sum();
    let mut random = random::stream("reach", seed, games);
    let mut tuner = method.start(space.clone(), games, seed);
    let mut sums = vec![(0.0, 0.0); space.parameters().len()];
    let mut left = games / 2;
    while left > 0 {
        let Some(trial) = tuner.ask(1).pop() else { break };
        let pairs = trial.pairs.clamp(1, left);
        left -= pairs;
        let Some(pull) = tuner.pull(trial.id) else { break };
        for (i, (parameter, pull)) in space.parameters().iter().zip(&pull).enumerate() {
            let steps = (trial.first[i] - trial.second[i]) / parameter.step;
            let elo = (ELO_A_STEP * steps).clamp(-MOST_ELO, MOST_ELO);
            // A pair of even chances has no net win, one that is always won has two.
            let net_wins = 4.0 * score_of_elo(elo) - 2.0;
            sums[i].0 += pull * net_wins * pairs as f64;
            sums[i].1 += pull * pull * variance * pairs as f64;
        }
        if tuner.tell(trial.id, &model.play(0.0, pairs, &mut random)).is_err() {
            break;
        }
    }
    let moved = sums.into_iter().zip(space.parameters());
    moved
        .filter(|(_, parameter)| !parameter.fixed)
        .map(|((drift, squares), parameter)| Reach {
            name: parameter.name.clone(),
            drift: drift / parameter.step,
            noise: f64::sqrt(squares) / parameter.step,
        })
        .filter(|reach| reach.noise > 0.0)
        .collect()
}

/// What to say before a run that is too short for some of its parameters; `None` if it is not.
pub fn too_short(method: &Method, space: &Space, games: u64, seed: u64) -> Option<String> {
    let all = reach(method, space, games, seed);
    let mut short: Vec<&Reach> = all.iter().filter(|reach| reach.is_short()).collect();
    short.sort_by(|a, b| a.drift.total_cmp(&b.drift));
    let worst = short.first()?;
    let names: Vec<&str> = short.iter().take(4).map(|reach| reach.name.as_str()).collect();
    let more = match short.len().saturating_sub(names.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (drift, noise) = (worst.drift, worst.noise);
    let enough = enough(method, space, games, seed)
        .map_or_else(String::new, |games| format!("; about {games} games would do"));
    Some(format!(
        "{games} games are few for {}{more}: if a step of `{}` is worth {ELO_A_STEP} Elo, that \
         moves it by {drift:.2} steps, and chance by {noise:.2}{enough}",
        names.join(", "),
        worst.name
    ))
}

/// Games, twice as many and twice again, that are not too few for any parameter.
fn enough(method: &Method, space: &Space, games: u64, seed: u64) -> Option<u64> {
    std::iter::successors(games.checked_mul(2), |games| games.checked_mul(2))
        .take_while(|games| *games <= MOST_GAMES)
        .find(|&games| !reach(method, space, games, seed).iter().any(Reach::is_short))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::space::{Kind, Parameter};

    fn space() -> Space {
        let margin = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 100.0);
        let alone = Parameter { name: "alone".into(), fixed: true, ..margin.clone() };
        let depth = Parameter::new("depth".into(), Kind::Integer, 1.0, 21.0, 8.0);
        Space::new(vec![margin, alone, depth]).unwrap()
    }

    #[test]
    fn methods_that_step_reach_further_with_more_games() {
        for name in ["spsa", "fishtest", "openbench"] {
            let method = Method::named(name).unwrap();
            let [few, many] = [200, 20_000].map(|games| reach(method, &space(), games, 1));
            let names: Vec<&str> = few.iter().map(|reach| reach.name.as_str()).collect();
            assert_eq!(names, ["margin", "depth"], "{}", method.name);
            for (few, many) in few.iter().zip(&many) {
                assert!(few.drift > 0.0 && few.drift < many.drift, "{few:?} {many:?}");
            }
        }
    }

    #[test]
    fn the_reach_is_what_a_tuner_does() {
        // Of many runs on coin flips, the spread of the ends; the mean of the last part of the
        // path spreads less than the path does.
        let method = Method::named("spsa").unwrap();
        let model = Landscapes::built_in().model;
        let said = reach(method, &space(), 1_000, 1)[0].noise;
        let ends = (0..60).map(|seed| {
            let mut random = random::stream("ends", seed, 0);
            let mut tuner = method.start(space(), 1_000, seed);
            for _ in 0..500 {
                let trial = tuner.ask(1).remove(0);
                tuner.tell(trial.id, &model.play(0.0, trial.pairs, &mut random)).unwrap();
            }
            (tuner.recommend().parameters[0].value - 100.0) / 10.0
        });
        let spread = f64::sqrt(ends.map(|end: f64| end * end).sum::<f64>() / 60.0);
        assert!(said > 0.7 * spread && said < 1.8 * spread, "{said} {spread}");
    }

    #[test]
    fn only_a_short_run_is_warned_of_and_told_what_is_enough() {
        let method = Method::named("spsa").unwrap();
        let text = too_short(method, &space(), 20, 1).expect("a warning");
        assert!(text.starts_with("20 games are few for ") && text.contains("margin"), "{text}");
        assert!(text.contains("games would do"), "{text}");
        assert_eq!(too_short(method, &space(), 40_000, 1), None);
    }
}
