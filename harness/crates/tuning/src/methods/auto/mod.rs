//! The default tuner: Bayesian regression on all pairs, with priors learned from the run.
//!
//! Every trial plays two candidates on either side of the current centre, all parameters perturbed
//! at once, as SPSA does. But where SPSA forgets a result after its step, here all of them stay in
//! one linear model of strength ([`features`]: powers and products of the coordinates), which a
//! Bayesian regression fits ([`regression`]); its maximum is the recommendation and the next centre.
//! Of several perturbations, each as wide as the landscape is curved, the one that makes the maximum
//! known best is played ([`design`]). Nothing is to be set: the priors follow from the results
//! ([`priors`]); samples of the posterior say what is not known yet ([`uncertainty`]). Start reading in [`tuner`].

mod design;
mod features;
mod polynomial;
mod priors;
mod regression;
mod tuner;
mod uncertainty;

pub use tuner::Auto;
