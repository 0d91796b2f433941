//! Castling rights, and the squares of castling moves.

use super::{Bitboard, CastlingSide, Color, Square};

/// Who may still castle, and with which rook.
///
/// The set of rooks that have not moved and whose king has not moved. A king with rights stands
/// on its back rank with at most one such rook on either side, so that the set is sufficient, also in
/// Chess960.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CastlingRights(pub(super) Bitboard);

impl CastlingRights {
    /// Squares of the rooks, of both colours, that their king may castle with.
    #[inline]
    pub fn rooks(self) -> Bitboard {
        self.0
    }

    /// Squares of the rooks that the king of this colour may castle with.
    #[inline]
    pub fn rooks_of(self, color: Color) -> Bitboard {
        self.0 & color.backrank()
    }

    /// Whether neither side may castle.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

/// The side on which this rook stands, seen from its king.
#[inline]
pub fn side_of(king: Square, rook: Square) -> CastlingSide {
    CastlingSide::from_king_side(rook > king)
}

/// Squares that must be empty for castling, except for the two pieces themselves: all that king
/// and rook pass or reach.
#[inline]
pub fn path(color: Color, king: Square, rook: Square) -> Bitboard {
    let side = side_of(king, rook);
    let travelled = span(king, side.king_to(color)) | span(rook, side.rook_to(color));
    travelled & !(Bitboard::from_square(king) | Bitboard::from_square(rook))
}

/// Squares that must not be attacked for castling: all that the king passes, with both ends.
#[inline]
pub fn king_path(color: Color, king: Square, rook: Square) -> Bitboard {
    span(king, side_of(king, rook).king_to(color))
}

/// The squares from one to another on the same rank, with both ends.
#[inline]
fn span(a: Square, b: Square) -> Bitboard {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    Bitboard((2_u64 << high as u32).wrapping_sub(1) & (!0 << low as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    #[test]
    fn the_path_of_ordinary_castling_is_what_stands_between() {
        let kingside = Bitboard::from_iter([Square::F1, Square::G1]);
        assert_eq!(path(Color::White, Square::E1, Square::H1), kingside);
        let queenside = Bitboard::from_iter([Square::B8, Square::C8, Square::D8]);
        assert_eq!(path(Color::Black, Square::E8, Square::A8), queenside);
        let king = Bitboard::from_iter([Square::C8, Square::D8, Square::E8]);
        assert_eq!(king_path(Color::Black, Square::E8, Square::A8), king);
    }

    #[test]
    fn rights_of_chess_are_of_a_king_on_the_e_file_with_rooks_in_corners() {
        for (fen, is_chess) in [
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", true),
            ("r3k2r/8/8/8/8/8/8/R3K2R b - - 0 1", true),
            ("4k3/8/8/8/8/8/8/1R1K4 w - - 0 1", true),
            ("r3k2r/8/8/8/8/8/8/1R2K3 w Bkq - 0 1", false),
            ("r2k3r/8/8/8/8/8/8/R3K2R w KQa - 0 1", false),
            ("r3k2r/8/8/8/8/8/8/R2K3R w HAkq - 0 1", false),
        ] {
            let position = Position::from_fen(fen).expect("legal");
            assert_eq!(position.castles_as_in_chess(), is_chess, "{fen}");
        }
    }

    #[test]
    fn a_span_may_end_in_either_corner() {
        assert_eq!(span(Square::H8, Square::G8).count(), 2);
        assert_eq!(span(Square::A1, Square::A1), Bitboard::from_square(Square::A1));
    }

    #[test]
    fn a_chess960_king_that_stays_needs_room_for_its_rook_only() {
        let rook_goes_to = Bitboard::from_square(Square::F1);
        assert_eq!(path(Color::White, Square::G1, Square::H1), rook_goes_to);
        assert_eq!(
            king_path(Color::White, Square::G1, Square::H1),
            Bitboard::from_square(Square::G1)
        );
    }
}
