//! Finding games among a million: an index beside the ledger, PGN files, and what was played in a
//! position.

pub mod explored;
pub mod explorer;
pub mod files;
pub mod index;
pub mod positions;

pub use explorer::Explorer;
pub use files::PgnFiles;
pub use index::{GameIndex, IndexError};
