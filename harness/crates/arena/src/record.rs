//! Openings, pair jobs and games as plain data.

use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use shakmaty::ByColor;
use shakmaty::uci::UciMove;

use super::termination::Termination;
use harness_player::pool::{Settings, Wanted};
use harness_player::{EngineSpec, Limit};
use harness_stats::GameScore;

/// Where a game starts: a position, and book moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// FEN of the position; `None` is the usual start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// Book moves, in the notation of the game's castling mode.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        serialize_with = "moves_to_text",
        deserialize_with = "moves_from_text"
    )]
    pub moves: Vec<UciMove>,
}

/// One opening played twice, with colours swapped unless [`Colours`] says otherwise: the unit of work.
///
/// A job may be repeated after a crash, in another thread or on another machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairJob {
    /// Number of the pair within the run, from 0.
    pub pair: u64,
    /// The sides; the first one has White in the first game, unless `colours` says otherwise.
    pub sides: [Side; 2],
    /// Where both games start, unless the second one has an opening of its own.
    pub opening: Opening,
    /// Where the second game starts, if not where the first one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_opening: Option<Opening>,
    /// Who has White.
    #[serde(default, skip_serializing_if = "Colours::are_swapped")]
    pub colours: Colours,
    /// The one game that is left; `None`: both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Leg>,
}

/// Who has White in the games of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Colours {
    /// The same side has White in both games, which then have openings of their own.
    pub fixed: bool,
    /// The second side has White in the first game.
    pub reversed: bool,
}

impl Colours {
    /// Colours are swapped after the first game, in which the first side has White.
    fn are_swapped(&self) -> bool {
        *self == Colours::default()
    }

    /// Whether the first side has White.
    pub fn first_is_white(self, leg: Leg) -> bool {
        (self.fixed || leg == Leg::First) != self.reversed
    }
}

/// One side of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Its number in the run: the index of the engine in a match.
    pub number: usize,
    /// Its name in the PGN.
    pub name: String,
    /// The engine, by content hash, with the options of every pair.
    pub engine: EngineSpec,
    /// Options that change from pair to pair.
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub settings: Settings,
    /// Its limit.
    pub limit: Limit,
}

impl Side {
    /// Its player.
    pub(super) fn wanted(&self) -> Wanted<'_> {
        Wanted { number: self.number, engine: &self.engine, settings: &self.settings }
    }
}

impl PairJob {
    /// The sides of a game.
    pub(super) fn sides(&self, leg: Leg) -> ByColor<&Side> {
        let [first, second] = &self.sides;
        match self.colours.first_is_white(leg) {
            true => ByColor { white: first, black: second },
            false => ByColor { white: second, black: first },
        }
    }

    /// Where a game starts.
    pub(super) fn opening(&self, leg: Leg) -> &Opening {
        match (&self.second_opening, leg) {
            (Some(second), Leg::Second) => second,
            _ => &self.opening,
        }
    }
}

/// Which game of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leg {
    /// The pair's first engine has White, unless [`Colours`] says otherwise.
    First,
    /// Colours swapped, unless [`Colours`] says otherwise.
    Second,
}

impl Leg {
    /// Both, in the order in which they are played.
    pub const BOTH: [Leg; 2] = [Leg::First, Leg::Second];

    /// 1 or 2.
    pub fn number(self) -> u8 {
        match self {
            Leg::First => 1,
            Leg::Second => 2,
        }
    }

    /// 0 or 1.
    pub fn index(self) -> u8 {
        self.number() - 1
    }

    /// The leg of an index, if it is one.
    pub fn from_index(index: u8) -> Option<Leg> {
        Leg::BOTH.into_iter().find(|leg| leg.index() == index)
    }
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Number of the pair within the run, from 0.
    pub pair: u64,
    /// Which game of the pair.
    pub leg: Leg,
    /// Index of the engine that had White.
    pub white: usize,
    /// Index of the engine that had Black.
    pub black: usize,
    /// The result for White.
    pub result: GameScore,
    /// How it ended.
    pub termination: Termination,
    /// The same in words, with evidence: `White loses on time (overrun 12 ms)`.
    pub reason: String,
    /// Half moves played, those of the opening not counted.
    pub plies: u32,
    /// How long it took.
    pub took: Duration,
    /// Mean nodes a move that White and Black reported.
    #[serde(default)]
    pub nodes: [Option<u64>; 2],
    /// The game as PGN, with an empty line at the end.
    pub pgn: String,
    /// Name and public key of the worker that played it; `None`: this process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

fn moves_to_text<S: Serializer>(moves: &[UciMove], to: S) -> Result<S::Ok, S::Error> {
    let texts: Vec<String> = moves.iter().map(UciMove::to_string).collect();
    to.serialize_str(&texts.join(" "))
}

fn moves_from_text<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<UciMove>, D::Error> {
    let text = String::deserialize(from)?;
    text.split_whitespace()
        .map(|word| {
            UciMove::from_str(word)
                .map_err(|_| serde::de::Error::custom(format!("`{word}` is not a UCI move")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_swapped_fixed_or_reversed() {
        for (fixed, reversed, expected) in [
            (false, false, [true, false]),
            (false, true, [false, true]),
            (true, false, [true, true]),
            (true, true, [false, false]),
        ] {
            let colours = Colours { fixed, reversed };
            assert_eq!(Leg::BOTH.map(|leg| colours.first_is_white(leg)), expected);
        }
    }

    #[test]
    fn a_pair_job_is_the_same_after_serialisation() {
        let side = |number, margin: &str| Side {
            number,
            name: format!("side {number}"),
            engine: EngineSpec {
                options: [("Hash".to_owned(), "1".to_owned())].into(),
                ..EngineSpec::builtin("engine")
            },
            settings: [("rfp_margin".to_owned(), margin.to_owned())].into(),
            limit: Limit::Nodes(500),
        };
        let job = PairJob {
            pair: 7,
            sides: [side(1, "70"), side(0, "80")],
            second_opening: None,
            colours: Colours { fixed: false, reversed: true },
            only: Some(Leg::Second),
            opening: Opening {
                fen: Some("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned()),
                moves: vec!["e2e4".parse().unwrap(), "e8d8".parse().unwrap()],
            },
        };
        let text = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<PairJob>(&text).unwrap(), job);
    }
}
