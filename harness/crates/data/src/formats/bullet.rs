//! bulletformat: 32 bytes a position, as the trainers of networks read them.
//!
//! Byte 0: occupied squares; 8: a nibble a piece by square, pawn 0 to king 5, 8 more for the
//! opponent; 24: score in centipawns; 26: result in half points; 27: the king's square; 28: the
//! opponent's king's square with its rank flipped; 29: three free bytes, in which depth and ply
//! (plus one; 0: unknown) are kept here. All is relative to the side to move, with ranks flipped for
//! Black. Side to move, castling rights, en passant and clocks are not stored.
//!
//! Source: the crate `bulletformat` 1.8, `chess.rs`.

use std::io::{Read, Write};

use engine::board::{Color, Piece, Position, Square};

use super::board::{Pieces, ROLES, game_score, labels, squares_of};
use super::bytes;
use super::error::RecordError;
use super::format::{Format, Items, Reads, Spec, Writes};
use super::neighbours::in_games;
use crate::record::{Record, number_of, score_of};
use harness_stats::GameScore;

/// The format.
pub const FORMAT: Format = Format(&Spec {
    needs_label: true,
    keeps_side_to_move: false,
    ..Spec::new(
        "bulletformat",
        &["bin", "bullet", "data"],
        Reads::Records(|path, source| {
            in_games(bytes::records(path, source, |bytes| Packed(*bytes).checked()?.record(0)))
        }),
        Writes::records(|record, sink| sink.write_all(&pack(record)?.0)),
    )
});

/// Codes of pieces.
const PAWN: u8 = 0;
const KING: u8 = 5;

/// Bytes of a record.
pub const SIZE: usize = 32;

/// A record as it is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed(pub [u8; SIZE]);

impl Packed {
    /// Packs a position with its score and result, both for White. A score that does not fit
    /// becomes the greatest one that does.
    pub fn new(position: &Position, score: i16, result: GameScore, depth: u8, ply: u16) -> Packed {
        let mover = position.side();
        let flip = if mover.is_white() { 0 } else { 56 };
        let mut occupied = position.occupied();
        if mover.is_black() {
            occupied = occupied.flip_vertical();
        }
        let mut bytes = [0; SIZE];
        bytes[..8].copy_from_slice(&occupied.0.to_le_bytes());
        for (place, square) in occupied.into_iter().enumerate() {
            let square = Square::new(square as u32 ^ flip);
            let Some(piece) = position.piece_at(square) else { continue };
            let theirs = if piece.color == mover { 0 } else { 8 };
            bytes[8 + place / 2] |= ((piece.role as u8 - 1) | theirs) << (4 * (place % 2));
        }
        let score = if mover.is_white() { score } else { score.saturating_neg() };
        bytes[24..26].copy_from_slice(&score.to_le_bytes());
        bytes[26] = result.seen_from(mover) as u8;
        bytes[27] = (position.king(mover) as u32 ^ flip) as u8;
        bytes[28] = (position.king(!mover) as u32 ^ flip ^ 56) as u8;
        bytes[29] = depth;
        bytes[30..].copy_from_slice(&ply.saturating_add(1).to_le_bytes());
        Packed(bytes)
    }

    /// Piece placement from the side to move: equal for positions with the same features.
    pub fn board(&self) -> [u8; 24] {
        std::array::from_fn(|at| self.0[at])
    }

    /// Occupied squares, seen from the side to move.
    pub fn occupied(&self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|at| self.0[at]))
    }

    /// Four bits a piece, in the order of the squares.
    pub fn codes(&self) -> [u8; 16] {
        std::array::from_fn(|at| self.0[8 + at])
    }

    /// The squares of the own and of the opponent's king, each seen from its side.
    pub fn kings(&self) -> [u8; 2] {
        [self.0[27], self.0[28]]
    }

    /// Pieces with their squares, seen from the side to move: `(code, square)` with pawn 0 to king
    /// 5 and 8 more for the opponent's.
    pub fn pieces(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        let mut left = self.occupied();
        let squares = std::iter::from_fn(move || {
            let square = left.trailing_zeros() as u8;
            (left != 0).then(|| {
                left &= left - 1;
                square
            })
        });
        // A damaged record has more squares than nibbles.
        squares
            .take(32)
            .enumerate()
            .map(|(place, square)| (self.0[8 + place / 2] >> (4 * (place % 2)) & 15, square))
    }

    /// Score in centipawns for the side to move.
    pub fn score(&self) -> i16 {
        i16::from_le_bytes([self.0[24], self.0[25]])
    }

    /// Result for the side to move, in half points.
    pub fn halves(&self) -> u8 {
        self.0[26]
    }

    /// Depth of the search in plies; 0: unknown.
    pub fn depth(&self) -> u8 {
        self.0[29]
    }

    /// Plies played before.
    pub fn ply(&self) -> Option<u16> {
        u16::from_le_bytes([self.0[30], self.0[31]]).checked_sub(1)
    }

    /// Validates the bytes: at most 32 known pieces, one king a side on its stored square, no pawn on
    /// the first or last rank, a result. That the side not to move is not in check is left to
    /// [`Packed::position`], which takes many times as long.
    ///
    /// # Errors
    /// For the first flaw.
    pub fn check(&self) -> Result<(), RecordError> {
        squares_of(self.occupied())?;
        let mut kings = [None; 2];
        for (code, square) in self.pieces() {
            match code & 7 {
                PAWN if !(8..56).contains(&square) => return Err(misplaced("a pawn", square)),
                KING if kings[usize::from(code >> 3)].replace(square).is_some() => {
                    return Err(RecordError::Contradiction("two kings of one side"));
                }
                code if code > KING => {
                    return Err(misplaced(&format!("piece code {code}"), square));
                }
                _ => {}
            }
        }
        let [Some(own), Some(theirs)] = kings else {
            return Err(RecordError::Contradiction("a side without a king"));
        };
        self.check_kings([own, theirs ^ 56])?;
        game_score(self.halves().into()).map(drop)
    }

    /// The same, if it is valid.
    fn checked(self) -> Result<Packed, RecordError> {
        self.check().map(|()| self)
    }

    fn check_kings(&self, kings: [u8; 2]) -> Result<(), RecordError> {
        if kings == self.kings() {
            return Ok(());
        }
        Err(RecordError::Contradiction("the kings are not on their stored squares"))
    }

    /// The position, with White to move.
    ///
    /// # Errors
    /// If it is not legal.
    pub fn position(&self) -> Result<Position, RecordError> {
        squares_of(self.occupied())?;
        let mut pieces = Pieces::default();
        for (code, square) in self.pieces() {
            let role = *ROLES
                .get(usize::from(code & 7))
                .ok_or_else(|| misplaced(&format!("piece code {code}"), square))?;
            let color = Color::from_white(code < 8);
            pieces.put(Square::new(square.into()), Piece { color, role });
        }
        if let Some(ply) = self.ply() {
            pieces.fullmoves = 1 + ply / 2;
        }
        let position = pieces.position()?;
        let kings = [position.king(Color::White) as u8, position.king(Color::Black) as u8 ^ 56];
        self.check_kings(kings)?;
        Ok(position)
    }

    /// The position with its label and the number of its game.
    ///
    /// # Errors
    /// If it is not legal.
    pub fn record(&self, game: u64) -> Result<Record, RecordError> {
        let position = self.position()?;
        Ok(Record {
            score: Some(score_of(self.score())),
            result: Some(game_score(self.halves().into())?),
            ply: self.ply(),
            depth: self.depth(),
            ..Record::bare(position, game)
        })
    }
}

fn misplaced(what: &str, square: u8) -> RecordError {
    RecordError::Misplaced { what: what.to_owned(), square: format!("square {square}") }
}

/// Reads records as they are, checked by [`Packed::check`]; `path` names the file in errors.
pub fn packed<'a>(path: &str, source: impl Read + Send + 'a) -> Items<'a, Packed> {
    bytes::records(path, source, |bytes| Packed(*bytes).checked())
}

/// Packs a record.
///
/// # Errors
/// Without a score or a result it is no training data.
pub fn pack(record: &Record) -> Result<Packed, RecordError> {
    let (score, result) = labels(record)?;
    // Stored plus one, as 0 means unknown.
    let ply = record.ply.unwrap_or(u16::MAX);
    let mut packed = Packed::new(&record.position, number_of(score), result, record.depth, ply);
    if record.ply.is_none() {
        packed.0[30..].fill(0);
    }
    Ok(packed)
}

/// A record after packing and unpacking: with White to move.
///
/// # Errors
/// Without a score or a result.
pub fn round_trip(record: &Record) -> Result<Record, RecordError> {
    let packed = pack(record)?;
    let mover = record.position.side();
    Ok(Record {
        score: record.score.map(|score| score.for_white(mover)),
        result: record.result.map(|result| result.seen_from(mover)),
        played: None,
        source: None,
        position: packed.position()?,
        ..record.clone()
    })
}
