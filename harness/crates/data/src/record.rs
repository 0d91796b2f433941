//! A labelled position.

use std::sync::Arc;

use engine::board::{Color, Move, Position};

use harness_player::Score;
use harness_stats::GameScore;

/// Where the score of a position comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// The engine that searched.
    pub engine: String,
    /// Its opponent.
    pub opponent: String,
    /// The game: its `Round` tag, or its number in the file.
    pub game: String,
}

impl Source {
    /// Of a game that has a number and no names.
    pub fn of_number(number: u64) -> Source {
        Source { game: number.to_string(), ..Source::default() }
    }

    /// Whether it says no more than the number of the game.
    pub fn is_number_alone(&self, number: u64) -> bool {
        self.engine.is_empty() && self.opponent.is_empty() && self.game.parse() == Ok(number)
    }
}

/// A position with its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The position.
    pub position: Position,
    /// Score of a search, for White.
    pub score: Option<Score>,
    /// Result of the game for White.
    pub result: Option<GameScore>,
    /// The move that was played.
    pub played: Option<Move>,
    /// Plies played before, the opening's included.
    pub ply: Option<u16>,
    /// Depth of the search in plies; 0: unknown.
    pub depth: u8,
    /// Number of its game in the input, from 1; positions of one game stay together when
    /// data are split. In formats without games a block of neighbours counts as one.
    pub game: u64,
    /// Its source, in formats that store one.
    pub source: Option<Arc<Source>>,
}

impl Record {
    /// A position without labels.
    pub fn bare(position: Position, game: u64) -> Record {
        Record {
            position,
            score: None,
            result: None,
            played: None,
            ply: None,
            depth: 0,
            game,
            source: None,
        }
    }

    /// The score as a number for White; see [`number_of`].
    pub fn number(&self) -> Option<i16> {
        self.score.map(number_of)
    }
}

/// Plies played before a position, from its full-move counter; `None` if that is 1, which means
/// the first two plies of a game or no counter.
pub fn counted_ply(position: &Position) -> Option<u16> {
    let moves = position.fullmoves().saturating_sub(1);
    let black = u16::from(position.side() == Color::Black);
    (moves > 0).then(|| moves.saturating_mul(2).saturating_add(black))
}

/// Score of checkmate; a mate in n plies scores n less, as in Viridithas's training data.
const MATE: i16 = 32_000;

/// The largest score that is no mate.
pub const MAX_CENTIPAWNS: i16 = 31_000;

/// A score as one number: a mate in n moves, of either side, is 32,000 minus 2n - 1, the plies to it where the
/// winner is to move.
pub fn number_of(score: Score) -> i16 {
    let limit = i32::from(MAX_CENTIPAWNS);
    match score {
        // Clamped to what fits.
        Score::Centipawns(score) => score.clamp(-limit, limit) as i16,
        Score::Mate(moves) => {
            let plies = (2 * moves.unsigned_abs().clamp(1, 400) - 1) as i16;
            if moves > 0 { MATE - plies } else { plies - MATE }
        }
    }
}

/// The score that a number means; see [`number_of`].
pub fn score_of(number: i16) -> Score {
    if number.unsigned_abs() <= MAX_CENTIPAWNS as u16 {
        return Score::Centipawns(number.into());
    }
    let plies = (i32::from(MATE) - i32::from(number).abs()).max(0);
    // At least 1: `Mate(0)` has no sign, and would be of both sides.
    let moves = ((plies + 1) / 2).max(1);
    Score::Mate(if number > 0 { moves } else { -moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_survives_being_a_number() {
        for score in [0, 1, -37, 31_000, -31_000].map(Score::Centipawns) {
            assert_eq!(score_of(number_of(score)), score);
        }
        for moves in [1, -1, 5, -5, 200, -200] {
            assert_eq!(score_of(number_of(Score::Mate(moves))), Score::Mate(moves));
        }
        assert_eq!(number_of(Score::Centipawns(-90_000)), -MAX_CENTIPAWNS);
        assert_eq!(score_of(i16::MIN), Score::Mate(-1));
        assert_eq!(score_of(-32_000), Score::Mate(-1));
    }
}
