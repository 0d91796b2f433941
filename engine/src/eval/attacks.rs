//! Attack maps of both sides, computed once per evaluation.

use super::masks;
use crate::board::{Bitboard, Color, Position, Role, king_attacks};

/// Attack maps by colour and role.
pub struct Attacks {
    by_role: [[Bitboard; 6]; 2],
    any: [Bitboard; 2],
    twice: [Bitboard; 2],
}

impl Attacks {
    /// The attacks of pawns and kings; those of the other pieces are [added](Attacks::add).
    #[inline]
    pub fn of_pawns_and_kings(position: &Position) -> Attacks {
        let mut attacks = Attacks {
            by_role: [[Bitboard::EMPTY; 6]; 2],
            any: [Bitboard::EMPTY; 2],
            twice: [Bitboard::EMPTY; 2],
        };
        for color in [Color::White, Color::Black] {
            let pawns = position.pieces(color, Role::Pawn);
            attacks.add(color, Role::Pawn, masks::pawn_attacks_of(color, pawns));
            attacks.twice[color as usize] = masks::pawn_double_attacks_of(color, pawns);
            attacks.add(color, Role::King, king_attacks(position.king(color)));
        }
        attacks
    }

    /// Adds the attacks of one piece.
    #[inline(always)]
    pub fn add(&mut self, color: Color, role: Role, squares: Bitboard) {
        let color = color as usize;
        self.by_role[color][role as usize - 1] |= squares;
        self.twice[color] |= self.any[color] & squares;
        self.any[color] |= squares;
    }

    /// Squares attacked by a colour's pieces of a role.
    #[inline(always)]
    pub fn by(&self, color: Color, role: Role) -> Bitboard {
        self.by_role[color as usize][role as usize - 1]
    }

    /// Squares attacked by a colour.
    #[inline(always)]
    pub fn any(&self, color: Color) -> Bitboard {
        self.any[color as usize]
    }

    /// Squares attacked by at least two pieces of a colour.
    #[inline(always)]
    pub fn twice(&self, color: Color) -> Bitboard {
        self.twice[color as usize]
    }
}
