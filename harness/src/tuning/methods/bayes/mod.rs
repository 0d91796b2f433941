//! Bayesian optimisation: a Gaussian process of the landscape, learnt from comparisons.
//!
//! Each result says how much one candidate is stronger than another, give or take the known noise
//! of its games. The posterior puts all of them together, the acquisition asks for the
//! comparison that teaches most, and the top of the posterior mean is recommended.

mod acquisition;
mod climb;
mod kernel;
mod posterior;
mod surrogate;
mod tuner;

pub use surrogate::{Place, Surrogate};
pub use tuner::Bayes;
