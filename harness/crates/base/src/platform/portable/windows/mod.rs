//! The parts of Windows alone.

pub mod tree;
pub mod warden;
