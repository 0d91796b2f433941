//! Bayesian optimisation: a Gaussian process of the landscape, from pairwise comparisons.
//!
//! Each result measures a difference of strength between two candidates, with the known variance of
//! its games. The posterior combines them, the acquisition chooses the comparison with the largest
//! knowledge gradient, and the maximum of the posterior mean is recommended.

mod acquisition;
mod ascent;
mod kernel;
mod posterior;
mod surrogate;
mod tuner;

pub use surrogate::{Place, Surrogate};
pub use tuner::Bayes;
