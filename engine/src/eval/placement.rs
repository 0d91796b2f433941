//! Material and where it stands.

use super::tally::{Tally, count};
use super::trace::Trace;
use crate::board::{Color, Position, Role, Square};

/// Counts material, squares and the bishop pair of all pieces except pawns and of the kings.
#[inline]
pub fn pieces<T: Trace>(position: &Position, tally: &mut Tally<'_, T>) {
    for color in [Color::White, Color::Black] {
        for square in position.pieces(color, Role::Knight) {
            count!(tally, color, material[1]);
            count!(tally, color, knight_square[place(color, square)]);
        }
        for square in position.pieces(color, Role::Bishop) {
            count!(tally, color, material[2]);
            count!(tally, color, bishop_square[place(color, square)]);
        }
        for square in position.pieces(color, Role::Rook) {
            count!(tally, color, material[3]);
            count!(tally, color, rook_square[place(color, square)]);
        }
        for square in position.pieces(color, Role::Queen) {
            count!(tally, color, material[4]);
            count!(tally, color, queen_square[place(color, square)]);
        }
        count!(tally, color, king_square[place(color, position.king(color))]);
        if position.pieces(color, Role::Bishop).more_than_one() {
            count!(tally, color, bishop_pair[0]);
        }
    }
}

/// Counts material and squares of the pawns.
#[inline]
pub fn pawns<T: Trace>(position: &Position, tally: &mut Tally<'_, T>) {
    for color in [Color::White, Color::Black] {
        for square in position.pieces(color, Role::Pawn) {
            count!(tally, color, material[0]);
            count!(tally, color, pawn_square[place(color, square)]);
        }
    }
}

/// The number of a square in the tables: ranks from a colour's own side, files from the edge.
#[inline]
pub fn place(color: Color, square: Square) -> usize {
    let square = if color.is_white() { square } else { square.flip_vertical() };
    let (file, rank) = (square as usize % 8, square as usize / 8);
    rank * 4 + file.min(7 - file)
}
