//! Positions as 32 bytes: `PackedBoard` of marlinformat, with which a game of viriformat begins.
//!
//! Byte 0: occupied squares; 8: a nibble a piece by square, pawn 0 to king 5, 6 a rook that may
//! castle, 8 more for Black; 24: the en-passant square or 64, and 128 when Black is to move; 25:
//! halfmove clock; 26: move number; 28: score for White; 30: result for White in half points; 31:
//! free. Numbers are little-endian, squares count from a1 by rank.
//!
//! Source: the crate `viriformat` 3.0, `dataformat/marlinformat.rs`.

use engine::board::{Bitboard, Color, Piece, Position, Role, Square};

use super::error::RecordError;
use crate::record::Record;
use harness_player::Score;
use harness_stats::GameScore;

/// Bytes of a packed position.
pub const SIZE: usize = 32;

const NO_SQUARE: u8 = 64;
const BLACK_TO_MOVE: u8 = 128;
const UNMOVED_ROOK: u8 = 6;

/// The label stored with the position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// A score as a number for White.
    pub score: i16,
    /// Result for White, in half points; more than 2: unknown.
    pub result: u8,
    /// Free for any use.
    pub extra: u8,
}

/// The result stored as half points.
///
/// # Errors
/// When it is none.
pub fn game_score(half_points: u64) -> Result<GameScore, RecordError> {
    let score = u8::try_from(half_points).ok().and_then(GameScore::from_half_points);
    let what = "result";
    let wanted = "0, 1 or 2";
    score.ok_or(RecordError::OutOfRange { what, found: half_points, wanted })
}

/// Score and result of a record, both for White.
///
/// # Errors
/// When it has only one of them, or none.
pub fn labels(record: &Record) -> Result<(Score, GameScore), RecordError> {
    let score = record.score.ok_or(RecordError::Unlabelled("score"))?;
    Ok((score, record.result.ok_or(RecordError::Unlabelled("result"))?))
}

/// The occupied squares.
///
/// # Errors
/// When there are more than pieces.
pub(super) fn squares_of(occupied: u64) -> Result<Bitboard, RecordError> {
    let squares = Bitboard(occupied);
    if squares.count() <= 32 { Ok(squares) } else { Err(RecordError::Pieces(squares.count())) }
}

/// Packs a position; a halfmove clock above 255 becomes 255.
pub fn pack(position: &Position, label: Label) -> [u8; SIZE] {
    let occupied = position.occupied();
    let unmoved = position.castling_rights().rooks();
    let mut bytes = [0; SIZE];
    bytes[..8].copy_from_slice(&occupied.0.to_le_bytes());
    for (place, square) in occupied.into_iter().enumerate() {
        let Some(piece) = position.piece_at(square) else { continue };
        let role = if unmoved.contains(square) { UNMOVED_ROOK } else { piece.role as u8 - 1 };
        let color = if piece.color.is_black() { 8 } else { 0 };
        bytes[8 + place / 2] |= (role | color) << (4 * (place % 2));
    }
    let side = if position.side().is_black() { BLACK_TO_MOVE } else { 0 };
    bytes[24] = side | position.en_passant().map_or(NO_SQUARE, |square| square as u8);
    bytes[25] = position.halfmove_clock().min(255) as u8;
    bytes[26..28].copy_from_slice(&position.fullmoves().to_le_bytes());
    bytes[28..30].copy_from_slice(&label.score.to_le_bytes());
    bytes[30] = label.result;
    bytes[31] = label.extra;
    bytes
}

/// Unpacks a position.
///
/// # Errors
/// If it is not legal.
pub fn unpack(bytes: &[u8; SIZE]) -> Result<(Position, Label), RecordError> {
    let number = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let mut pieces = Pieces::default();
    let occupied = squares_of(u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default()))?;
    for (place, square) in occupied.into_iter().enumerate() {
        let nibble = bytes[8 + place / 2] >> (4 * (place % 2)) & 15;
        let color = Color::from_white(nibble < 8);
        match nibble & 7 {
            UNMOVED_ROOK => {
                pieces.put(square, Piece { color, role: Role::Rook });
                pieces.castling.add(square);
            }
            7 => {
                let what = format!("piece code {nibble}");
                let square = square.to_string();
                return Err(RecordError::Misplaced { what, square });
            }
            role => pieces.put(square, Piece { color, role: ROLES[usize::from(role)] }),
        }
    }
    pieces.side = Color::from_black(bytes[24] & BLACK_TO_MOVE != 0);
    pieces.en_passant = match bytes[24] & !BLACK_TO_MOVE {
        NO_SQUARE => None,
        square if square < NO_SQUARE => Some(Square::new(square.into())),
        square => return Err(RecordError::EnPassant(square)),
    };
    pieces.halfmoves = bytes[25].into();
    pieces.fullmoves = number(26);
    let label = Label { score: number(28) as i16, result: bytes[30], extra: bytes[31] };
    Ok((pieces.position()?, label))
}

/// The pieces by square, from a1 by rank, without a look at whether the position is legal: 0 for an
/// empty square, 1 (pawn) to 6 (king) for White, the same below zero for Black.
pub fn squares(bytes: &[u8; SIZE]) -> [i8; 64] {
    let mut squares = [0; 64];
    let mut occupied = u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default());
    for place in 0..32 {
        if occupied == 0 {
            break;
        }
        let square = occupied.trailing_zeros() as usize;
        occupied &= occupied - 1;
        let nibble = bytes[8 + place / 2] >> (4 * (place % 2)) & 15;
        let role =
            if nibble & 7 == UNMOVED_ROOK { Role::Rook as i8 } else { (nibble & 7) as i8 + 1 };
        squares[square] = if nibble < 8 { role } else { -role };
    }
    squares
}

/// Roles by their code.
pub(super) const ROLES: [Role; 6] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// The parts of a position.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    squares: [Option<Piece>; 64],
    pub castling: Bitboard,
    pub side: Color,
    pub en_passant: Option<Square>,
    pub halfmoves: u16,
    pub fullmoves: u16,
}

impl Default for Pieces {
    fn default() -> Pieces {
        Pieces {
            squares: [None; 64],
            castling: Bitboard::EMPTY,
            side: Color::White,
            en_passant: None,
            halfmoves: 0,
            fullmoves: 1,
        }
    }
}

impl Pieces {
    pub fn put(&mut self, square: Square, piece: Piece) {
        self.squares[square as usize] = Some(piece);
    }

    /// The position, if it is legal.
    pub fn position(&self) -> Result<Position, RecordError> {
        Ok(Position::from_fen(&self.fen())?)
    }

    /// Built through FEN, whose parser validates positions.
    fn fen(&self) -> String {
        use std::fmt::Write;
        let mut fen = String::with_capacity(90);
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                let Some(piece) = self.squares[8 * rank + file] else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    fen.push(char::from(b'0' + empty));
                    empty = 0;
                }
                fen.push(piece.char());
            }
            if empty > 0 {
                fen.push(char::from(b'0' + empty));
            }
            if rank > 0 {
                fen.push('/');
            }
        }
        fen.push_str(if self.side.is_white() { " w " } else { " b " });
        for rook in self.castling {
            let letter = rook.file().char();
            let white = self.squares[rook as usize].is_some_and(|piece| piece.color.is_white());
            fen.push(if white { letter.to_ascii_uppercase() } else { letter });
        }
        if self.castling.is_empty() {
            fen.push('-');
        }
        fen.push(' ');
        match self.en_passant {
            Some(square) => fen.push_str(&square.to_string()),
            None => fen.push('-'),
        }
        // Writing to a `String` cannot fail.
        let _ = write!(fen, " {} {}", self.halfmoves, self.fullmoves);
        fen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_the_same_after_packing() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 12 34",
            "rnbqkbnr/pp1ppppp/8/8/2pPP3/8/PPP2PPP/RNBQKBNR b KQkq d3 0 3",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "8/8/8/2k5/8/8/8/4K2q w - - 99 301",
        ];
        let label = Label { score: -123, result: 2, extra: 7 };
        for fen in fens {
            let position = Position::from_fen(fen).expect(fen);
            let bytes = pack(&position, label);
            let squares = squares(&bytes);
            for square in Bitboard(u64::MAX) {
                let piece = position.piece_at(square).map_or(0, |piece| {
                    let sign = if piece.color.is_white() { 1 } else { -1 };
                    sign * piece.role as i8
                });
                assert_eq!(squares[square as usize], piece, "{fen}, {square}");
            }
            assert_eq!(unpack(&bytes), Ok((position, label)), "{fen}");
        }
    }

    #[test]
    fn bytes_that_are_no_position_are_refused_with_the_reason() {
        let start = pack(&Position::startpos(), Label::default());
        let changed = |at: usize, byte: u8| {
            let mut bytes = start;
            bytes[at] = byte;
            unpack(&bytes).expect_err("broken").to_string()
        };
        assert!(changed(8, 0x77).contains("piece code 7"));
        assert!(changed(24, 70).contains("en-passant"));
        assert!(changed(10, 0x33).contains("king"));
        assert!(unpack(&[255; SIZE]).expect_err("broken").to_string().contains("64 pieces"));
    }
}
