//! Files with a position a line: the reader, and the fields that their formats share.

use std::io::{BufReader, Read};

use engine::board::Position;

use super::error::{FormatError, Place, RecordError};
use super::format::Records;
use super::neighbours::in_games;
use crate::record::{Record, counted_ply, score_of};
use harness_base::input::{MAX_LINE, read_line};
use harness_base::text::{TextSource, decode};
use harness_notation::epd;
use harness_player::Score;
use harness_stats::GameScore;

/// Parses a line; `None` for a header.
type Parse<'a> = dyn FnMut(&str) -> Result<Option<Record>, RecordError> + Send + 'a;

/// Reads records one after the other; empty lines and comments (`#`) are skipped. `path` names the
/// file in errors.
pub fn records<'a>(
    path: &str,
    source: impl Read + Send + 'a,
    parse: impl FnMut(&str) -> Result<Option<Record>, RecordError> + Send + 'a,
) -> Records<'a> {
    let source = BufReader::with_capacity(1 << 16, TextSource::new(source));
    let path = path.to_owned();
    let parse = Box::new(parse);
    let mut reader = Reader { path, source, parse, line: 0, text: Vec::new() };
    in_games(Box::new(std::iter::from_fn(move || reader.record().transpose())))
}

struct Reader<'a, R> {
    path: String,
    source: BufReader<TextSource<R>>,
    parse: Box<Parse<'a>>,
    line: u64,
    text: Vec<u8>,
}

impl<R: Read> Reader<'_, R> {
    fn bad(&self, reason: String) -> FormatError {
        FormatError::Bad { path: self.path.clone(), place: Place::Line(self.line), reason }
    }

    fn record(&mut self) -> Result<Option<Record>, FormatError> {
        loop {
            self.text.clear();
            self.line += 1;
            let read = read_line(&mut self.source, &mut self.text, MAX_LINE);
            let read = read.map_err(|error| self.bad(error.to_string()))?;
            if read == 0 {
                return Ok(None);
            }
            if read >= MAX_LINE {
                return Err(self.bad(format!("a line of more than {MAX_LINE} bytes")));
            }
            if self.text.contains(&0) {
                return Err(self.bad("this is no text".to_owned()));
            }
            let line = decode(&self.text);
            let Some(content) = epd::content(&line) else { continue };
            let parsed = (self.parse)(content.trim());
            if let Some(record) = parsed.map_err(|error| self.bad(error.to_string()))? {
                return Ok(Some(record));
            }
        }
    }
}

/// The error of a field that cannot be read as a score, a depth and so on.
pub fn unreadable(text: &str, what: &'static str) -> RecordError {
    RecordError::Unreadable { text: text.to_owned(), what }
}

/// Parses `FEN | score | result` and `FEN | result`. A whole number alone may be either, and is refused.
pub fn with_bars(line: &str) -> Result<Record, RecordError> {
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    match fields[..] {
        [fen, score, result] => labelled(fen, score, result),
        [fen, result] if result.parse::<i64>().is_err() => labelled(fen, "", result),
        _ => Err(RecordError::Fields(fields.len())),
    }
}

/// Parses a FEN with a result for White behind it, as in data sets for Texel tuning: `FEN [0.5]`, `FEN;0.5`, and
/// `FEN [0.5] 35` with a score for the side to move (A. Grant, Ethereal, `texel.c` before 2019). `None` if the line has
/// no such form.
pub fn with_result(line: &str) -> Option<Result<Record, RecordError>> {
    let (fen, result, score) = match line.split_once('[') {
        Some((fen, behind)) => {
            let (result, score) = behind.split_once(']')?;
            (fen, result, score.trim())
        }
        None => {
            let (fen, result) = line.split_once(';')?;
            (fen, result, "")
        }
    };
    if fen.contains(['"', ';']) || GameScore::of_text(result).is_none() {
        return None;
    }
    let record = labelled(fen.trim(), score, result).map(|record| Record {
        score: record.score.map(|score| score.for_white(record.position.side())),
        ..record
    });
    Some(record)
}

/// A position with score and result, both for White; each may be empty.
pub fn labelled(fen: &str, score: &str, result: &str) -> Result<Record, RecordError> {
    let position = Position::from_fen(fen)?;
    let game_score = |text| GameScore::of_text(text).ok_or_else(|| unreadable(text, "result"));
    Ok(Record {
        score: (!score.is_empty()).then(|| score_in(score)).transpose()?,
        result: (!result.is_empty()).then(|| game_score(result)).transpose()?,
        ply: counted_ply(&position),
        ..Record::bare(position, 0)
    })
}

/// A score in whole centipawns; beyond 31,000 it is a mate. A fraction says that it is in pawns: rounded, it would be lost.
fn score_in(text: &str) -> Result<Score, RecordError> {
    let number: Option<f64> = text.parse().ok();
    let number = number.filter(|number| number.abs() < 100_000.0);
    let number = number.ok_or_else(|| unreadable(text, "score"))?;
    if number.fract() != 0.0 {
        return Err(RecordError::Fraction(text.to_owned()));
    }
    // Clamped to what fits.
    Ok(score_of(number.clamp(-32_000.0, 32_000.0) as i16))
}
