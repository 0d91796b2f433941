//! Openings as lines of FEN or EPD.

use std::io;

use super::super::record::Opening;
use super::super::referee::{OpeningError, Referee};
use super::super::variant::{Rules, Variant};
use super::text::{Span, Text};

/// The places of all openings: lines that are neither empty nor a comment.
pub fn index(text: &Text) -> io::Result<Vec<Span>> {
    let mut spans = Vec::new();
    text.each_line(|line, offset, number| {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if !line.trim_ascii_start().is_empty() && !line.starts_with(b"#") {
            let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
            spans.push(Span { offset, length, line: number });
        }
    })?;
    Ok(spans)
}

/// The opening of a line: a FEN, or an EPD whose operations other than `hmvc` and `fmvn` are
/// ignored.
pub fn opening(line: &[u8], rules: Rules) -> Result<Opening, OpeningError> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').trim();
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [board, turn, castling, en_passant, rest @ ..] = &fields[..] else {
        let reason = "it needs at least four fields".to_owned();
        return Err(OpeningError::NotFen { fen: text.to_owned(), reason });
    };
    let (checks, others): (Vec<&str>, Vec<&str>) =
        rest.iter().partition(|word| is_check_counter(word, rules));
    let (halfmoves, fullmoves) = counters(&others);
    let checks = checks.first().map(|word| format!(" {word}"));
    let (before, behind) = match checks.unwrap_or_default() {
        checks if checks.starts_with(" +") => (String::new(), checks),
        checks => (checks, String::new()),
    };
    let fen =
        format!("{board} {turn} {castling} {en_passant}{before} {halfmoves} {fullmoves}{behind}");
    let opening = Opening { fen: Some(fen), moves: Vec::new() };
    Referee::at(&opening, rules)?;
    Ok(opening)
}

/// Whether a word counts the checks of three-check: those left, `3+3`, before the other counters, or
/// those given, `+0+0`, behind them.
fn is_check_counter(word: &str, rules: Rules) -> bool {
    let mut bytes = word.bytes();
    rules == Rules::Variant(Variant::ThreeCheck)
        && word.contains('+')
        && bytes.all(|byte| byte == b'+' || byte.is_ascii_digit())
}

/// Halfmove clock and move number: fields of a FEN, `hmvc` and `fmvn` of an EPD, or 0 and 1.
fn counters(rest: &[&str]) -> (u32, u32) {
    if let [halfmoves, fullmoves, ..] = rest
        && let (Ok(halfmoves), Ok(fullmoves)) = (halfmoves.parse(), fullmoves.parse())
    {
        return (halfmoves, fullmoves);
    }
    let operation = |name: &str| {
        let at = rest.iter().position(|word| *word == name)?;
        rest.get(at + 1)?.trim_end_matches(';').parse().ok()
    };
    (operation("hmvc").unwrap_or(0), operation("fmvn").unwrap_or(1))
}
