//! Values inside the search, their windows, and scores as UCI prints them.

/// A value for the side to move, in centipawns; near ±[`MATE`] the distance to mate in plies.
pub(super) type Value = i32;

/// The maximum ply of the search.
pub use crate::eval::MAX_PLY;

/// Checkmate on the board; a mate in n plies has n less.
pub(super) const MATE: Value = 32_000;
/// Above all values.
pub(super) const INFINITE: Value = MATE + 1;
/// Values from here on are mates.
pub(super) const MATE_IN_MAX_PLY: Value = MATE - MAX_PLY as Value;
/// A win by the tablebases at the root; at ply n it has n less.
pub(super) const TB_WIN: Value = MATE_IN_MAX_PLY - 1;
/// Values from here on are mates or tablebase wins.
pub(super) const TB_WIN_IN_MAX_PLY: Value = TB_WIN - MAX_PLY as Value;
/// The value of a draw.
pub(super) const DRAW: Value = 0;
/// Largest absolute value of an evaluation.
pub(super) const EVAL_LIMIT: Value = TB_WIN_IN_MAX_PLY - 1;

/// Being checkmated at `ply`.
pub(super) fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// Giving checkmate at `ply`.
pub(super) fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// Whether the value is a mate or a tablebase win, for either side.
pub(super) fn is_decisive(value: Value) -> bool {
    value.abs() >= TB_WIN_IN_MAX_PLY
}

/// Whether the value is a mate, for either side.
pub(super) fn is_mate(value: Value) -> bool {
    value.abs() >= MATE_IN_MAX_PLY
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

/// A score for the side to move, as UCI prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns; near ±20,000 a tablebase win or loss.
    Centipawns(i32),
    /// Full moves to mate; negative when being checkmated.
    Mate(i32),
}

impl From<Value> for Score {
    fn from(value: Value) -> Score {
        if value >= MATE_IN_MAX_PLY {
            Score::Mate((MATE - value + 1) / 2)
        } else if value <= -MATE_IN_MAX_PLY {
            Score::Mate(-(MATE + value) / 2)
        } else if is_decisive(value) {
            Score::Centipawns(value.signum() * (TB_SCORE - TB_WIN) + value)
        } else {
            Score::Centipawns(value)
        }
    }
}

/// The score of a tablebase win at the root, as in other engines.
const TB_SCORE: i32 = 20_000;

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
    fn a_tablebase_win_is_no_mate_and_no_evaluation() {
        assert_eq!(Score::from(TB_WIN - 3), Score::Centipawns(19_997));
        assert_eq!(Score::from(3 - TB_WIN), Score::Centipawns(-19_997));
        assert!(is_decisive(TB_WIN - MAX_PLY as Value) && !is_decisive(EVAL_LIMIT));
        assert!(!is_mate(TB_WIN));
    }
}
