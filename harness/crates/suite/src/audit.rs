//! Faults of a suite itself, with the evidence.
//!
//! The file alone shows illegal positions and moves, duplicates, and positions that no move solves.
//! An engine shows the others: in a sound position the best move that solves it scores clearly
//! better than the best one that does not.

mod finding;
mod read;
mod search;
mod text;

pub use self::finding::{Audit, Counts, Evidence, Finding, FindingKind, Opinion};
pub use self::read::{Read, read};
pub use self::search::{AuditStopped, search_all};
pub use self::text::text;
