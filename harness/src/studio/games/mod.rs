//! The games of runs for the pages: a view of one game, and an index of all of them.

mod clock;
mod comment;
pub mod index;
mod swing;
pub mod view;

pub use index::{GameIndex, IndexError};
pub use swing::Fall;
pub use view::{ViewError, ViewedGame, ViewedPly, falls, view};
