//! The parts of all Unix systems: process groups, which are ended with the harness.

pub mod escaped;
pub mod tree;
pub mod warden;
