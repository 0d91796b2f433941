//! Training data of Leela Chess Zero: chunks of records of version 6, a chunk a game, alone or in a
//! tar archive.
//!
//! A [`Sample`] is one record as it is stored: planes, policy, values. [`Replay`] turns the records
//! of a chunk into games: it builds the first position from the planes, plays the moves, and refuses
//! a record whose planes are not the position that the move before leads to.
//!
//! The score of a move is `best_q`, the value of the best move without the draws, as centipawns by
//! lc0's default conversion ([`centipawns`]). Games have no place for the probability of a draw and for the
//! policy; programs have them from [`each`].
//!
//! Source: lc0's `src/trainingdata/trainingdata_v6.h` and `src/neural/encoder.cc`; the meaning of the
//! fields is in lczero-training's `tf/chunkparser.py`.

mod chunk;
mod error;
mod moves;
mod records;
mod replay;
mod sample;
mod tar;

pub use chunk::{CHUNK, TAR, each};
pub use error::SampleError;
pub use replay::{Replay, Step, centipawns};
pub use sample::{InputFormat, SIZE, Sample, Value};
