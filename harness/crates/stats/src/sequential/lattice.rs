//! A test as a walk on a lattice: its error rates, length and estimates by summation, not by sampling.
//!
//! In first order the LLR is a walk whose steps are proportional to the pair scores: five values, evenly
//! spaced. After n pairs it stands on one of 4n + 1 places, so that the probability of each place, and of each
//! way out of the bounds with what it oversteps, follows pair by pair. The distributions of pair scores with
//! other differences are exponential tilts of the one half way between the hypotheses (balanced games with a
//! share of draws), so one summation serves them all: a way out at n pairs with the sum k has
//! e^{δ(k - nκ) - nψ(δ)} times the probability.
//!
//! A test of a small gap takes hundreds of thousands of pairs, on thousands of places. It is then taken for
//! one of a walk with larger steps, each for several pairs, between bounds that are moved inwards by what the
//! larger steps overstep more (0.5826 standard deviations: D. Siegmund, "Sequential Analysis", 1985, chapter
//! X; M. Broadie, P. Glasserman and S. Kou, "A continuity correction for discrete barrier options", 1997).

use super::brownian::OVERSHOOT;
use super::sprt::{Decision, Model, Sprt};
use crate::elo::NELO_PER_T;
use crate::{elo_of_score, score_of_elo};

/// Size of the steps of a walk, in place of single pairs where these are smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    /// Single pairs down to a gap of the hypotheses of 10 nElo.
    Fine,
    /// For an answer between two games, and for a first estimate.
    Coarse,
}

impl Grain {
    /// Least standard deviation of the LLR's steps.
    fn deviation(self) -> f64 {
        match self {
            Grain::Fine => 0.04,
            Grain::Coarse => 0.12,
        }
    }
}

/// Probability of a test's rest that is not followed.
const NEGLIGIBLE: f64 = 1e-10;

/// Information (variance of the LLR), over the squared distance of the bounds, beyond which less than 1e-10 of
/// tests half way between the hypotheses are undecided.
const LONGEST: f64 = 4.7;

/// Places of the sum of quarter points: the scores of a pair.
type Shares = [f64; 5];

/// Pair scores of two independent games, between equals.
fn balanced_pairs(draw_ratio: f64) -> Shares {
    let draw = draw_ratio.clamp(0.0, 0.999);
    let win = (1.0 - draw) / 2.0;
    let two = 2.0 * win * draw;
    [win * win, two, 2.0 * win * win + draw * draw, two, win * win]
}

/// The shares, each multiplied by `e^{tilt · cell}`.
fn tilted(shares: &Shares, tilt: f64) -> Shares {
    let weight = |cell: usize| shares[cell] * (tilt * (cell as f64 - 2.0)).exp();
    let sum: f64 = (0..5).map(weight).sum();
    std::array::from_fn(|cell| weight(cell) / sum)
}

/// Mean and variance of the cell.
fn moments(shares: &Shares) -> [f64; 2] {
    let mean: f64 = (0..5).map(|cell| shares[cell] * cell as f64).sum();
    let variance = (0..5).map(|cell| shares[cell] * (cell as f64 - mean).powi(2)).sum();
    [mean, variance]
}

/// The argument between `low` and `high` at which a rising function has a value.
fn solve(low: f64, high: f64, value: f64, rising: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if rising(middle) < value { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// Largest tilt: of two neighbouring cells the better is e^20 times as likely.
const MAX_TILT: f64 = 20.0;

/// Pair scores between players of a true difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairModel {
    shares: Shares,
}

impl PairModel {
    /// Pairs of independent games: `draw_ratio` of the games (0 to 1) are drawn between equals, and the
    /// difference is `elo` in the unit of `model`.
    pub fn new(draw_ratio: f64, model: Model, elo: f64) -> PairModel {
        let balanced = balanced_pairs(draw_ratio);
        let elo_at = |tilt| PairModel { shares: tilted(&balanced, tilt) }.elo(model);
        let tilt = solve(-MAX_TILT, MAX_TILT, elo, elo_at);
        PairModel { shares: tilted(&balanced, tilt) }
    }

    /// Probabilities of the pair scores 0, ½, 1, 1½, 2.
    pub fn shares(&self) -> [f64; 5] {
        self.shares
    }

    /// The difference, logistic or normalized.
    pub fn elo(&self, model: Model) -> f64 {
        let [mean, variance] = moments(&self.shares);
        let score = mean / 4.0;
        match model {
            Model::Logistic => elo_of_score(score.clamp(1e-9, 1.0 - 1e-9)),
            // Two games a pair: a game's variance is twice that of the pair's mean score.
            Model::Normalized => (score - 0.5) / (variance / 8.0).sqrt().max(1e-12) * NELO_PER_T,
        }
    }

    /// Standard deviation of a pair's mean score.
    fn deviation(&self) -> f64 {
        moments(&self.shares)[1].sqrt() / 4.0
    }
}

/// The LLR of a test as a walk with evenly spaced steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    shares: Shares,
    /// Mean cell half way between the hypotheses, where the LLR has no drift.
    centre: f64,
    /// LLR of one cell.
    cell: f64,
    /// Pairs of a step.
    pairs: f64,
    /// Inward move of the bounds.
    inwards: f64,
    /// Variance of the LLR of a pair.
    pub information: f64,
    /// The shares are those half way between the hypotheses, not only of the same spread.
    is_halfway: bool,
    sprt: Sprt,
}

impl Walk {
    /// Of a test at this share of drawn games.
    pub fn new(sprt: &Sprt, draw_ratio: f64, grain: Grain) -> Walk {
        let balanced = PairModel { shares: balanced_pairs(draw_ratio) };
        let halfway = match sprt.model {
            Model::Normalized => (sprt.elo0 + sprt.elo1) / 2.0,
            Model::Logistic => {
                elo_of_score((score_of_elo(sprt.elo0) + score_of_elo(sprt.elo1)) / 2.0)
            }
        };
        let halfway = match halfway == 0.0 {
            true => balanced,
            false => PairModel::new(draw_ratio, sprt.model, halfway),
        };
        let walk = Walk::of_pairs(sprt, halfway, halfway.deviation(), grain);
        Walk { is_halfway: true, ..walk }
    }

    /// Of a running test, whose pairs' mean score has this standard deviation.
    pub fn observed(sprt: &Sprt, deviation: f64, grain: Grain) -> Walk {
        let draw_ratio = sprt.rule.map_or(0.5, |rule| rule.draw_ratio);
        let pairs = PairModel { shares: balanced_pairs(draw_ratio) };
        Walk::of_pairs(sprt, pairs, deviation, grain)
    }

    fn of_pairs(sprt: &Sprt, pairs: PairModel, deviation: f64, grain: Grain) -> Walk {
        let [centre, variance] = moments(&pairs.shares);
        // Standard deviation of the LLR of one pair: the distance of the hypotheses' t-values.
        let step = match sprt.model {
            Model::Normalized => (sprt.elo1 - sprt.elo0) / NELO_PER_T * std::f64::consts::SQRT_2,
            Model::Logistic => (score_of_elo(sprt.elo1) - score_of_elo(sprt.elo0)) / deviation,
        };
        let ratio = (grain.deviation() / step).max(1.0);
        Walk {
            shares: pairs.shares,
            centre,
            cell: step * ratio / variance.sqrt(),
            pairs: ratio * ratio,
            inwards: OVERSHOOT * step * (ratio - 1.0),
            information: step * step,
            is_halfway: false,
            sprt: *sprt,
        }
    }

    /// The tilt of the steps at a true difference in the unit of the test.
    pub fn tilt(&self, elo: f64) -> f64 {
        if self.is_halfway && self.pairs == 1.0 && self.sprt.model == Model::Normalized {
            let elo_at =
                |tilt| PairModel { shares: tilted(&self.shares, tilt) }.elo(Model::Normalized);
            return solve(-MAX_TILT, MAX_TILT, elo, elo_at);
        }
        let scale = |elo: f64| match self.sprt.model {
            Model::Normalized => elo,
            Model::Logistic => score_of_elo(elo),
        };
        let [low, high] = [scale(self.sprt.elo0), scale(self.sprt.elo1)];
        self.tilt_of_drift((scale(elo) - (low + high) / 2.0) / (high - low))
    }

    /// The tilt at a true difference in gaps of the hypotheses from half way between them.
    pub fn tilt_of_drift(&self, gaps: f64) -> f64 {
        let cells = gaps * self.information * self.pairs / self.cell;
        let mean = |tilt| moments(&tilted(&self.shares, tilt))[0];
        solve(-MAX_TILT, MAX_TILT, self.centre + cells, mean)
    }

    /// More than the walk can lie beyond a bound that it just passed.
    pub fn largest_overshoot(&self) -> f64 {
        4.0 * self.cell
    }

    /// Bounds after some steps, moved inwards where a step is several pairs; equal at the end.
    fn bounds_at(&self, pairs: f64) -> [f64; 2] {
        let [lower, upper] = self.sprt.bounds_at(pairs);
        let [inner, outer] = [lower + self.inwards, upper - self.inwards];
        if inner < outer { [inner, outer] } else { [(lower + upper) / 2.0; 2] }
    }

    /// ln E e^{tilt (cell - centre)}.
    fn cumulant(&self, tilt: f64) -> f64 {
        let term = |cell: usize| self.shares[cell] * (tilt * (cell as f64 - self.centre)).exp();
        (0..5).map(term).sum::<f64>().ln()
    }

    /// The steps that come to this number of pairs, from a pair on.
    fn steps(&self, from: f64, to: u64) -> u32 {
        (((to as f64 - from) / self.pairs).round().max(1.0)).min(f64::from(u32::MAX)) as u32
    }

    /// The last pair worth following, of a test that gives up after `max`.
    pub fn horizon(&self, from: f64, max: Option<u64>) -> u64 {
        let [lower, upper] = self.sprt.bounds_at(from.max(self.sprt.first_pair()));
        let far = from + LONGEST * (upper - lower).powi(2) / self.information + 100.0;
        let last = self.sprt.rule.and_then(|rule| rule.last_pair());
        let last = [max, last].into_iter().flatten().min().unwrap_or(u64::MAX);
        last.min(far as u64)
    }
}

/// One way out of the bounds, or a place at the end.
#[derive(Clone, Copy, Debug)]
struct Exit {
    /// Steps from the start.
    steps: u32,
    /// Sum of the cells less its mean half way.
    cells: f64,
    /// LLR there.
    llr: f64,
    /// `None`: no pair is left.
    decision: Option<Decision>,
    /// Its probability half way between the hypotheses.
    mass: f64,
}

/// All ways a test can go, with their probabilities.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    walk: Walk,
    /// Pairs at the start.
    from: f64,
    exits: Vec<Exit>,
}

/// Where a test ended, or stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub pairs: f64,
    pub llr: f64,
    pub decision: Option<Decision>,
}

/// Course of a test at one true difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Course {
    pub accepts: f64,
    pub rejects: f64,
    /// Mean number of pairs.
    pub pairs: f64,
}

impl Course {
    /// Probability of no decision.
    pub fn undecided(&self) -> f64 {
        (1.0 - self.accepts - self.rejects).max(0.0)
    }
}

impl Lattice {
    /// A whole test that gives up after `max` pairs, if it does.
    pub fn new(walk: Walk, max: Option<u64>) -> Lattice {
        Lattice::from(walk, 0.0, 0.0, max)
    }

    /// The rest of a test that stands at `llr` after `pairs` pairs.
    pub fn from(walk: Walk, pairs: f64, llr: f64, max: Option<u64>) -> Lattice {
        let mut lattice = Lattice { walk, from: pairs, exits: Vec::new() };
        let last = walk.horizon(pairs, max);
        lattice.follow(llr, walk.steps(pairs, last));
        lattice
    }

    /// Sums the probabilities step by step.
    fn follow(&mut self, start: f64, last: u32) {
        let Walk { shares, centre, cell, pairs, .. } = self.walk;
        // Probability by the sum of cells, the first of them at `low`; four more are zero at either end.
        let mut low: i64 = 0;
        let mut masses = vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let mut next = Vec::new();
        for steps in 1..=last {
            let [s0, s1, s2, s3, s4] = shares;
            next.clear();
            next.extend(masses.windows(5).map(|mass: &[f64]| {
                s4 * mass[0] + s3 * mass[1] + s2 * mass[2] + s1 * mass[3] + s0 * mass[4]
            }));
            let [lower, upper] = self.walk.bounds_at(self.from + f64::from(steps) * pairs);
            let shift = f64::from(steps) * centre;
            let llr_at = |at: usize| start + cell * ((low + at as i64) as f64 - shift);
            let place_of = |llr: f64| (llr - start) / cell + shift - low as f64;
            let places = next.len() as f64;
            let end = place_of(upper).ceil().clamp(0.0, places) as usize;
            // Where the bounds have met, what stands on them accepts.
            let first = match lower < upper {
                true => (place_of(lower).floor() + 1.0).clamp(0.0, places) as usize,
                false => end,
            };
            let exit = |at: usize, decision| {
                let cells = (low + at as i64) as f64 - shift;
                Exit { steps, cells, llr: llr_at(at), decision, mass: next[at] }
            };
            let is_last = steps == last;
            let ends = (0..first).map(|at| exit(at, Some(Decision::Rejected)));
            let ends = ends.chain((end..next.len()).map(|at| exit(at, Some(Decision::Accepted))));
            let rest = (first..end).filter(|_| is_last).map(|at| exit(at, None));
            self.exits.extend(ends.chain(rest).filter(|exit| exit.mass > f64::MIN_POSITIVE));
            let inside = &next[first..end];
            if inside.iter().sum::<f64>() < NEGLIGIBLE {
                return;
            }
            low += first as i64;
            masses.clear();
            masses.extend([0.0; 4]);
            masses.extend_from_slice(inside);
            masses.extend([0.0; 4]);
        }
    }

    /// The probability of an exit at a tilt.
    fn weights(&self, tilt: f64) -> impl Fn(&Exit) -> f64 + '_ {
        let cumulant = self.walk.cumulant(tilt);
        move |exit| exit.mass * (tilt * exit.cells - cumulant * f64::from(exit.steps)).exp()
    }

    /// Error rates and length at a tilt of [`Walk::tilt`].
    pub fn course(&self, tilt: f64) -> Course {
        let weight = self.weights(tilt);
        let [mut accepts, mut rejects, mut total, mut steps] = [0.0; 4];
        for exit in &self.exits {
            let weight = weight(exit);
            total += weight;
            steps += weight * f64::from(exit.steps);
            match exit.decision {
                Some(Decision::Accepted) => accepts += weight,
                Some(Decision::Rejected) => rejects += weight,
                None => {}
            }
        }
        // What was not followed is spread over the others.
        let pairs = self.from + self.walk.pairs * steps / total;
        Course { accepts: accepts / total, rejects: rejects / total, pairs }
    }

    /// The number of pairs that this share of tests do not exceed.
    pub fn quantile(&self, tilt: f64, share: f64) -> f64 {
        let weight = self.weights(tilt);
        let total: f64 = self.exits.iter().map(&weight).sum();
        let mut sum = 0.0;
        for exit in &self.exits {
            sum += weight(exit);
            if sum >= share * total {
                return self.from + self.walk.pairs * f64::from(exit.steps);
            }
        }
        self.from
    }

    /// Probability of a worse outcome, an equal one counted half. Worse than a rejection is an earlier one;
    /// worse than an acceptance is every rejection, no decision, and every later acceptance.
    pub fn worse(&self, tilt: f64, place: &Place) -> f64 {
        let weight = self.weights(tilt);
        let [mut worse, mut total] = [0.0; 2];
        for exit in &self.exits {
            let weight = weight(exit);
            total += weight;
            worse += weight * self.compare(exit, place);
        }
        worse / total
    }

    /// 1 for an exit that is worse than a place, ½ for an equal one.
    fn compare(&self, exit: &Exit, place: &Place) -> f64 {
        let rank = |decision: Option<Decision>| match decision {
            Some(Decision::Rejected) => 0,
            None => 1,
            Some(Decision::Accepted) => 2,
        };
        let [here, there] = [rank(exit.decision), rank(place.decision)];
        if here != there {
            return if here < there { 1.0 } else { 0.0 };
        }
        let later = self.from + self.walk.pairs * f64::from(exit.steps) - place.pairs;
        if here != 1 && later.abs() > self.walk.pairs / 2.0 {
            return if (later < 0.0) == (here == 0) { 1.0 } else { 0.0 };
        }
        let higher = exit.llr - place.llr;
        if higher.abs() <= self.walk.cell / 2.0 { 0.5 } else { f64::from(u8::from(higher < 0.0)) }
    }
}

/// LLR at which the probability of acceptance, from there on and at a tilt, is `level`: by pair, from the
/// last pair backwards.
pub(super) fn conditional_power(walk: &Walk, tilt: f64, level: f64, last: u64) -> Vec<(f64, f64)> {
    let shares = tilted(&walk.shares, tilt);
    let steps = walk.steps(0.0, last);
    // Places are multiples of a cell from the lowest bound on; the drift moves them by a fraction a step.
    let mut lines = Vec::new();
    let mut later: Option<(f64, Vec<f64>, [f64; 2])> = None;
    for step in (0..=steps).rev() {
        let pairs = f64::from(step) * walk.pairs;
        let [lower, upper] = walk.bounds_at(pairs);
        if !lower.is_finite() {
            // No earlier pair decides.
            break;
        }
        let count = ((upper - lower) / walk.cell).ceil().max(0.0) as usize + 1;
        let phase = (f64::from(step) * walk.centre).fract();
        let first = ((lower / walk.cell + phase).floor() + 1.0 - phase) * walk.cell;
        let power = |llr: f64| match &later {
            // No pair is left.
            None => 0.0,
            Some((from, powers, [low, high])) => {
                let of = |cell: usize| {
                    let next = llr + walk.cell * (cell as f64 - walk.centre);
                    if next >= *high {
                        return 1.0;
                    }
                    if next <= *low {
                        return 0.0;
                    }
                    let at = ((next - from) / walk.cell).round().max(0.0) as usize;
                    powers.get(at).copied().unwrap_or(1.0)
                };
                (0..5).map(|cell| shares[cell] * of(cell)).sum()
            }
        };
        let places = (0..count).map(|at| first + walk.cell * at as f64);
        let powers: Vec<f64> = places.take_while(|&llr| llr < upper).map(power).collect();
        let above = powers.iter().position(|&power| power >= level);
        let line = match above {
            Some(0) => lower,
            Some(at) => {
                let [under, over] = [powers[at - 1], powers[at]];
                first + walk.cell * (at as f64 - (over - level) / (over - under))
            }
            None => upper,
        };
        lines.push((pairs, line.max(lower)));
        later = Some((first, powers, [lower, upper]));
    }
    lines.reverse();
    lines
}
