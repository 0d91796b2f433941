//! Numbers of squares in the tables of the weights.

use crate::board::{Color, Square};

/// The number of a square in the tables: ranks from a colour's own side, files from the edge.
#[inline]
pub fn place(color: Color, square: Square) -> usize {
    let square = if color.is_white() { square } else { square.flip_vertical() };
    let (file, rank) = (square as usize % 8, square as usize / 8);
    rank * 4 + file.min(7 - file)
}
