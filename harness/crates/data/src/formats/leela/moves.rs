//! The numbers of moves in Leela's policy.
//!
//! Seen from the side to move, at the bottom of the board: for each square from a1 along the ranks,
//! the squares that a queen or a knight on it would reach on an empty board, in the same order; then for each
//! file the promotions from the seventh rank to the left, ahead and to the right, each to queen, rook
//! and bishop. A knight is what a pawn becomes by the plain move. Castling is the king taking its rook.

use engine::board::{Move, Position, Role, Square};

/// Moves in the policy.
pub const MOVES: usize = 1858;

const TABLE: [Entry; MOVES] = table();

/// Squares by number from a1, and the role of a promotion as in [`PROMOTIONS`], from 1.
#[derive(Clone, Copy)]
struct Entry {
    from: u8,
    to: u8,
    promotion: u8,
}

const PROMOTIONS: [Role; 3] = [Role::Queen, Role::Rook, Role::Bishop];

const fn table() -> [Entry; MOVES] {
    let mut moves = [Entry { from: 0, to: 0, promotion: 0 }; MOVES];
    let mut count = 0;
    let mut from = 0_u8;
    while from < 64 {
        let mut to = 0_u8;
        while to < 64 {
            let files = (from % 8).abs_diff(to % 8);
            let ranks = (from / 8).abs_diff(to / 8);
            let straight = files == 0 || ranks == 0 || files == ranks;
            if from != to && (straight || files * ranks == 2) {
                moves[count] = Entry { from, to, promotion: 0 };
                count += 1;
            }
            to += 1;
        }
        from += 1;
    }
    let mut file = 0_u8;
    while file < 8 {
        let mut target = file.saturating_sub(1);
        while target <= file + 1 && target < 8 {
            let mut promotion = 1;
            while promotion <= 3 {
                moves[count] = Entry { from: 48 + file, to: 56 + target, promotion };
                count += 1;
                promotion += 1;
            }
            target += 1;
        }
        file += 1;
    }
    assert!(count == MOVES);
    moves
}

/// The transform of a record's board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transform {
    /// As lc0 numbers it: 1 files reversed, 2 then ranks, 4 then the board mirrored at the diagonal
    /// from h1 to a8.
    pub bits: u8,
    /// Whether Black is to move, so that ranks are counted from Black's side.
    pub black: bool,
}

impl Transform {
    /// The square on a board as White sees it.
    fn square(self, mut square: u8) -> Square {
        if self.bits & 4 != 0 {
            square = 8 * (7 - square % 8) + 7 - square / 8;
        }
        if self.bits & 2 != 0 {
            square ^= 56;
        }
        if self.bits & 1 != 0 {
            square ^= 7;
        }
        Square::new(u32::from(if self.black { square ^ 56 } else { square }))
    }

    /// The squares of a plane on a board as White sees it. In a plane a byte is a rank and its
    /// highest bit file a.
    #[inline]
    pub fn plane(self, plane: u64) -> u64 {
        let squares = plane.reverse_bits().swap_bytes();
        match (self.bits, self.black) {
            (0, false) => squares,
            (0, true) => squares.swap_bytes(),
            _ => (0..64_u8)
                .filter(|at| squares >> at & 1 != 0)
                .fold(0, |all, at| all | 1 << u32::from(self.square(at))),
        }
    }

    /// A move of the policy by its number; `None` if it is not legal.
    pub fn move_of(self, position: &Position, index: u16) -> Option<Move> {
        let entry = TABLE.get(usize::from(index))?;
        let from = self.square(entry.from);
        let to = self.square(entry.to);
        let role = position.role_at(from)?;
        let last = to.rank() == position.side().relative_rank(engine::board::Rank::Eighth);
        let played = match (role, entry.promotion) {
            (Role::Pawn, 0) if last => Move::promoting(from, to, Role::Knight),
            (Role::Pawn, number @ 1..) if last => {
                Move::promoting(from, to, PROMOTIONS[usize::from(number) - 1])
            }
            (_, 1..) => return None,
            (Role::King, _) if position.by_color(position.side()).contains(to) => {
                Move::castling(from, to)
            }
            (Role::Pawn, _) if position.en_passant() == Some(to) && from.file() != to.file() => {
                Move::en_passant(from, to)
            }
            _ => Move::normal(from, to),
        };
        position.is_legal(played).then_some(played)
    }
}

/// The move of a number as text, seen from the side to move; empty if there is none.
pub fn name(index: u16) -> String {
    let Some(entry) = TABLE.get(usize::from(index)) else { return String::new() };
    let square = |number: u8| Square::new(number.into());
    let role = entry.promotion.checked_sub(1).map(|number| PROMOTIONS[usize::from(number)].char());
    let role = role.map(String::from).unwrap_or_default();
    format!(" ({}{}{role})", square(entry.from), square(entry.to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_the_edges_are_those_of_the_table() {
        for (index, wanted) in [
            (0, " (a1b1)"),
            (10, " (a1a3)"),
            (11, " (a1b3)"),
            (22, " (a1h8)"),
            (23, " (b1a1)"),
            (1791, " (h8g8)"),
            (1792, " (a7a8q)"),
            (1795, " (a7b8q)"),
            (1857, " (h7h8b)"),
            (1858, ""),
        ] {
            assert_eq!(name(index), wanted);
        }
    }

    #[test]
    fn squares_are_transformed_as_planes_are() {
        for bits in 0..8 {
            for black in [false, true] {
                let transform = Transform { bits, black };
                for at in 0..64_u8 {
                    let plane = (1_u64 << at).reverse_bits().swap_bytes();
                    assert_eq!(transform.plane(plane), 1 << u32::from(transform.square(at)));
                }
            }
        }
    }
}
