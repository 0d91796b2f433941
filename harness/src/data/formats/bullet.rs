//! bulletformat: 32 bytes a position, as the trainers of networks read them.
//!
//! Byte 0: occupied squares; 8: a nibble a piece by square, pawn 0 to king 5, 8 more for the
//! opponent; 24: score in centipawns; 26: result in half points; 27: the king's square; 28: the
//! opponent's king's square with its rank flipped; 29: three free bytes, in which depth and ply
//! (plus one; 0: unknown) are kept here. All is relative to the side to move, with ranks flipped for
//! Black. Side to move, castling rights, en passant and clocks are not stored.
//!
//! Source: the crate `bulletformat` 1.8, `chess.rs`.

use std::io::{self, Read, Write};

use engine::board::{Bitboard, Color, Piece, Position, Square};

use super::board::{Pieces, ROLES};
use super::bytes::Bytes;
use super::error::FormatError;
use super::format::{Format, Reads, Spec, Writes};
use super::reader::fused;
use crate::data::record::{Record, for_white, number_of, score_of};
use crate::stats::GameScore;

/// The format.
pub const FORMAT: Format = Format(&Spec {
    name: "bulletformat",
    endings: &["bin", "bullet", "data"],
    reads: Reads::Records(|path, source| fused(Reader::new(path, source))),
    writes: Writes::Records {
        head: |_| Ok(()),
        record: |record, sink| write(record, sink),
        finish: None,
    },
    needs_label: true,
    keeps_side_to_move: false,
});

/// Codes of pieces.
const PAWN: u8 = 0;
const KING: u8 = 5;

/// Bytes of a record.
pub const SIZE: usize = 32;

/// Records per block: neighbours in an unshuffled file mostly come from one game.
pub(super) const BLOCK: u64 = 64;

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
    /// What is wrong.
    pub fn check(&self) -> Result<(), String> {
        let count = self.occupied().count_ones();
        if count > 32 {
            return Err(format!("{count} pieces"));
        }
        let mut kings = [None; 2];
        for (code, square) in self.pieces() {
            match code & 7 {
                PAWN if !(8..56).contains(&square) => {
                    return Err(format!("a pawn on square {square}"));
                }
                KING if kings[usize::from(code >> 3)].replace(square).is_some() => {
                    return Err("two kings of one side".to_owned());
                }
                code if code > KING => {
                    return Err(format!("piece code {code} on square {square}"));
                }
                _ => {}
            }
        }
        let [Some(own), Some(theirs)] = kings else {
            return Err("a side without a king".to_owned());
        };
        if [own, theirs ^ 56] != [self.0[27], self.0[28]] {
            return Err("the kings are not on their stored squares".to_owned());
        }
        let halves = self.halves();
        if halves > 2 {
            return Err(format!("the result is {halves}, not 0, 1 or 2"));
        }
        Ok(())
    }

    /// The position, with White to move.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn position(&self) -> Result<Position, String> {
        let occupied = Bitboard(self.occupied());
        if occupied.count() > 32 {
            return Err(format!("{} pieces", occupied.count()));
        }
        let mut pieces = Pieces::default();
        for (code, square) in self.pieces() {
            let role = *ROLES
                .get(usize::from(code & 7))
                .ok_or_else(|| format!("piece code {code} on square {square}"))?;
            let color = Color::from_white(code < 8);
            pieces.put(Square::new(square.into()), Piece { color, role });
        }
        if let Some(ply) = self.ply() {
            pieces.fullmoves = 1 + ply / 2;
        }
        let position = pieces.position()?;
        let kings = [position.king(Color::White) as u8, position.king(Color::Black) as u8 ^ 56];
        if kings != [self.0[27], self.0[28]] {
            return Err("the kings are not on their stored squares".to_owned());
        }
        Ok(position)
    }

    /// The position with its label and the number of its game.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn record(&self, game: u64) -> Result<Record, String> {
        let position = self.position()?;
        let halves = self.halves();
        let result = GameScore::from_half_points(halves)
            .ok_or_else(|| format!("the result is {halves}, not 0, 1 or 2"))?;
        Ok(Record {
            score: Some(score_of(self.score())),
            result: Some(result),
            ply: self.ply(),
            depth: self.depth(),
            ..Record::bare(position, game)
        })
    }
}

/// Reads records as they are, checked by [`Packed::check`].
pub struct PackedReader<R> {
    bytes: Bytes<R>,
}

impl<R: Read> PackedReader<R> {
    /// From the beginning of a file; `path` names it in errors.
    pub fn new(path: &str, source: R) -> PackedReader<R> {
        PackedReader { bytes: Bytes::new(path, source) }
    }

    fn packed(&mut self) -> Result<Option<Packed>, FormatError> {
        let Some(bytes) = self.bytes.block()? else { return Ok(None) };
        let packed = Packed(bytes);
        packed.check().map_err(|reason| self.bad(&reason))?;
        Ok(Some(packed))
    }

    /// What is wrong with the last record.
    fn bad(&self, reason: &str) -> FormatError {
        let end = self.bytes.offset();
        let number = end / SIZE as u64;
        self.bytes.bad(end - SIZE as u64, format!("record {number}: {reason}"))
    }
}

impl<R: Read> Iterator for PackedReader<R> {
    type Item = Result<Packed, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.packed().transpose()
    }
}

/// Reads records one after the other.
pub struct Reader<R> {
    packed: PackedReader<R>,
    number: u64,
}

impl<R: Read> Reader<R> {
    /// From the beginning of a file; `path` names it in errors.
    pub fn new(path: &str, source: R) -> Reader<R> {
        Reader { packed: PackedReader::new(path, source), number: 0 }
    }

    fn record(&mut self) -> Result<Option<Record>, FormatError> {
        let Some(packed) = self.packed.packed()? else { return Ok(None) };
        self.number += 1;
        let record = packed.record(1 + (self.number - 1) / BLOCK);
        record.map(Some).map_err(|reason| self.packed.bad(&reason))
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.record().transpose()
    }
}

/// Packs a record.
///
/// # Errors
/// Without a score or a result it is no training data.
pub fn pack(record: &Record) -> Result<Packed, &'static str> {
    let score = record.score.ok_or("a position without a score")?;
    let result = record.result.ok_or("a position without a result")?;
    // Stored plus one, as 0 means unknown.
    let ply = record.ply.unwrap_or(u16::MAX);
    let mut packed = Packed::new(&record.position, number_of(score), result, record.depth, ply);
    if record.ply.is_none() {
        packed.0[30..].fill(0);
    }
    Ok(packed)
}

/// Writes a record.
///
/// # Errors
/// When it has no score or result, or the file cannot be written.
pub fn write(record: &Record, sink: &mut impl Write) -> io::Result<()> {
    let packed = pack(record).map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))?;
    sink.write_all(&packed.0)
}

/// A record after packing and unpacking: with White to move.
pub fn round_trip(record: &Record) -> Result<Record, String> {
    let packed = pack(record)?;
    let mover = record.position.side();
    Ok(Record {
        score: record.score.map(|score| for_white(score, mover)),
        result: record.result.map(|result| result.seen_from(mover)),
        played: None,
        source: None,
        position: packed.position()?,
        ..record.clone()
    })
}
