//! How fast the linked engine is on a machine at work: what time limits are scaled by.

use std::collections::VecDeque;
use std::sync::{Barrier, Mutex, MutexGuard};
use std::thread;

use engine::bench;
use harness_base::sync::lock;

/// Depth of the bench of a sample: about a seventh of a second.
const SAMPLE_DEPTH: u32 = 8;

/// Transposition table of these benches: clearing a larger one for each position takes a third of the time.
const HASH_MIB: usize = 1;

/// Samples of each core at the start; the first is not kept, since it warms the core up.
const SAMPLE_ROUNDS: usize = 5;

/// Samples that are kept for each core; the oldest are forgotten.
const MAX_SAMPLES: usize = 2 * (SAMPLE_ROUNDS - 1);

/// Depth of the bench by which linked engines are compared.
const SIGNATURE_DEPTH: u32 = 7;

/// A number that two programs have in common if their linked engines play the same moves.
pub fn linked_signature() -> u64 {
    bench::run_tunable(HASH_MIB, SIGNATURE_DEPTH).nodes
}

/// The speed of a machine while all its cores are at work.
#[derive(Debug)]
pub struct Speed {
    /// Nodes a second on one core, the newest last.
    samples: Mutex<VecDeque<f64>>,
    most: usize,
}

impl Speed {
    /// Measures it, with this many cores at work.
    pub fn measured(cores: usize) -> Speed {
        let barrier = Barrier::new(cores);
        let rounds = || -> Vec<f64> {
            let round = |_| {
                // All cores are at work from the first to the last sample.
                barrier.wait();
                sample()
            };
            (0..SAMPLE_ROUNDS).map(round).skip(1).collect()
        };
        let samples = thread::scope(|scope| {
            let threads: Vec<_> = (0..cores).map(|_| scope.spawn(rounds)).collect();
            let ended = threads.into_iter().flat_map(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            ended.collect()
        });
        Speed { samples: Mutex::new(samples), most: MAX_SAMPLES * cores.max(1) }
    }

    fn samples(&self) -> MutexGuard<'_, VecDeque<f64>> {
        lock(&self.samples)
    }

    /// Takes another sample on this thread, while the others do what they do.
    pub fn sample_again(&self) {
        let sample = sample();
        let mut samples = self.samples();
        samples.push_back(sample);
        let over = samples.len().saturating_sub(self.most);
        samples.drain(..over);
    }

    /// Nodes a second of the linked engine on one core: the median of the samples.
    pub fn nodes_a_second(&self) -> f64 {
        let mut samples: Vec<f64> = self.samples().iter().copied().collect();
        samples.sort_by(f64::total_cmp);
        samples.get(samples.len() / 2).copied().unwrap_or(0.0)
    }

    /// Standard deviation of the samples as a share of their mean.
    pub fn dispersion(&self) -> f64 {
        let samples = self.samples();
        let count = samples.len().max(1) as f64;
        let mean = samples.iter().sum::<f64>() / count;
        let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
        (squares / count).sqrt() / mean.max(1e-9)
    }
}

/// Nodes a second of the linked engine's bench on this thread.
fn sample() -> f64 {
    let bench = bench::run_fixed(HASH_MIB, SAMPLE_DEPTH);
    bench.nodes as f64 / bench.time.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_samples(samples: &[f64]) -> Speed {
        Speed { samples: Mutex::new(samples.iter().copied().collect()), most: 4 }
    }

    #[test]
    fn the_median_is_the_speed_and_a_machine_that_varies_is_noisy() {
        let steady = with_samples(&[100.0, 101.0, 99.0, 100.0]);
        assert!((steady.nodes_a_second() - 100.0).abs() < 1e-9);
        assert!(steady.dispersion() < 0.01, "{}", steady.dispersion());
        let noisy = with_samples(&[100.0, 50.0, 100.0, 150.0]);
        assert!((noisy.nodes_a_second() - 100.0).abs() < 1e-9);
        assert!((0.3..0.4).contains(&noisy.dispersion()), "{}", noisy.dispersion());
    }

    #[test]
    fn old_samples_are_forgotten() {
        let speed = with_samples(&[1.0, 1.0, 1.0, 1.0]);
        for _ in 0..4 {
            speed.sample_again();
        }
        assert_eq!(speed.samples().len(), 4);
        assert!(speed.nodes_a_second() > 1.0);
    }
}
