//! Strengths of revisions from all of their comparisons together.
//!
//! A network of comparisons: each measures how far two players are apart under a condition (a limit, a
//! book), and all of them together give the strengths with their covariances (contrast-based network
//! meta-analysis: T. Lumley, "Network meta-analysis for indirect treatment comparisons", 2002; G. Rücker,
//! "Network meta-analysis, electrical networks and graph theory", 2012). Three things are added:
//!
//! - *Conditions.* The same two players are further apart at one limit than at another. A difference under
//!   condition c is s_c times that under the reference; the logarithm of s_c has a normal prior around 0.
//! - *Tests.* A sequential test stops when its LLR is extreme, and a change that stays is one whose test
//!   passed: the gains that such tests measured are too large one by one, and more so as a sum. The
//!   likelihood of the games does not depend on the rule that ended them (J. Berger and R. Wolpert, "The
//!   Likelihood Principle", 1988); what corrects both is a prior of what changes are worth, estimated from
//!   all tests, failed ones included: d ~ N(m, t²) (C. Stein, 1956; B. Efron, "Tweedie's formula and
//!   selection bias", 2011). The posterior is a mixture over a grid of t, whose prior is half-Cauchy (A.
//!   Gelman, "Prior distributions for variance parameters in hierarchical models", 2006).
//! - *Disagreement.* Where comparisons contradict each other by more than their errors, all errors are
//!   multiplied by the Birge ratio (R. Birge, 1932).
//!
//! Players that no comparison connects are in different components, and have no difference.

mod component;
mod fit;
mod mixture;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

use super::elo::Elo;
use component::components;
use fit::{Network, Observation, Prior};
use mixture::Mixture;

/// How far two players are apart, measured under one condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The player whose advantage it is.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// The condition, by number.
    pub condition: usize,
    /// The difference by the counts alone: [`Elo::from_counts`].
    pub elo: Elo,
    /// Whether the first player is a change of the second that a sequential test decided about.
    pub is_test: bool,
}

/// Strengths of the players of a network of comparisons.
#[derive(Clone, Debug)]
pub struct Strength {
    /// The component of each player; `None`: it was not compared.
    component: Vec<Option<usize>>,
    components: Vec<Component>,
}

/// Players that comparisons connect.
#[derive(Clone, Debug)]
pub struct Component {
    /// By number, in increasing order.
    pub players: Vec<usize>,
    /// The condition that the scale is of: the one that tells most.
    pub reference: usize,
    /// How much larger differences are under other conditions, by condition.
    pub scales: Vec<(usize, Interval)>,
    /// The Birge ratio: the factor of the errors' variance, 1 or above.
    pub disagreement: f64,
    /// Worth of changes, by the tests; `None` without a test.
    pub changes: Option<Changes>,
    posterior: Mixture,
}

/// The prior of what a tested change is worth, as estimated from all tests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    /// Number of tests.
    pub tests: usize,
    /// Mean, in Elo.
    pub mean: f64,
    /// Standard deviation, in Elo.
    pub deviation: f64,
}

/// A value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The mean.
    pub value: f64,
    /// Lower end.
    pub low95: f64,
    /// Upper end.
    pub high95: f64,
}

impl Strength {
    /// Of `players` players, numbered from 0. Comparisons of players beyond these, of one with itself, or
    /// without a finite error above zero are left out.
    pub fn new(players: usize, comparisons: &[Comparison]) -> Strength {
        let is_valid = |one: &&Comparison| {
            let Comparison { first, second, elo, .. } = **one;
            first.max(second) < players
                && first != second
                && elo.value.is_finite()
                && elo.error95.is_finite()
                && elo.error95 > 0.0
        };
        let valid: Vec<Comparison> = comparisons.iter().filter(is_valid).copied().collect();
        let groups = components(players, valid.iter().map(|one| (one.first, one.second)));
        let mut component = vec![None; players];
        let mut made: Vec<Component> = Vec::new();
        for group in groups.into_iter().filter(|group| group.len() > 1) {
            let inside: Vec<Comparison> = valid
                .iter()
                .filter(|one| group.binary_search(&one.first).is_ok())
                .copied()
                .collect();
            // Connected comparisons determine the strengths up to rounding.
            let Some(fitted) = Component::new(group, &inside) else { continue };
            fitted.players.iter().for_each(|&player| component[player] = Some(made.len()));
            made.push(fitted);
        }
        Strength { component, components: made }
    }

    /// The component of a player; `None` of one that was not compared.
    pub fn component(&self, player: usize) -> Option<&Component> {
        let number = self.component.get(player).copied().flatten()?;
        self.components.get(number)
    }

    /// How far `first` is above `second`, in Elo under the reference condition of their component. `None`
    /// where no chain of comparisons connects them.
    pub fn difference(&self, first: usize, second: usize) -> Option<Interval> {
        let number = |player: usize| self.component.get(player).copied().flatten();
        let component = number(first).filter(|of| number(second) == Some(*of))?;
        let component = &self.components[component];
        let row = |player: usize| component.players.binary_search(&player).ok();
        Some(component.posterior.difference(row(first)?, row(second)?))
    }
}

impl Component {
    fn new(players: Vec<usize>, comparisons: &[Comparison]) -> Option<Component> {
        let reference = reference(comparisons);
        let conditions = conditions(comparisons, reference);
        let row = |player: usize| players.binary_search(&player).ok();
        let observation = |one: &Comparison| {
            Some(Observation {
                rows: [row(one.first)?, row(one.second)?],
                scale: conditions.iter().position(|&other| other == one.condition),
                value: one.elo.value,
                deviation: deviation(&one.elo),
                is_test: one.is_test,
            })
        };
        let observations: Vec<Observation> = comparisons.iter().filter_map(observation).collect();
        let network = Network::new(players.len(), conditions.len(), observations);
        let plain = network.fit(&Prior::None)?;
        let disagreement = network.birge_ratio(&plain);
        let network = network.with_disagreement(disagreement);
        let posterior = Mixture::new(&network)?;
        let scales = conditions.iter().enumerate();
        let scales = scales.map(|(number, &condition)| (condition, posterior.scale(number)));
        Some(Component {
            reference,
            scales: scales.collect(),
            disagreement,
            changes: posterior.changes(network.tests()),
            posterior,
            players,
        })
    }
}

/// Standard deviation of an estimate.
fn deviation(elo: &Elo) -> f64 {
    elo.error95 / Normal::standard().inverse_cdf(0.975)
}

/// The condition with the largest sum of inverse variances; the first of several.
fn reference(comparisons: &[Comparison]) -> usize {
    let weight = |condition: usize| {
        let of_it = comparisons.iter().filter(|one| one.condition == condition);
        of_it.map(|one| deviation(&one.elo).powi(-2)).sum::<f64>()
    };
    let mut all: Vec<usize> = comparisons.iter().map(|one| one.condition).collect();
    all.sort_unstable();
    all.dedup();
    let weighed = all.into_iter().rev().map(|condition| (condition, weight(condition)));
    weighed.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(condition, _)| condition)
}

/// The other conditions.
fn conditions(comparisons: &[Comparison], reference: usize) -> Vec<usize> {
    let mut others: Vec<usize> = comparisons.iter().map(|one| one.condition).collect();
    others.sort_unstable();
    others.dedup();
    others.retain(|&condition| condition != reference);
    others
}

#[cfg(test)]
mod tests;
