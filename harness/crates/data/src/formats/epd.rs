//! EPD with labels as operations: `ce` the score for the side to move,
//! `acd` the depth, `c9` the result (words in it are a comment), `sm` the move that was played, `hmvc` and `fmvn` the counters.
//!
//! Source: S. Edwards, "Portable Game Notation Specification", section 16.2; `c9` for the result is
//! the custom of the data sets for Texel tuning.

use std::io::{self, Write};

use super::error::RecordError;
use super::format::{Format, Reads, Sink, Spec, Writes};
use super::lines::{self, labelled, unreadable, with_bars, with_result};
use crate::record::{Record, number_of};
use harness_notation::epd::{Line, LineError, Operation};
use harness_notation::pgn::{find_move, san};
use harness_stats::GameScore;

/// Reads lines of EPD, of `FEN | score | result`, and of a FEN with a result behind it.
pub(super) const READS: Reads = Reads::Records(|path, source| {
    lines::records(path, source, |line| {
        // Bars within the operations of EPD are text.
        let position = line.split([';', '"']).next().unwrap_or(line);
        if position.contains('|') {
            with_bars(line)
        } else if let Some(record) = with_result(line) {
            record
        } else {
            parse(line)
        }
        .map(Some)
    })
});

/// The format.
pub const FORMAT: Format = Format(&Spec::new("EPD", &["epd"], READS, Writes::records(write)));

/// Parses a line; unknown operations are ignored.
fn parse(text: &str) -> Result<Record, RecordError> {
    let wrong = |error: LineError| RecordError::Line {
        column: 1 + text[..error.span.start].chars().count(),
        what: error.what,
    };
    let line = Line::parse(text).map_err(wrong)?;
    line.has_no_checks().map_err(wrong)?;
    let operand = |opcode| line.operation(opcode).map(Operation::text).unwrap_or_default();
    let fen = line.fen().map_err(wrong)?;
    let result = operand("c9");
    let result = if is_comment(&result) { "" } else { &result };
    let mut record = labelled(&fen, &operand("ce"), result)?;
    record.score = record.score.map(|score| score.for_white(record.position.side()));
    let depth = operand("acd");
    if !depth.is_empty() {
        let number: u32 = depth.parse().map_err(|_| unreadable(&depth, "depth"))?;
        record.depth = number.min(255) as u8;
    }
    let played = operand("sm");
    if !played.is_empty() {
        let illegal = || RecordError::Move(format!("`{played}` is no legal move here"));
        let (legal, _) = find_move(&record.position, played.as_bytes()).ok_or_else(illegal)?;
        record.played = Some(legal);
    }
    Ok(record)
}

/// Whether an operand of `c9` has words, as the moves of the Strategic Test Suite there: a damaged result has none.
fn is_comment(text: &str) -> bool {
    GameScore::of_text(text).is_none() && text.contains(|sign: char| sign.is_ascii_alphabetic())
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
