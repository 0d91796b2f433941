//! The book and the tablebases, opened.

use std::fs::File;
use std::path::{Path, PathBuf};

use engine::book::{Book, BookError};
use engine::tablebase::{TablebaseError, Tablebases};
use miette::Diagnostic;
use thiserror::Error;

/// A book or tablebases that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum ResourceError {
    /// The book.
    #[error("the book {}: {}", .0.display(), .1)]
    #[diagnostic(help(
        "`harness openings polyglot GAMES.pgn -o book.bin` makes a Polyglot book of games"
    ))]
    Book(PathBuf, BookError),
    /// The tablebases.
    #[error(transparent)]
    #[diagnostic(help("`folders` wants folders of Syzygy tables (*.rtbw), with `:` between them"))]
    Tables(#[from] TablebaseError),
    /// There are none.
    #[error("there are no tablebases in {0}")]
    #[diagnostic(help(
        "Syzygy tables are files such as KQvK.rtbw; see https://syzygy-tables.info"
    ))]
    NoTables(String),
}

/// Opens a book.
///
/// # Errors
/// When it cannot be read, or is none.
pub fn open_book(path: &Path) -> Result<Book<File>, ResourceError> {
    let failed = |error| ResourceError::Book(path.to_owned(), error);
    Book::new(File::open(path).map_err(|error| failed(error.into()))?).map_err(failed)
}

/// Opens tablebases.
///
/// # Errors
/// When there are none, or a file cannot be used.
pub fn open_tables(folders: &str) -> Result<Tablebases, ResourceError> {
    let (tables, errors) = Tablebases::open(folders);
    match errors.into_iter().next() {
        Some(error) => Err(error.into()),
        None if tables.count() == 0 => Err(ResourceError::NoTables(folders.to_owned())),
        None => Ok(tables),
    }
}
