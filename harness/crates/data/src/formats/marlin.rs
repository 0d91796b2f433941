//! marlinformat: 32 bytes a position, with the side to move, castling rights, en passant and clocks.
//!
//! A packed [`board`] with its score and result, both for White. The free byte keeps the depth of the
//! search. The ply is that of the move number; the move that was played is lost.
//!
//! Source: the crate `viriformat` 3.0, `dataformat/marlinformat.rs`.

use std::io::{self, Write};

use super::board::{self, Label, SIZE, game_score, labels};
use super::bytes;
use super::error::RecordError;
use super::format::{Format, Reads, Sink, Spec, Writes};
use super::neighbours::in_games;
use crate::record::{Record, counted_ply, number_of, score_of};

/// The format.
pub const FORMAT: Format = Format(&Spec {
    needs_label: true,
    ..Spec::new(
        "marlinformat",
        &["marlin"],
        Reads::Records(|path, source| in_games(bytes::records(path, source, unpack))),
        Writes::records(write),
    )
});

fn unpack(block: &[u8; SIZE]) -> Result<Record, RecordError> {
    let (position, label) = board::unpack(block)?;
    Ok(Record {
        score: Some(score_of(label.score)),
        result: Some(game_score(label.result.into())?),
        ply: counted_ply(&position),
        depth: label.extra,
        ..Record::bare(position, 0)
    })
}

fn write(record: &Record, sink: &mut Sink<'_>) -> io::Result<()> {
    let (score, result) = labels(record)?;
    let label = Label { score: number_of(score), result: result as u8, extra: record.depth };
    sink.write_all(&board::pack(&record.position, label))
}
