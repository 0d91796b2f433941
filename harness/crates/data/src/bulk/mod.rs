//! Files of any size in bounded memory: shuffling, duplicates, samples.

mod dedup;
mod rows;
mod spill;
mod stream;
#[cfg(test)]
mod tests;

pub use rows::{NO_SCORE, packed};
pub use stream::{Bulk, Progress, Rule, Stage, Tally, Workspace, apply};
