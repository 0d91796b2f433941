//! Files of any size in bounded memory: shuffling, duplicates, samples.

mod dedup;
mod repeats;
mod row_file;
mod rows;
mod shuffle;
mod spill;
mod stream;
#[cfg(test)]
mod tests;

pub use repeats::{Keys, Repeats};
pub use row_file::{RowFile, RowWriter};
pub use rows::{NO_SCORE, packed};
pub use shuffle::Shuffle;
pub use stream::{Bulk, Progress, Rule, Stage, Tally, Workspace, apply};
