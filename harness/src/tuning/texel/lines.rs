//! Labelled positions as lines of text.

use std::io::{BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;

use engine::board::{Color, Position};

use super::dataset::{DataError, Sample, Sieve, result, unreadable};

/// Neighbours in a file mostly come from one game: so many lines stay together.
const BLOCK: u64 = 64;

/// The columns of a CSV.
struct Columns {
    fen: usize,
    score: Option<usize>,
    result: usize,
}

/// Reads a file of lines; empty ones and comments (`#`) do not count.
pub fn read(
    path: &Path,
    is_csv: bool,
    source: impl Read,
    sieve: &mut Sieve<'_>,
    told: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<(), DataError> {
    let mut columns = None;
    let mut text = Vec::new();
    let (mut line, mut labelled, mut block) = (0_u64, 0, 0);
    let mut source = BufReader::new(source);
    loop {
        text.clear();
        line += 1;
        let read = source.read_until(b'\n', &mut text).map_err(unreadable(path))?;
        if read == 0 {
            return Ok(());
        }
        if line % 4_096 == 0 && told().is_break() {
            return Err(DataError::Stopped);
        }
        let bad = |reason: String| DataError::Line { path: path.to_owned(), line, reason };
        let content = std::str::from_utf8(&text).map_err(|_| bad("not UTF-8".to_owned()))?.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let label = match &columns {
            None if is_csv => {
                columns = Some(header(content).map_err(bad)?);
                continue;
            }
            Some(columns) => of_csv(content, columns),
            None if content.contains('|') => of_bars(content),
            None => of_epd(content),
        };
        let label = label.map_err(bad)?;
        if labelled % BLOCK == 0 {
            block = sieve.next_game();
        }
        labelled += 1;
        sieve.sift(Sample { game: block, ..label });
    }
}

fn header(line: &str) -> Result<Columns, String> {
    let names: Vec<String> = line.split(',').map(|name| bare(name).to_lowercase()).collect();
    let place = |wanted: &str| names.iter().position(|name| name == wanted);
    match (place("fen"), place("result")) {
        (Some(fen), Some(result)) => Ok(Columns { fen, score: place("score"), result }),
        _ => Err(format!("the columns `{line}` have no `fen` and `result`")),
    }
}

fn bare(field: &str) -> &str {
    field.trim().trim_matches('"')
}

fn of_csv(line: &str, columns: &Columns) -> Result<Sample, String> {
    let fields: Vec<&str> = line.split(',').map(bare).collect();
    let field = |place: usize| {
        fields.get(place).copied().ok_or_else(|| format!("there is no column {}", place + 1))
    };
    let score = columns.score.map(field).transpose()?.unwrap_or("");
    sample(field(columns.fen)?, score, field(columns.result)?)
}

/// `FEN | score | result`
fn of_bars(line: &str) -> Result<Sample, String> {
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    match fields[..] {
        [fen, score, result] => sample(fen, score, result),
        _ => Err(format!("{} fields between bars instead of 3", fields.len())),
    }
}

/// `FEN c9 "1-0"; ce 35;`: the score is for the side to move, as EPD has it.
fn of_epd(line: &str) -> Result<Sample, String> {
    let mut words = line.split_ascii_whitespace();
    let fen: Vec<&str> = words.by_ref().take(4).collect();
    let operations = words.collect::<Vec<&str>>().join(" ");
    let mut result = None;
    let mut score = "";
    for operation in operations.split(';').map(str::trim) {
        // The counters of a full FEN may stand before the first operation.
        let operation = operation.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        match operation.split_once(' ') {
            Some(("c9", text)) => result = Some(text),
            Some(("ce", text)) => score = text,
            _ => {}
        }
    }
    let result = result.ok_or_else(|| format!("there is no result (c9) in `{line}`"))?;
    let label = sample(&fen.join(" "), score, result)?;
    let white = label.position.side() == Color::White;
    let score = label.score.map(|score| if white { score } else { -score });
    Ok(Sample { score, ..label })
}

fn sample(fen: &str, score: &str, text: &str) -> Result<Sample, String> {
    let position = Position::from_fen(fen).map_err(|error| error.to_string())?;
    let result = result(text).ok_or_else(|| format!("`{text}` is no result"))?;
    let score = match score.trim() {
        "" => None,
        number => Some(score_of(number).ok_or_else(|| format!("`{number}` is no score"))?),
    };
    Ok(Sample { position, score, result, game: 0 })
}

/// A number of centipawns that a score can be.
fn score_of(text: &str) -> Option<i32> {
    let number: f64 = text.parse().ok()?;
    (number.abs() < 100_000.0).then_some(number.round() as i32)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::dataset::{self, Counts, Filters, Reason};
    use super::*;

    const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3";

    fn read(name: &str, text: &str) -> Result<(Counts, Vec<Sample>), DataError> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        let mut samples = Vec::new();
        let counts = dataset::read(
            &[path],
            &Filters::default(),
            false,
            1,
            &mut |sample| samples.push(sample),
            &mut |_| ControlFlow::Continue(()),
        )?;
        Ok((counts, samples))
    }

    #[test]
    fn every_form_gives_score_and_result_from_whites_view() {
        for (name, text) in [
            ("a.txt", format!("# three fields\n{KINGS} b - - 0 40 | 120 | 1.0\n")),
            ("a.epd", format!("{KINGS} b - - c9 \"1-0\"; ce -120;\n")),
            ("b.epd", format!("{KINGS} b - - 0 40 ce -120; c9 \"1-0\";\n")),
            ("a.csv", format!("ply,fen,score,result\n79,{KINGS} b - - 0 40,120,1\n")),
        ] {
            let (counts, samples) = read(name, &text).expect(name);
            assert_eq!((counts.kept, samples.len()), (1, 1), "{name}");
            let Sample { score, result, .. } = samples[0];
            assert_eq!((score, result), (Some(120), 1.0), "{name}");
        }
    }

    #[test]
    fn what_does_not_count_is_counted_by_reason() {
        let check = "4k3/8/8/8/8/8/4R3/4K3 b - - 0 40 | 500 | 1";
        let quiet = format!("{KINGS} w - - 0 40 | 100 | 1");
        let lopsided = format!("{KINGS} b - - 0 40 | -9000 | 0");
        let early = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 1 2 | 20 | 0.5";
        let (counts, samples) =
            read("a.txt", &[check, &quiet, &quiet, &lopsided, early].join("\n")).expect("lines");
        assert_eq!(samples.len(), 1);
        let dropped = [Reason::InCheck, Reason::Lopsided, Reason::Opening, Reason::Repeated];
        assert_eq!(counts.dropped.into_iter().collect::<Vec<_>>(), dropped.map(|one| (one, 1)));
    }

    #[test]
    fn a_line_that_is_no_label_is_told_with_its_number() {
        for (name, line, says) in [
            ("a.txt", format!("{KINGS} w - - | 100 | 2"), "`2` is no result"),
            ("a.txt", format!("{KINGS} w - - | nan | 1"), "`nan` is no score"),
            ("a.txt", format!("{KINGS} w - - | 1"), "2 fields"),
            ("a.txt", "8/8/8/8/8/8/8/8 w - - | 0 | 1".to_owned(), "king"),
            ("a.epd", format!("{KINGS} w - - ce 3;"), "c9"),
            ("a.csv", "position,outcome".to_owned(), "no `fen`"),
        ] {
            let error = read(name, &format!("# first\n{line}\n")).err().expect(&line);
            let text = error.to_string();
            assert!(text.contains(says) && text.contains(":2: "), "{text}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let mut take = |_: Sample| {};
        let mut told = |_| ControlFlow::Continue(());
        let path = PathBuf::from("/nowhere/data.epd");
        let read = dataset::read(&[path], &Filters::default(), false, 1, &mut take, &mut told);
        assert!(read.expect_err("no file").to_string().contains("/nowhere/data.epd"));
    }
}
