//! Playing a move.

use super::castling::{self, CastlingRights};
use super::check::en_passant_victim;
use super::{Bitboard, Color, Move, Position, Role, Square, pawn_attacks, zobrist};

impl Position {
    /// Plays a legal move.
    ///
    /// An illegal move panics or leaves an unspecified position; test moves of unknown origin with
    /// [`is_legal`](Position::is_legal).
    #[inline]
    pub fn play(&mut self, m: Move) {
        debug_assert!(self.is_legal(m), "{m:?} is not legal in {}", self.fen(true));
        let us = self.side;
        let Some(role) = self.role_at(m.from()) else { return };
        self.clear_en_passant();
        self.halfmoves = self.halfmoves.saturating_add(1);
        if role == Role::Pawn {
            self.play_pawn(us, m);
        } else if m.is_castling() {
            self.play_castling(us, m);
        } else {
            self.capture_on(m.to());
            self.take(us, role, m.from());
            self.put(us, role, m.to());
        }
        self.lose_castling_rights(us, role, m);
        self.switch_side();
        if role == Role::Pawn && m.from().abs_diff(m.to()) == 16 {
            self.allow_en_passant(m.to());
        }
        assert!(
            !cfg!(test) || self.is_consistent(),
            "inconsistent after {m:?}: {}",
            self.fen(true)
        );
    }

    /// The key after a normal move, without playing it, for prefetching. It is wrong for promotions,
    /// castling, en-passant captures, and moves that lose castling rights or allow en passant.
    #[inline]
    pub fn likely_key_after(&self, m: Move) -> u64 {
        let Some(role) = self.role_at(m.from()) else { return self.key };
        let captured = match self.role_at(m.to()) {
            Some(victim) => zobrist::piece(!self.side, victim, m.to()),
            None => 0,
        };
        let moved =
            zobrist::piece(self.side, role, m.from()) ^ zobrist::piece(self.side, role, m.to());
        self.key_after_null_move() ^ moved ^ captured
    }

    /// The key after a null move.
    #[inline]
    pub fn key_after_null_move(&self) -> u64 {
        let forgotten = self.en_passant.map_or(0, zobrist::en_passant);
        self.key ^ forgotten ^ zobrist::BLACK_TO_MOVE
    }

    /// Plays a null move. The side to move must not be in check.
    #[inline]
    pub fn play_null(&mut self) {
        debug_assert!(!self.in_check(), "cannot pass in check: {}", self.fen(true));
        self.clear_en_passant();
        self.halfmoves = self.halfmoves.saturating_add(1);
        self.switch_side();
        assert!(
            !cfg!(test) || self.is_consistent(),
            "inconsistent after passing: {}",
            self.fen(true)
        );
    }

    #[inline]
    fn play_pawn(&mut self, us: Color, m: Move) {
        self.halfmoves = 0;
        if m.is_en_passant() {
            self.take(!us, Role::Pawn, en_passant_victim(m.to()));
        } else {
            self.capture_on(m.to());
        }
        self.take(us, Role::Pawn, m.from());
        self.put(us, m.promotion().unwrap_or(Role::Pawn), m.to());
    }

    #[inline]
    fn play_castling(&mut self, us: Color, m: Move) {
        let side = castling::side_of(m.from(), m.to());
        self.take(us, Role::King, m.from());
        self.take(us, Role::Rook, m.to());
        self.put(us, Role::King, side.king_to(us));
        self.put(us, Role::Rook, side.rook_to(us));
    }

    #[inline]
    fn capture_on(&mut self, square: Square) {
        if let Some(victim) = self.role_at(square) {
            self.take(!self.side, victim, square);
            self.halfmoves = 0;
        }
    }

    #[inline]
    fn lose_castling_rights(&mut self, us: Color, role: Role, m: Move) {
        if self.castling.is_empty() {
            return;
        }
        let mut lost = Bitboard::from_square(m.from()) | Bitboard::from_square(m.to());
        if role == Role::King {
            lost |= Bitboard::from_rank(us.backrank());
        }
        let lost = lost & self.castling.rooks();
        if lost.any() {
            self.key ^= zobrist::castling(lost);
            self.castling = CastlingRights(self.castling.rooks() ^ lost);
        }
    }

    #[inline]
    fn clear_en_passant(&mut self) {
        if let Some(square) = self.en_passant.take() {
            self.key ^= zobrist::en_passant(square);
        }
    }

    /// After a double step to `pawn`: sets the en-passant square behind it, if a pawn of the side to
    /// move can legally capture there.
    #[inline]
    fn allow_en_passant(&mut self, pawn: Square) {
        let square = en_passant_victim(pawn);
        self.set_en_passant_if_possible(square);
    }

    /// Sets the en-passant square, if a pawn of the side to move can legally capture there.
    #[inline]
    pub(super) fn set_en_passant_if_possible(&mut self, square: Square) {
        let takers = pawn_attacks(!self.side, square) & self.pieces(self.side, Role::Pawn);
        if takers.into_iter().any(|from| self.en_passant_is_safe(from, square)) {
            self.en_passant = Some(square);
            self.key ^= zobrist::en_passant(square);
        }
    }

    #[inline]
    fn switch_side(&mut self) {
        if self.side == Color::Black {
            self.fullmoves = self.fullmoves.saturating_add(1);
        }
        self.side = !self.side;
        self.key ^= zobrist::BLACK_TO_MOVE;
        self.refresh_checks_and_pins();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(fen: &str, moves: &str) -> Position {
        let mut position = Position::from_fen(fen).unwrap();
        for text in moves.split_whitespace() {
            let m = position.parse_uci(text, false).unwrap_or_else(|| panic!("{text} in {fen}"));
            position.play(m);
        }
        position
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_position_that_comes_back_has_its_key_back() {
        let there_and_back = after(START, "g1f3 g8f6 f3g1 f6g8");
        assert_eq!(there_and_back.key(), Position::startpos().key());
        assert_eq!((there_and_back.halfmove_clock(), there_and_back.fullmoves()), (4, 3));
        let without_rights = after(START, "g1f3 g8f6 h1g1 h8g8 g1h1 g8h8 f3g1 f6g8");
        assert_ne!(without_rights.key(), Position::startpos().key());
    }

    #[test]
    fn the_likely_key_of_a_normal_move_is_that_after_playing_it() {
        for fen in [START, "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b - - 5 5"] {
            let position = Position::from_fen(fen).unwrap();
            for m in position.legal_moves().iter().copied() {
                let mut child = position;
                child.play(m);
                assert_eq!(position.likely_key_after(m), child.key(), "{m:?}");
            }
        }
        let position = after(START, "e2e4 a7a6 e4e5 d7d5");
        let mut passed = position;
        passed.play_null();
        assert_eq!(position.key_after_null_move(), passed.key());
    }

    #[test]
    fn transpositions_have_one_key() {
        assert_eq!(after(START, "e2e4 e7e5 g1f3").key(), after(START, "g1f3 e7e5 e2e4").key());
    }

    #[test]
    fn an_en_passant_square_without_a_legal_capture_is_dropped() {
        assert_eq!(after(START, "e2e4").en_passant(), None);
        assert_eq!(after(START, "e2e4 a7a6 e4e5 d7d5").en_passant(), Some(Square::D6));
        // The pawn on e4 could take, but would expose its king along the rank.
        let pinned = after("8/8/8/8/k3p2R/8/3P4/4K3 w - - 0 1", "d2d4");
        assert_eq!(pinned.en_passant(), None);
    }

    #[test]
    fn passing_changes_the_side_and_nothing_else() {
        let start = Position::startpos();
        let mut passed = start;
        passed.play_null();
        assert_eq!(passed.side(), Color::Black);
        assert_ne!(passed.key(), start.key());
        assert_eq!(passed.pawn_key(), start.pawn_key());
        passed.play_null();
        assert_eq!(passed.key(), start.key());
    }

    #[test]
    fn capturing_a_castling_rook_removes_the_right() {
        let position = after("r3k2r/8/8/8/8/8/6b1/R3K2R b KQkq - 0 1", "g2h1");
        let rights = Bitboard::from_iter([Square::A1, Square::A8, Square::H8]);
        assert_eq!(position.castling_rights().rooks(), rights);
    }
}
