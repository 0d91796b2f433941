//! Polyglot books: the lines that they hold, to a depth.
//!
//! The format: entries of 16 bytes, big-endian, sorted by key: key of the position (8), move (2),
//! weight (2), learning (4). Source: M. Bertolini's description of the book format of Polyglot
//! (<http://hgm.nubati.net/book_format.html>).

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Move, Position, Role};

use super::super::record::Opening;

/// Plies that lines are followed when nothing is asked for.
pub const DEFAULT_PLIES: u32 = 8;

/// More lines are not needed by any match, and would only take memory.
const MOST_LINES: usize = 200_000;

const ENTRY: u64 = 16;

/// The lines of a book: each ends after `plies`, or where the book does, and each in another
/// position.
///
/// Moves that the book gives no weight are left out, and so is what it says of positions that it
/// cannot mean (keys of two positions can be equal).
///
/// # Errors
/// When the file cannot be read, or is not of whole entries in order.
pub fn lines(file: &File, plies: u32) -> io::Result<Vec<Opening>> {
    let length = file.metadata()?.len();
    if length == 0 || length % ENTRY != 0 {
        return Err(damaged(format!("{length} bytes are not entries of {ENTRY} bytes")));
    }
    let book = Book { file, entries: length / ENTRY };
    if book.key(0)? > book.key(book.entries - 1)? {
        return Err(damaged("its entries are not sorted by key".to_owned()));
    }
    let mut walk = Walk { book, plies: plies as usize, seen: HashSet::new(), lines: Vec::new() };
    walk.follow(&Chess::default(), &mut Vec::new())?;
    Ok(walk.lines)
}

fn damaged(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it is no Polyglot book: {reason}"))
}

struct Book<'a> {
    file: &'a File,
    entries: u64,
}

impl Book<'_> {
    fn entry(&self, index: u64) -> io::Result<[u8; ENTRY as usize]> {
        let mut entry = [0; ENTRY as usize];
        self.file.read_exact_at(&mut entry, index * ENTRY)?;
        Ok(entry)
    }

    fn key(&self, index: u64) -> io::Result<u64> {
        let entry = self.entry(index)?;
        Ok(u64::from_be_bytes([
            entry[0], entry[1], entry[2], entry[3], entry[4], entry[5], entry[6], entry[7],
        ]))
    }

    /// The moves that the book has for a position.
    fn moves(&self, position: &Chess) -> io::Result<Vec<Move>> {
        let Zobrist64(key) = position.zobrist_hash(EnPassantMode::PseudoLegal);
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.key(middle)? < key { low = middle + 1 } else { high = middle }
        }
        let legal = position.legal_moves();
        let mut moves = Vec::new();
        while low < self.entries && self.key(low)? == key {
            let entry = self.entry(low)?;
            let code = u16::from_be_bytes([entry[8], entry[9]]);
            let weight = u16::from_be_bytes([entry[10], entry[11]]);
            let meant = legal.iter().find(|m| code_of(m) == Some(code));
            if let Some(m) = meant.filter(|_| weight > 0) {
                moves.push(*m);
            }
            low += 1;
        }
        Ok(moves)
    }
}

/// A move as the book writes it; castling is the king taking its rook.
fn code_of(m: &Move) -> Option<u16> {
    let promotion = match m.promotion() {
        None => 0,
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        Some(Role::Pawn | Role::King) => return None,
    };
    let (from, to) = (m.from()? as u16, m.to() as u16);
    Some(to | from << 6 | promotion << 12)
}

struct Walk<'a> {
    book: Book<'a>,
    plies: usize,
    /// Positions where a line ends, and positions on the way to them with the plies left.
    seen: HashSet<(u64, usize)>,
    lines: Vec<Opening>,
}

impl Walk<'_> {
    fn follow(&mut self, position: &Chess, played: &mut Vec<UciMove>) -> io::Result<()> {
        let Zobrist64(key) = position.zobrist_hash(EnPassantMode::PseudoLegal);
        let left = self.plies - played.len();
        if self.lines.len() >= MOST_LINES || !self.seen.insert((key, left)) {
            return Ok(());
        }
        let moves = if left == 0 { Vec::new() } else { self.book.moves(position)? };
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
    fn castling_is_the_king_taking_its_rook() {
        let fen: shakmaty::fen::Fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().expect("FEN");
        let position: Chess =
            fen.into_position(shakmaty::CastlingMode::Standard).expect("a position");
        let codes: Vec<u16> =
            position.legal_moves().iter().filter(|m| m.is_castle()).filter_map(code_of).collect();
        assert_eq!(codes, [7 | 4 << 6]);
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
