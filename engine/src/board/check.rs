//! Checks, pins and attacked squares.

use super::lines::{bishop_rays, rook_rays};
use super::{
    Bitboard, Color, Move, Position, Role, Square, between, bishop_attacks, castling, king_attacks,
    knight_attacks, pawn_attacks, rook_attacks,
};

impl Position {
    /// Finds the pieces that check the side to move, and those of its pieces that are pinned.
    #[inline]
    pub(super) fn refresh_checks_and_pins(&mut self) {
        let us = self.side;
        let them = !self.side;
        let king = self.king(us);
        let ours = self.by_color(us);
        let theirs = self.by_color(them);
        self.checkers = (knight_attacks(king) & self.by_role(Role::Knight)
            | pawn_attacks(us, king) & self.by_role(Role::Pawn))
            & theirs;
        self.pinned = Bitboard::EMPTY;
        let snipers = (rook_rays(king) & self.straight_sliders()
            | bishop_rays(king) & self.diagonal_sliders())
            & theirs;
        for sniper in snipers {
            let blockers = between(king, sniper) & self.occupied();
            if blockers.is_empty() {
                self.checkers |= Bitboard::from_square(sniper);
            } else if !blockers.more_than_one() {
                self.pinned |= blockers & ours;
            }
        }
    }

    /// Pieces of a colour that are pinned to their king, whatever the side to move.
    #[inline]
    pub fn pinned_of(&self, color: Color) -> Bitboard {
        if color == self.side {
            return self.pinned;
        }
        let king = self.king(color);
        let snipers = (rook_rays(king) & self.straight_sliders()
            | bishop_rays(king) & self.diagonal_sliders())
            & self.by_color(!color);
        let alone = snipers
            .into_iter()
            .map(|sniper| between(king, sniper) & self.occupied())
            .filter(|blockers| !blockers.more_than_one())
            .fold(Bitboard::EMPTY, |all, blockers| all | blockers);
        alone & self.by_color(color)
    }

    /// Whether a piece of `by` attacks the square, with `occupied` as the occupancy.
    #[inline]
    pub(super) fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        let attackers = pawn_attacks(!by, square) & self.by_role(Role::Pawn)
            | knight_attacks(square) & self.by_role(Role::Knight)
            | king_attacks(square) & self.by_role(Role::King);
        let theirs = self.by_color(by);
        attackers.intersects(theirs) || self.is_attacked_by_slider(square, by, occupied)
    }

    /// Whether a bishop, rook or queen of `by` attacks the square through `occupied`.
    #[inline]
    pub(super) fn is_attacked_by_slider(
        &self,
        square: Square,
        by: Color,
        occupied: Bitboard,
    ) -> bool {
        let theirs = self.by_color(by);
        let diagonal = self.diagonal_sliders() & theirs;
        let straight = self.straight_sliders() & theirs;
        bishop_rays(square).intersects(diagonal)
            && bishop_attacks(square, occupied).intersects(diagonal)
            || rook_rays(square).intersects(straight)
                && rook_attacks(square, occupied).intersects(straight)
    }

    /// Whether an en-passant capture from `from` to `to` leaves the king out of check, with both
    /// pawns gone from their squares.
    #[inline]
    pub(super) fn en_passant_is_safe(&self, from: Square, to: Square) -> bool {
        let us = self.side;
        let them = !self.side;
        let king = self.king(us);
        let captured = Bitboard::from_square(en_passant_victim(to));
        let occupied =
            self.occupied() ^ captured ^ Bitboard::from_square(from) | Bitboard::from_square(to);
        let leapers = knight_attacks(king) & self.by_role(Role::Knight)
            | pawn_attacks(us, king) & self.by_role(Role::Pawn) & !captured;
        !leapers.intersects(self.by_color(them))
            && !self.is_attacked_by_slider(king, them, occupied)
    }

    /// Whether the king of the side to move may castle now with the rook on `rook`, given the
    /// right to.
    #[inline]
    pub(super) fn can_castle_now(&self, king: Square, rook: Square) -> bool {
        let us = self.side;
        let them = !self.side;
        let occupied = self.occupied();
        // A pinned castling rook hides, in Chess960, an attacker of the square the king goes to.
        !self.in_check()
            && !self.pinned.contains(rook)
            && !castling::path(us, king, rook).intersects(occupied)
            && castling::king_path(us, king, rook)
                .into_iter()
                .all(|square| !self.is_attacked(square, them, occupied))
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, m: Move) -> bool {
        let us = self.side;
        let them = !self.side;
        let king = self.king(them);
        let from = Bitboard::from_square(m.from());
        let to = Bitboard::from_square(m.to());
        let mut occupied = self.occupied() & !from;
        let mut diagonal = self.diagonal_sliders() & self.by_color(us) & !from;
        let mut straight = self.straight_sliders() & self.by_color(us) & !from;
        if m.is_castling() {
            let side = castling::side_of(m.from(), m.to());
            let rook = Bitboard::from_square(side.rook_to(us));
            occupied = occupied & !to | rook | Bitboard::from_square(side.king_to(us));
            straight = straight & !to | rook;
        } else {
            occupied |= to;
            if m.is_en_passant() {
                occupied &= !Bitboard::from_square(en_passant_victim(m.to()));
            }
            match m.promotion().or(self.role_at(m.from())) {
                Some(Role::Pawn) if pawn_attacks(them, king).intersects(to) => return true,
                Some(Role::Knight) if knight_attacks(king).intersects(to) => return true,
                Some(Role::Bishop) => diagonal |= to,
                Some(Role::Rook) => straight |= to,
                Some(Role::Queen) => (diagonal, straight) = (diagonal | to, straight | to),
                _ => {}
            }
        }
        bishop_rays(king).intersects(diagonal)
            && bishop_attacks(king, occupied).intersects(diagonal)
            || rook_rays(king).intersects(straight)
                && rook_attacks(king, occupied).intersects(straight)
    }
}

/// The square of the pawn that is captured en passant on this square.
#[inline]
pub(super) fn en_passant_victim(square: Square) -> Square {
    // Ranks 3 and 4, like 6 and 5, differ in the lowest bit of the rank.
    square.xor(Square::A2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_check_says_what_playing_the_move_shows() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1",
            "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
            "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
            "8/8/8/1k1pP2R/8/8/8/4K3 w - d6 0 1",
            "8/8/4k3/3pP3/8/1B6/8/4R1K1 w - d6 0 1",
        ];
        for fen in fens {
            let position = Position::from_fen(fen).unwrap();
            for m in &position.legal_moves() {
                let mut next = position;
                next.play(m);
                assert_eq!(position.gives_check(m), next.in_check(), "{m:?} in {fen}");
                for reply in &next.legal_moves() {
                    let mut after = next;
                    after.play(reply);
                    assert_eq!(next.gives_check(reply), after.in_check(), "{m:?} {reply:?}");
                }
            }
        }
    }

    #[test]
    fn pins_are_the_same_whoever_is_to_move() {
        let fen = "4r1k1/5q2/8/b6Q/8/2N1R3/3PB3/4K3 w - - 0 1";
        let white_to_move = Position::from_fen(fen).unwrap();
        let black_to_move = Position::from_fen(&fen.replace(" w ", " b ")).unwrap();
        for color in [Color::White, Color::Black] {
            assert_eq!(white_to_move.pinned_of(color), black_to_move.pinned_of(color));
        }
        let pinned = white_to_move.pinned_of(Color::White);
        assert_eq!(pinned, Bitboard::EMPTY);
        let open = Position::from_fen("4r1k1/5q2/8/b6Q/8/2N5/4B3/4K3 b - - 0 1").unwrap();
        let both = Bitboard::from_iter([Square::C3, Square::E2]);
        assert_eq!(open.pinned_of(Color::White), both);
    }
}
