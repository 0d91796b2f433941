//! Squares on which pieces usually stand in games, seen from the side that they belong to.
//!
//! A king on g1 and a queen on d1 are more likely than the other way round, and White's pieces are more
//! often on White's half: that tells pieces of strange shapes apart, and the side below.

/// For each kind, by rank and file from its own side, the logarithm of how much more often a piece there is of this
/// kind and colour than pieces are on the whole, in eighths of a nat.
///
/// Of 60,000 positions of games of the engine with itself, at 600 nodes a move from balanced random openings, with 60 pieces of the mean
/// mixture added to each square; `train_picture usual` makes it of positions.
#[rustfmt::skip]
const USUAL: [[i8; 64]; 6] = [
    // Pawn.
    [
        -32, -32, -32, -32, -32, -32, -32, -32,
        10, 9, 8, 3, 3, 9, 8, 10,
        7, 8, 5, 5, 7, 3, 8, 7,
        7, 4, 5, 6, 5, 5, 4, 7,
        -3, 0, -4, -3, -2, -5, -1, -2,
        -10, -14, -16, -12, -15, -16, -16, -9,
        -20, -25, -24, -24, -25, -28, -29, -24,
        -32, -32, -32, -32, -32, -32, -32, -32,
    ],
    // Knight.
    [
        -26, 19, -12, -8, -7, -8, 12, -25,
        -14, -14, -1, 10, 8, -2, -13, -14,
        7, 1, 14, 2, 1, 15, 1, 6,
        0, -6, 4, 3, 4, 4, -5, -2,
        -8, 5, -1, 0, 3, -1, 4, -5,
        -15, -7, -7, -3, -6, -9, -10, -15,
        -18, -17, -12, -12, -13, -16, -21, -20,
        -21, -22, -20, -19, -21, -23, -29, -23,
    ],
    // Bishop.
    [
        -12, -10, 20, -7, -9, 17, -18, -14,
        -13, 8, -7, 9, 12, -9, 9, -17,
        1, -4, 1, 8, 7, 2, -5, -1,
        -9, -3, 3, -2, -2, 3, -4, -10,
        -9, 3, -4, -4, -4, -6, 2, -7,
        -10, -7, -7, -6, -9, -8, -10, -8,
        -15, -13, -12, -13, -12, -15, -16, -19,
        -19, -13, -14, -16, -16, -18, -19, -19,
    ],
    // Rook.
    [
        20, 11, 6, 9, 8, 13, 2, 19,
        -4, -11, -7, -5, -6, -8, -13, -7,
        -6, -8, -9, -6, -8, -9, -9, -6,
        -5, -7, -8, -11, -9, -7, -8, -6,
        -4, -5, -7, -10, -9, -9, -7, -6,
        -4, -5, -7, -6, -9, -11, -10, -8,
        -3, -6, -5, -6, -8, -11, -11, -9,
        -9, -5, -9, -10, -11, -12, -11, -10,
    ],
    // Queen.
    [
        -9, -1, 2, 25, -1, -9, -17, -18,
        -8, -5, 9, 9, 8, -6, -10, -16,
        -7, 7, -2, 6, -1, 3, -3, -8,
        2, -4, -2, -1, -2, -3, -1, -5,
        -7, -4, -5, -5, -5, -5, -4, 0,
        -8, -7, -8, -6, -8, -8, -9, -8,
        -8, -9, -9, -8, -10, -13, -15, -12,
        -12, -7, -11, -11, -13, -15, -14, -11,
    ],
    // King.
    [
        -11, 6, 4, 2, 20, 6, 19, 7,
        -9, -5, -1, 4, 5, 4, 4, 2,
        -10, -4, -4, 1, 1, 1, 1, -2,
        -14, -6, -5, -5, -3, -1, -2, -7,
        -15, -7, -7, -7, -5, -5, -4, -10,
        -16, -9, -10, -8, -9, -9, -10, -13,
        -21, -19, -16, -13, -16, -18, -19, -20,
        -30, -18, -20, -22, -23, -22, -22, -27,
    ],
];

/// How much likelier a piece of this kind is where it stands than elsewhere, in nats.
///
/// `at` is the square's number in the picture, along the rows from the upper left.
pub(crate) fn likelihood(kind: usize, white: bool, at: usize, black_below: bool) -> f32 {
    let seen = if black_below { 63 - at } else { at };
    let (row, file) = (seen / 8, seen % 8);
    let rank = if white { 7 - row } else { row };
    f32::from(USUAL[kind][8 * rank + file]) / 8.0
}
