//! HDF5 as the trainer of Sturddle reads it: a dataset `data` of numbers of 64 bits, a position a
//! row.
//!
//! Columns 0 to 11 are the squares of kings, pawns, knights, bishops, rooks and queens, Black's
//! before White's, a1 being bit 0; 12: 1 with White to move; 13: score in centipawns for the side to
//! move; 14: its result, in half points; 15 and 16: squares of the best move, equal where there is
//! none. Older files have the first 14 only. Castling rights, en passant, promotion pieces,
//! clocks, ply and depth are lost.
//!
//! Source: sturddle-2, `tools/nnue/toh5.py` and `mkh5.py`.

mod head;
mod row;
mod table;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, Write};

use super::bytes::Bytes;
use super::error::{FormatError, Place};
use super::format::{Format, Reads, Sink, Spec, Writes};
use super::neighbours::in_games;
use crate::record::Record;

/// The format.
pub const FORMAT: Format = Format(&Spec {
    needs_label: true,
    ..Spec::new(
        "rows of 17 numbers",
        &["h5", "hdf5"],
        Reads::Records(|path, source| in_games(Box::new(Reader::new(path, source)))),
        Writes::Records { head: |sink| write_head(0, sink), record: write, finish: Some(finish) },
    )
});

/// The dataset.
const NAME: &str = "data";

/// Columns, and the columns of older files.
const COLUMNS: usize = 17;
const OLD_COLUMNS: usize = 14;

/// Largest size of the metadata before the rows.
const HEAD_BYTES: u64 = 1 << 20;

fn write_head(rows: u64, sink: &mut impl Write) -> io::Result<()> {
    sink.write_all(&head::head(rows))
}

/// Rewrites the header with the final number of rows.
fn finish(rows: u64, mut file: File) -> io::Result<()> {
    file.rewind()?;
    write_head(rows, &mut file)
}

fn write(record: &Record, sink: &mut Sink<'_>) -> io::Result<()> {
    row::row(record)?.into_iter().try_for_each(|number| sink.write_all(&number.to_le_bytes()))
}

type Rows<R> = Bytes<io::Chain<Cursor<Vec<u8>>, R>>;

/// Reads records one after the other.
pub struct Reader<R> {
    path: String,
    state: State<R>,
}

enum State<R> {
    New(Option<R>),
    Rows { bytes: Rows<R>, columns: usize, left: u64, number: u64 },
    Ended,
}

impl<R: Read> Reader<R> {
    /// From the beginning of a file; `path` names it in errors.
    pub fn new(path: &str, source: R) -> Reader<R> {
        Reader { path: path.to_owned(), state: State::New(Some(source)) }
    }

    fn begin(&self, mut source: R) -> Result<State<R>, FormatError> {
        let bad = |at, reason| FormatError::Bad {
            path: self.path.clone(),
            place: Place::Byte(at),
            reason,
        };
        let mut head = Vec::new();
        let read = source.by_ref().take(HEAD_BYTES).read_to_end(&mut head);
        read.map_err(|error| bad(head.len() as u64, error.to_string()))?;
        if head.is_empty() {
            return Ok(State::Ended);
        }
        let table = table::find(&head).map_err(|wrong| bad(wrong.at, wrong.reason))?;
        if table.rows == 0 {
            return Ok(State::Ended);
        }
        let known = head.len() as u64;
        let mut skipped = known.min(table.at);
        head.drain(..skipped as usize);
        if table.at > known {
            let between = io::copy(&mut source.by_ref().take(table.at - known), &mut io::sink());
            skipped += between.map_err(|error| bad(known, error.to_string()))?;
        }
        let bytes = Bytes::from(&self.path, Cursor::new(head).chain(source), skipped);
        if skipped < table.at {
            return Err(bytes.short());
        }
        Ok(State::Rows { bytes, columns: table.columns, left: table.rows, number: 0 })
    }

    fn record(&mut self) -> Result<Option<Record>, FormatError> {
        if let State::New(source) = &mut self.state
            && let Some(source) = source.take()
        {
            self.state = self.begin(source)?;
        }
        let State::Rows { bytes, columns, left, number } = &mut self.state else {
            return Ok(None);
        };
        if *left == 0 {
            return Ok(None);
        }
        let at = bytes.offset();
        let mut row = [0; COLUMNS];
        let old = bytes.exact::<{ 8 * OLD_COLUMNS }>()?;
        let new = match *columns {
            COLUMNS => bytes.exact::<{ 8 * (COLUMNS - OLD_COLUMNS) }>()?,
            _ => [0; 8 * (COLUMNS - OLD_COLUMNS)],
        };
        let numbers = old.chunks_exact(8).chain(new.chunks_exact(8));
        for (place, number) in row.iter_mut().zip(numbers) {
            *place = u64::from_le_bytes(number.try_into().unwrap_or_default());
        }
        let record = row::record(&row[..*columns]);
        *number += 1;
        *left -= 1;
        record.map(Some).map_err(|reason| bytes.bad(at, format!("row {}: {reason}", *number - 1)))
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.record().transpose()
    }
}
