//! The position: bitboards, mailbox, side to move, rights, clocks and keys.

use super::castling::CastlingRights;
use super::{
    Bitboard, Color, Piece, Role, Square, bishop_attacks, king_attacks, knight_attacks,
    pawn_attacks, rook_attacks, zobrist,
};

/// A legal chess position, standard or Chess960.
///
/// Copy-make: to look ahead, copy it and [`play`](Position::play) on the copy. Two positions are
/// equal if they are the same in all respects, clocks included; for repetitions compare the
/// [`key`](Position::key).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    pub(super) by_role: [Bitboard; 6],
    pub(super) by_color: [Bitboard; 2],
    pub(super) roles: [Option<Role>; 64],
    pub(super) key: u64,
    pub(super) pawn_key: u64,
    /// Of the pieces that are no pawns, by colour.
    pub(super) piece_keys: [u64; 2],
    pub(super) castling: CastlingRights,
    /// Pieces that give check.
    pub(super) checkers: Bitboard,
    /// Pieces of the side to move that are pinned to their king.
    pub(super) pinned: Bitboard,
    pub(super) side: Color,
    /// Only when a pawn can legally take there.
    pub(super) en_passant: Option<Square>,
    pub(super) halfmoves: u16,
    pub(super) fullmoves: u16,
}

impl Position {
    /// An empty board: not a legal position until both kings are put.
    pub(super) fn empty() -> Position {
        Position {
            by_role: [Bitboard::EMPTY; 6],
            by_color: [Bitboard::EMPTY; 2],
            roles: [None; 64],
            key: 0,
            pawn_key: 0,
            piece_keys: [0; 2],
            castling: CastlingRights::default(),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            side: Color::White,
            en_passant: None,
            halfmoves: 0,
            fullmoves: 1,
        }
    }

    /// The side to move.
    #[inline]
    pub fn side(&self) -> Color {
        self.side
    }

    /// Pieces of a colour and a role.
    #[inline]
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.by_color(color) & self.by_role(role)
    }

    /// Pieces of a role, of both colours.
    #[inline]
    pub fn by_role(&self, role: Role) -> Bitboard {
        self.by_role[role as usize - 1]
    }

    /// Pieces of a colour.
    #[inline]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.by_color[color as usize]
    }

    /// Bishops and queens of both colours.
    #[inline]
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.by_role(Role::Bishop) | self.by_role(Role::Queen)
    }

    /// Rooks and queens of both colours.
    #[inline]
    pub fn straight_sliders(&self) -> Bitboard {
        self.by_role(Role::Rook) | self.by_role(Role::Queen)
    }

    /// All pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// The role of the piece on a square.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.roles[square as usize]
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let color = Color::from_white(self.by_color(Color::White).contains(square));
        self.role_at(square).map(|role| role.of(color))
    }

    /// The king's square.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, Role::King).first().expect("a legal position has both kings")
    }

    /// Pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Pieces of the side to move that are pinned to their king.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Plies since the last capture or pawn move; from 100 on, a draw can be claimed.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmoves
    }

    /// The number of the move in the game, from 1; it grows after Black's move.
    #[inline]
    pub fn fullmoves(&self) -> u16 {
        self.fullmoves
    }

    /// Zobrist key of placement, side to move, castling rights and en-passant square.
    ///
    /// Positions that repeat each other by the rules have the same key: the en-passant square
    /// counts only when a pawn can legally take there.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Zobrist key of the placement of the pawns of both colours.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.pawn_key
    }

    /// Zobrist key of the placement of a colour's king and pieces, without its pawns.
    #[inline]
    pub fn piece_key(&self, color: Color) -> u64 {
        self.piece_keys[color as usize]
    }

    /// The square behind a pawn that just moved two ranks, when a pawn can legally take it there.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Who may still castle, and with which rook.
    #[inline]
    pub fn castling_rights(&self) -> CastlingRights {
        self.castling
    }

    /// Whether every castling right is one of chess: of a king on the e-file with a rook in a corner.
    /// Other rights are those of Chess960.
    pub fn castles_as_in_chess(&self) -> bool {
        Color::ALL.into_iter().all(|color| {
            let rooks = self.castling_rights().rooks_of(color);
            let (king, corners) = match color {
                Color::White => (Square::E1, [Square::A1, Square::H1]),
                Color::Black => (Square::E8, [Square::A8, Square::H8]),
            };
            rooks.is_empty()
                || self.king(color) == king && rooks.into_iter().all(|rook| corners.contains(&rook))
        })
    }

    /// Pieces of both colours that attack a square, if `occupied` were the pieces on the board.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let white_pawns = self.pieces(Color::White, Role::Pawn);
        let black_pawns = self.pieces(Color::Black, Role::Pawn);
        pawn_attacks(Color::Black, square) & white_pawns
            | pawn_attacks(Color::White, square) & black_pawns
            | knight_attacks(square) & self.by_role(Role::Knight)
            | king_attacks(square) & self.by_role(Role::King)
            | bishop_attacks(square, occupied) & self.diagonal_sliders()
            | rook_attacks(square, occupied) & self.straight_sliders()
    }

    /// Neither side can mate by any sequence of legal moves: bare kings, a single minor piece, or
    /// only bishops on squares of one colour.
    pub fn is_insufficient_material(&self) -> bool {
        let heavy = self.by_role(Role::Pawn) | self.straight_sliders();
        if heavy.any() {
            return false;
        }
        let knights = self.by_role(Role::Knight);
        let bishops = self.by_role(Role::Bishop);
        if knights.any() {
            return bishops.is_empty() && !knights.more_than_one();
        }
        (bishops & Bitboard::LIGHT_SQUARES).is_empty()
            || (bishops & Bitboard::DARK_SQUARES).is_empty()
    }

    /// Puts a piece on an empty square; keys follow, checkers and pins do not.
    #[inline]
    pub(super) fn put(&mut self, color: Color, role: Role, square: Square) {
        debug_assert!(self.role_at(square).is_none(), "{square} is not empty");
        self.toggle(color, role, square);
        self.roles[square as usize] = Some(role);
    }

    /// Takes a piece off its square; keys follow, checkers and pins do not.
    #[inline]
    pub(super) fn take(&mut self, color: Color, role: Role, square: Square) {
        debug_assert_eq!(self.piece_at(square), Some(role.of(color)));
        self.toggle(color, role, square);
        self.roles[square as usize] = None;
    }

    #[inline]
    fn toggle(&mut self, color: Color, role: Role, square: Square) {
        let bit = Bitboard::from_square(square);
        self.by_role[role as usize - 1] ^= bit;
        self.by_color[color as usize] ^= bit;
        let number = zobrist::piece(color, role, square);
        self.key ^= number;
        if role == Role::Pawn {
            self.pawn_key ^= number;
        } else {
            self.piece_keys[color as usize] ^= number;
        }
    }

    /// Key, pawn key and piece keys computed from scratch, to check the incremental ones.
    pub(super) fn fresh_keys(&self) -> (u64, u64, [u64; 2]) {
        let mut key = zobrist::castling(self.castling.rooks());
        let mut pawn_key = 0;
        let mut piece_keys = [0; 2];
        for square in self.occupied() {
            let Some(piece) = self.piece_at(square) else { continue };
            let number = zobrist::piece(piece.color, piece.role, square);
            key ^= number;
            if piece.role == Role::Pawn {
                pawn_key ^= number;
            } else {
                piece_keys[piece.color as usize] ^= number;
            }
        }
        if let Some(square) = self.en_passant {
            key ^= zobrist::en_passant(square);
        }
        if self.side == Color::Black {
            key ^= zobrist::BLACK_TO_MOVE;
        }
        (key, pawn_key, piece_keys)
    }

    /// Whether mailbox, bitboards and keys agree. Checked after every move in the tests of this crate
    /// alone: elsewhere it would be a fifth of a search with debug assertions.
    pub(super) fn is_consistent(&self) -> bool {
        let mailbox_agrees = Square::ALL.into_iter().all(|square| {
            let roles = Role::ALL.into_iter().filter(|&role| self.by_role(role).contains(square));
            roles.eq(self.role_at(square))
                && self.occupied().contains(square) == self.role_at(square).is_some()
        });
        mailbox_agrees
            && (self.by_color[0] & self.by_color[1]).is_empty()
            && self.fresh_keys() == (self.key, self.pawn_key, self.piece_keys)
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::startpos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_is_insufficient_only_when_no_mate_can_be_helped_to() {
        let cases = [
            ("8/8/8/4k3/8/8/4K3/8 w - - 0 1", true),
            ("8/8/8/4k3/8/8/4KN2/8 w - - 0 1", true),
            ("8/8/8/4k3/8/8/4KB2/8 w - - 0 1", true),
            ("8/8/5b2/4k3/8/8/3BK3/8 w - - 0 1", true),
            ("8/8/4b3/4k3/8/8/3BK3/8 w - - 0 1", false),
            ("8/8/8/4k3/8/8/4KNN1/8 w - - 0 1", false),
            ("8/8/5n2/4k3/8/8/4KN2/8 w - - 0 1", false),
            ("8/8/5b2/4k3/8/8/4KN2/8 w - - 0 1", false),
            ("8/8/8/4k3/8/8/4KP2/8 w - - 0 1", false),
            ("8/8/8/4k3/8/8/4KR2/8 w - - 0 1", false),
        ];
        for (fen, insufficient) in cases {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(position.is_insufficient_material(), insufficient, "{fen}");
        }
    }
}
