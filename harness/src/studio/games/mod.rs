//! Finding games among a million: an index beside the ledger.

pub mod index;

pub use index::{GameIndex, IndexError};
