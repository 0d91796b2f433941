//! Machine speed, which makes results with time limits comparable.

use engine::bench;
use rayon::ThreadPoolBuilder;

/// Results of machines whose speeds differ by more than this share are not compared. Ten percent
/// more time is worth about a seventh of an iteration; a shared machine wanders by as much.
pub const TOLERANCE: f64 = 0.15;

/// Nodes a second of the linked engine's bench: the mean of `jobs` concurrent runs, as in the
/// suite.
pub fn nodes_a_second(jobs: usize) -> f64 {
    let bench = || {
        let bench = bench::run_fixed(bench::HASH_MIB, bench::DEPTH);
        bench.nodes as f64 / bench.time.as_secs_f64().max(1e-9)
    };
    let speeds = match ThreadPoolBuilder::new().num_threads(jobs.max(1)).build() {
        Ok(threads) => threads.broadcast(|_| bench()),
        // No further threads: one measures alone.
        Err(_) => vec![bench()],
    };
    speeds.iter().sum::<f64>() / speeds.len() as f64
}

/// Whether two machines are comparable.
pub fn are_alike(one: f64, other: f64) -> bool {
    (one / other).ln().abs() <= (1.0 + TOLERANCE).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_is_within_the_tolerance_either_way() {
        assert!(are_alike(1.0e6, 1.1e6) && are_alike(1.1e6, 1.0e6) && are_alike(7.0, 7.0));
        assert!(!are_alike(1.0e6, 1.2e6) && !are_alike(1.2e6, 1.0e6));
        assert!(!are_alike(0.0, 1.0) && !are_alike(f64::NAN, 1.0));
    }
}
