//! Direct search: derivative-free optimisers of argmin.
//!
//! A simplex, a swarm or simulated annealing proposes places; each place plays a match; a Gaussian
//! process progress all matches of the run, that of [`super::bayes`], estimates the value of the place.
//! A single match has an error of tens of Elo, and the best of many such values is biased (winner's
//! curse): here every match near a place improves its estimate (A. Forrester, A. Keane and N.
//! Bressloff, "Design and Analysis of 'Noisy' Computer Experiments").

mod annealing;
mod ask_tell;
mod simplex;
mod swarm;
#[cfg(test)]
mod tests;
mod tuner;

pub use annealing::Annealing;
pub use simplex::Simplex;
pub use swarm::Swarm;
pub use tuner::DirectSearch;
