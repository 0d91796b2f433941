//! Scores of positions as they are sent.

use engine::board::{Move, Position};
use serde::{Deserialize, Serialize};

use harness_data::analyse::{self, Answer, EngineAnswer};
use harness_player::pool::Seats;
use harness_player::{EngineSpec, Limit, Score};

/// What an engine says of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlainAnswer {
    /// A score.
    Said {
        /// For the side to move.
        score: Score,
        /// Depth in plies.
        depth: u8,
        /// The best move, as the engine's board encodes it.
        best: u16,
    },
    /// It crashed, hung, or returned no legal move or no score.
    Failed(String),
}

impl From<Answer> for PlainAnswer {
    fn from(answer: Answer) -> PlainAnswer {
        match answer {
            Answer::Searched(EngineAnswer { score, depth, best }) => {
                PlainAnswer::Said { score, depth, best: best.raw() }
            }
            Answer::Failed(reason) => PlainAnswer::Failed(reason),
        }
    }
}

impl PlainAnswer {
    /// As an import keeps it; `None` if it is damaged.
    pub fn answer(self) -> Option<Answer> {
        Some(match self {
            PlainAnswer::Said { score, depth, best } => {
                Answer::Searched(EngineAnswer { score, depth, best: Move::from_raw(best)? })
            }
            PlainAnswer::Failed(reason) => Answer::Failed(reason),
        })
    }
}

/// Searches positions, given by key and FEN.
///
/// # Errors
/// In words, when the engine cannot be started or fails again and again, or a FEN is not that of
/// its key.
pub fn search(
    engine: &EngineSpec,
    limit: Limit,
    seats: &mut Seats<'_>,
    positions: &[(u64, String)],
) -> Result<Vec<(u64, PlainAnswer)>, String> {
    let one = |(key, fen): &(u64, String)| {
        let position = Position::from_fen(fen).map_err(|error| error.to_string())?;
        if position.key() != *key {
            return Err(format!("`{fen}` has another key here"));
        }
        let answer = analyse::answer(engine, limit, seats, &position);
        Ok((*key, answer.map_err(|error| error.to_string())?.into()))
    };
    positions.iter().map(one).collect()
}
