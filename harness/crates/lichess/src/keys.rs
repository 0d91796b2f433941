//! The keys of the settings below the first level.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::seek::Clock;
use harness_player::parse_movetime;

/// Which challenges are accepted.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Challenges {
    /// Kinds of chess.
    pub variants: Vec<Variant>,
    /// Speeds, as Lichess classes them.
    pub speeds: Vec<Speed>,
    /// Rated or casual.
    pub modes: Vec<Mode>,
    /// Bots or humans.
    pub opponents: Vec<Opponents>,
    /// Time on the clock at the start.
    pub base: Times,
    /// Time added after each move.
    pub increment: Times,
    /// The challenger's rating.
    pub rating: Ratings,
    /// Accounts whose challenges are declined.
    pub block: Vec<String>,
    /// If there are any, challenges of others are declined.
    pub only: Vec<String>,
    /// Games at once with one opponent.
    pub per_opponent: usize,
}

/// Challenges that the bot sends to other bots.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Seek {
    /// The opponent's rating at this kind of game.
    pub rating: Ratings,
    /// Time controls; each challenge has one of them.
    pub clocks: Vec<Clock>,
    /// Rated or casual.
    pub modes: Vec<Mode>,
    /// Kinds of chess.
    pub variants: Vec<Variant>,
    /// Shortest time between two challenges.
    #[serde(deserialize_with = "time")]
    pub every: Duration,
    /// A challenge without an answer is taken back after this time.
    #[serde(deserialize_with = "time")]
    pub waits: Duration,
    /// Most challenges in 24 hours.
    pub per_day: usize,
    /// Most of these to one account.
    pub per_opponent: usize,
    /// Accounts that are not challenged.
    pub block: Vec<String>,
    /// If there are any, others are not challenged.
    pub only: Vec<String>,
}

/// A kind of chess that is played here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Variant {
    /// Chess.
    Standard,
    /// Chess960.
    Chess960,
    /// Chess from another position.
    FromPosition,
}

/// A class of time controls of Lichess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Speed {
    /// Under 30 seconds a game.
    UltraBullet,
    /// Under 3 minutes.
    Bullet,
    /// Under 8 minutes.
    Blitz,
    /// Under 25 minutes.
    Rapid,
    /// Longer.
    Classical,
    /// Days a move, or no clock.
    Correspondence,
}

/// Whether a game counts for ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It does not.
    Casual,
    /// It does.
    Rated,
}

/// A kind of opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opponents {
    /// Accounts of people.
    Humans,
    /// Accounts of bots.
    Bots,
}

/// A range of times.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Times {
    /// Shortest.
    #[serde(deserialize_with = "time")]
    pub min: Duration,
    /// Longest.
    #[serde(deserialize_with = "time")]
    pub max: Duration,
}

/// A range of ratings.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ratings {
    /// Lowest.
    pub min: u32,
    /// Highest.
    pub max: u32,
}

/// How the engine searches.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Search {
    /// Taken off the clock before each move, for the way to the server and back.
    #[serde(deserialize_with = "time")]
    pub move_overhead: Duration,
    /// Think in the opponent's time.
    pub ponder: bool,
    /// Most nodes a move, beside the clock.
    pub nodes: Option<u64>,
    /// Greatest depth of a move, beside the clock.
    pub depth: Option<u8>,
    /// Time a move in a game without a clock.
    #[serde(deserialize_with = "time")]
    pub untimed: Duration,
}

/// An opening book.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// A Polyglot file, seen from the folder of the settings.
    pub file: PathBuf,
    /// The book is left after this many plies of a game.
    #[serde(default = "plies")]
    pub plies: usize,
    /// Which of a position's moves.
    #[serde(default)]
    pub choice: Choice,
}

fn plies() -> usize {
    24
}

/// Which of the moves of a book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// By chance, in the proportion of their weights.
    #[default]
    Weighted,
    /// That of the greatest weight.
    Best,
}

/// Endgame tablebases and what they decide.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablebaseSettings {
    /// Folders, separated as in PATH.
    pub folders: String,
    /// Play their moves.
    #[serde(default = "yes")]
    pub moves: bool,
    /// Resign lost positions.
    #[serde(default)]
    pub resign: bool,
    /// Offer a draw in drawn positions, and agree to one.
    #[serde(default)]
    pub draw: bool,
}

fn yes() -> bool {
    true
}

/// Messages to the opponent; none unless set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Chat {
    /// Before the first move.
    pub greeting: Option<String>,
    /// After the game.
    pub farewell: Option<String>,
}

impl Default for Challenges {
    fn default() -> Challenges {
        Challenges {
            variants: vec![Variant::Standard],
            speeds: vec![Speed::Bullet, Speed::Blitz, Speed::Rapid, Speed::Classical],
            modes: vec![Mode::Casual, Mode::Rated],
            opponents: vec![Opponents::Humans, Opponents::Bots],
            base: Times::default(),
            increment: Times { min: Duration::ZERO, max: Duration::from_secs(180) },
            rating: Ratings::default(),
            block: Vec::new(),
            only: Vec::new(),
            per_opponent: 1,
        }
    }
}

impl Default for Seek {
    fn default() -> Seek {
        Seek {
            rating: Ratings::default(),
            clocks: vec![Clock { base: 180, increment: 2 }],
            modes: vec![Mode::Casual],
            variants: vec![Variant::Standard],
            every: Duration::from_secs(60),
            waits: Duration::from_secs(20),
            per_day: 50,
            per_opponent: 3,
            block: Vec::new(),
            only: Vec::new(),
        }
    }
}

impl Default for Times {
    /// All that Lichess knows.
    fn default() -> Times {
        Times { min: Duration::ZERO, max: Duration::from_secs(10_800) }
    }
}

impl Default for Ratings {
    /// All that Lichess knows.
    fn default() -> Ratings {
        Ratings { min: 0, max: 4000 }
    }
}

impl Default for Search {
    fn default() -> Search {
        Search {
            move_overhead: Duration::from_millis(300),
            ponder: false,
            nodes: None,
            depth: None,
            untimed: Duration::from_secs(10),
        }
    }
}

impl Times {
    /// Both ends belong to it.
    pub fn range(self) -> RangeInclusive<Duration> {
        self.min..=self.max
    }
}

/// Reads `60s`, `300ms` or `0`.
pub(super) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    if ["0", "0s", "0ms"].contains(&text.as_str()) {
        return Ok(Duration::ZERO);
    }
    if !text.ends_with('s') {
        return Err(D::Error::custom(format!("`{text}` is no time: write `60s` or `300ms`")));
    }
    parse_movetime(&text).map_err(D::Error::custom)
}
