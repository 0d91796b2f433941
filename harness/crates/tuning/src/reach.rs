//! Expected movement of parameters in a run, before the first game.

use super::landscape::Landscapes;
use super::methods::checked::SHARE;
use super::methods::{Method, SCREEN, screen};
use super::space::Space;
use harness_base::text::{grouped, two_digits};
use harness_stats::random;
use harness_stats::{score_of_elo, smallest_effect};

/// Assumed worth of a step of a parameter, in Elo. A parameter whose range is 20 steps is then
/// worth 20 Elo, a high value.
const ELO_A_STEP: f64 = 1.0;
/// Bound on the difference of a trial, in Elo: strength is not linear far away.
const MAX_ELO: f64 = 30.0;
/// Bound on the number of games that is suggested.
const MAX_GAMES: u64 = 2_000_000;

/// Expected movement of one parameter in a run, in the parameter's steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The parameter's name.
    pub name: String,
    /// Drift, if a step is worth [`ELO_A_STEP`].
    pub drift: f64,
    /// Noise: one standard deviation.
    pub noise: f64,
}

impl Reach {
    /// Whether the noise exceeds the drift, or the run cannot leave the start.
    pub fn is_short(&self) -> bool {
        self.drift < self.noise.max(0.5)
    }
}

/// Elo difference between two sets of values that `games` games detect with a power of 80 %; `None`
/// where they detect none. Games are those of the landscapes' model.
pub fn visible(games: u64) -> Option<f64> {
    smallest_effect(games / 2, sigma_of_games())
}

/// Standard deviation of a game's score between equals, in the landscapes' model.
fn sigma_of_games() -> f64 {
    let chances = Landscapes::built_in().model.chances(0.0);
    let square = |(cell, chance): (usize, f64)| chance * (cell as f64 / 4.0 - 0.5).powi(2);
    (2.0 * chances.into_iter().enumerate().map(square).sum::<f64>()).sqrt()
}

/// Text, before the first game, about the effects that a run can detect.
pub fn detectable(method: &Method, space: &Space, games: u64) -> String {
    let count = grouped(games);
    let parameters = space.free().count();
    if method.name == SCREEN.name {
        return match screen::planned_effect(space, games) {
            Some(elo) => format!(
                "{count} games on {parameters} parameters can show a parameter whose step among \
                 the values tried is worth about {0} Elo; an effect below {0} Elo will not be seen",
                two_digits(elo)
            ),
            None => format!(
                "{count} games are too few to see any effect of {parameters} parameters{}",
                suffice(games, |games| screen::planned_effect(space, games).is_some())
            ),
        };
    }
    // Only these games are between two sets of values.
    let seen = |games: u64| visible((games as f64 * SHARE) as u64);
    match seen(games) {
        Some(elo) => format!(
            "{count} games can show a difference of about {0} Elo between the values found and the \
             start; a smaller one will not be seen",
            two_digits(elo)
        ),
        None => format!(
            "{count} games are too few to show a difference of any size{}",
            suffice(games, |games| seen(games).is_some())
        ),
    }
}

/// `; --games takes more, and 48 are the least that show one`, of the least even number of games that suffices.
fn suffice(games: u64, suffices: impl Fn(u64) -> bool) -> String {
    let takes_more = "; `--games` takes more";
    let mut few = games / 2;
    let doubled = std::iter::successors(Some(few.max(1) * 2), |pairs| Some(pairs * 2));
    let Some(mut enough) =
        doubled.take_while(|pairs| *pairs <= MAX_GAMES).find(|pairs| suffices(2 * pairs))
    else {
        return takes_more.to_owned();
    };
    while few + 1 < enough {
        let between = few + (enough - few) / 2;
        if suffices(2 * between) { enough = between } else { few = between }
    }
    format!("{takes_more}, and {} are the least that show one", grouped(2 * enough))
}

/// Expected movement of each free parameter in a run of `games` games: the sum over its trials of
/// the movement per net win times the expected net wins, and the same for their variance. Games are
/// those of the landscapes' model between equals, so that the tuner sees the noise of games. Empty
/// for a method without a step per net win.
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
        let Some(step_per_net_win) = tuner.step_per_net_win(trial.id) else { break };
        for (i, (parameter, step_per_net_win)) in
            space.parameters().iter().zip(&step_per_net_win).enumerate()
        {
            let steps = (trial.first[i] - trial.second[i]) / parameter.step;
            let elo = (ELO_A_STEP * steps).clamp(-MAX_ELO, MAX_ELO);
            // A pair between equals has no net win on average, a pair always won has two.
            let net_wins = 4.0 * score_of_elo(elo) - 2.0;
            sums[i].0 += step_per_net_win * net_wins * pairs as f64;
            sums[i].1 += step_per_net_win * step_per_net_win * variance * pairs as f64;
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

/// Warning about a run that is too short for some of its parameters; `None` if it is not.
pub fn short_run_warning(method: &Method, space: &Space, games: u64, seed: u64) -> Option<String> {
    let all = reach(method, space, games, seed);
    let mut short: Vec<&Reach> = all.iter().filter(|reach| reach.is_short()).collect();
    short.sort_by(|a, b| a.drift.total_cmp(&b.drift));
    let worst = short.first()?;
    let names: Vec<&str> = short.iter().take(4).map(|reach| reach.name.as_str()).collect();
    let more = match short.len().saturating_sub(names.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let drift = worst.drift;
    let noise = worst.noise;
    let enough_games = enough_games(method, space, games, seed)
        .map_or_else(String::new, |games| format!("; about {games} games would do"));
    Some(format!(
        "{games} games are few for {}{more}: if a step of `{}` is worth {ELO_A_STEP} Elo, that \
         moves it by {drift:.2} steps, and chance by {noise:.2}{enough_games}",
        names.join(", "),
        worst.name
    ))
}

/// Least power of two times `games` that is long enough_games for all parameters.
fn enough_games(method: &Method, space: &Space, games: u64, seed: u64) -> Option<u64> {
    std::iter::successors(games.checked_mul(2), |games| games.checked_mul(2))
        .take_while(|games| *games <= MAX_GAMES)
        .find(|&games| !reach(method, space, games, seed).iter().any(Reach::is_short))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Kind, Parameter};

    fn space() -> Space {
        let margin = Parameter::new("margin".into(), Kind::Integer, 0.0, 200.0, 100.0);
        let alone = Parameter { name: "alone".into(), fixed: true, ..margin.clone() };
        let depth = Parameter::new("depth".into(), Kind::Integer, 1.0, 21.0, 8.0);
        Space::new(vec![margin, alone, depth]).unwrap()
    }

    #[test]
    fn methods_that_step_reach_further_with_more_games() {
        for name in ["spsa", "fishtest", "openbench"] {
            let method = Method::find(name).unwrap();
            let [few, many] = [200, 20_000].map(|games| reach(method, &space(), games, 1));
            let names: Vec<&str> = few.iter().map(|reach| reach.name.as_str()).collect();
            assert_eq!(names, ["margin", "depth"], "{}", method.name);
            for (few, many) in few.iter().zip(&many) {
                assert!(few.drift > 0.0 && few.drift < many.drift, "{few:?} {many:?}");
            }
        }
    }

    #[test]
    fn the_expected_movement_is_that_of_simulated_runs() {
        // Spread of the final values of runs on coin flips; averaging the path makes it smaller
        // than the path's.
        let method = Method::find("spsa").unwrap();
        let model = Landscapes::built_in().model;
        let expected = reach(method, &space(), 1_000, 1)[0].noise;
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
        assert!(expected > 0.7 * spread && expected < 1.8 * spread, "{expected} {spread}");
    }

    #[test]
    fn more_games_detect_smaller_effects() {
        for method in ["spsa", "bayes", "screen"] {
            let method = Method::find(method).unwrap_or(&SCREEN);
            let text = detectable(method, &space(), 12_000);
            assert!(
                text.starts_with("12,000 games") && text.contains("will not be seen"),
                "{text}"
            );
            let few = detectable(method, &space(), 2);
            assert!(few.contains("too few"), "{few}");
            let least = few.split("and ").nth(1).and_then(|rest| rest.split(' ').next());
            let least: u64 = least.and_then(|least| least.parse().ok()).expect("a number");
            assert!(detectable(method, &space(), least).contains("will not be seen"), "{few}");
            assert!(detectable(method, &space(), least - 2).contains("too few"), "{few}");
        }
        // The normal approximation: 2.8 standard errors, of which a point of score is 695 Elo.
        let elo = visible(12_000).expect("many games");
        let error = sigma_of_games() / f64::sqrt(12_000.0);
        assert!((elo / (2.8 * error * 694.9) - 1.0).abs() < 0.02, "{elo}");
    }

    #[test]
    fn only_a_short_run_has_a_warning_with_enough_games() {
        let method = Method::find("spsa").unwrap();
        let text = short_run_warning(method, &space(), 20, 1).expect("a warning");
        assert!(text.starts_with("20 games are few for ") && text.contains("margin"), "{text}");
        assert!(text.contains("games would do"), "{text}");
        assert_eq!(short_run_warning(method, &space(), 40_000, 1), None);
    }
}
