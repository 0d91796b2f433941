//! The scale by which scores predict results.

use std::collections::BTreeMap;

use super::positions::PositionSet;
use harness_data::DataError;
use harness_stats::logistic;

/// Smallest and largest scale that is looked at, in centipawns.
const RANGE: [f64; 2] = [20.0, 5_000.0];

/// The centipawns of a logit with which the expected scores of positions' own scores are nearest to their
/// results, in the mean square.
///
/// # Errors
/// When the positions cannot be read.
pub fn fitted_scale(samples: &PositionSet) -> Result<f64, DataError> {
    let mut counts: BTreeMap<i16, [u64; 3]> = BTreeMap::new();
    samples.each(&mut |sample| {
        counts.entry(sample.score).or_default()[usize::from(sample.result.min(2))] += 1;
        Ok(())
    })?;
    let error = |scale: f64| -> f64 {
        let of = |(&score, results): (&i16, &[u64; 3])| {
            let expected = logistic(f64::from(score) / scale);
            let squares = results.iter().zip([0.0, 0.5, 1.0]);
            squares.map(|(&count, result)| count as f64 * (expected - result).powi(2)).sum::<f64>()
        };
        counts.iter().map(of).sum()
    };
    // Ternary search in the logarithm: the error has one minimum.
    let [mut low, mut high] = RANGE.map(f64::ln);
    for _ in 0..60 {
        let third = (high - low) / 3.0;
        if error((low + third).exp()) < error((high - third).exp()) {
            high -= third;
        } else {
            low += third;
        }
    }
    Ok(((low + high) / 2.0).exp())
}

#[cfg(test)]
mod tests {
    use engine::board::Position;
    use rand::Rng;

    use super::*;
    use crate::packed::PackedPosition;
    use harness_stats::random;

    #[test]
    fn the_scale_of_results_that_follow_the_scores_is_found() {
        let mut chance = random::stream("test results", 1, 0);
        for scale in [150.0, 235.0, 400.0] {
            let samples = (0..40_000).map(|_| {
                let score = chance.random_range(-900..=900);
                let won = chance.random::<f64>() < logistic(f64::from(score) / scale);
                PackedPosition::new(&Position::startpos(), score, f64::from(u8::from(won)))
            });
            let set = PositionSet::collect(samples, &std::env::temp_dir()).expect("room");
            let found = fitted_scale(&set).expect("read");
            assert!((found / scale - 1.0).abs() < 0.05, "{scale}: {found}");
        }
    }
}
