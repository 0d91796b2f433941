//! What all Unix systems have: groups of processes that a killed harness leaves are ended.

pub mod escaped;
pub mod warden;
