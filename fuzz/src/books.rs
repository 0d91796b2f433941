//! Polyglot books.

use std::io::Cursor;

use engine::board::Position;
use engine::book::{self, Book, Entry};
use harness_arena::{Openings, OpeningsSpec, Order, Rules};

use crate::choice;
use crate::scratch::file;

/// Bytes of an entry.
const ENTRY: usize = 16;

/// More entries only take time.
const MAX_BYTES: usize = 64 * ENTRY;

/// A book as it is or, where the first byte is even, one whose keys are those of positions and whose
/// moves are legal in most of them. The engine chooses from it, and the harness follows its lines.
pub fn polyglot(data: &[u8]) {
    let Some((kind, bytes)) = choice(data) else { return };
    let bytes = &bytes[..bytes.len().min(MAX_BYTES)];
    let book = if kind % 2 == 0 { of_positions(bytes) } else { bytes.to_vec() };
    choose(&book);
    let spec = OpeningsSpec {
        file: Some(file("fuzz.bin", &book)),
        sha256: None,
        order: Order::Random,
        skip: 0,
        count: None,
        plies: Some(1 + kind as u32 / 2 % 12),
        seed: 1,
        rules: Rules::Chess,
    };
    match Openings::load(&spec) {
        Ok(openings) => {
            let opening = openings.get(kind as u64).expect("it was read before");
            assert!(!opening.moves.is_empty());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Four bytes an entry: which move of the position, how its code is damaged, weight. The positions
/// are those of the game that the moves make.
fn of_positions(bytes: &[u8]) -> Vec<u8> {
    let mut position = Position::startpos();
    let mut entries = Vec::new();
    for chunk in bytes.chunks_exact(4) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[usize::from(chunk[0]) % moves.len()];
        let Some(theirs) = position.to_shakmaty() else { break };
        let to = m.to();
        let code = book::code(m.from(), to, m.promotion()) ^ u16::from(chunk[1] & 0x0f);
        let weight = u16::from_be_bytes([chunk[2], chunk[3]]);
        entries.push(Entry { key: book::key(&theirs), code, weight });
        // Some positions get a second move.
        if chunk[1] & 0x10 == 0 {
            position.play(m);
        }
    }
    let mut bytes = Vec::new();
    book::write(entries, &mut bytes).expect("a vector grows");
    bytes
}

/// What is chosen is legal, and has an entry of some weight.
fn choose(bytes: &[u8]) {
    let mut book = match Book::new(Cursor::new(bytes)) {
        Ok(book) => book,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert_eq!(book.len() as usize * ENTRY, bytes.len());
    let mut position = Position::startpos();
    for random in [None, Some(0), Some(u64::MAX), Some(0x9e37_79b9_7f4a_7c15), Some(7), None] {
        let Some(m) = book.choose(&position, random).expect("memory can be read") else { return };
        assert!(position.is_legal(m), "{m:?}");
        let Some(theirs) = position.to_shakmaty() else { return };
        let entries = book.entries(book::key(&theirs)).expect("memory can be read");
        assert!(entries.iter().any(|entry| entry.weight > 0));
        position.play(m);
    }
}
