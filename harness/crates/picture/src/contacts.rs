//! Attacks of pieces on each other, as far as the occupied squares alone decide them.

/// The squares are a king's step apart.
const STEP: u8 = 1;
/// A knight's jump apart.
const JUMP: u8 = 2;
/// On a row or column with nothing between them.
const STRAIGHT: u8 = 4;
/// On a diagonal with nothing between them.
const DIAGONAL: u8 = 8;

/// The contacts of clusters of squares with each other.
pub(crate) struct Contacts {
    /// Bits of all pairs of squares of two clusters.
    of: Vec<Vec<u8>>,
}

impl Contacts {
    /// Of the occupied squares of a board, by cluster, each numbered along the rows.
    pub(crate) fn new<'a>(clusters: impl Iterator<Item = &'a [usize]>) -> Self {
        let clusters: Vec<&[usize]> = clusters.collect();
        let mut occupied = [false; 64];
        for &at in clusters.iter().copied().flatten() {
            occupied[at] = true;
        }
        let contact = |a: &[usize], b: &[usize]| {
            let pairs = a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b)));
            pairs.fold(0, |bits, (a, b)| bits | contact(a, b, &occupied))
        };
        let row = |a: &&[usize]| clusters.iter().map(|b| contact(a, b)).collect();
        Self { of: clusters.iter().map(row).collect() }
    }

    /// Whether a piece of `from`, of this kind (pawn, knight, bishop, rook, queen, king), attacks one
    /// of `to`. Pawns attack nothing here: which way they go is not known yet.
    pub(crate) fn attacks(&self, from: usize, kind: usize, to: usize) -> bool {
        let bits = [0, JUMP, DIAGONAL, STRAIGHT, STRAIGHT | DIAGONAL, STEP];
        self.of[from][to] & bits[kind] != 0
    }
}

/// The contact of two squares.
fn contact(a: usize, b: usize, occupied: &[bool; 64]) -> u8 {
    let step = |from: usize, to: usize| to as i32 - from as i32;
    let (rows, columns) = (step(a / 8, b / 8), step(a % 8, b % 8));
    let far = rows.abs().max(columns.abs());
    if rows.abs() * columns.abs() == 2 {
        return JUMP;
    }
    let is_diagonal = rows.abs() == columns.abs();
    if far == 0 || !(is_diagonal || rows == 0 || columns == 0) {
        return 0;
    }
    let each = rows.signum() * 8 + columns.signum();
    if (1..far).any(|steps| occupied[(a as i32 + steps * each) as usize]) {
        return 0;
    }
    let line = if is_diagonal { DIAGONAL } else { STRAIGHT };
    if far == 1 { line | STEP } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_ends_a_line() {
        const KNIGHT: usize = 1;
        const BISHOP: usize = 2;
        const ROOK: usize = 3;
        const QUEEN: usize = 4;
        const KING: usize = 5;
        // a8, c8, e8, b6, c6 and g4.
        let squares = [[0], [2], [4], [17], [18], [38]];
        let contacts = Contacts::new(squares.iter().map(<[usize; 1]>::as_slice));
        for (from, kind, to, attacks) in [
            (0, ROOK, 1, true),
            (0, QUEEN, 1, true),
            (0, BISHOP, 1, false),
            (0, ROOK, 2, false),
            (0, KNIGHT, 3, true),
            (3, KNIGHT, 0, true),
            (1, BISHOP, 5, true),
            (0, BISHOP, 4, true),
            (3, KING, 4, true),
            (3, KING, 0, false),
            (4, KING, 5, false),
            (0, 0, 1, false),
        ] {
            assert_eq!(contacts.attacks(from, kind, to), attacks, "{from} {kind} {to}");
        }
    }
}
