//! Stockfish's binpack: chunks of chains, each a position with its move and score, and then moves
//! and scores in bits.
//!
//! A chunk is `BINP`, its size in four bytes (little-endian) and its chains. A chain begins with 32
//! bytes (big-endian): occupied squares, a nibble a piece, move, score for the side to move, ply
//! with the result above it in two bits, clock of the fifty-move rule; then the number of
//! moves that follow, in two bytes. Such a move is the number of the piece among the mover's, then that of the target
//! among those it attacks, each in as few bits as its choice needs; its score is the difference to
//! the previous score, in blocks of four bits with a continuation bit.
//!
//! Here rather than by the crate `sfbinpack` 0.6, which reads damaged files beyond their end or
//! panics.
//!
//! Source: that crate, and `nnue_training_data_formats.h` of Stockfish's `tools` branch.

mod pseudo_legal;
mod reader;
mod writer;

pub use reader::Reader;

use engine::board::Role;

use super::format::{Format, Reads, Spec, Writes, fused};

/// Bytes of a chain's stem, and of its move count.
const STEM: usize = 32;
const COUNT: usize = 2;

/// Stockfish's score of a position that has none.
const NO_SCORE: i16 = 32_002;

/// Bits of a block of a score.
const SCORE_BLOCK: u32 = 4;

/// Promotions by number.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The format.
pub const FORMAT: Format = Format(&Spec::new(
    "binpack",
    &["binpack"],
    Reads::Games(|path, source, _| fused(Reader::new(path, source))),
    Writes::Blocks { game: writer::write, block: writer::chunk },
));
