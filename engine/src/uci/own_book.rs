//! Moves from an opening book, without a search.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};

use super::output::Output;
use crate::board::{Move, Position};
use crate::book::{Book, BookError};

/// The options `OwnBook`, `BookFile` and `Best Opening`.
#[derive(Default)]
pub(super) struct OwnBook {
    /// The book is probed before each search.
    pub on: bool,
    /// Always the move with the highest weight, instead of a random one by weight.
    pub best: bool,
    book: Option<Book<File>>,
}

impl OwnBook {
    /// Opens a book, or closes it if there is no path, and prints the result.
    pub fn open(&mut self, path: Option<&str>, output: &Output) {
        self.book = None;
        let Some(path) = path else { return };
        match File::open(path).map_err(BookError::from).and_then(Book::new) {
            Ok(book) => {
                output.info(&format!("book {path} has {} moves", book.len()));
                self.book = Some(book);
            }
            Err(error) => output.info(&format!("there is no book {path}: {error}")),
        }
    }

    /// A book move for the position, if there is one.
    pub fn probe(&mut self, position: &Position, output: &Output) -> Option<Move> {
        if !self.on {
            return None;
        }
        // The keys of a hasher are random enough to choose a move.
        let random = (!self.best).then(|| RandomState::new().build_hasher().finish());
        match self.book.as_mut()?.choose(position, random) {
            Ok(m) => m,
            Err(error) => {
                output.info(&format!("the book cannot be read: {error}"));
                None
            }
        }
    }
}
