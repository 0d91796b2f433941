//! Texel tuning: evaluation weights fitted to positions whose outcome is known.
//!
//! The evaluation of the linked engine is a tapered sum of counts times weights, so that the
//! slope of any loss by all weights costs one pass over the counts. What is not linear (the
//! king's danger, the endgames' scale) stays as it is.
//!
//! Source: P. Österlund, "Texel's Tuning Method", Chess Programming Wiki; gradients by linearity:
//! A. Grant, "Evaluation & Tuning in Chess Engines" (2020).

pub mod cache;
pub mod config;
pub mod descent;
pub mod fit;
pub mod loss;
pub mod table;
#[cfg(test)]
mod tests;
