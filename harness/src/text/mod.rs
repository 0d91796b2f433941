//! Text for people that every room writes: numbers, command lines, and names that were meant.

pub mod docs;
mod near;
mod number;
mod shell;

pub(crate) use near::nearest;
pub use number::{duration, grouped, percent, two_digits};
pub use shell::{shell_split, shell_words};
