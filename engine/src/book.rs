//! Polyglot opening books.
//!
//! Entries of 16 bytes, big-endian, sorted by key: key of the position (8), move (2), weight (2),
//! learning (4). Source: M. Bertolini's description of the format
//! (<http://hgm.nubati.net/book_format.html>). The numbers behind the keys are those of shakmaty.

use std::io::{self, Read, Seek, SeekFrom, Write};

use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Position as _, Role, Square};
use thiserror::Error;

use crate::board::{Move, Position};

/// Bytes per entry.
const ENTRY: u64 = 16;

/// A book entry: a move of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key of the position.
    pub key: u64,
    /// The move: see [`code`].
    pub code: u16,
    /// Relative frequency among the moves of the position.
    pub weight: u16,
}

/// Why a file is no book.
#[derive(Debug, Error)]
pub enum BookError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// The length is not a multiple of the entry size.
    #[error("it is no Polyglot book: {0} bytes are not entries of {ENTRY} bytes")]
    Length(u64),
    /// The entries are not sorted.
    #[error("it is no Polyglot book: its entries are not sorted by key")]
    Unsorted,
}

/// The key of a position.
///
/// The en-passant file counts where a pawn could capture, even if it is pinned.
pub fn key(position: &Chess) -> u64 {
    let Zobrist64(key) = position.zobrist_hash(EnPassantMode::PseudoLegal);
    key
}

/// The encoding of a move in a book: castling is king takes rook.
pub fn code(from: Square, to: Square, promotion: Option<Role>) -> u16 {
    let promotion = match promotion {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        Some(Role::Pawn | Role::King) | None => 0,
    };
    to as u16 | (from as u16) << 6 | promotion << 12
}

/// Writes a book with these entries, given in any order.
pub fn write(mut entries: Vec<Entry>, out: &mut impl Write) -> io::Result<()> {
    // Moves of a position by descending weight.
    entries.sort_by_key(|entry| (entry.key, u16::MAX - entry.weight, entry.code));
    for Entry { key, code, weight } in entries {
        out.write_all(&key.to_be_bytes())?;
        out.write_all(&code.to_be_bytes())?;
        out.write_all(&weight.to_be_bytes())?;
        out.write_all(&[0; 4])?;
    }
    Ok(())
}

/// A book, read from its source on demand.
#[derive(Debug)]
pub struct Book<R> {
    source: R,
    entries: u64,
}

impl<R: Read + Seek> Book<R> {
    /// Opens a book and checks its length. The order is checked for the first and last entry only,
    /// since a large book would take long.
    ///
    /// # Errors
    /// If it cannot be read or is no book.
    pub fn new(mut source: R) -> Result<Book<R>, BookError> {
        let length = source.seek(SeekFrom::End(0))?;
        if length == 0 || !length.is_multiple_of(ENTRY) {
            return Err(BookError::Length(length));
        }
        let mut book = Book { source, entries: length / ENTRY };
        if book.entry(0)?.key > book.entry(book.entries - 1)?.key {
            return Err(BookError::Unsorted);
        }
        Ok(book)
    }

    /// The number of entries.
    pub fn len(&self) -> u64 {
        self.entries
    }

    /// Never true: a file without entries is no book.
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    fn entry(&mut self, index: u64) -> io::Result<Entry> {
        let mut bytes = [0; ENTRY as usize];
        self.source.seek(SeekFrom::Start(index * ENTRY))?;
        self.source.read_exact(&mut bytes)?;
        let [k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, ..] = bytes;
        Ok(Entry {
            key: u64::from_be_bytes([k0, k1, k2, k3, k4, k5, k6, k7]),
            code: u16::from_be_bytes([m0, m1]),
            weight: u16::from_be_bytes([w0, w1]),
        })
    }

    /// The entries of a key.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn entries(&mut self, key: u64) -> io::Result<Vec<Entry>> {
        let mut low = 0;
        let mut high = self.entries;
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entry(middle)?.key < key { low = middle + 1 } else { high = middle }
        }
        let mut found = Vec::new();
        for index in low..self.entries {
            let entry = self.entry(index)?;
            if entry.key != key {
                break;
            }
            found.push(entry);
        }
        Ok(found)
    }

    /// The legal book moves of a position, with their weights; those of weight 0 are left out.
    ///
    /// Our position has an en-passant square only where a pawn can legally capture; if that pawn is
    /// pinned, the key differs from the book's and the position is not found.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn moves(&mut self, position: &Position) -> io::Result<Vec<(Move, u16)>> {
        let Some(theirs) = position.to_shakmaty() else { return Ok(Vec::new()) };
        let legal = position.legal_moves();
        let legal_move = |entry: Entry| {
            let m = legal.iter().find(|m| code(m.from(), m.to(), m.promotion()) == entry.code);
            m.copied().filter(|_| entry.weight > 0).map(|m| (m, entry.weight))
        };
        Ok(self.entries(key(&theirs))?.into_iter().filter_map(legal_move).collect())
    }

    /// A book move: the one with the highest weight, the first of equals; or, with a random number, a
    /// move drawn by weight.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn choose(&mut self, position: &Position, random: Option<u64>) -> io::Result<Option<Move>> {
        let moves = self.moves(position)?;
        let Some(random) = random else {
            return Ok(moves.iter().rev().max_by_key(|(_, weight)| weight).map(|&(m, _)| m));
        };
        let total: u64 = moves.iter().map(|&(_, weight)| u64::from(weight)).sum();
        let mut left = if total == 0 { 0 } else { random % total };
        for (m, weight) in moves {
            match left.checked_sub(weight.into()) {
                Some(rest) => left = rest,
                None => return Ok(Some(m)),
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;

    use super::*;

    fn theirs(fen: &str) -> Chess {
        let fen: Fen = fen.parse().expect("valid");
        fen.into_position(CastlingMode::Chess960).expect("legal")
    }

    fn book(entries: &[(&str, &str, u16)]) -> Book<Cursor<Vec<u8>>> {
        let entry = |&(fen, text, weight): &(&str, &str, u16)| {
            let position = Position::from_fen(fen).expect("legal");
            let m = position.parse_uci(text, false).expect("legal");
            let code = code(m.from(), m.to(), m.promotion());
            Entry { key: key(&theirs(fen)), code, weight }
        };
        let mut bytes = Vec::new();
        write(entries.iter().map(entry).collect(), &mut bytes).expect("a vector grows");
        Book::new(Cursor::new(bytes)).expect("a book")
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// The nine positions of the format's description.
    #[test]
    fn keys_are_those_of_the_formats_description() {
        for (fen, expected) in [
            (START, 0x463b_9618_1691_fc9c),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c_9b50_fd11_4196),
            (
                "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2",
                0x0756_b944_61c5_0fb0,
            ),
            ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662f_afb9_65db_29d4),
            (
                "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
                0x22a4_8b5a_8e47_ff78,
            ),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a_607c_a3f2_42c1),
            ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fd_d303_c946_bdd9),
            (
                "rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3",
                0x3c81_23ea_7b06_7637,
            ),
            ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f_9b82_9b27_9560),
        ] {
            assert_eq!(key(&theirs(fen)), expected, "{fen}");
            let ours = Position::from_fen(fen).expect("legal").to_shakmaty().expect("known");
            assert_eq!(key(&ours), expected, "{fen}");
        }
    }

    #[test]
    fn the_best_move_is_the_one_with_the_highest_weight_and_a_draw_follows_the_weights() {
        let mut book =
            book(&[(START, "e2e4", 3), (START, "d2d4", 5), (START, "a2a3", 0), (START, "c2c4", 2)]);
        let start = Position::startpos();
        let mut choose = |random| {
            let m = book.choose(&start, random).expect("readable").expect("a move");
            start.uci(m, false).to_string()
        };
        assert_eq!(choose(None), "d2d4");
        let drawn: Vec<String> = (0..20).map(|random| choose(Some(random))).collect();
        for (text, times) in [("d2d4", 10), ("e2e4", 6), ("c2c4", 4), ("a2a3", 0)] {
            assert_eq!(drawn.iter().filter(|m| *m == text).count(), times, "{text}");
        }
    }

    #[test]
    fn castling_promotions_and_en_passant_are_understood() {
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let chess960 = "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1";
        let promotion = "8/P3k3/8/8/8/8/8/4K3 w - - 0 1";
        let en_passant = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2";
        for (fen, text) in [
            (castling, "e1h1"),
            (castling, "e1a1"),
            (chess960, "e1g1"),
            (chess960, "e1b1"),
            (promotion, "a7a8q"),
            (promotion, "a7a8n"),
            (en_passant, "e5d6"),
        ] {
            let position = Position::from_fen(fen).expect("legal");
            let mut book = book(&[(fen, text, 1)]);
            let m = book.choose(&position, None).expect("readable").expect("a move");
            assert_eq!(position.uci(m, true).to_string(), text, "{fen}");
        }
        // The king takes its rook: e1 is 4, h1 is 7.
        assert_eq!(code(Square::E1, Square::H1, None), 7 | 4 << 6);
        assert_eq!(code(Square::A7, Square::A8, Some(Role::Queen)), 56 | 48 << 6 | 4 << 12);
    }

    #[test]
    fn what_is_no_move_of_the_position_is_left_out() {
        let entry = Entry { key: key(&theirs(START)), code: 0, weight: 9 };
        let mut bytes = Vec::new();
        write(vec![entry], &mut bytes).expect("a vector grows");
        let mut book = Book::new(Cursor::new(bytes)).expect("a book");
        assert_eq!(book.choose(&Position::startpos(), None).expect("readable"), None);
        assert_eq!(book.choose(&Position::startpos(), Some(7)).expect("readable"), None);
    }

    #[test]
    fn other_files_are_refused() {
        for bytes in [&b""[..], b"short"] {
            assert!(matches!(Book::new(Cursor::new(bytes)), Err(BookError::Length(_))));
        }
        let mut bytes = vec![0; 32];
        bytes[0] = 1;
        assert!(matches!(Book::new(Cursor::new(bytes)), Err(BookError::Unsorted)));
    }
}
