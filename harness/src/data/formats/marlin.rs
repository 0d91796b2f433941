//! marlinformat: 32 bytes a position, with the side to move, castling rights, en passant and clocks.
//!
//! A packed [`board`] with its score and result, both for White. The free byte keeps the depth of the
//! search. The ply is that of the move number; the move that was played is lost.
//!
//! Source: the crate `viriformat` 3.0, `dataformat/marlinformat.rs`.

use std::io::{self, Read, Write};

use super::board::{self, Label, SIZE};
use super::bullet::BLOCK;
use super::bytes::Bytes;
use super::error::FormatError;
use super::format::{Format, Reads, Spec, Writes};
use super::reader::fused;
use crate::data::record::{Record, counted_ply, number_of, score_of};

/// The format.
pub const FORMAT: Format = Format(&Spec {
    name: "marlinformat",
    endings: &["marlin"],
    reads: Reads::Records(|path, source| fused(Reader::new(path, source))),
    writes: Writes::Records {
        head: |_| Ok(()),
        record: |record, sink| write(record, sink),
        finish: None,
    },
    needs_label: true,
    keeps_side_to_move: true,
});

/// Reads records one after the other.
pub struct Reader<R> {
    bytes: Bytes<R>,
    number: u64,
}

impl<R: Read> Reader<R> {
    /// From the beginning of a file; `path` names it in errors.
    pub fn new(path: &str, source: R) -> Reader<R> {
        Reader { bytes: Bytes::new(path, source), number: 0 }
    }

    fn record(&mut self) -> Result<Option<Record>, FormatError> {
        let Some(block) = self.bytes.block::<SIZE>()? else { return Ok(None) };
        self.number += 1;
        let record = unpack(&block, 1 + (self.number - 1) / BLOCK);
        record.map(Some).map_err(|reason| {
            let (at, number) = (self.bytes.offset() - SIZE as u64, self.number);
            self.bytes.bad(at, format!("record {number}: {reason}"))
        })
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.record().transpose()
    }
}

fn unpack(block: &[u8; SIZE], game: u64) -> Result<Record, String> {
    let (position, label) = board::unpack(block)?;
    let result =
        label.points().ok_or_else(|| format!("the result is {}, not 0, 1 or 2", label.result))?;
    Ok(Record {
        score: Some(score_of(label.score)),
        result: Some(result),
        ply: counted_ply(&position),
        depth: label.extra,
        ..Record::bare(position, game)
    })
}

/// Writes a record.
///
/// # Errors
/// When it has no score or result, or the file cannot be written.
pub fn write(record: &Record, sink: &mut impl Write) -> io::Result<()> {
    let without = |what| io::Error::new(io::ErrorKind::InvalidInput, what);
    let score = record.score.ok_or_else(|| without("a position without a score"))?;
    let result = record.result.ok_or_else(|| without("a position without a result"))?;
    let label = Label { score: number_of(score), result: result as u8, extra: record.depth };
    sink.write_all(&board::pack(&record.position, label))
}
