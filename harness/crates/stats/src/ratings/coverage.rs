//! Ratings of random small tournaments: finite, symmetric, independent of the order of games, and
//! with intervals that hold the truth.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rand::Rng;

use super::super::counts::{GameScore, Wdl};
use super::super::elo::score_of_elo;
use super::*;

/// One game of White and Black.
#[derive(Clone, Copy, Debug)]
struct Played {
    white: usize,
    black: usize,
    score: GameScore,
}

impl Played {
    fn meeting(&self) -> Meeting {
        let mut results = Wdl::default();
        results.add_game(self.score);
        Meeting { first: self.white, second: self.black, results: Results::White(results) }
    }
}

fn rate(players: usize, games: &[Played]) -> Ratings {
    let meetings: Vec<Meeting> = games.iter().map(Played::meeting).collect();
    Ratings::from_meetings(players, &meetings, WhiteAdvantage::Estimated)
}

/// Games of two to six players: a pairing has one to twenty, with or without draws, alternating or
/// always the same colours; some pairings are missing, so that players may not be linked.
fn tournaments() -> impl Strategy<Value = (usize, Vec<Played>)> {
    let pairing = (any::<bool>(), prop::collection::vec(0..6_u8, 1..=20), any::<bool>());
    let shape = (2..=6_usize, prop::collection::vec(pairing, 15), any::<bool>());
    shape.prop_map(|(players, pairings, draws)| {
        let mut games = Vec::new();
        let pairs = (0..players).flat_map(|first| (0..first).map(move |second| (first, second)));
        for ((first, second), (is_played, results, alternates)) in pairs.zip(pairings) {
            for (number, result) in results.into_iter().enumerate().filter(|_| is_played) {
                let swaps = alternates && number % 2 == 1;
                let (white, black) = if swaps { (second, first) } else { (first, second) };
                let score = match result {
                    0 | 1 => GameScore::Loss,
                    2 | 3 if draws => GameScore::Draw,
                    _ => GameScore::Win,
                };
                games.push(Played { white, black, score });
            }
        }
        (players, games)
    })
}

/// The games with each winner the loser, seen from the same colours.
fn reversed(games: &[Played]) -> Vec<Played> {
    games.iter().map(|game| Played { score: game.score.reversed(), ..*game }).collect()
}

/// The games with colours swapped, and the same winners.
fn with_colours_swapped(games: &[Played]) -> Vec<Played> {
    let swapped = |game: &Played| Played {
        white: game.black,
        black: game.white,
        score: game.score.reversed(),
    };
    games.iter().map(swapped).collect()
}

fn is_near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-4 * (1.0 + one.abs().max(other.abs()))
}

/// The bound of a rating that has one.
fn one_end(reason: &Unrated) -> Option<f64> {
    match *reason {
        Unrated::AllWon { above } => above,
        Unrated::AllLost { below } => below,
        Unrated::NoGames | Unrated::Apart => None,
    }
}

/// Whether the ratings are those of `other` times `sign`, and White's advantage times `white`.
fn are_mirrored(ratings: &Ratings, other: &Ratings, sign: f64, white: f64) -> bool {
    let is_mirrored = |one: &Elo, other: &Elo, sign: f64| {
        is_near(one.value, sign * other.value) && is_near(one.error95, other.error95)
    };
    let players = ratings.players.iter().zip(&other.players).all(|both| match both {
        (Ok(one), Ok(other)) => is_mirrored(one, other, sign),
        (Err(_), Err(_)) => true,
        _ => false,
    });
    let colours = match (ratings.white, other.white) {
        (Some(one), Some(other)) => is_mirrored(&one, &other, white),
        (one, other) => one.is_none() && other.is_none(),
    };
    let ends = ratings.players.iter().zip(&other.players).all(|both| match both {
        (Err(one), Err(other)) => match (one_end(one), one_end(other)) {
            (Some(one), Some(other)) => is_near(one, sign * other),
            (one, other) => one == other,
        },
        _ => true,
    });
    let bound = match (ratings.white_undefined, other.white_undefined) {
        (
            Some(WhiteUndefined::Separated { favoured, beyond }),
            Some(WhiteUndefined::Separated { favoured: others, beyond: others_beyond }),
        ) => is_near(beyond, others_beyond) && (favoured == others) == (white > 0.0),
        (one, other) => one == other,
    };
    players && ends && colours && bound
}

proptest! {
    #[test]
    fn ratings_are_finite_mirrored_and_independent_of_the_order(
        (players, games) in tournaments(),
    ) {
        let ratings = rate(players, &games);
        let bounded = |elo: &Elo| elo.value.abs() < 4_000.0 && elo.error95 < 10_000.0;
        let rated = ratings.players.iter().filter_map(|rating| rating.as_ref().ok());
        prop_assert!(rated.chain(&ratings.white).all(bounded), "{ratings:?}");
        let lost = rate(players, &reversed(&games));
        prop_assert!(are_mirrored(&ratings, &lost, -1.0, -1.0), "{ratings:?}\n{lost:?}");
        let swapped = rate(players, &with_colours_swapped(&games));
        prop_assert!(are_mirrored(&ratings, &swapped, 1.0, -1.0), "{ratings:?}\n{swapped:?}");
        let mut turned = games.clone();
        turned.reverse();
        let middle = turned.len() / 3;
        turned.rotate_left(middle);
        let turned = rate(players, &turned);
        prop_assert!(are_mirrored(&ratings, &turned, 1.0, 1.0), "{ratings:?}\n{turned:?}");
    }
}

/// A simulated tournament with its truth.
struct Simulated {
    elo: Vec<f64>,
    white: f64,
    games: Vec<Played>,
}

/// The family that intervals are checked on: two to six players who are on average 0, 100 or 250
/// Elo from zero; each two met with a probability of 0.6 or 1, in one to twenty games with
/// alternating, random or always the same colours; White is worth 0, 40, 150 or 400 Elo; of equals
/// 0, 30 or 60 % of the games are drawn.
fn simulate(seed: u64) -> Simulated {
    let mut random = crate::random::stream("tournament", seed, 0);
    let players = random.random_range(2..=6_usize);
    let rounds = random.random_range(1..=20_u32);
    let draws = [0.0, 0.3, 0.6][random.random_range(0..3)];
    let colours = random.random_range(0..3);
    let spread = [0.0, 100.0, 250.0][random.random_range(0..3)];
    let white = [0.0, 40.0, 150.0, 400.0][random.random_range(0..4)];
    let density = [0.6, 1.0][random.random_range(0..2)];
    // A sum of twelve uniform numbers is nearly normal.
    let mut normal = || (0..12).map(|_| random.random::<f64>() - 0.5).sum::<f64>();
    let elo: Vec<f64> = (0..players).map(|_| spread * normal()).collect();
    let mut games = Vec::new();
    for (first, second) in (0..players).flat_map(|a| (0..a).map(move |b| (a, b))) {
        if random.random::<f64>() > density {
            continue;
        }
        for round in 0..rounds {
            let swaps = match colours {
                0 => round % 2 == 1,
                1 => random.random(),
                _ => false,
            };
            let (white_player, black) = if swaps { (second, first) } else { (first, second) };
            let expected = score_of_elo(elo[white_player] - elo[black] + white);
            let drawn = 2.0 * draws * expected.min(1.0 - expected);
            let score = match random.random::<f64>() - expected {
                above if above < -drawn / 2.0 => GameScore::Win,
                above if above < drawn / 2.0 => GameScore::Draw,
                _ => GameScore::Loss,
            };
            games.push(Played { white: white_player, black, score });
        }
    }
    Simulated { elo, white, games }
}

/// Intervals that hold, and all.
type Held = BTreeMap<&'static str, [u32; 2]>;

fn count(held: &mut Held, what: &'static str, holds: bool) {
    let [inside, all] = held.entry(what).or_default();
    *inside += u32::from(holds);
    *all += 1;
}

fn count_tournament(held: &mut Held, tournament: &Simulated) {
    let Simulated { elo, white, games } = tournament;
    let ratings = rate(elo.len(), games);
    let holds = |estimate: &Elo, truth: f64| estimate.low95 <= truth && truth <= estimate.high95;
    let differences = match ratings.white_undefined {
        None => "distances, the advantage known",
        Some(WhiteUndefined::Separated { .. }) => "distances, colours separate",
        Some(WhiteUndefined::Confounded) => "distances, colours go with the players",
    };
    for (first, second) in (0..elo.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
        if let Some(apart) = ratings.difference(first, second) {
            count(held, differences, holds(&apart, elo[first] - elo[second]));
        }
    }
    let rated: Vec<usize> =
        (0..elo.len()).filter(|&player| ratings.players[player].is_ok()).collect();
    let average = rated.iter().map(|&player| elo[player]).sum::<f64>() / rated.len() as f64;
    for &player in &rated {
        let rating = ratings.players[player].expect("rated");
        count(held, "ratings", holds(&rating, elo[player] - average));
    }
    for (player, reason) in ratings.players.iter().enumerate() {
        match reason {
            Err(Unrated::AllWon { above: Some(above) }) => {
                count(held, "bound of a rating", elo[player] - average >= *above);
            }
            Err(Unrated::AllLost { below: Some(below) }) => {
                count(held, "bound of a rating", elo[player] - average <= *below);
            }
            _ => {}
        }
    }
    if let Some(advantage) = ratings.white {
        count(held, "advantage of White", holds(&advantage, *white));
    }
    if let Some(WhiteUndefined::Separated { favoured, beyond }) = ratings.white_undefined {
        count(held, "bound of the advantage", favoured.sign() * white >= beyond);
    }
}

#[test]
fn intervals_of_simulated_tournaments_hold_the_truth() {
    let mut held = Held::new();
    // The weights of the priors were chosen on even seeds.
    for seed in (1..6_000).step_by(2) {
        count_tournament(&mut held, &simulate(seed));
    }
    assert_eq!(held.len(), 7, "{held:?}");
    for (what, [inside, all]) in &held {
        let share = f64::from(*inside) / f64::from(*all);
        assert!(*all > 200 && share > 0.93, "{what}: {inside} of {all}");
    }
}
