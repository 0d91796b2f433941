//! The opening book.

use std::fs::File;
use std::path::{Path, PathBuf};

use engine::book::{Book, BookError};
use miette::Diagnostic;
use thiserror::Error;

/// A book that cannot be used.
#[derive(Debug, Error, Diagnostic)]
#[error("the book {}: {reason}", .path.display())]
#[diagnostic(help(
    "`harness openings polyglot GAMES.pgn -o book.bin` makes a Polyglot book of games"
))]
pub struct BookFileError {
    path: PathBuf,
    reason: BookError,
}

/// Opens a book.
///
/// # Errors
/// When it cannot be read, or is no Polyglot book.
pub fn open_book(path: &Path) -> Result<Book<File>, BookFileError> {
    let failed = |reason| BookFileError { path: path.to_owned(), reason };
    Book::new(File::open(path).map_err(|error| failed(error.into()))?).map_err(failed)
}
