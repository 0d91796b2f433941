//! Which of several candidates is best, and is it better than the base?
//!
//! A race has two parts. In the **heats** all runners that are left play each other from the same openings,
//! and those for which it is settled that they are not the best are dropped. The last candidate plays the
//! **final** against the base from openings of which no heat has had a game: an SPRT as any other, so that
//! the error rate of its verdict is that of the SPRT, whatever number of candidates there were.
//!
//! [`Race`] is an ask/tell core: [`Race::ask`] says what to play next, [`Race::tell`] takes a round of it.
//! It plays no game and does no I/O. [`evidence`] has the rule by which runners are dropped with its proof,
//! [`simulation`] what a race costs beside other ways to find the best of several.

mod evidence;
pub mod simulation;
mod spread;

use serde::{Deserialize, Serialize};

use self::evidence::Evidence;
use super::counts::Pentanomial;
use super::summary::Verdict;
use crate::sequential::bounds::Shape;
use crate::sequential::sprt::{Decision, Sprt, SprtError};

/// The base, by its number among the runners; candidates follow from 1 on.
pub const BASE: usize = 0;

/// From this number of candidates on, the base is a runner of the heats: it costs games, and ends a race of
/// candidates that are all worse than the base early. Among few runners it costs more than it saves.
pub const BASE_RUNS_FROM: usize = 6;

/// Share of the type II error rate that the heats have; the rest is the final's. A smaller one of the heats
/// costs games of all runners, of the final those of two.
const HEATS_SHARE: f64 = 0.75;

/// Pairs of a heat, at least: runners are dropped between heats.
pub const BATCH: u64 = 64;

/// The rule of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceRule {
    /// The question: its hypotheses are about the best candidate and the base, its alpha is the probability
    /// that any candidate passes that is no better than `elo0`, its beta the probability that none passes
    /// although one is better than the base and each other candidate by at least `elo1 - elo0`, and than the
    /// base by `elo1`.
    pub test: Sprt,
    /// The test of the final.
    pub final_test: Sprt,
    /// Candidates.
    pub candidates: usize,
    /// Pairs of a heat, at least.
    pub batch: u64,
    /// Most pairs of the race.
    pub max_pairs: u64,
    /// Candidates that are the base itself, by number: they run for it, and no final is needed to say that
    /// they are no better.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equals: Vec<usize>,
}

impl RaceRule {
    /// A race of this number of candidates with at most `max_pairs` pairs.
    ///
    /// # Errors
    /// When the hypotheses or error rates of the test are none.
    pub fn new(test: Sprt, candidates: usize, max_pairs: u64) -> Result<RaceRule, SprtError> {
        let Sprt { model, elo0, elo1, alpha, beta, .. } = test;
        let share = if candidates > 1 { 1.0 - HEATS_SHARE } else { 1.0 };
        let final_test = Sprt::new(model, elo0, elo1, alpha, share * beta)?;
        let (batch, equals) = (BATCH, Vec::new());
        Ok(RaceRule { test, final_test, candidates, batch, max_pairs, equals })
    }

    /// The same with bounds of this form in the final, computed for a share of drawn games.
    ///
    /// # Errors
    /// When there are no such bounds.
    pub fn with_bounds(self, shape: Shape, draw_ratio: f64) -> Result<RaceRule, SprtError> {
        let final_test = self.final_test.with_bounds(shape, draw_ratio)?;
        Ok(RaceRule { final_test, ..self })
    }

    /// Error rate of the heats: the probability that the best candidate is dropped in them.
    pub fn heats_error(&self) -> f64 {
        if self.candidates > 1 { HEATS_SHARE * self.test.beta } else { 0.0 }
    }

    /// Pairs of the first round: one of each pairing, or of a final without heats one.
    pub fn first_round(&self) -> u64 {
        first_round(self.candidates, self.test.elo0)
    }

    /// Pairs without which the race has no verdict: one heat, and a final that one player wins throughout. Where
    /// the base may win the heats there need not be a final.
    pub fn fewest_pairs(&self) -> u64 {
        let round = self.first_round();
        if self.base_runs() || !self.equals.is_empty() {
            return round;
        }
        let heat = match self.candidates {
            0 | 1 => 0,
            _ => self.batch.max(1).next_multiple_of(round),
        };
        heat.saturating_add(self.final_test.fewest_pairs())
    }

    /// Whether the base runs in the heats.
    pub fn base_runs(&self) -> bool {
        base_runs(self.candidates, self.test.elo0)
    }
}

/// Whether the base runs in the heats. Not where the best candidate need not be better than the base by
/// what it has to be better than the others: the base could drop it.
fn base_runs(candidates: usize, elo0: f64) -> bool {
    candidates >= BASE_RUNS_FROM && elo0 >= 0.0
}

/// Pairs of the first round of a race of this number of candidates whose test begins at `elo0`: each runner
/// meets each other one.
pub fn first_round(candidates: usize, elo0: f64) -> u64 {
    let runners = candidates as u64 + u64::from(base_runs(candidates, elo0));
    (runners * runners.saturating_sub(1) / 2).max(1)
}

/// The next games.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Rounds of which each has all pairings, from one opening.
    Heat {
        /// Number of the heat, from 1.
        number: u64,
        /// The runners that meet.
        pairings: Vec<(usize, usize)>,
        /// How often.
        rounds: u64,
    },
    /// Pairs of a candidate and the base, each a round of its own.
    Final {
        /// The candidate.
        candidate: usize,
        /// Pairs at most, those that are played included.
        pairs: u64,
    },
    /// Nothing.
    Over,
}

/// How a runner left the heats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropped {
    /// Number of the heat after which it was dropped.
    pub heat: u64,
    /// Pairs of the race until then.
    pub pairs: u64,
    /// The runner with most evidence against it; `None`: the field of all of its opponents together.
    pub by: Option<usize>,
}

/// The evidence after a heat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeatPoint {
    /// Pairs of the race until then.
    pub pairs: u64,
    /// Logarithm of the e-value against each runner as the best one; `None` of one that does not run, or not
    /// any more.
    pub evidence: Vec<Option<f64>>,
}

/// A race: its results so far, and what follows from them.
#[derive(Clone, Debug)]
pub struct Race {
    rule: RaceRule,
    evidence: Evidence,
    /// The runners that are left in the heats.
    running: Vec<usize>,
    dropped: Vec<Option<Dropped>>,
    /// Rounds of the present heat so far.
    rounds: u64,
    heats: u64,
    pairs: u64,
    history: Vec<HeatPoint>,
    counts: Pentanomial,
    decision: Option<Decision>,
}

impl Race {
    /// A race of which nothing is played.
    pub fn new(rule: RaceRule) -> Race {
        let runners = rule.candidates + 1;
        let from = if rule.base_runs() { BASE } else { BASE + 1 };
        let running: Vec<usize> = (from..runners).collect();
        Race {
            evidence: Evidence::new(rule.test, runners, running.len(), rule.heats_error()),
            rule,
            running,
            dropped: vec![None; runners],
            rounds: 0,
            heats: 0,
            pairs: 0,
            history: Vec::new(),
            counts: Pentanomial::default(),
            decision: None,
        }
    }

    /// The next games; of a heat all of its rounds, until the last one has its result.
    pub fn ask(&self) -> Ask {
        let left = self.rule.max_pairs.saturating_sub(self.pairs);
        match self.running[..] {
            _ if self.decision.is_some() || left == 0 || self.is_base_best() => Ask::Over,
            [] => Ask::Over,
            [candidate] => {
                let pairs = left + self.counts.pairs();
                Ask::Final { candidate, pairs }
            }
            _ => self.heat(left),
        }
    }

    /// Whether only the base is left, or candidates that are the same.
    fn is_base_best(&self) -> bool {
        let is_base = |runner: &usize| *runner == BASE || self.rule.equals.contains(runner);
        !self.running.is_empty() && self.running.iter().all(is_base)
    }

    /// The present heat; over if the games do not suffice for a round.
    fn heat(&self, left: u64) -> Ask {
        let pairings = self.pairings();
        let each = pairings.len() as u64;
        let rounds = self.rule.batch.max(1).div_ceil(each);
        let affordable = self.rounds + left / each;
        match rounds.min(affordable) {
            rounds if rounds > self.rounds => {
                Ask::Heat { number: self.heats + 1, pairings, rounds }
            }
            _ => Ask::Over,
        }
    }

    fn pairings(&self) -> Vec<(usize, usize)> {
        let of = |at: usize| self.running[at + 1..].iter().map(move |&other| (at, other));
        let pairings = (0..self.running.len()).flat_map(of);
        pairings.map(|(at, other)| (self.running[at], other)).collect()
    }

    /// Takes a round of what [`ask`](Self::ask) says: half points (0 to 4) of the first runner of each
    /// pairing, in their order; of a final those of the candidate in a pair. Drops runners at the end of a
    /// heat. Nothing is taken once the race is over.
    pub fn tell(&mut self, half_points: &[u8]) {
        match self.ask() {
            Ask::Heat { pairings, rounds, .. } => {
                self.evidence.add_round(&self.running, &pairings, half_points);
                self.pairs += pairings.len() as u64;
                self.rounds += 1;
                if self.rounds == rounds {
                    self.end_heat();
                }
            }
            Ask::Final { .. } => {
                if let Some(cell) =
                    half_points.first().and_then(|&half| self.counts.0.get_mut(usize::from(half)))
                {
                    *cell += 1;
                }
                self.pairs += 1;
                self.decision = self.rule.final_test.decide(&self.counts);
            }
            Ask::Over => {}
        }
    }

    /// Drops those that are not the best, the most evident first.
    fn end_heat(&mut self) {
        (self.rounds, self.heats) = (0, self.heats + 1);
        let against = self.evidence.against(&self.running);
        let mut evidence = vec![None; self.dropped.len()];
        for (&runner, value) in self.running.iter().zip(&against) {
            evidence[runner] = Some(value.total);
        }
        self.history.push(HeatPoint { pairs: self.pairs, evidence });
        while let Some((at, by)) = self.evidence.to_drop(&self.running) {
            let runner = self.running.remove(at);
            self.evidence.freeze(runner, &self.running);
            let (heat, pairs) = (self.heats, self.pairs);
            self.dropped[runner] = Some(Dropped { heat, pairs, by });
        }
    }

    /// The rule.
    pub fn rule(&self) -> &RaceRule {
        &self.rule
    }

    /// The test of the final.
    pub fn final_test(&self) -> &Sprt {
        &self.rule.final_test
    }

    /// Pairs so far.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Heats that are over.
    pub fn heats(&self) -> u64 {
        self.heats
    }

    /// The runners of the present heat; one once the heats are over.
    pub fn running(&self) -> &[usize] {
        &self.running
    }

    /// How each runner left the heats, the base first.
    pub fn dropped(&self) -> &[Option<Dropped>] {
        &self.dropped
    }

    /// The evidence after each heat.
    pub fn history(&self) -> &[HeatPoint] {
        &self.history
    }

    /// Logarithm of the evidence that drops a runner.
    pub fn drop_at(&self) -> f64 {
        self.evidence.drop_at()
    }

    /// Points of a runner in the heats above half of those that could be had, and the pairs of them.
    pub fn surplus(&self, runner: usize) -> (f64, u64) {
        self.evidence.surplus(runner)
    }

    /// The pairs of the final, seen from the candidate.
    pub fn final_counts(&self) -> &Pentanomial {
        &self.counts
    }

    /// The candidate that is left, or has most points in the heats: the best one so far. `None` if the base
    /// alone is left.
    pub fn leader(&self) -> Option<usize> {
        let candidates = self.running.iter().copied().filter(|&runner| runner != BASE);
        let strength = |runner: usize| self.surplus(runner).0;
        // Of equals the one that was named first.
        candidates.rev().max_by(|&a, &b| strength(a).total_cmp(&strength(b)))
    }

    /// Pairs before the final, if it has begun or is next.
    pub fn final_begins(&self) -> Option<u64> {
        let is_final = self.running.len() == 1 && !self.is_base_best();
        is_final.then(|| self.pairs - self.counts.pairs())
    }

    /// The verdict; `None` while there is something to be played.
    pub fn verdict(&self) -> Option<Verdict> {
        match self.decision {
            Some(Decision::Accepted) => Some(Verdict::Accepted),
            Some(Decision::Rejected) => Some(Verdict::Rejected),
            // The base was the best of all.
            None if self.is_base_best() => Some(Verdict::Rejected),
            None => (self.ask() == Ask::Over).then_some(Verdict::Inconclusive),
        }
    }
}

#[cfg(test)]
mod tests;
