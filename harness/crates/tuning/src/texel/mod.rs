//! Texel tuning: logistic regression of evaluation weights on labelled positions.
//!
//! The evaluation of the linked engine is a tapered sum of coefficients times weights, so the
//! gradient of a loss is one pass over the coefficients. Non-linear terms (king danger, endgame
//! scale) are constants.
//!
//! Source: P. Österlund, "Texel's Tuning Method", Chess Programming Wiki; gradients by linearity:
//! A. Grant, "Evaluation & Tuning in Chess Engines" (2020).

pub mod config;
pub mod fit;
pub mod labelled;
pub mod loss;
pub mod optimizer;
pub mod sparse;
pub mod table;
#[cfg(test)]
mod tests;
