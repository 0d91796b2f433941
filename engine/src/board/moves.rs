//! A move in sixteen bits, and a list of moves on the stack.

use std::fmt;
use std::mem::MaybeUninit;
use std::num::NonZeroU16;
use std::ops::Deref;

use super::{Role, Square};

/// A move: origin, destination and kind.
///
/// Castling is written as the king taking its own rook, which is unambiguous in Chess960 too.
/// Six bits of origin, six of destination and four of [`Kind`]; sixteen zero bits would be a1a1,
/// which is no move, so that an `Option<Move>` takes two bytes as well.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

/// The kind of a move: the four highest bits of its encoding.
mod kind {
    pub const NORMAL: u16 = 0;
    pub const CASTLING: u16 = 1;
    pub const EN_PASSANT: u16 = 2;
    /// Promotion to a knight; those to bishop, rook and queen follow.
    pub const PROMOTION: u16 = 4;
}

/// The roles a pawn can promote to, the most useful first.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Rook, Role::Bishop];

impl Move {
    /// A move that is neither castling nor en passant nor a promotion.
    ///
    /// # Panics
    /// When both squares are a1.
    #[inline]
    pub fn normal(from: Square, to: Square) -> Move {
        Move::new(kind::NORMAL, from, to)
    }

    /// Castling of a king with a rook of its colour.
    #[inline]
    pub fn castling(king: Square, rook: Square) -> Move {
        Move::new(kind::CASTLING, king, rook)
    }

    /// An en-passant capture; `to` is the square behind the captured pawn.
    #[inline]
    pub fn en_passant(from: Square, to: Square) -> Move {
        Move::new(kind::EN_PASSANT, from, to)
    }

    /// A pawn that promotes to a knight, bishop, rook or queen.
    ///
    /// # Panics
    /// In debug builds, when the role is another.
    #[inline]
    pub fn promoting(from: Square, to: Square, role: Role) -> Move {
        debug_assert!(PROMOTIONS.contains(&role), "a pawn cannot become {role:?}");
        Move::new(kind::PROMOTION + role as u16 - Role::Knight as u16, from, to)
    }

    #[inline]
    fn new(kind: u16, from: Square, to: Square) -> Move {
        let bits = kind << 12 | (to as u16) << 6 | from as u16;
        Move(NonZeroU16::new(bits).expect("no piece moves from a1 to a1"))
    }

    /// The move with this encoding; `None` for zero. It need not be legal in any position: test it
    /// with [`Position::is_legal`](super::Position::is_legal).
    #[inline]
    pub fn from_raw(bits: u16) -> Option<Move> {
        NonZeroU16::new(bits).map(Move)
    }

    /// The encoding, for the transposition table.
    #[inline]
    pub fn raw(self) -> u16 {
        self.0.get()
    }

    /// The origin of the moving piece.
    #[inline]
    pub fn from(self) -> Square {
        Square::new(u32::from(self.raw() & 63))
    }

    /// The destination of the moving piece; for castling, the square of its own rook.
    #[inline]
    pub fn to(self) -> Square {
        Square::new(u32::from(self.raw() >> 6 & 63))
    }

    #[inline]
    fn kind(self) -> u16 {
        self.raw() >> 12
    }

    /// The role that the pawn promotes to, if the move is a promotion.
    #[inline]
    pub fn promotion(self) -> Option<Role> {
        match self.kind() {
            4 => Some(Role::Knight),
            5 => Some(Role::Bishop),
            6 => Some(Role::Rook),
            7 => Some(Role::Queen),
            _ => None,
        }
    }

    /// Whether the king castles.
    #[inline]
    pub fn is_castling(self) -> bool {
        self.kind() == kind::CASTLING
    }

    /// Whether it is an en-passant capture.
    #[inline]
    pub fn is_en_passant(self) -> bool {
        self.kind() == kind::EN_PASSANT
    }

    /// Whether it is neither castling nor en passant nor a promotion (nor an unused encoding).
    #[inline]
    pub fn is_normal(self) -> bool {
        self.kind() == kind::NORMAL
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.kind() {
            kind::NORMAL => Ok(()),
            kind::CASTLING => write!(f, " castling"),
            kind::EN_PASSANT => write!(f, " e.p."),
            kind => match self.promotion() {
                Some(role) => write!(f, "{}", role.char()),
                None => write!(f, " unused kind {kind}"),
            },
        }
    }
}

/// Moves of one position, on the stack.
///
/// No position with legal material has more than 218 moves, and
/// [`Position::from_fen`](super::Position::from_fen) takes no other material.
pub struct MoveList {
    len: usize,
    moves: [MaybeUninit<Move>; 256],
}

impl MoveList {
    /// An empty list.
    #[inline]
    pub fn new() -> MoveList {
        MoveList { len: 0, moves: [MaybeUninit::uninit(); 256] }
    }

    /// Appends a move.
    ///
    /// # Panics
    /// When the list holds 256 moves already.
    #[inline]
    pub fn push(&mut self, m: Move) {
        self.moves[self.len] = MaybeUninit::new(m);
        self.len += 1;
    }

    /// Removes all moves.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        let filled = &self.moves[..self.len];
        // SAFETY: `push` is the only way for `len` to grow, and it writes `moves[len]` first, so
        // that all of `moves[..len]` is initialised; `MaybeUninit<Move>` has the layout of `Move`.
        unsafe { &*(std::ptr::from_ref(filled) as *const [Move]) }
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Move>>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter().copied()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_gives_back_what_it_was_made_of() {
        let push = Move::normal(Square::H8, Square::A1);
        assert_eq!((push.from(), push.to(), push.promotion()), (Square::H8, Square::A1, None));
        assert!(push.is_normal() && !push.is_castling() && !push.is_en_passant());
        assert!(Move::castling(Square::E1, Square::H1).is_castling());
        assert!(Move::en_passant(Square::E5, Square::D6).is_en_passant());
        for role in PROMOTIONS {
            let m = Move::promoting(Square::A7, Square::B8, role);
            assert_eq!((m.from(), m.to(), m.promotion()), (Square::A7, Square::B8, Some(role)));
            assert_eq!(Move::from_raw(m.raw()), Some(m));
        }
    }

    #[test]
    fn an_optional_move_is_two_bytes() {
        assert_eq!(size_of::<Option<Move>>(), 2);
        assert_eq!(Move::from_raw(0), None);
    }

    #[test]
    fn a_list_holds_what_was_pushed() {
        let mut list = MoveList::new();
        assert!(list.is_empty());
        let moves = [Move::normal(Square::E2, Square::E4), Move::normal(Square::G1, Square::F3)];
        moves.into_iter().for_each(|m| list.push(m));
        assert_eq!(&list[..], moves);
        list.clear();
        assert!(list.is_empty());
    }
}
