//! Pseudo-legal moves of a piece, by number.

use engine::board::{Bitboard, Move, Piece, Position, Role, Square};
use shakmaty::attacks;

use super::PROMOTIONS;

/// The pseudo-legal moves of a piece, by number.
pub struct PseudoLegal {
    from: Square,
    targets: Bitboard,
    /// The rooks that a king may castle with; the one on the queen's side comes first.
    rooks: Bitboard,
    promotes: bool,
    /// The en-passant square, of a pawn.
    en_passant: Option<Square>,
}

impl PseudoLegal {
    /// Of a piece of the side to move.
    pub fn from_square(position: &Position, from: Square) -> PseudoLegal {
        let mover = position.side();
        let ours = position.by_color(mover);
        let mut moves = PseudoLegal {
            from,
            targets: Bitboard::EMPTY,
            rooks: Bitboard::EMPTY,
            promotes: false,
            en_passant: None,
        };
        match position.role_at(from) {
            None => {}
            Some(Role::Pawn) => moves.of_pawn(position),
            Some(Role::King) => {
                moves.targets = attacks::king_attacks(from) & !ours;
                moves.rooks = position.castling_rights().rooks_of(mover);
            }
            Some(role) => {
                let piece = Piece { color: mover, role };
                moves.targets = attacks::attacks(from, piece, position.occupied()) & !ours;
            }
        }
        moves
    }

    fn of_pawn(&mut self, position: &Position) {
        let from = self.from;
        let mover = position.side();
        let (forward, start, last) = if mover.is_white() { (8, 1, 6) } else { (-8, 6, 1) };
        self.en_passant = position.en_passant();
        let en_passant = self.en_passant.map_or(Bitboard::EMPTY, Bitboard::from_square);
        let captured = position.by_color(!mover) | en_passant;
        self.targets = attacks::pawn_attacks(mover, from) & captured;
        let rank = from.rank() as i32;
        let free = |square: &Square| !position.occupied().contains(*square);
        if let Some(one) = from.offset(forward).filter(free) {
            self.targets.add(one);
            if let Some(two) = one.offset(forward).filter(|to| rank == start && free(to)) {
                self.targets.add(two);
            }
        }
        self.promotes = rank == last;
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        let targets = self.targets.count();
        if self.promotes { PROMOTIONS.len() * targets } else { targets + self.rooks.count() }
    }

    /// A move by its number.
    pub fn nth(&self, number: usize) -> Option<Move> {
        let from = self.from;
        let target = |number| self.targets.into_iter().nth(number);
        if self.promotes {
            let role = PROMOTIONS[number % PROMOTIONS.len()];
            return Some(Move::promoting(from, target(number / PROMOTIONS.len())?, role));
        }
        if let Some(rook) = number.checked_sub(self.targets.count()) {
            return Some(Move::castling(from, self.rooks.into_iter().nth(rook)?));
        }
        let to = target(number)?;
        let takes = self.en_passant == Some(to);
        Some(if takes { Move::en_passant(from, to) } else { Move::normal(from, to) })
    }

    /// The number of a move.
    pub fn number(&self, played: Move) -> Option<usize> {
        if played.is_castling() {
            return Some(self.targets.count() + index_of(self.rooks, played.to())?);
        }
        let target = index_of(self.targets, played.to())?;
        let Some(role) = played.promotion() else { return Some(target) };
        let promotion = PROMOTIONS.into_iter().position(|other| other == role)?;
        Some(PROMOTIONS.len() * target + promotion)
    }
}

/// The number of a square among others.
pub fn index_of(squares: Bitboard, square: Square) -> Option<usize> {
    squares.into_iter().position(|other| other == square)
}
