//! Values inside the search, and scores as people see them.

/// A value of a position for the side to move: centipawns, or near ±[`MATE`] the distance to it.
pub(super) type Value = i32;

/// The maximum ply of the search.
pub use crate::eval::MAX_PLY;

/// Mate on the board; mate in n plies is worth n less.
pub(super) const MATE: Value = 32_000;
/// Larger than any value.
pub(super) const INFINITE: Value = MATE + 1;
/// From here on a value is a mate that was found.
pub(super) const MATE_FOUND: Value = MATE - MAX_PLY as Value;
/// What endgame tables know to be won, in n plies from the root, is worth n less.
pub(super) const TABLE_WIN: Value = MATE_FOUND - 1;
/// From here on a value is certain: a mate or a win by the tables.
pub(super) const DECIDED: Value = TABLE_WIN - MAX_PLY as Value;
/// The value of a draw.
pub(super) const DRAW: Value = 0;
/// No evaluation reaches beyond this.
pub(super) const EVAL_LIMIT: Value = DECIDED - 1;

/// Being mated after `ply` plies.
pub(super) fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// Giving mate after `ply` plies.
pub(super) fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// Whether the value is a mate or what the tables know to be won, for either side.
pub(super) fn is_decided(value: Value) -> bool {
    value.abs() >= DECIDED
}

/// Whether the value is a mate, for either side.
pub(super) fn is_mate(value: Value) -> bool {
    value.abs() >= MATE_FOUND
}

/// The open interval (alpha, beta) in which an exact value is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub alpha: Value,
    pub beta: Value,
}

impl Window {
    pub const FULL: Window = Window { alpha: -INFINITE, beta: INFINITE };

    /// The zero window that tests for "at least `beta`".
    pub fn zero(beta: Value) -> Window {
        Window { alpha: beta - 1, beta }
    }

    /// The same window from the opponent's side.
    pub fn reversed(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    /// The zero window that tests whether a move raises alpha.
    pub fn scout(self) -> Window {
        Window::zero(self.alpha + 1)
    }
}

/// A score for the side to move, as UCI has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn; near ±20,000 what endgame tables know to be won or lost.
    Centipawns(i32),
    /// Full moves to mate; negative when being mated.
    Mate(i32),
}

impl From<Value> for Score {
    fn from(value: Value) -> Score {
        if value >= MATE_FOUND {
            Score::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_FOUND {
            Score::Mate(-(MATE + value) / 2)
        } else if is_decided(value) {
            Score::Centipawns(value.signum() * (TABLE_SCORE - TABLE_WIN) + value)
        } else {
            Score::Centipawns(value)
        }
    }
}

/// The score of a win by the tables on the board, as other engines write it.
const TABLE_SCORE: i32 = 20_000;

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Score::Centipawns(value) => write!(f, "cp {value}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_counted_in_full_moves() {
        assert_eq!(Score::from(mate_in(1)), Score::Mate(1));
        assert_eq!(Score::from(mate_in(3)), Score::Mate(2));
        assert_eq!(Score::from(mated_in(2)), Score::Mate(-1));
        assert_eq!(Score::from(mated_in(4)), Score::Mate(-2));
        assert_eq!(Score::from(-35), Score::Centipawns(-35));
    }

    #[test]
    fn what_the_tables_know_is_no_mate_and_no_evaluation() {
        assert_eq!(Score::from(TABLE_WIN - 3), Score::Centipawns(19_997));
        assert_eq!(Score::from(3 - TABLE_WIN), Score::Centipawns(-19_997));
        assert!(is_decided(TABLE_WIN - MAX_PLY as Value) && !is_decided(EVAL_LIMIT));
        assert!(!is_mate(TABLE_WIN));
    }
}
