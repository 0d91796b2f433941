//! Runs as values: planned, executed with events, resumed.
//!
//! A run is planned from plain data, executed in a [`Session`](crate::context::Session) with a sink
//! of typed events, and gives an outcome; the ledger keeps its plan, so that
//! [`games::resume`](games::resume) goes on after any end. Nothing here prints: the commands do,
//! from the events. Knows the arena, the players, the ledger and the statistics; start reading at
//! [`games`], which is a match or an SPRT, or [`suite`], and see `harness/examples/sprt.rs`.

pub mod audit;
pub mod book;
pub mod games;
pub mod generate;
pub mod import;
pub mod loop_;
pub mod make;
pub mod preflight;
pub mod report;
mod search;
pub mod speed;
pub mod suite;
pub mod texel;
pub mod train;
pub mod tune;

pub use search::{Event, Sink};
