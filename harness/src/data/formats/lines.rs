//! Files with a position a line.

use std::io::{BufRead, BufReader, Read};

use super::error::{FormatError, Place};
use super::{bullet, csv, epd, text};
use crate::data::record::Record;

/// Longest line that can be one.
const LONGEST: u64 = 1 << 16;

/// Format of the lines.
enum Kind {
    /// `FEN | score | result`, or EPD where there is no bar.
    Text,
    /// CSV whose header comes.
    Csv,
    /// CSV with these columns.
    Columns(csv::Columns),
}

/// Reads records one after the other; empty lines and comments (`#`) are skipped.
pub struct Reader<R> {
    path: String,
    source: BufReader<R>,
    kind: Kind,
    line: u64,
    records: u64,
    text: Vec<u8>,
}

impl<R: Read> Reader<R> {
    /// Reads text and EPD; `path` names the file in errors.
    pub fn text(path: &str, source: R) -> Reader<R> {
        Reader::new(path, source, Kind::Text)
    }

    /// Reads CSV with a header.
    pub fn csv(path: &str, source: R) -> Reader<R> {
        Reader::new(path, source, Kind::Csv)
    }

    fn new(path: &str, source: R, kind: Kind) -> Reader<R> {
        let source = BufReader::with_capacity(1 << 16, source);
        let path = path.to_owned();
        Reader { path, source, kind, line: 0, records: 0, text: Vec::new() }
    }

    fn bad(&self, reason: String) -> FormatError {
        FormatError::Bad { path: self.path.clone(), place: Place::Line(self.line), reason }
    }

    fn record(&mut self) -> Result<Option<Record>, FormatError> {
        loop {
            self.text.clear();
            self.line += 1;
            let mut limited = self.source.by_ref().take(LONGEST);
            let read = limited.read_until(b'\n', &mut self.text);
            let read = read.map_err(|error| self.bad(error.to_string()))?;
            if read == 0 {
                return Ok(None);
            }
            if read as u64 == LONGEST {
                return Err(self.bad(format!("a line of more than {LONGEST} bytes")));
            }
            let content = std::str::from_utf8(&self.text);
            let content = content.map_err(|_| self.bad("this is no text".to_owned()))?.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let game = 1 + self.records / bullet::BLOCK;
            let parsed = match &self.kind {
                Kind::Csv => {
                    let columns = csv::header(content).map_err(|reason| self.bad(reason))?;
                    self.kind = Kind::Columns(columns);
                    continue;
                }
                Kind::Columns(columns) => csv::parse(content, columns, game),
                Kind::Text if content.contains('|') => text::parse(content, game),
                Kind::Text => epd::parse(content, game),
            };
            self.records += 1;
            return parsed.map(Some).map_err(|reason| self.bad(reason));
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.record().transpose()
    }
}
