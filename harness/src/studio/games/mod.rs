//! Finding games among a million: an index beside the ledger.

pub mod explorer;
pub mod index;

pub use index::{GameIndex, IndexError};
