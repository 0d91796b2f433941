//! `FEN | score | result`: score in centipawns and result, 1.0, 0.5 or 0.0, for White. Either may
//! be empty. Trainers read it too.

use std::io::{self, Write};

use engine::board::Position;

use super::format::{Format, Reads, Spec, Writes};
use super::lines;
use super::reader::fused;
use crate::data::record::{Record, counted_ply, score_of};
use crate::player::Score;
use crate::stats::GameScore;

/// The format.
pub const FORMAT: Format = Format(&Spec {
    name: "`FEN | score | result`",
    endings: &["txt"],
    reads: Reads::Records(|path, source| fused(lines::Reader::text(path, source))),
    writes: Writes::Records {
        head: |_| Ok(()),
        record: |record, sink| write(record, sink),
        finish: None,
    },
    needs_label: false,
    keeps_side_to_move: true,
});

/// Reads a line.
///
/// # Errors
/// What is wrong with it.
pub fn parse(line: &str, game: u64) -> Result<Record, String> {
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    match fields[..] {
        [fen, score, result] => labelled(fen, score, result, game),
        _ => Err(format!("{} fields between bars instead of 3", fields.len())),
    }
}

/// A position with score and result, both for White; each may be empty.
pub(super) fn labelled(fen: &str, score: &str, result: &str, game: u64) -> Result<Record, String> {
    let position = Position::from_fen(fen).map_err(|error| error.to_string())?;
    Ok(Record {
        score: if score.is_empty() { None } else { Some(score_in(score)?) },
        result: match result {
            "" => None,
            text => Some(GameScore::of_text(text).ok_or_else(|| format!("`{text}` is no result"))?),
        },
        ply: counted_ply(&position),
        ..Record::bare(position, game)
    })
}

/// A number of centipawns that a score can be; beyond 31,000 it is a mate.
pub(super) fn score_in(text: &str) -> Result<Score, String> {
    let number: Option<f64> = text.parse().ok();
    let number = number.filter(|number| number.abs() < 100_000.0);
    let number = number.ok_or_else(|| format!("`{text}` is no score"))?.round();
    // Rounded, and clamped to what fits.
    Ok(score_of(number.clamp(-32_000.0, 32_000.0) as i16))
}

/// Writes a line.
///
/// # Errors
/// When the file cannot be written.
pub fn write(record: &Record, sink: &mut impl Write) -> io::Result<()> {
    write!(sink, "{} | ", record.position.fen(false))?;
    if let Some(score) = record.number() {
        write!(sink, "{score}")?;
    }
    match record.result {
        Some(result) => writeln!(sink, " | {:.1}", result.value()),
        None => writeln!(sink, " | "),
    }
}
