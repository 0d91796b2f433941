//! The standings of several players, best first.

use serde::{Deserialize, Serialize};

use super::Estimate;
use harness_stats::{Elo, Meeting, Ratings, Unrated, Wdl, WhiteAdvantage};

/// Why there is no Elo of games without a pair.
pub(super) const NO_PAIR: &str = "no pair is complete";

/// Most players with likelihoods of superiority.
const MAX_MATRIX: usize = 100;

/// One of several players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerRow {
    /// The name in this run.
    pub name: String,
    /// Elo above the average of the players, from the games of all of them at once; see
    /// [`Ratings`].
    pub elo: Estimate,
    /// Why there is none.
    #[serde(default)]
    pub elo_undefined: Option<String>,
    /// Games played.
    pub games: u64,
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
    /// Points, draws counting 1/2.
    pub points: f64,
    /// Likelihood of superiority over the player of each row; unknown over itself and without
    /// ratings. Empty with more than a hundred players.
    #[serde(default)]
    pub los: Vec<Option<f64>>,
}

/// Players with their games, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standings {
    /// A row a player.
    pub rows: Vec<PlayerRow>,
    /// Advantage of the white pieces, if it was estimated.
    pub white: Estimate,
    /// Why it was not, although it was asked for.
    pub white_undefined: Option<String>,
}

impl PlayerRow {
    /// One of a match, without its superiority over others.
    pub fn new(name: &str, elo: Option<Elo>, undefined: Option<String>, games: &Wdl) -> PlayerRow {
        PlayerRow {
            name: name.to_owned(),
            elo: elo.into(),
            elo_undefined: undefined,
            games: games.games(),
            wins: games.wins,
            draws: games.draws,
            losses: games.losses,
            points: games.wins as f64 + games.draws as f64 / 2.0,
            los: Vec::new(),
        }
    }
}

impl Standings {
    /// Rates players by their games and meetings.
    pub fn new(
        players: &[(String, Wdl)],
        meetings: &[Meeting],
        white: WhiteAdvantage,
    ) -> Standings {
        let ratings = Ratings::from_meetings(players.len(), meetings, white);
        let mut order: Vec<usize> = (0..players.len()).collect();
        let share = |player: usize| players[player].1.mean().unwrap_or(0.0);
        order.sort_by(|&a, &b| {
            let place = |player: usize| place(&ratings.players[player]);
            place(b).total_cmp(&place(a)).then(share(b).total_cmp(&share(a)))
        });
        let row = |&player: &usize| {
            let (name, games) = &players[player];
            let rating = ratings.players[player];
            let undefined = rating.err().map(|why| match why {
                Unrated::NoGames if games.games() > 0 => NO_PAIR.to_owned(),
                why => why.to_string(),
            });
            PlayerRow {
                los: if players.len() > MAX_MATRIX {
                    Vec::new()
                } else {
                    order.iter().map(|&other| ratings.los(player, other)).collect()
                },
                ..PlayerRow::new(name, rating.ok(), undefined, games)
            }
        };
        Standings {
            rows: order.iter().map(row).collect(),
            white: ratings.white.into(),
            white_undefined: ratings.white_undefined.map(|why| why.to_string()),
        }
    }
}

/// Place of a player without a rating.
fn place(rating: &Result<Elo, Unrated>) -> f64 {
    match rating {
        Ok(elo) => elo.value,
        Err(Unrated::AllWon { .. }) => f64::INFINITY,
        Err(Unrated::AllLost { .. } | Unrated::Apart | Unrated::NoGames) => f64::NEG_INFINITY,
    }
}
