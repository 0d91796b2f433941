//! What a network sees of a position: which of its inputs are on.
//!
//! Those of `perspective`, 768 from either side's view: an input is a kind of piece on a square,
//! own pieces before the opponent's, pawn to king, a1 to h8 with the board turned so that one's own
//! side is below. This is the layout of the "Chess768" inputs of public trainers (J. Oliver,
//! bullet).

use crate::board::{Color, Position, Role, Square};

/// A way to look at a board, and which inputs the pieces turn on.
pub trait FeatureSet: Copy {
    /// Kinds of pieces that are seen.
    const ROLES: &'static [Role];

    /// The number of this way to look: with the same one, the same pieces turn on the same inputs.
    fn way(self) -> usize;

    /// The number of the input that a piece on a square turns on.
    fn input(self, color: Color, role: Role, square: Square) -> usize;

    /// All inputs that are on, in no particular order.
    fn inputs(self, position: &Position) -> Vec<usize> {
        let seen = |square| {
            let piece = position.piece_at(square)?;
            let seen = Self::ROLES.contains(&piece.role);
            seen.then(|| self.input(piece.color, piece.role, square))
        };
        position.occupied().into_iter().filter_map(seen).collect()
    }
}

/// Inputs from one side's view.
pub const INPUTS: usize = 768;

/// How a side looks at the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// Who looks.
    pub side: Color,
    /// Left and right are exchanged.
    pub mirrored: bool,
}

impl View {
    /// The view of a side whose king stands here. With `mirroring` the king is always on the files
    /// a to d.
    #[inline(always)]
    pub fn new(side: Color, king: Square, mirroring: bool) -> View {
        View { side, mirrored: mirroring && king as u8 & 7 >= 4 }
    }

    /// The view of a side of a position.
    #[inline(always)]
    pub fn of(position: &Position, side: Color, mirroring: bool) -> View {
        View::new(side, position.king(side), mirroring)
    }

    /// What a square is xored with.
    #[inline(always)]
    fn turn(self) -> usize {
        let flipped = if self.side == Color::White { 0 } else { 56 };
        flipped | if self.mirrored { 7 } else { 0 }
    }
}

impl FeatureSet for View {
    const ROLES: &'static [Role] = &Role::ALL;

    #[inline(always)]
    fn way(self) -> usize {
        usize::from(self.mirrored)
    }

    #[inline(always)]
    fn input(self, color: Color, role: Role, square: Square) -> usize {
        let theirs = usize::from(color != self.side);
        384 * theirs + 64 * (role as usize - 1) + (square as usize ^ self.turn())
    }
}

/// Which of so many output layers judges a position: by the number of pieces, kings included.
#[inline(always)]
pub fn output_bucket(pieces: usize, buckets: usize) -> usize {
    // From 2 to 32 pieces, in steps of equal width.
    (pieces.saturating_sub(2) / 31_usize.div_ceil(buckets)).min(buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_sees_itself_below() {
        let view = |side| View { side, mirrored: false };
        let own = view(Color::White).input(Color::White, Role::Pawn, Square::E2);
        assert_eq!(own, view(Color::Black).input(Color::Black, Role::Pawn, Square::E7));
        assert_eq!(own, Square::E2 as usize);
        let theirs = view(Color::White).input(Color::Black, Role::King, Square::E8);
        assert_eq!(theirs, view(Color::Black).input(Color::White, Role::King, Square::E1));
        assert_eq!(theirs, 384 + 320 + Square::E8 as usize);
    }

    #[test]
    fn a_mirroring_view_keeps_its_king_to_the_left() {
        for king in Square::ALL {
            let view = View::new(Color::White, king, true);
            let seen = view.input(Color::White, Role::King, king) - 320;
            assert!(seen % 8 < 4, "{king}");
            assert!(!View::new(Color::White, king, false).mirrored);
        }
    }

    #[test]
    fn all_inputs_of_a_position_differ() {
        let position = Position::startpos();
        for mirrored in [false, true] {
            let view = View { side: Color::Black, mirrored };
            let mut inputs = view.inputs(&position);
            inputs.sort_unstable();
            inputs.dedup();
            assert_eq!(inputs.len(), 32);
            assert!(inputs.iter().all(|&input| input < INPUTS));
        }
    }

    #[test]
    fn every_bucket_has_its_positions() {
        assert_eq!((2..=32).map(|pieces| output_bucket(pieces, 1)).max(), Some(0));
        let eight: Vec<usize> = (2..=32).map(|pieces| output_bucket(pieces, 8)).collect();
        assert!(eight.is_sorted() && eight[0] == 0 && eight[30] == 7);
        assert!((0..8).all(|bucket| eight.contains(&bucket)));
    }
}
