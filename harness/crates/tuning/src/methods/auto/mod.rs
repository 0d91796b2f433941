//! The default tuner: Bayesian regression on all pairs, with priors learned from the run.
//!
//! Every trial plays two candidates on either side of the current centre, all parameters perturbed
//! at once, as SPSA does. But where SPSA forgets a result after its step, here all of them stay in
//! one linear model of strength ([`features`]: powers and products of the coordinates), which a
//! Bayesian regression fits ([`regression`]); its maximum is the recommendation and the next centre.
//! Of several perturbations, each as wide as the landscape is curved, the one that makes the maximum
//! known best is played ([`design`]). Nothing is to be set: the priors follow from the results
//! ([`priors`]); samples of the posterior say what is not known yet ([`uncertainty`]). Start reading
//! in [`tuner`].
//!
//! Two other rules take its place where they leave less ([`start`]): a Gaussian process with few
//! parameters and few games, SPSA with hundreds of parameters.

mod design;
mod features;
mod polynomial;
mod priors;
mod regression;
mod tuner;
mod uncertainty;

pub use tuner::Auto;

use std::ops::RangeInclusive;

use super::bayes::Bayes;
use super::checked::games_of_method;
use super::spsa::Spsa;
use crate::space::Space;
use crate::trial::Tuner;

/// Parameters beyond which the equations of the regression take longer than the games, and no run has
/// the games to learn the curvature of each: what is left of the model is its gradient, which [`Spsa`]
/// follows without equations.
pub const MAX_PARAMETERS: usize = 100;

/// Numbers of parameters ...
const FEW_PARAMETERS: RangeInclusive<usize> = 2..=6;
/// ... and of games of a run, up to which a Gaussian process leaves less. On the odd half of the random family
/// 7.2 Elo in place of 7.8 with six parameters and 2,000 games, 16.0 in place of 18.5 with 500; more with one
/// parameter, or twelve and 2,000 games.
const FEW_GAMES: u64 = 2_000;

/// The default tuner, with `games` games of its own.
pub fn start(space: Space, games: u64, seed: u64) -> Box<dyn Tuner + Send> {
    if games <= games_of_method(FEW_GAMES) && FEW_PARAMETERS.contains(&space.dimension()) {
        return Box::new(Bayes::new(space, games, seed));
    }
    regression(space, games, seed, false)
}

/// The same without a Gaussian process, and with a [screening](Auto::with_screening) where `screens`.
pub fn regression(space: Space, games: u64, seed: u64, screens: bool) -> Box<dyn Tuner + Send> {
    if space.dimension() > MAX_PARAMETERS {
        return Box::new(Spsa::new(space, games, seed));
    }
    let auto = Auto::new(space, games, seed);
    Box::new(if screens { auto.with_screening() } else { auto })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{METHODS, Method, REGRESSION};
    use crate::space::{Kind, Parameter};

    fn space(dimension: usize) -> Space {
        let parameter = |i| Parameter::new(format!("p{i}"), Kind::Real, 0.0, 1.0, 0.3);
        Space::new((0..dimension).map(parameter).collect()).expect("valid")
    }

    /// By the first trial, whose candidates and pairs are those of no other rule.
    #[test]
    fn few_games_and_parameters_have_a_gaussian_process_and_all_others_the_regression() {
        let bayes = Method::find("bayes").expect("a method");
        for (dimension, games, is_process) in [
            (1, 2_000, false),
            (2, 2_000, true),
            (6, 2_000, true),
            (6, 500, true),
            (7, 2_000, false),
            (2, 2_002, false),
        ] {
            let first = |method: &Method| method.start(space(dimension), games, 1).ask(1);
            let rule = if is_process { bayes } else { &REGRESSION };
            assert_eq!(first(&METHODS[0]), first(rule), "{dimension} {games}");
            assert_ne!(first(bayes), first(&REGRESSION), "{dimension} {games}");
        }
    }
}
