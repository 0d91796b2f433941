//! The studio: the local page of the harness.

pub mod games;
