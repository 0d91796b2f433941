//! Polyglot books: their lines, to a depth.

use std::collections::HashSet;
use std::fs::File;
use std::io;

use engine::book::{Book, BookError, Entry, code, key};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Position};

use super::super::record::Opening;
use harness_base::text::grouped;

/// Default length of lines in plies.
pub const DEFAULT_PLIES: u32 = 8;

/// Most lines: more take memory, and the first ones alone would be those of one first move.
const MAX_LINES: usize = 200_000;

/// The lines of a book: each ends after `plies`, or where the book does, and each in another
/// position.
///
/// Moves without weight are left out, and illegal ones, which come from key collisions.
///
/// # Errors
/// When the file cannot be read, has partial or unsorted entries, or too many lines.
pub fn lines(file: &File, plies: u32) -> io::Result<Vec<Opening>> {
    up_to(MAX_LINES, file, plies)
}

fn up_to(most: usize, file: &File, plies: u32) -> io::Result<Vec<Opening>> {
    let book = Book::new(file).map_err(|error| match error {
        BookError::Unreadable(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    })?;
    let seen = HashSet::new();
    let mut walk = Walk { book, plies: plies as usize, most, seen, lines: Vec::new() };
    walk.follow(&Chess::default(), &mut Vec::new())?;
    if walk.lines.len() > most {
        let reason = format!(
            "it has more than {} lines of {plies} plies: choose fewer with --opening-plies",
            grouped(most as u64)
        );
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    Ok(walk.lines)
}

/// The moves that a book has for a position.
fn moves(book: &mut Book<&File>, position: &Chess) -> io::Result<Vec<Move>> {
    let legal = position.legal_moves();
    let meant = |entry: Entry| {
        let is_meant = |m: &&Move| {
            m.from().is_some_and(|from| code(from, m.to(), m.promotion()) == entry.code)
        };
        legal.iter().find(is_meant).filter(|_| entry.weight > 0).copied()
    };
    Ok(book.entries(key(position))?.into_iter().filter_map(meant).collect())
}

struct Walk<'a> {
    book: Book<&'a File>,
    plies: usize,
    /// Most lines: one more is enough to see that they are too many.
    most: usize,
    /// Positions where a line ends, and positions on the way to them with the plies left.
    seen: HashSet<(u64, usize)>,
    lines: Vec<Opening>,
}

impl Walk<'_> {
    fn follow(&mut self, position: &Chess, played: &mut Vec<UciMove>) -> io::Result<()> {
        let key = key(position);
        let left = self.plies - played.len();
        if self.lines.len() > self.most || !self.seen.insert((key, left)) {
            return Ok(());
        }
        let moves = if left == 0 { Vec::new() } else { moves(&mut self.book, position)? };
        if moves.is_empty() {
            if !played.is_empty() {
                self.lines.push(Opening { fen: None, moves: played.clone() });
            }
            return Ok(());
        }
        for m in moves {
            let mut child = position.clone();
            child.play_unchecked(m);
            played.push(UciMove::from_standard(m));
            self.follow(&child, played)?;
            played.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Keys of the format's description: the start position, and after 1. e4 and 1. e4 d5.
    const START: u64 = 0x463b_9618_1691_fc9c;
    const AFTER_E4: u64 = 0x823c_9b50_fd11_4196;

    fn book(entries: &[(u64, &str, u16)]) -> File {
        let mut file = tempfile::tempfile().expect("temporary file");
        let square = |text: &str| {
            u16::from(text.as_bytes()[0] - b'a') + 8 * u16::from(text.as_bytes()[1] - b'1')
        };
        for (key, m, weight) in entries {
            let code = square(&m[2..4]) | square(&m[..2]) << 6;
            file.write_all(&key.to_be_bytes()).expect("written");
            file.write_all(&code.to_be_bytes()).expect("written");
            file.write_all(&weight.to_be_bytes()).expect("written");
            file.write_all(&[0; 4]).expect("written");
        }
        file
    }

    fn texts(lines: &[Opening]) -> Vec<String> {
        let text = |line: &Opening| {
            line.moves.iter().map(UciMove::to_string).collect::<Vec<_>>().join(" ")
        };
        lines.iter().map(text).collect()
    }

    #[test]
    fn lines_are_followed_to_their_end_and_weightless_moves_left_out() {
        let file = book(&[
            (START, "e2e4", 3),
            (START, "a2a3", 0),
            (START, "d2d4", 1),
            (AFTER_E4, "d7d5", 1),
            (AFTER_E4, "e7e4", 9),
        ]);
        assert_eq!(texts(&lines(&file, 8).expect("a book")), ["e2e4 d7d5", "d2d4"]);
        assert_eq!(texts(&lines(&file, 1).expect("a book")), ["e2e4", "d2d4"]);
    }

    #[test]
    fn a_book_of_too_many_lines_is_refused_and_not_cut() {
        let file = book(&[(START, "e2e4", 3), (START, "d2d4", 2), (START, "g1f3", 1)]);
        assert_eq!(up_to(3, &file, 8).expect("a book").len(), 3);
        let error = up_to(2, &file, 8).expect_err("refused").to_string();
        assert!(error.contains("more than 2 lines of 8 plies"), "{error}");
    }

    #[test]
    fn other_files_are_refused() {
        for content in [&b"short"[..], &[]] {
            let mut file = tempfile::tempfile().expect("temporary file");
            file.write_all(content).expect("written");
            assert_eq!(lines(&file, 8).expect_err("refused").kind(), io::ErrorKind::InvalidData);
        }
        let unsorted = book(&[(START + 1, "e2e4", 1), (START, "e2e4", 1)]);
        assert!(lines(&unsorted, 8).is_err());
    }
}
