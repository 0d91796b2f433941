//! EPD with labels as operations: `ce` the score for the side to move,
//! `acd` the depth, `c9` the result, `sm` the move that was played, `hmvc` and `fmvn` the counters.
//!
//! Source: S. Edwards, "Portable Game Notation Specification", section 16.2; `c9` for the result is
//! the custom of the data sets for Texel tuning.

use std::io::{self, Write};

use shakmaty::san::SanPlus;

use super::error::RecordError;
use super::format::{Format, Reads, Sink, Spec, Writes};
use super::lines::{self, labelled, unreadable, with_bars};
use crate::data::record::{Record, number_of};
use crate::pgn::san;

/// Reads lines of EPD and of `FEN | score | result`.
pub(super) const READS: Reads = Reads::Records(|path, source| {
    lines::records(path, source, |line, game| {
        if line.contains('|') { with_bars(line, game) } else { parse(line, game) }.map(Some)
    })
});

/// The format.
pub const FORMAT: Format = Format(&Spec::new("EPD", &["epd"], READS, Writes::records(write)));

/// Parses a line; unknown operations are ignored.
fn parse(line: &str, game: u64) -> Result<Record, RecordError> {
    let mut words = line.split_ascii_whitespace();
    let board: Vec<&str> = words.by_ref().take(4).collect();
    let rest: Vec<&str> = words.collect();
    // The counters of a full FEN may precede the first operation.
    let is_number = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let counters = rest.iter().take(2).take_while(is_number).count();
    let operations = rest[counters..].join(" ");
    let operand = |wanted: &str| {
        let operations = operations.split(';').filter_map(|one| one.trim().split_once(' '));
        operations.into_iter().find(|(opcode, _)| *opcode == wanted).map(|(_, text)| text.trim())
    };
    let counter = |place: usize, opcode: &str, usual: &'static str| {
        let given = rest[..counters].get(place).map(|text| (*text).to_owned());
        given.or_else(|| operand(opcode).map(str::to_owned)).unwrap_or_else(|| usual.to_owned())
    };
    let (halfmoves, fullmoves) = (counter(0, "hmvc", "0"), counter(1, "fmvn", "1"));
    let fen = format!("{} {halfmoves} {fullmoves}", board.join(" "));
    let score = operand("ce").unwrap_or("");
    let mut record = labelled(&fen, score, operand("c9").unwrap_or(""), game)?;
    record.score = record.score.map(|score| score.for_white(record.position.side()));
    if let Some(text) = operand("acd") {
        let depth: u32 = text.parse().map_err(|_| unreadable(text, "depth"))?;
        record.depth = depth.min(255) as u8;
    }
    if let Some(text) = operand("sm") {
        let read: SanPlus = text.parse().map_err(|_| unreadable(text, "move"))?;
        let illegal = || RecordError::Move(format!("`{text}` is illegal here"));
        record.played = Some(san::resolve(&record.position, &read.san).ok_or_else(illegal)?);
    }
    Ok(record)
}

fn write(record: &Record, sink: &mut Sink<'_>) -> io::Result<()> {
    let fen = record.position.fen(false);
    let fields: Vec<&str> = fen.split(' ').collect();
    write!(sink, "{}", fields[..4].join(" "))?;
    if record.depth > 0 {
        write!(sink, " acd {};", record.depth)?;
    }
    if let Some(result) = record.result {
        write!(sink, " c9 \"{}\";", result.pgn())?;
    }
    if let Some(score) = record.score {
        write!(sink, " ce {};", number_of(score.for_white(record.position.side())))?;
    }
    write!(sink, " fmvn {}; hmvc {};", fields[5], fields[4])?;
    if let Some(text) = record.played.and_then(|played| san::write(&record.position, played)) {
        write!(sink, " sm {text};")?;
    }
    sink.write_all(b"\n")
}
