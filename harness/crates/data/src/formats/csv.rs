//! CSV: one position a line, with all its fields. Score and result are for White.
//!
//! Moves are in UCI's notation: castling is the king's two steps, and where it is not from the usual
//! squares of chess the king takes its rook, as in Chess960.
//!
//! The columns `fen` and `result` are required, the others optional; unknown ones are ignored.

use std::io::{self, Write};
use std::sync::Arc;

use engine::board::{File, Move, Square};

use super::error::RecordError;
use super::format::{Format, Reads, Sink, Spec, Writes};
use super::lines::{self, labelled, unreadable};
use crate::record::{Record, Source};

/// The format.
pub const FORMAT: Format = Format(&Spec::new(
    "CSV",
    &["csv"],
    Reads::Records(|path, source| {
        let mut columns: Option<Columns> = None;
        lines::records(path, source, move |line| match &columns {
            Some(columns) => parse(line, columns).map(Some),
            None => {
                columns = Some(header(line)?);
                Ok(None)
            }
        })
    }),
    Writes::Records { head: write_head, record: write, finish: None },
));

/// The columns, in their order.
pub const COLUMNS: [&str; 9] =
    ["fen", "score", "result", "ply", "move", "depth", "engine", "opponent", "game"];

/// Index of each of [`COLUMNS`] in the file.
struct Columns([Option<usize>; 9]);

/// Reads the first line.
fn header(line: &str) -> Result<Columns, RecordError> {
    let names: Vec<String> = fields(line).into_iter().map(|name| name.to_lowercase()).collect();
    let columns = COLUMNS.map(|column| names.iter().position(|name| name == column));
    if columns[0].is_none() || columns[2].is_none() {
        return Err(RecordError::Header(line.to_owned()));
    }
    Ok(Columns(columns))
}

/// The fields of a line; one in quotes may hold commas, and quotes as `""`.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                push(&mut fields, '"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            letter => push(&mut fields, letter),
        }
    }
    fields.iter_mut().for_each(|field| *field = field.trim().to_owned());
    fields
}

fn push(fields: &mut [String], letter: char) {
    if let Some(last) = fields.last_mut() {
        last.push(letter);
    }
}

/// Reads a line.
fn parse(line: &str, columns: &Columns) -> Result<Record, RecordError> {
    let fields = fields(line);
    let field = |column: usize| match columns.0[column] {
        None => Ok(""),
        Some(place) => fields
            .get(place)
            .map(String::as_str)
            .ok_or(RecordError::NoColumn { number: place + 1, name: COLUMNS[column] }),
    };
    let number = |column: usize| -> Result<Option<u32>, RecordError> {
        let text = field(column)?;
        let read = (!text.is_empty()).then(|| text.parse());
        read.transpose().map_err(|_| unreadable(text, COLUMNS[column]))
    };
    let mut record = labelled(field(0)?, field(1)?, field(2)?)?;
    if let Some(ply) = number(3)? {
        record.ply = Some(ply.min(u16::MAX.into()) as u16);
    }
    let played = field(4)?;
    if !played.is_empty() {
        let position = &record.position;
        let illegal = || format!("move `{played}` is illegal in `{}`", position.fen(false));
        let legal = position.parse_uci(played, false);
        record.played = Some(legal.ok_or_else(|| RecordError::Move(illegal()))?);
    }
    record.depth = number(5)?.unwrap_or(0).min(255) as u8;
    let [engine, opponent, of_game] = [field(6)?, field(7)?, field(8)?].map(str::to_owned);
    if !(engine.is_empty() && opponent.is_empty() && of_game.is_empty()) {
        record.source = Some(Arc::new(Source { engine, opponent, game: of_game }));
    }
    Ok(record)
}

/// Whether a move is other than castling from squares that chess does not castle from: the king's
/// destination would then be that of another move, or the square on which it stands.
fn castles_as_in_chess(played: Move) -> bool {
    let squares = [played.from(), played.to()].map(Square::file);
    !played.is_castling() || matches!(squares, [File::E, File::A | File::H])
}

fn write_head(sink: &mut Sink<'_>) -> io::Result<()> {
    writeln!(sink, "{}", COLUMNS.join(","))
}

fn write(record: &Record, sink: &mut Sink<'_>) -> io::Result<()> {
    write!(sink, "{},", record.position.fen(false))?;
    if let Some(score) = record.number() {
        write!(sink, "{score}")?;
    }
    sink.write_all(b",")?;
    if let Some(result) = record.result {
        write!(sink, "{:.1}", result.value())?;
    }
    sink.write_all(b",")?;
    if let Some(ply) = record.ply {
        write!(sink, "{ply}")?;
    }
    sink.write_all(b",")?;
    if let Some(played) = record.played {
        write!(sink, "{}", record.position.uci(played, !castles_as_in_chess(played)))?;
    }
    write!(sink, ",{}", record.depth)?;
    let none = Source::default();
    let source = record.source.as_deref().unwrap_or(&none);
    for text in [&source.engine, &source.opponent, &source.game] {
        sink.write_all(b",")?;
        if text.contains([',', '"', '\n']) {
            write!(sink, "\"{}\"", text.replace('"', "\"\"").replace('\n', " "))?;
        } else {
            sink.write_all(text.as_bytes())?;
        }
    }
    sink.write_all(b"\n")
}
