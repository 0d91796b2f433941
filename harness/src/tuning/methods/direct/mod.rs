//! Direct search: methods that look at values alone, without slopes, as argmin has them.
//!
//! A simplex, a swarm or an annealed walk proposes places; each place plays a match; a Gaussian
//! process over all matches of the run, the one of [`super::bayes`], says what the place is worth.
//! A match of its own would say it with an error of tens of Elo, and the best of many such values
//! would be the luckiest one: here every match near a place is a further evaluation of it (A.
//! Forrester, A. Keane and N. Bressloff, "Design and Analysis of 'Noisy' Computer Experiments").

mod annealing;
mod inverted;
mod simplex;
mod swarm;
#[cfg(test)]
mod tests;
mod tuner;

pub use annealing::Annealing;
pub use simplex::Simplex;
pub use swarm::Swarm;
pub use tuner::DirectSearch;
