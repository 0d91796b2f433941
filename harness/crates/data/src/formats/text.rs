//! `FEN | score | result`: score in centipawns and result, 1.0, 0.5 or 0.0, for White. Either may
//! be empty. Trainers read it too.

use std::io::{self, Write};

use super::epd;
use super::format::{Format, Sink, Spec, Writes};
use crate::record::Record;

/// The format; EPD is read among its lines, too.
pub const FORMAT: Format =
    Format(&Spec::new("`FEN | score | result`", &["txt"], epd::READS, Writes::records(write)));

fn write(record: &Record, sink: &mut Sink<'_>) -> io::Result<()> {
    write!(sink, "{} | ", record.position.fen(false))?;
    if let Some(score) = record.number() {
        write!(sink, "{score}")?;
    }
    match record.result {
        Some(result) => writeln!(sink, " | {:.1}", result.value()),
        None => writeln!(sink, " | "),
    }
}
