//! Tuning: finding the parameter values with which an engine plays best.
//!
//! A tuner's `ask` gives trials (two candidates to play against each other), `tell` takes results,
//! and `recommend` gives the best candidate so far. It plays no game and does no I/O, so that it
//! runs against real matches and against a [`landscape`] with a known optimum. A run with real games
//! is `runs::tune`. Knows the games' conditions ([`arena`](harness_arena)), players
//! and filters of training data; start reading at [`trial`] and [`methods`].

pub mod apply;
pub mod bench;
pub mod dependence;
pub mod draft;
pub mod entries;
pub mod experiment;
pub mod family;
pub mod import;
pub mod landscape;
pub mod methods;
pub mod objective;
pub mod offer;
pub mod pairs;
pub mod parameters;
mod play_options;
pub mod reach;
pub mod space;
pub mod texel;
pub mod trial;
