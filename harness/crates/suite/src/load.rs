//! Finding a suite: by name in the catalogue, or as a file.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use miette::Diagnostic;
use sha2::{Digest, Sha256};
use shakmaty::Move;
use shakmaty::uci::UciMove;
use thiserror::Error;

use super::catalog::{Catalog, Entry, Scoring};
use harness_base::input;
use harness_base::text;
use harness_notation::epd::{self, EpdErrors, EpdPosition};
use harness_player::Limit;

/// A suite, read and checked.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name in the catalogue, or the file.
    pub name: String,
    /// Its title for people, if it is in the catalogue.
    pub title: Option<String>,
    /// Where its positions are from, if it is in the catalogue.
    pub source: Option<String>,
    /// Default limit of a position.
    pub limit: Limit,
    /// How moves are scored.
    pub scoring: Scoring,
    /// Known faults.
    pub faults: Vec<String>,
    /// The EPD text it was read from.
    pub text: String,
    /// At least one; each has a solution.
    pub positions: Vec<EpdPosition>,
}

/// A suite that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum SuiteError {
    /// No such name.
    #[error("there is no suite `{0}`")]
    #[diagnostic(help("a suite is one of {1}, or the path of an EPD file (`./{0}`)"))]
    Unknown(String, String),
    /// A file that cannot be read.
    #[error("cannot read the suite {path}: {source}")]
    #[diagnostic(help("the suites {known} come with the harness and need no file"))]
    Unreadable {
        /// The file.
        path: String,
        /// Why not.
        source: io::Error,
        /// Names of the built-in suites.
        known: String,
    },
    /// A file that is not EPD.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Faulty(#[from] EpdErrors),
    /// A file without a position.
    #[error("{name} has no position")]
    #[diagnostic(help("an EPD file has a position a line: FEN fields, then operations"))]
    Empty {
        /// The file.
        name: String,
    },
    /// A position without a solution.
    #[error("{name}:{line}: `{id}` has no move to find")]
    #[diagnostic(help(
        "a suite's position needs best moves (`bm Qd1+;`), moves to avoid (`am Rxb7;`) or \
         scored moves (`c0 \"f5=10, Be5=2\";`)"
    ))]
    NoSolution {
        /// The file.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The position.
        id: String,
    },
}

/// Default limit of a position of a file.
const DEFAULT_LIMIT: Limit = Limit::MoveTime(std::time::Duration::from_secs(1));

/// A suite's EPD text, not yet parsed.
#[derive(Clone, Debug)]
pub struct SuiteFile {
    /// The name in the catalogue, or the file.
    pub name: String,
    /// The text.
    pub bytes: Cow<'static, [u8]>,
    /// Its entry of the catalogue, if any.
    pub entry: Option<Entry>,
}

impl SuiteFile {
    /// Finds a suite: a name of the catalogue, or a path.
    ///
    /// # Errors
    /// [`SuiteError::Unknown`] or [`SuiteError::Unreadable`].
    pub fn open(query: &str) -> Result<SuiteFile, SuiteError> {
        let catalog = Catalog::builtin();
        if let Some(entry) = catalog.find(&query.to_ascii_lowercase()) {
            let name = entry.name.clone();
            let bytes = entry.bytes().unwrap_or_default();
            return Ok(SuiteFile { name, bytes: bytes.into(), entry: Some(entry.clone()) });
        }
        let known = || {
            let names: Vec<&str> = catalog.suites.iter().map(|entry| &*entry.name).collect();
            names.join(", ")
        };
        let path = Path::new(query);
        let looks_like_a_path = query.contains('/') || path.extension().is_some();
        if !looks_like_a_path && !path.exists() {
            return Err(SuiteError::Unknown(query.to_owned(), known()));
        }
        let bytes = input::read(path).map_err(|source| SuiteError::Unreadable {
            path: query.to_owned(),
            source,
            known: known(),
        })?;
        Ok(SuiteFile { name: query.to_owned(), bytes: bytes.into(), entry: None })
    }
}

impl Suite {
    /// Finds a suite: a name of the catalogue, or a path.
    ///
    /// # Errors
    /// [`SuiteError`] when there is none, or it cannot be used.
    pub fn load(query: &str) -> Result<Suite, SuiteError> {
        let SuiteFile { name, bytes, entry } = SuiteFile::open(query)?;
        let mut suite = Suite::read(&name, &bytes)?;
        if let Some(entry) = entry {
            suite.title = Some(format!("{} ({}, {})", entry.title, entry.author, entry.year));
            suite.source = Some(entry.source);
            suite.limit = entry.limit;
            suite.scoring = entry.scoring;
            suite.faults = entry.faults;
        }
        Ok(suite)
    }

    /// Reads EPD text that is no suite of the catalogue. Moves are scored if any position has points.
    ///
    /// # Errors
    /// [`SuiteError`] when a line is faulty or a position has no solution.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Suite, SuiteError> {
        let positions = epd::read(name, bytes)?;
        if positions.is_empty() {
            return Err(SuiteError::Empty { name: name.to_owned() });
        }
        let unsolvable = positions.iter().find(|position| {
            position.best.is_empty() && position.avoid.is_empty() && position.points.is_empty()
        });
        if let Some(position) = unsolvable {
            return Err(SuiteError::NoSolution {
                name: name.to_owned(),
                line: position.line,
                id: position.id.clone(),
            });
        }
        let scored = positions.iter().any(|position| !position.points.is_empty());
        Ok(Suite {
            name: name.to_owned(),
            title: None,
            source: None,
            limit: DEFAULT_LIMIT,
            scoring: if scored { Scoring::ScoredMoves } else { Scoring::BestMove },
            faults: Vec::new(),
            text: text::decode_file(bytes).into_owned(),
            positions,
        })
    }

    /// SHA-256 of the positions, their ids and solutions, in hex. Comments and layout of the file
    /// do not count.
    pub fn sha256(&self) -> String {
        let mut hasher = Sha256::new();
        for position in &self.positions {
            let uci = |m: &Move| UciMove::from_move(*m, position.castling).to_string();
            let list = |moves: &[Move]| moves.iter().map(uci).collect::<Vec<_>>().join(" ");
            let points: Vec<String> =
                position.points.iter().map(|(m, points)| format!("{}={points}", uci(m))).collect();
            let best = list(&position.best);
            let avoid = list(&position.avoid);
            let id = &position.id;
            let fen = &position.fen;
            let points = points.join(" ");
            hasher.update(format!("{id}\t{fen}\t{best}\t{avoid}\t{points}\n"));
        }
        format!("{:x}", hasher.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_of_the_catalogue_need_no_file() {
        for (name, positions) in [("wac", 300), ("ERET", 111), ("bk", 24)] {
            assert_eq!(Suite::load(name).expect("known").positions.len(), positions);
        }
    }

    #[test]
    fn a_hash_depends_on_solutions_and_not_on_comments() {
        let hash = |text: &str| Suite::read("x", text.as_bytes()).expect("a suite").sha256();
        let line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"a\";\n";
        assert_eq!(hash(line), hash(&format!("# a comment\n\n{line}")));
        assert_ne!(hash(line), hash(&line.replace("e4", "d4")));
        assert_ne!(hash(line), hash(&line.replace("bm", "am")));
        assert_ne!(hash(line), hash(&format!("{line}{}", line.replace("\"a\"", "\"b\""))));
    }

    #[test]
    fn what_is_no_suite_is_an_error() {
        assert!(matches!(Suite::load("wax"), Err(SuiteError::Unknown(..))));
        assert!(matches!(Suite::load("./wac"), Err(SuiteError::Unreadable { .. })));
        assert!(matches!(Suite::load("missing.epd"), Err(SuiteError::Unreadable { .. })));
        assert!(matches!(Suite::read("x", b"# nothing\n"), Err(SuiteError::Empty { .. })));
        let start = b"\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ce 20;";
        assert!(matches!(Suite::read("x", start), Err(SuiteError::NoSolution { line: 2, .. })));
    }
}
