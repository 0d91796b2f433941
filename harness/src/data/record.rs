//! A labelled position, and how a line of CSV holds it.

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The columns, in their order.
pub const COLUMNS: [&str; 9] =
    ["fen", "score", "result", "ply", "move", "depth", "engine", "opponent", "game"];

/// A position as an engine saw it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The position before the move.
    pub fen: String,
    /// The search's score in centipawns, for White.
    pub score: i32,
    /// What White got in the end: 0, 0.5 or 1.
    pub result: f64,
    /// Plies played before, the opening's included.
    pub ply: u32,
    /// The move that was played, in UCI notation.
    pub r#move: String,
    /// Depth of the search in plies; 0 where nobody told.
    pub depth: u32,
    /// Who searched.
    pub engine: String,
    /// Against whom.
    pub opponent: String,
    /// Which game: its `Round` tag, or its number in the file.
    pub game: String,
}

/// A line that holds no record.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("{path}:{line}: {reason}")]
#[diagnostic(help("a line of training data has the columns {}", COLUMNS.join(",")))]
pub struct BadLine {
    /// The file.
    pub path: String,
    /// Its line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads CSV with a header, a record at a time.
///
/// # Errors
/// The iterator gives [`BadLine`] with the place of what cannot be read.
pub fn read<R: std::io::Read>(
    path: &str,
    source: R,
) -> impl Iterator<Item = Result<(u64, Record), BadLine>> {
    let path = path.to_owned();
    let records = csv::Reader::from_reader(source).into_deserialize::<Record>();
    (2..).zip(records).map(move |(line, record)| {
        let reason = |error: csv::Error| error.to_string();
        record.map(|record| (line, record)).map_err(|error| BadLine {
            path: path.clone(),
            line,
            reason: reason(error),
        })
    })
}
