//! The default tuner: Bayesian regression on all pairs, with priors learned from the run.
//!
//! Every trial plays two candidates on either side of the current centre, all parameters perturbed
//! at once, as SPSA does. But where SPSA forgets a result after its step, here all of them stay in
//! one linear model of strength ([`features`]: powers and products of the coordinates), which a
//! Bayesian regression fits ([`regression`]); its maximum is the recommendation and the next centre.
//! Nothing is to be set: the variances of the priors follow from the results by expectation
//! maximisation (D. MacKay, "Bayesian interpolation", 1992), the perturbation of each parameter from
//! its curvature, so that all lose the same Elo ([`tuner`]).

mod features;
mod regression;
mod tuner;

pub use tuner::Auto;
