//! Openings as lines of FEN or EPD.

use std::io;

use super::super::opening_error::OpeningError;
use super::super::record::Opening;
use super::super::referee::Referee;
use super::super::variant::{Rules, Variant};
use super::text::{Span, Text};
use harness_base::text::decode;
use harness_notation::epd::{self, Line, LineError, Operation};

/// The places of all openings: lines that are neither empty nor a comment.
pub fn index(text: &Text) -> io::Result<Vec<Span>> {
    let mut spans = Vec::new();
    text.each_line(|line, offset, number| {
        if epd::content(&decode(line)).is_some() {
            let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
            spans.push(Span { offset, length, line: number });
        }
    })?;
    Ok(spans)
}

/// The opening of a line: a FEN, with `moves e2e4 e7e5` behind it as in UCI or without, or an EPD whose operations other
/// than `hmvc` and `fmvn` are ignored.
pub fn opening(line: &[u8], rules: Rules) -> Result<Opening, OpeningError> {
    let text = decode(line);
    if text.contains('\0') {
        return Err(OpeningError::NotText(text.into_owned()));
    }
    let text = epd::content(&text).unwrap_or_default().trim();
    let (fen, moves) = parts(text, rules).map_err(|error| {
        let reason = format!("column {}: {error}", 1 + text[..error.span.start].chars().count());
        OpeningError::NotFen { fen: text.to_owned(), reason }
    })?;
    let book_move = |(index, text): (usize, &str)| {
        let illegal = |_| OpeningError::Move { number: index + 1, text: text.to_owned() };
        text.parse().map_err(illegal)
    };
    let moves = moves.split_whitespace().enumerate().map(book_move);
    let opening = Opening { fen: Some(fen), moves: moves.collect::<Result<_, _>>()? };
    Referee::at(&opening, rules)?;
    Ok(opening)
}

/// The FEN of a line, and the moves behind it.
fn parts(text: &str, rules: Rules) -> Result<(String, String), LineError> {
    let line = Line::parse(text)?;
    if rules != Rules::Variant(Variant::ThreeCheck) {
        line.has_no_checks()?;
    }
    let moves = line.operation("moves").map(Operation::text).unwrap_or_default();
    Ok((line.fen()?, moves))
}
