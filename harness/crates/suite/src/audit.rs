//! Faults of a suite itself, with the evidence.
//!
//! The file alone shows illegal positions and moves, duplicates, and positions that no move solves.
//! An engine shows the others: in a sound position the best move that solves it scores clearly
//! better than the best one that does not.

mod read;
mod search;

pub use self::read::{Read, contradictions, read};
pub use self::search::{AuditStopped, search_all};

use harness_notation::epd::EpdPosition;
use harness_outcome::audit::{Finding, FindingKind};

/// A fault of a valid position.
fn fault_of(position: &EpdPosition, kind: FindingKind, what: String) -> Finding {
    let (line, id, fen) = (position.line, position.id.clone(), Some(position.fen.clone()));
    Finding { line, id, kind, what, fen, evidence: None }
}
