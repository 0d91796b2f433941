//! State of the reference SPSA methods: values that move by net wins.

use std::collections::BTreeMap;

use rand::Rng;
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use crate::space::{Candidate, Kind, Parameter, Space};
use crate::trial::{Estimate, Recommendation, Trial, TrialId, UnknownTrial, net_wins};
use harness_stats::Pentanomial;
use harness_stats::random;

/// Both candidates of a trial, and the movement per net win of the first.
pub(super) type Perturbed = (Candidate, Candidate, Vec<f64>);

/// The current values, and the trials under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Iterate {
    pub space: Space,
    /// The values now, not rounded.
    pub theta: Vec<f64>,
    /// Pairs or games so far, as the method counts.
    pub played: u64,
    seed: u64,
    next_id: u64,
    pending: BTreeMap<TrialId, Vec<f64>>,
}

impl Iterate {
    pub fn new(space: Space, seed: u64) -> Iterate {
        let theta = space.start();
        Iterate { space, theta, played: 0, seed, next_id: 0, pending: BTreeMap::new() }
    }

    /// Trials of `pairs` pairs, each made by `perturb` with its own random numbers of the stream of
    /// that name.
    pub fn ask(
        &mut self,
        count: usize,
        stream: &str,
        pairs: u64,
        perturb: impl Fn(&Iterate, &mut Pcg64Mcg) -> Perturbed,
    ) -> Vec<Trial> {
        let mut trials = Vec::with_capacity(count);
        for _ in 0..count {
            let id = TrialId(self.next_id);
            let mut random = random::stream(stream, self.seed, self.next_id);
            self.next_id += 1;
            let (first, second, steps) = perturb(self, &mut random);
            self.pending.insert(id, steps);
            trials.push(Trial { id, first, second, pairs });
        }
        trials
    }

    /// The result of a trial that counts as `played`.
    pub fn tell(
        &mut self,
        id: TrialId,
        result: &Pentanomial,
        played: u64,
    ) -> Result<(), UnknownTrial> {
        let steps = self.pending.remove(&id).ok_or(UnknownTrial(id))?;
        self.step(&steps, net_wins(result), played);
        Ok(())
    }

    pub fn step(&mut self, steps: &[f64], net_wins: f64, played: u64) {
        for ((theta, parameter), step) in
            self.theta.iter_mut().zip(self.space.parameters()).zip(steps)
        {
            *theta = (*theta + step * net_wins).clamp(parameter.min, parameter.max);
        }
        self.played += played;
    }

    /// The movement per net win of a trial.
    pub fn step_per_net_win(&self, id: TrialId) -> Vec<f64> {
        self.pending.get(&id).cloned().unwrap_or_default()
    }

    /// The values, without errors.
    pub fn recommend(&self) -> Recommendation {
        let both = self.space.parameters().iter().zip(&self.theta);
        let bare = |&value: &f64| Estimate { value, error: None, z: None };
        Recommendation::of_method(
            both.map(|(parameter, &value)| parameter.rounded(value)).collect(),
            self.theta.iter().map(bare).collect(),
        )
    }
}

/// One random sign a parameter; 0 for fixed ones.
pub(super) fn flips(space: &Space, random: &mut impl Rng) -> Vec<f64> {
    let flip = |parameter: &Parameter| match (parameter.fixed, random.random::<bool>()) {
        (true, _) => 0.0,
        (false, true) => 1.0,
        (false, false) => -1.0,
    };
    space.parameters().iter().map(flip).collect()
}

/// Stochastic rounding: an integer becomes one of its two neighbours, the nearer one more often.
pub(super) fn rounded_by_chance(parameter: &Parameter, value: f64, chance: f64) -> f64 {
    match parameter.kind {
        Kind::Integer => (value + chance).floor(),
        Kind::Real => value,
    }
}
