//! Indices of the piece-square tables.

use crate::board::{Color, Square};

/// The index of a square: ranks from the colour's own side, files from the edge.
#[inline]
pub fn psqt_index(color: Color, square: Square) -> usize {
    let square = if color.is_white() { square } else { square.flip_vertical() };
    let file = square as usize % 8;
    let rank = square as usize / 8;
    rank * 4 + file.min(7 - file)
}
