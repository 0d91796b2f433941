//! What the SPSA of others shares: values that go up and down by net wins.

use std::collections::BTreeMap;

use rand::Rng;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use crate::random;
use crate::stats::Pentanomial;
use crate::tuning::space::{Candidate, Kind, Parameter, Space};
use crate::tuning::trial::{Estimate, Recommendation, Trial, TrialId, UnknownTrial, net_wins};

/// Both candidates of a trial, and the movement a net win of the first.
pub(super) type Perturbed = (Candidate, Candidate, Vec<f64>);

/// Where the values are, and what is under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Walk {
    pub space: Space,
    /// The values now, not rounded.
    pub theta: Vec<f64>,
    /// What was learnt from: pairs or games, as the method counts.
    pub played: u64,
    seed: u64,
    asked: u64,
    pending: BTreeMap<TrialId, Vec<f64>>,
}

impl Walk {
    pub fn new(space: Space, seed: u64) -> Walk {
        let theta = space.start();
        Walk { space, theta, played: 0, seed, asked: 0, pending: BTreeMap::new() }
    }

    /// Trials of so many pairs, each made by `perturb` with random numbers of its own from the
    /// stream of that name.
    pub fn ask(
        &mut self,
        count: usize,
        stream: &str,
        pairs: u64,
        perturb: impl Fn(&Walk, &mut Pcg64Mcg) -> Perturbed,
    ) -> Vec<Trial> {
        let mut trials = Vec::with_capacity(count);
        for _ in 0..count {
            let id = TrialId(self.asked);
            let mut random = random::stream(stream, self.seed, self.asked);
            self.asked += 1;
            let (first, second, steps) = perturb(self, &mut random);
            self.pending.insert(id, steps);
            trials.push(Trial { id, first, second, pairs });
        }
        trials
    }

    /// The result of a trial, from which so much was `played`.
    pub fn tell(
        &mut self,
        id: TrialId,
        result: &Pentanomial,
        played: u64,
    ) -> Result<(), UnknownTrial> {
        let steps = self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        self.learn(&steps, net_wins(result), played);
        Ok(())
    }

    pub fn learn(&mut self, steps: &[f64], net_wins: f64, played: u64) {
        for ((theta, parameter), step) in
            self.theta.iter_mut().zip(self.space.parameters()).zip(steps)
        {
            *theta = (*theta + step * net_wins).clamp(parameter.min, parameter.max);
        }
        self.played += played;
    }

    /// The movement a net win of a trial.
    pub fn pull(&self, id: TrialId) -> Vec<f64> {
        self.pending.get(&id).cloned().unwrap_or_default()
    }

    /// The values: nothing else is known.
    pub fn recommend(&self) -> Recommendation {
        let both = self.space.parameters().iter().zip(&self.theta);
        let bare = |&value: &f64| Estimate { value, error: None, z: None };
        Recommendation {
            best: both.map(|(parameter, &value)| parameter.rounded(value)).collect(),
            parameters: self.theta.iter().map(bare).collect(),
            gain: None,
        }
    }
}

/// One random sign a parameter; 0 for those that are fixed.
pub(super) fn flips(space: &Space, random: &mut impl Rng) -> Vec<f64> {
    let flip = |parameter: &Parameter| match (parameter.fixed, random.random::<bool>()) {
        (true, _) => 0.0,
        (false, true) => 1.0,
        (false, false) => -1.0,
    };
    space.parameters().iter().map(flip).collect()
}

/// Whole numbers become one of their two neighbours, the nearer one more often.
pub(super) fn rounded_by_chance(parameter: &Parameter, value: f64, chance: f64) -> f64 {
    match parameter.kind {
        Kind::Integer => (value + chance).floor(),
        Kind::Real => value,
    }
}
