//! Brownian motion between two absorbing bounds: the continuous approximation of an SPRT's LLR.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf::erfc;

/// The mean overshoot of a random walk over a far bound, in standard deviations of one step:
/// -ζ(½)/√(2π) (D. Siegmund, "Sequential Analysis", 1985, section X.2).
pub(super) const OVERSHOOT: f64 = 0.582_597_157_939_010_6;

/// A Brownian motion that starts at 0 and ends at `lower` < 0 or at `upper` > 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Brownian {
    pub lower: f64,
    pub upper: f64,
    /// Mean change in a unit of time.
    pub drift: f64,
    /// Variance of the change in a unit of time; above zero.
    pub variance: f64,
}

impl Brownian {
    /// Drift over variance: half the exponent of the exponential martingale.
    fn gamma(&self) -> f64 {
        self.drift / self.variance
    }

    /// The same motion between bounds moved outwards by the mean overshoot of a walk whose steps
    /// have this variance, so that the walk's probabilities and times are matched.
    pub fn corrected_for_overshoot(self) -> Brownian {
        let overshoot = OVERSHOOT * self.variance.sqrt();
        Brownian { lower: self.lower - overshoot, upper: self.upper + overshoot, ..self }
    }

    /// Probability to end at the upper bound.
    pub fn upper_probability(&self) -> f64 {
        let gamma = self.gamma();
        let width = self.upper - self.lower;
        if (gamma * width).abs() < 1e-8 {
            return -self.lower / width;
        }
        // (1 - e^{2γ·lower}) / (1 - e^{-2γ·width}); where the drift is downwards both are scaled
        // by e^{2γ·width}, so that no exponential overflows.
        if gamma > 0.0 {
            (2.0 * gamma * self.lower).exp_m1() / (-2.0 * gamma * width).exp_m1()
        } else {
            (2.0 * gamma * self.upper).exp() * (-2.0 * gamma * self.lower).exp_m1()
                / (2.0 * gamma * width).exp_m1()
        }
    }

    /// Mean time to the end (Wald's identity).
    pub fn mean_time(&self) -> f64 {
        let width = self.upper - self.lower;
        if (self.gamma() * width).abs() < 1e-6 {
            return -self.lower * self.upper / self.variance;
        }
        let up = self.upper_probability();
        (up * self.upper + (1.0 - up) * self.lower) / self.drift
    }

    /// Probability of a worse outcome than `y` at `time`: absorption at the lower bound before, or
    /// a position below `y` then.
    ///
    /// At a bound, `(time, lower)` and `(time, upper)` are "rejected" and "accepted at this time".
    /// Worse than a rejection is an earlier one; worse than an acceptance is every rejection and
    /// every later acceptance.
    pub fn worse_than(&self, time: f64, y: f64) -> f64 {
        let width = self.upper - self.lower;
        let short = self.variance * time / (width * width) < 1e-2;
        let probability = if short || (self.gamma() * width).abs() > 15.0 {
            self.worse_than_by_reflection(time, y)
        } else {
            self.worse_than_by_series(time, y)
        };
        probability.clamp(0.0, 1.0)
    }

    /// The eigenfunction expansion of the motion killed at both bounds; converges fast unless
    /// the time is short.
    ///
    /// With A the distance of the bounds, x the start and y the place above the lower bound:
    /// P = P(lower bound ever) + e^{γ(y-x)} Σ e^{-λ_n t} sin(nπx/A) u_n(y), where
    /// λ_n = σ²/2 ((nπ/A)² + γ²) and e^{γy} u_n is the antiderivative of 2/A e^{γy} sin(nπy/A).
    fn worse_than_by_series(&self, time: f64, y: f64) -> f64 {
        let gamma = self.gamma();
        let width = self.upper - self.lower;
        let start = -self.lower;
        let place = y - self.lower;
        let mut sum = 0.0;
        for n in 1..10_000 {
            let wave = f64::from(n) * PI / width;
            let decay = self.variance / 2.0 * (wave * wave + gamma * gamma);
            let scale = (gamma * (place - start) - decay * time).exp();
            let antiderivative = 2.0 / width
                * (gamma * (wave * place).sin() - wave * (wave * place).cos())
                / (gamma * gamma + wave * wave);
            sum += scale * antiderivative * (wave * start).sin();
            if scale * antiderivative.abs() < 1e-12 && scale < 1e-9 {
                break;
            }
        }
        1.0 - self.upper_probability() + sum
    }

    /// The first reflections only (Siegmund's approximation): accurate for short times, where the
    /// motion rarely meets both bounds, and for large drifts.
    fn worse_than_by_reflection(&self, time: f64, y: f64) -> f64 {
        let gamma = self.gamma();
        let deviation = (self.variance * time).sqrt();
        let mean = self.drift * time;
        let below = (y - mean) / deviation;
        let by_lower = (-y + mean + 2.0 * self.lower) / deviation;
        let by_upper = (y - mean - 2.0 * self.upper) / deviation;
        ln_normal_cdf(below).exp() + (2.0 * gamma * self.lower + ln_normal_cdf(by_lower)).exp()
            - (2.0 * gamma * self.upper + ln_normal_cdf(by_upper)).exp()
    }
}

/// Logarithm of the standard normal distribution function, also far out in the lower tail.
fn ln_normal_cdf(z: f64) -> f64 {
    if z > -20.0 {
        return (0.5 * erfc(-z / SQRT_2)).ln();
    }
    let square = z * z;
    -square / 2.0 - (-z * (2.0 * PI).sqrt()).ln()
        + (-1.0 / square + 3.0 / (square * square)).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(drift: f64) -> Brownian {
        Brownian { lower: -2.94, upper: 2.94, drift, variance: 0.01 }
    }

    #[test]
    fn both_expansions_agree_where_both_converge() {
        for drift in [-0.005, 0.0, 0.003] {
            for time in [100.0, 200.0] {
                for y in [-2.94, -1.0, 0.0, 2.0, 2.94] {
                    let motion = motion(drift);
                    let (series, reflection) = (
                        motion.worse_than_by_series(time, y),
                        motion.worse_than_by_reflection(time, y),
                    );
                    assert!(
                        (series - reflection).abs() < 1e-4,
                        "{drift} {time} {y}: {series} {reflection}"
                    );
                }
            }
        }
    }

    #[test]
    fn without_drift_the_nearer_bound_is_hit_more_often() {
        let motion = Brownian { lower: -1.0, upper: 3.0, drift: 0.0, variance: 0.02 };
        assert!((motion.upper_probability() - 0.25).abs() < 1e-12);
        assert!((motion.mean_time() - 150.0).abs() < 1e-6);
    }

    #[test]
    fn upper_probability_is_continuous_and_survives_large_drifts() {
        for (drift, want) in [(-10.0, 0.0), (10.0, 1.0), (1e-12, 0.5), (-1e-12, 0.5)] {
            let probability = motion(drift).upper_probability();
            assert!((probability - want).abs() < 1e-6, "{drift}: {probability}");
        }
        let up = motion(0.002).upper_probability();
        let down = motion(-0.002).upper_probability();
        assert!((up + down - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_tail_of_the_normal_distribution_has_no_seam() {
        let left = ln_normal_cdf(-20.000_001);
        let right = ln_normal_cdf(-19.999_999);
        assert!((left - right).abs() < 1e-4, "{left} {right}");
    }
}
