//! Tuning: finding the parameter values with which an engine plays best.
//!
//! A tuner is asked for trials (two candidates to play against each other), told their results,
//! and can recommend a candidate at any time. It plays no game and does no I/O, so that the same
//! object runs against real matches and against a [`landscape`] whose optimum is known.

pub mod bench;
pub mod dependence;
pub mod experiment;
pub mod import;
pub mod landscape;
pub mod methods;
pub mod offer;
pub mod pairs;
pub mod parameters;
pub mod reach;
pub mod space;
pub mod texel;
pub mod trial;
