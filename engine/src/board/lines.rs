//! Slider attacks on an empty board, by square.

use super::{Bitboard, Square};

/// The diagonal through a square in the direction of a1-h8, without the square.
#[inline]
pub fn diagonal(square: Square) -> Bitboard {
    Bitboard(DIAGONALS[square as usize])
}

/// The diagonal through a square in the direction of a8-h1, without the square.
#[inline]
pub fn anti_diagonal(square: Square) -> Bitboard {
    Bitboard(ANTI_DIAGONALS[square as usize])
}

/// Squares that a bishop attacks on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    Bitboard(BISHOP_RAYS[square as usize])
}

/// Squares that a rook attacks on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    Bitboard(ROOK_RAYS[square as usize])
}

static DIAGONALS: [u64; 64] = table(&[(1, 1), (-1, -1)]);
static ANTI_DIAGONALS: [u64; 64] = table(&[(1, -1), (-1, 1)]);
static BISHOP_RAYS: [u64; 64] = table(&[(1, 1), (-1, -1), (1, -1), (-1, 1)]);
static ROOK_RAYS: [u64; 64] = table(&[(1, 0), (-1, 0), (0, 1), (0, -1)]);

/// For each square, the squares that steps of any length in the directions reach.
const fn table(directions: &[(i32, i32)]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < directions.len() {
            let (dx, dy) = directions[i];
            let mut file = square % 8 + dx;
            let mut rank = square / 8 + dy;
            while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                table[square as usize] |= 1 << (rank * 8 + file);
                (file, rank) = (file + dx, rank + dy);
            }
            i += 1;
        }
        square += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::{bishop_attacks, rook_attacks};
    use super::*;

    #[test]
    fn lines_are_what_sliders_attack_on_an_empty_board() {
        for square in Square::ALL {
            assert_eq!(rook_rays(square), rook_attacks(square, Bitboard::EMPTY));
            assert_eq!(bishop_rays(square), bishop_attacks(square, Bitboard::EMPTY));
            assert_eq!(diagonal(square) | anti_diagonal(square), bishop_rays(square));
        }
        assert_eq!(diagonal(Square::A1).count(), 7);
        assert_eq!(anti_diagonal(Square::A1), Bitboard::EMPTY);
    }
}
