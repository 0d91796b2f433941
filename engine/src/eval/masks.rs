//! Bitboard shifts and fills, from a colour's side.

use crate::board::{Bitboard, Color, Square};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = 0x8080_8080_8080_8080;

/// Shifts all squares one rank forward.
#[inline(always)]
pub fn forward(color: Color, squares: Bitboard) -> Bitboard {
    Bitboard(if color.is_white() { squares.0 << 8 } else { squares.0 >> 8 })
}

/// Front fill: all squares ahead on the same files, without the squares themselves.
#[inline(always)]
pub fn ahead(color: Color, squares: Bitboard) -> Bitboard {
    let mut all = forward(color, squares).0;
    if color.is_white() {
        all |= all << 8;
        all |= all << 16;
        all |= all << 32;
    } else {
        all |= all >> 8;
        all |= all >> 16;
        all |= all >> 32;
    }
    Bitboard(all)
}

/// The squares left and right of each square.
#[inline(always)]
pub fn beside(squares: Bitboard) -> Bitboard {
    Bitboard((squares.0 & !FILE_A) >> 1 | (squares.0 & !FILE_H) << 1)
}

/// Squares that pawns attack.
#[inline(always)]
pub fn pawn_attacks_of(color: Color, pawns: Bitboard) -> Bitboard {
    beside(forward(color, pawns))
}

/// Squares that two pawns attack.
#[inline(always)]
pub fn pawn_double_attacks_of(color: Color, pawns: Bitboard) -> Bitboard {
    let ahead = forward(color, pawns).0;
    Bitboard((ahead & !FILE_A) >> 1 & (ahead & !FILE_H) << 1)
}

/// The rank from a colour's own side: 0 to 7.
#[inline(always)]
pub fn relative_rank(color: Color, square: Square) -> usize {
    let rank = square as usize / 8;
    if color.is_white() { rank } else { 7 - rank }
}

/// The relative rank of the rearmost square.
#[inline(always)]
pub fn rank_of_rearmost(color: Color, squares: Bitboard) -> Option<usize> {
    let square = if color.is_white() { squares.first() } else { squares.last() };
    square.map(|square| relative_rank(color, square))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{File, Rank};

    #[test]
    fn ahead_is_the_rest_of_the_file() {
        let e4 = Bitboard::from_square(Square::E4);
        let white = Bitboard::from_iter([Square::E5, Square::E6, Square::E7, Square::E8]);
        let black = Bitboard::from_iter([Square::E3, Square::E2, Square::E1]);
        assert_eq!(ahead(Color::White, e4), white);
        assert_eq!(ahead(Color::Black, e4), black);
    }

    #[test]
    fn nothing_wraps_around_the_edge() {
        assert_eq!(beside(Bitboard::from_file(File::A)), Bitboard::from_file(File::B));
        assert_eq!(beside(Bitboard::from_file(File::H)), Bitboard::from_file(File::G));
        let second = Bitboard::from_rank(Rank::Second);
        assert_eq!(pawn_attacks_of(Color::White, second), Bitboard::from_rank(Rank::Third));
        assert_eq!(pawn_double_attacks_of(Color::White, second).count(), 6);
    }
}
