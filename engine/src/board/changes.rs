//! The changes of a move on the board, for evaluations that follow moves instead of comparing boards.

use std::num::NonZeroU16;

use super::castling;
use super::check::en_passant_victim;
use super::{Color, Move, Position, Role, Square};

/// A piece on a square, in sixteen bits, of which none is for no piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed(NonZeroU16);

impl Placed {
    #[inline]
    fn new(color: Color, role: Role, square: Square) -> Placed {
        let bits = (color as u16) << 9 | (role as u16) << 6 | square as u16;
        Placed(NonZeroU16::new(bits).expect("no role is 0"))
    }

    /// The piece as an index below 16: its role, and 8 more for White's.
    #[inline(always)]
    pub fn piece_index(self) -> usize {
        usize::from(self.0.get() >> 6)
    }

    /// The square.
    #[inline(always)]
    pub fn square(self) -> Square {
        Square::new(u32::from(self.0.get() & 63))
    }
}

/// The pieces that a move takes off the board, and those that it puts on it.
///
/// One word of four parts: it is written when the move is made and read when the position is
/// evaluated, most often soon, and a word that was written in parts is slow to read at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Changes(u64);

impl Changes {
    /// The changes of a null move.
    pub const NONE: Changes = Changes(0);

    #[inline]
    fn new(removed: [Option<Placed>; 2], added: [Option<Placed>; 2]) -> Changes {
        let bits = |placed: Option<Placed>| placed.map_or(0, |placed| placed.0.get().into());
        let [moved, other] = removed.map(bits);
        let [put, rook] = added.map(bits);
        Changes(moved | other << 16 | put << 32 | rook << 48)
    }

    #[inline(always)]
    fn part(self, number: u32) -> Option<Placed> {
        NonZeroU16::new((self.0 >> (16 * number)) as u16).map(Placed)
    }

    /// The moved piece on its origin and on its destination, and the captured piece; `None` for
    /// castling and a null move.
    #[inline(always)]
    pub fn simple(self) -> Option<(Placed, Placed, Option<Placed>)> {
        // Branches rather than selects: they are predicted, and what follows need not wait.
        if self.0 == 0 || self.0 >> 48 != 0 {
            return None;
        }
        let moved = |number| self.part(number).expect("every other move has a piece that moves");
        Some((moved(0), moved(2), self.part(1)))
    }

    /// The moved piece on its origin; then the captured piece, or the castling rook.
    #[inline(always)]
    pub fn removed(self) -> [Option<Placed>; 2] {
        [self.part(0), self.part(1)]
    }

    /// The moved or promoted piece on its destination; then the castling rook.
    #[inline(always)]
    pub fn added(self) -> [Option<Placed>; 2] {
        [self.part(2), self.part(3)]
    }
}

impl Position {
    /// The changes of the board that [`play`](Position::play) makes for a legal move.
    #[inline]
    pub fn changes(&self, m: Move) -> Changes {
        let us = self.side;
        let from = m.from();
        let to = m.to();
        let Some(role) = self.role_at(from) else { return Changes::NONE };
        let placed = |role, square| Some(Placed::new(us, role, square));
        if m.is_castling() {
            let side = castling::side_of(from, to);
            return Changes::new(
                [placed(Role::King, from), placed(Role::Rook, to)],
                [placed(Role::King, side.king_to(us)), placed(Role::Rook, side.rook_to(us))],
            );
        }
        let captured = if m.is_en_passant() {
            Some(Placed::new(!us, Role::Pawn, en_passant_victim(to)))
        } else {
            self.role_at(to).map(|victim| Placed::new(!us, victim, to))
        };
        let put = placed(m.promotion().unwrap_or(role), to);
        Changes::new([placed(role, from), captured], [put, None])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Piece;

    fn piece(placed: Placed) -> Piece {
        let white = placed.piece_index() >= 8;
        let role = placed.piece_index() % 8;
        let role = Role::ALL.into_iter().find(|&it| it as usize == role).expect("a role");
        role.of(Color::from_white(white))
    }

    #[test]
    fn a_move_changes_the_board_as_it_says() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1",
            // Chess960: the king stays, the rook passes it; the rook stays, the king passes it.
            "1k6/8/8/8/8/8/8/5RKR w FH - 0 1",
            "1k6/8/8/8/8/8/8/1K1R4 w D - 0 1",
        ] {
            let position = Position::from_fen(fen).expect("valid");
            for m in position.legal_moves().iter().copied() {
                let mut board: Vec<Option<Piece>> =
                    Square::ALL.map(|square| position.piece_at(square)).to_vec();
                let changes = position.changes(m);
                for placed in changes.removed().into_iter().flatten() {
                    let before = board[placed.square() as usize].take();
                    assert_eq!(before, Some(piece(placed)), "{fen} {m:?}");
                }
                for placed in changes.added().into_iter().flatten() {
                    let before = board[placed.square() as usize].replace(piece(placed));
                    assert_eq!(before, None, "{fen} {m:?}");
                }
                let mut after = position;
                after.play(m);
                let wanted = Square::ALL.map(|square| after.piece_at(square));
                assert_eq!(board, wanted, "{fen} {m:?}");
            }
        }
    }
}
