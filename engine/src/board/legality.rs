//! Properties of a single move: legality, captures, noisy moves.

use super::check::en_passant_victim;
use super::{
    Bitboard, Move, Position, Rank, Role, Square, between, bishop_attacks, king_attacks,
    knight_attacks, pawn_attacks, queen_attacks, ray, rook_attacks,
};

impl Position {
    /// Whether the move captures a piece.
    #[inline]
    pub fn is_capture(&self, m: Move) -> bool {
        m.is_en_passant() || !m.is_castling() && self.role_at(m.to()).is_some()
    }

    /// Whether the legal move is among the [noisy ones](Position::noisy_moves).
    #[inline]
    pub fn is_noisy(&self, m: Move) -> bool {
        match m.promotion() {
            Some(role) => role == Role::Queen,
            None => self.is_capture(m),
        }
    }

    /// The role that the move captures.
    #[inline]
    pub fn captured(&self, m: Move) -> Option<Role> {
        if m.is_en_passant() {
            Some(Role::Pawn)
        } else if m.is_castling() {
            None
        } else {
            self.role_at(m.to())
        }
    }

    /// Whether any move at all, say one from the transposition table that belongs to another
    /// position, is legal here.
    pub fn is_legal(&self, m: Move) -> bool {
        let from = m.from();
        let to = m.to();
        let ours = self.by_color(self.side);
        let Some(role) = self.role_at(from) else { return false };
        if !ours.contains(from) {
            return false;
        }
        if m.is_castling() {
            return role == Role::King
                && self.castling.rooks_of(self.side).contains(to)
                && self.can_castle_now(from, to);
        }
        if ours.contains(to) {
            return false;
        }
        match role {
            Role::King => self.is_legal_king_move(m),
            Role::Pawn => self.is_legal_pawn_move(m),
            _ => {
                m.is_normal()
                    && self.piece_attacks(role, from).contains(to)
                    && self.resolves_check(to)
                    && self.respects_pin(from, to)
            }
        }
    }

    fn is_legal_king_move(&self, m: Move) -> bool {
        let occupied = self.occupied() ^ Bitboard::from_square(m.from());
        m.is_normal()
            && king_attacks(m.from()).contains(m.to())
            && !self.is_attacked(m.to(), !self.side, occupied)
    }

    fn is_legal_pawn_move(&self, m: Move) -> bool {
        let from = m.from();
        let to = m.to();
        let us = self.side;
        if m.is_en_passant() {
            return self.en_passant == Some(to)
                && pawn_attacks(us, from).contains(to)
                && self.en_passant_is_safe(from, to);
        }
        let promotes = to.rank() == us.relative_rank(Rank::Eighth);
        if promotes != m.promotion().is_some() || !promotes && !m.is_normal() {
            return false;
        }
        let reaches = if from.file() == to.file() {
            self.pawn_can_push(from, to)
        } else {
            pawn_attacks(us, from).contains(to) && self.by_color(!us).contains(to)
        };
        reaches && self.resolves_check(to) && self.respects_pin(from, to)
    }

    fn pawn_can_push(&self, from: Square, to: Square) -> bool {
        let steps = to as i32 - from as i32;
        let forward = if self.side.is_white() { 8 } else { -8 };
        let is_double = steps == 2 * forward
            && from.rank() == self.side.relative_rank(Rank::Second)
            && self.role_at(en_passant_victim(to)).is_none();
        (steps == forward || is_double) && self.role_at(to).is_none()
    }

    /// Squares that a piece other than a pawn attacks from a square.
    fn piece_attacks(&self, role: Role, from: Square) -> Bitboard {
        match role {
            Role::Knight => knight_attacks(from),
            Role::Bishop => bishop_attacks(from, self.occupied()),
            Role::Rook => rook_attacks(from, self.occupied()),
            Role::Queen => queen_attacks(from, self.occupied()),
            Role::King => king_attacks(from),
            Role::Pawn => Bitboard::EMPTY,
        }
    }

    /// Whether a move of another piece than the king to this square ends every check.
    #[inline]
    fn resolves_check(&self, to: Square) -> bool {
        match self.checkers.first() {
            None => true,
            Some(_) if self.checkers.more_than_one() => false,
            Some(checker) => checker == to || between(self.king(self.side), checker).contains(to),
        }
    }

    #[inline]
    fn respects_pin(&self, from: Square, to: Square) -> bool {
        !self.pinned.contains(from) || ray(self.king(self.side), from).contains(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_all_encodings_exactly_the_generated_moves_are_legal() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
            "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
            "4k3/8/8/8/7b/8/5P2/R3K2R w KQ - 0 1",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "4k3/8/8/8/8/8/8/qR1K2R1 w GB - 0 1",
        ];
        for fen in fens {
            let position = Position::from_fen(fen).unwrap();
            let mut next = vec![position];
            for m in &position.legal_moves() {
                let mut child = position;
                child.play(m);
                next.push(child);
            }
            next.iter().for_each(assert_legal_moves_are_those_generated);
        }
    }

    fn assert_legal_moves_are_those_generated(position: &Position) {
        let mut generated: Vec<u16> = position.legal_moves().iter().map(|m| m.raw()).collect();
        generated.sort_unstable();
        let legal: Vec<u16> = (1..=u16::MAX)
            .filter(|&raw| Move::from_raw(raw).is_some_and(|m| position.is_legal(m)))
            .collect();
        assert_eq!(legal, generated, "{}", position.fen(true));
    }
}
