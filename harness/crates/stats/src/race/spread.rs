//! The spread of results in the heats: of pairs, of a runner's rounds, and of differences of two runners.
//!
//! Games from one opening are not independent of each other, and engines that differ little play the same
//! games: what the evidence divides by is measured, round by round.

/// Variance of the points of a pair above one, before there are any: that of independent games of which half
/// are drawn.
const PRIOR_VARIANCE: f64 = 0.25;

/// Observations that the prior counts for.
const PRIOR_WEIGHT: f64 = 20.0;

/// Sum, weighted sum of squares and number of observations of which each has a weight: a mean that is
/// proportional to the weight, and a variance, too.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    sum: f64,
    squares: f64,
    weight: f64,
    count: f64,
}

impl Spread {
    /// Adds an observation.
    pub fn add(&mut self, value: f64, weight: f64) {
        self.sum += value;
        self.squares += value * value / weight;
        self.weight += weight;
        self.count += 1.0;
    }

    /// Sum of squares around the mean, of a unit of weight, and its degrees of freedom.
    fn around_mean(&self) -> (f64, f64) {
        if self.count < 2.0 {
            return (0.0, 0.0);
        }
        ((self.squares - self.sum * self.sum / self.weight).max(0.0), self.count - 1.0)
    }

    /// The variance of a unit of weight in all of them together, `scale` times that of a pair before there are
    /// results.
    pub fn pooled<'a>(all: impl Iterator<Item = &'a Spread>, scale: f64) -> f64 {
        let (mut squares, mut freedom) = (scale * PRIOR_VARIANCE * PRIOR_WEIGHT, PRIOR_WEIGHT);
        for (more, of) in all.map(Spread::around_mean) {
            squares += more;
            freedom += of;
        }
        squares / freedom
    }

    /// The variance of these observations, as far as they say it, and never below that of all.
    pub fn at_least(&self, pooled: f64) -> f64 {
        let (squares, freedom) = self.around_mean();
        ((squares + PRIOR_WEIGHT * pooled) / (freedom + PRIOR_WEIGHT)).max(pooled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variance_is_that_of_a_unit_of_weight_and_begins_at_the_prior() {
        assert_eq!(Spread::pooled([].iter(), 2.0), 2.0 * PRIOR_VARIANCE);
        let mut spread = Spread::default();
        for number in 0..20_000 {
            // Weight 3, mean 0.3 of it, standard deviation 1.
            spread.add(0.9 + if number % 2 == 0 { 1.0 } else { -1.0 }, 3.0);
        }
        let pooled = Spread::pooled([spread].iter(), 1.0);
        assert!((pooled - 1.0 / 3.0).abs() < 1e-3, "{pooled}");
        assert!(spread.at_least(0.5) == 0.5 && spread.at_least(0.1) > 0.33);
        // Always the same result has no spread of its own.
        let mut same = Spread::default();
        (0..50).for_each(|_| same.add(0.0, 1.0));
        assert_eq!(same.at_least(0.25), 0.25);
    }
}
