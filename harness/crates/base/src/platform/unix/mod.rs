//! What all Unix systems have: process groups, which are ended with the harness.

pub mod escaped;
pub mod tree;
pub mod warden;
