//! Answers from a book, without a search.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher, Hasher};

use super::output::Output;
use crate::board::{Move, Position};
use crate::book::{Book, BookError};

/// The options `OwnBook`, `BookFile` and `Best Opening`.
#[derive(Default)]
pub(super) struct OwnBook {
    /// The book is asked before the search.
    pub on: bool,
    /// Always the move with the highest weight, instead of each as often as its weight says.
    pub best: bool,
    book: Option<Book<File>>,
}

impl OwnBook {
    /// Opens a book, or closes it where there is no path, and says what is wrong with it.
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

    /// The move of the book in a position, if it has one.
    pub fn answer(&mut self, position: &Position, output: &Output) -> Option<Move> {
        if !self.on {
            return None;
        }
        // The keys of a hasher are random: enough to choose a move by.
        let random = (!self.best).then(|| RandomState::new().build_hasher().finish());
        match self.book.as_mut()?.choose(position, random) {
            Ok(answer) => answer,
            Err(error) => {
                output.info(&format!("the book cannot be read: {error}"));
                None
            }
        }
    }
}
