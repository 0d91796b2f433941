//! Tests with error rates by summation: bounds that keep them, and their course.

use serde::{Deserialize, Serialize};

use super::bounds::{Bounds, Futility, Shape};
use super::lattice::{Course, Grain, Lattice, Walk, conditional_power};
use super::sprt::{Decision, MAX_GAP, Model, Sprt, SprtError};
use crate::counts::Sample;
use crate::elo::sigma_of_draws;

/// Share of drawn games for which bounds that fall are computed unless another one is given.
pub const PLANNED_DRAWS: f64 = 0.5;

/// Most rounds of fitting the bounds, in coarse and in fine steps.
const ROUNDS: [(Grain, usize); 2] = [(Grain::Coarse, 30), (Grain::Fine, 12)];

/// Distance below the error rates asked for, in logits, at which bounds are good enough.
const TOLERANCE: f64 = 2e-3;

/// The same where the steps of the walk are too large for more.
const ROUGH: f64 = 0.2;

/// Most steps of a search outwards, and the distance inside of what was found where it begins.
const CREEP: (usize, f64) = (100, 0.3);

/// Nats of such a step.
const CREEP_STEP: f64 = 0.01;

/// Share of the error rates that is kept for other shares of drawn games than the planned one.
const RESERVE: f64 = 4e-3;

/// The same for a unit of a pair's information: the LLR divides by the spread that is seen, which is uncertain
/// where few pairs decide, and errs so much more often than the sum (simulated: `benches/bounds.rs`).
const RESERVE_OF_FEW: f64 = 0.7;

/// Both error rates of a test, with its bounds, its futility and its last game as they are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorRates {
    /// Probability to accept where the truth is `elo0`.
    pub alpha: f64,
    /// Probability to reject where the truth is `elo1`.
    pub beta: f64,
    /// Probability of no decision where the truth is `elo0`, and where it is `elo1`.
    pub undecided: [f64; 2],
}

/// The course of a test at one true difference, for one share of drawn games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawnCourse {
    /// The true difference in the unit of the test.
    pub elo: f64,
    /// Probability to accept.
    pub accepts: f64,
    /// Probability to reject.
    pub rejects: f64,
    /// Mean number of games.
    pub games: f64,
    /// Games that 95 % of tests do not exceed.
    pub games95: f64,
}

/// Bounds to fit: probabilities of error that they must not exceed, from a place of the LLR on.
pub(super) struct Fit {
    pub(super) shape: Shape,
    pub(super) draw_ratio: f64,
    pub(super) from: u64,
    pub(super) llr: f64,
    pub(super) rates: [f64; 2],
}

impl Fit {
    /// Bounds with at most these error rates, and nearly these.
    pub(super) fn solve(
        &self,
        sprt: &Sprt,
        walk_of: impl Fn(&Sprt, Grain) -> Walk,
    ) -> Result<Sprt, SprtError> {
        let Fit { shape, draw_ratio, from, .. } = *self;
        let plain = Sprt { rule: None, ..*sprt };
        // The chance to pass a line from afar falls by e for each nat, times this.
        let gain = 1.0 - 2.0 * shape.slope();
        let [lower, upper] = plain.wald().map(|bound| bound / gain.powf(0.75));
        let fall = shape.slope() * walk_of(&plain, Grain::Fine).information;
        let futility = None;
        let mut bounds = Bounds { shape, lower, upper, fall, from, draw_ratio, futility };
        let mut best: Option<(f64, Sprt)> = None;
        for (grain, rounds) in ROUNDS {
            for _ in 0..rounds {
                let test = Sprt { rule: Some(bounds), ..*sprt };
                let excess = self.excess(&test, &walk_of(&test, grain));
                let short = excess[0].min(excess[1]);
                let is_safe = excess.iter().all(|&excess| excess <= 0.0);
                if is_safe && grain == Grain::Fine && best.is_none_or(|(least, _)| short > least) {
                    best = Some((short, test));
                }
                if is_safe && short > -TOLERANCE {
                    break;
                }
                // A logit changes more than the logarithm that a nat changes.
                let [up, down] = [0, 1].map(|side| {
                    let excess = excess[side].clamp(-2.0, 2.0) + TOLERANCE / 2.0;
                    excess * (1.0 - self.rates[side]) / gain
                });
                bounds.upper = (bounds.upper + up).max(self.llr + 1e-6);
                bounds.lower = (bounds.lower - down).min(self.llr - 1e-6);
            }
        }
        let found = best.filter(|(short, _)| *short > -ROUGH).map(|(_, test)| test);
        found.or_else(|| self.creep(sprt, bounds, walk_of)).ok_or(SprtError::Unreachable {
            shape,
            alpha: self.rates[0],
            beta: self.rates[1],
        })
    }

    /// Moves bounds outwards in small steps until no error rate is too high: where few pairs decide, the rates
    /// change in jumps, and nothing comes nearer.
    fn creep(
        &self,
        sprt: &Sprt,
        mut bounds: Bounds,
        walk_of: impl Fn(&Sprt, Grain) -> Walk,
    ) -> Option<Sprt> {
        bounds.upper = (bounds.upper - CREEP.1).max(self.llr + 1e-6);
        bounds.lower = (bounds.lower + CREEP.1).min(self.llr - 1e-6);
        for _ in 0..CREEP.0 {
            let test = Sprt { rule: Some(bounds), ..*sprt };
            let [up, down] = self.excess(&test, &walk_of(&test, Grain::Fine)).map(|it| it > 0.0);
            if !up && !down {
                return Some(test);
            }
            bounds.upper += if up { CREEP_STEP } else { 0.0 };
            bounds.lower -= if down { CREEP_STEP } else { 0.0 };
        }
        None
    }

    /// How far both error rates of a test lie above those asked for, in logits.
    fn excess(&self, test: &Sprt, walk: &Walk) -> [f64; 2] {
        let rest = Lattice::from(*walk, self.from as f64, self.llr, None);
        let wrong =
            [rest.course(walk.tilt(test.elo0)).accepts, rest.course(walk.tilt(test.elo1)).rejects];
        let logit = |share: f64| (share / (1.0 - share).max(1e-300)).max(1e-300).ln();
        [0, 1].map(|side| logit(wrong[side]) - logit(self.rates[side]))
    }
}

impl Sprt {
    /// The same test with bounds of this form, whose error rates are at most its alpha and beta for games of
    /// which `draw_ratio` (0 to 1) are drawn. They hold for other shares, too, in normalized Elo; in logistic
    /// Elo a test of fewer draws than planned errs more often.
    ///
    /// # Errors
    /// When its hypotheses are too far apart, or its error rates too small.
    pub fn with_bounds(&self, shape: Shape, draw_ratio: f64) -> Result<Sprt, SprtError> {
        if shape == Shape::Wald {
            return Ok(Sprt { rule: None, ..*self });
        }
        if self.gap(draw_ratio) > MAX_GAP {
            return Err(SprtError::Wide { elo0: self.elo0, elo1: self.elo1 });
        }
        let information = Walk::new(self, draw_ratio, Grain::Fine).information;
        let reserve = RESERVE + RESERVE_OF_FEW * information;
        let rates = [self.alpha, self.beta].map(|rate| rate * (1.0 - reserve));
        let fit = Fit { shape, draw_ratio, from: 0, llr: 0.0, rates };
        fit.solve(self, |test, grain| Walk::new(test, draw_ratio, grain))
    }

    /// The same test, which also rejects where the probability that it accepts within `max` pairs, were
    /// `elo1` the truth, is below `level`.
    ///
    /// # Errors
    /// When the level does not lie between 0 and 1, or the hypotheses are too far apart.
    pub fn with_futility(&self, level: f64, draw_ratio: f64, max: u64) -> Result<Sprt, SprtError> {
        if !(level > 0.0 && level < 1.0) {
            return Err(SprtError::Level { level });
        }
        if self.gap(draw_ratio) > MAX_GAP {
            return Err(SprtError::Wide { elo0: self.elo0, elo1: self.elo1 });
        }
        let mut bounds = self.rule.unwrap_or_else(|| self.standing(draw_ratio));
        bounds.futility = None;
        let test = Sprt { rule: Some(bounds), ..*self };
        let walk = Walk::new(&test, draw_ratio, Grain::Fine);
        let last = walk.horizon(0.0, Some(max));
        let line = conditional_power(&walk, walk.tilt(self.elo1), level, last);
        let knots = Futility::places(last).map(|pairs| {
            let next = line.partition_point(|&(at, _)| at < pairs).min(line.len() - 1);
            let (after, high) = line[next];
            let (before, low) = line[next.saturating_sub(1)];
            let share = if after > before { (pairs - before) / (after - before) } else { 1.0 };
            low + share * (high - low)
        });
        bounds.futility = Some(Futility { level, last, knots });
        Ok(Sprt { rule: Some(bounds), ..*self })
    }

    /// Wald's bounds as lines that do not fall.
    pub(super) fn standing(&self, draw_ratio: f64) -> Bounds {
        let [lower, upper] = self.wald();
        let (shape, futility) = (Shape::Wald, None);
        Bounds { shape, lower, upper, fall: 0.0, from: 0, draw_ratio, futility }
    }

    /// Distance of the hypotheses in normalized Elo.
    fn gap(&self, draw_ratio: f64) -> f64 {
        match self.model {
            Model::Normalized => self.elo1 - self.elo0,
            // About: 1 logistic Elo is 0.72 nElo at a standard deviation of a game's score of ½.
            Model::Logistic => {
                let sigma = sigma_of_draws(draw_ratio.min(0.99));
                let [low, high] = [self.elo0, self.elo1].map(crate::score_of_elo);
                (high - low) / sigma * crate::elo::NELO_PER_T
            }
        }
    }

    /// Both error rates by summation, for this share of drawn games and at most `max` pairs.
    pub fn error_rates(&self, draw_ratio: f64, max: Option<u64>) -> ErrorRates {
        self.summed(draw_ratio, max, &[]).0
    }

    /// Both error rates, and the course at several true differences, in the unit of the test.
    pub fn summed(
        &self,
        draw_ratio: f64,
        max: Option<u64>,
        elos: &[f64],
    ) -> (ErrorRates, Vec<DrawnCourse>) {
        let walk = Walk::new(self, draw_ratio, Grain::Fine);
        let lattice = Lattice::new(walk, max);
        let [null, other] = [self.elo0, self.elo1].map(|elo| lattice.course(walk.tilt(elo)));
        let rates = ErrorRates {
            alpha: null.accepts,
            beta: other.rejects,
            undecided: [null, other].map(|course| course.undecided()),
        };
        let at = |&elo: &f64| {
            let tilt = walk.tilt(elo);
            let Course { accepts, rejects, pairs } = lattice.course(tilt);
            let games95 = 2.0 * lattice.quantile(tilt, 0.95);
            DrawnCourse { elo, accepts, rejects, games: 2.0 * pairs, games95 }
        };
        (rates, elos.iter().map(at).collect())
    }

    /// Probability that the rest of a test accepts, if `elo` (in its unit) is the truth and it takes at most
    /// `max` pairs in all. `None` without a game.
    pub fn conditional_power(
        &self,
        counts: impl Into<Sample>,
        elo: f64,
        max: Option<u64>,
    ) -> Option<f64> {
        let sample = counts.into();
        let llr = self.llr(sample)?;
        if let Some(decision) = self.decide_at(sample.pairs(), llr) {
            return Some(if decision == Decision::Accepted { 1.0 } else { 0.0 });
        }
        if max.is_some_and(|max| sample.pairs() >= max as f64) {
            return Some(0.0);
        }
        let walk =
            Walk::observed(self, sample.regularised().pair_deviation(&sample), Grain::Coarse);
        let rest = Lattice::from(walk, sample.pairs(), llr, max);
        Some(rest.course(walk.tilt(elo)).accepts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(elo1: f64) -> Sprt {
        Sprt::new(Model::Normalized, 0.0, elo1, 0.05, 0.05).expect("valid")
    }

    #[test]
    fn fitted_bounds_have_the_error_rates_asked_for() {
        for (elo1, alpha, beta) in [(20.0, 0.05, 0.05), (5.0, 0.05, 0.05), (60.0, 0.1, 0.02)] {
            for shape in [Shape::Falling, Shape::Triangular] {
                let sprt = Sprt::new(Model::Normalized, 0.0, elo1, alpha, beta).expect("valid");
                let sprt = sprt.with_bounds(shape, 0.5).expect("bounds");
                let rates = sprt.error_rates(0.5, None);
                assert!(rates.alpha <= alpha && rates.alpha > 0.94 * alpha, "{rates:?}");
                assert!(rates.beta <= beta && rates.beta > 0.94 * beta, "{rates:?}");
                assert!(rates.undecided.iter().all(|&share| share < 1e-9), "{rates:?}");
                for draws in [0.3, 0.7, 0.9] {
                    let rates = sprt.error_rates(draws, None);
                    let is_kept = rates.alpha <= alpha && rates.beta <= beta;
                    assert!(is_kept || elo1 > 50.0, "{draws}: {rates:?}");
                }
            }
        }
    }

    /// A lattice of a Brownian walk by another program, in units of the information: Wald 5.30 at a
    /// hypothesis, 8.67 half way; lines that fall by 0.1: 5.39 and 7.74; by 0.2 and 0.25 shorter half way.
    #[test]
    fn lengths_are_those_of_a_brownian_walk() {
        let lengths = |shape| {
            let sprt = test(3.0).with_bounds(shape, 0.5).expect("bounds");
            let information = Walk::new(&sprt, 0.5, Grain::Fine).information;
            let courses = sprt.summed(0.5, None, &[0.0, 1.5, 3.0]).1;
            [0, 1, 2].map(|at| courses[at].games / 2.0 * information)
        };
        let [wald, falling] = [Shape::Wald, Shape::Falling].map(lengths);
        for (length, expected) in [(wald, [5.30, 8.67]), (falling, [5.39, 7.74])] {
            assert!((length[0] - expected[0]).abs() < 0.06, "{length:?}");
            assert!((length[1] - expected[1]).abs() < 0.09, "{length:?}");
            assert!((length[2] - length[0]).abs() < 0.02, "{length:?}");
        }
    }

    #[test]
    fn one_step_for_several_pairs_changes_no_rate() {
        // The same test in units of its gap: below and above the gap where steps are joined.
        let rates = [2.5, 9.0, 11.0].map(|elo1| {
            let sprt = test(elo1);
            let (rates, courses) = sprt.summed(0.5, None, &[elo1 / 2.0]);
            [rates.alpha, courses[0].games * elo1 * elo1]
        });
        let wald_overshoot = |elo1: f64| (-0.5826 * elo1 / 347.4 * 1.414_f64).exp();
        for ([alpha, games], elo1) in rates.into_iter().zip([2.5, 9.0, 11.0]) {
            assert!((alpha / (0.05 * wald_overshoot(elo1)) - 1.0).abs() < 0.01, "{alpha}");
            assert!((games / rates[0][1] - 1.0).abs() < 0.04, "{games}");
        }
    }

    #[test]
    fn futility_costs_no_more_power_than_its_inequality_says() {
        for shape in [Shape::Wald, Shape::Falling] {
            let sprt = test(10.0).with_bounds(shape, 0.5).expect("bounds");
            let max = 6_000;
            let plain = sprt.error_rates(0.5, Some(max));
            let missed = plain.beta + plain.undecided[1];
            for level in [0.05, 0.2, 0.5] {
                let futile = sprt.with_futility(level, 0.5, max).expect("a level");
                let rates = futile.error_rates(0.5, Some(max));
                assert!(rates.alpha <= plain.alpha + 1e-12, "{rates:?}");
                assert!(rates.beta <= missed / (1.0 - level) + 1e-3, "{rates:?} {missed}");
                assert!(rates.undecided[1] < 1e-9, "{rates:?}");
                let games = |test: &Sprt| test.summed(0.5, Some(max), &[0.0]).1[0].games;
                assert!(games(&futile) < games(&sprt));
            }
        }
    }

    #[test]
    fn what_is_no_level_is_refused() {
        for level in [0.0, 1.0, -0.1, f64::NAN] {
            let refused = test(10.0).with_futility(level, 0.5, 1_000);
            assert!(matches!(refused, Err(SprtError::Level { .. })), "{level}");
        }
        let wide = test(400.0).with_bounds(Shape::Falling, 0.5);
        assert!(matches!(wide, Err(SprtError::Wide { .. })));
    }

    /// A test of a few dozen pairs has coarse rates; they are never too high.
    #[test]
    fn tests_of_few_pairs_have_bounds_too() {
        for elo1 in [80.0, 110.0, 149.0] {
            for shape in [Shape::Falling, Shape::Triangular] {
                let sprt = test(elo1).with_bounds(shape, 0.5).expect("bounds");
                let rates = sprt.error_rates(0.5, None);
                assert!(rates.alpha <= 0.05 && rates.beta <= 0.05, "{rates:?}");
                assert!(rates.alpha > 0.03 && rates.beta > 0.03, "{rates:?}");
            }
        }
    }
}
