//! The gain of simulated histories: as the sum of what accepted tests measured, and by the joint model.
//!
//! `cargo bench -p tench-stats --bench strength [-- HISTORIES]`
//!
//! Changes with a true worth of N(0, 3²) Elo are tested by SPRTs of [0, 5] Elo with 5 % errors, and those that
//! pass go in. A pair's result has a standard deviation of 250 Elo. Of the histories in which something went in,
//! the mean error of the whole gain is printed, and how often the 95 % interval holds it.

#![allow(clippy::print_stdout, reason = "the table of a simulation")]

use harness_stats::random::stream;
use harness_stats::strength::{Comparison, Strength};
use harness_stats::{Elo, Method};
use rand::Rng;

/// Standard deviation of a pair's result, in Elo.
const PAIR: f64 = 250.0;

/// Pairs between two looks at a test.
const BLOCK: f64 = 50.0;

/// Half the width of a 95 % interval, in standard deviations.
const Z95: f64 = 1.959_964;

/// A normal variable (G. Box and M. Muller).
fn normal(rng: &mut impl Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}

/// A test: its estimate with the standard deviation, and whether it passed.
fn sprt(truth: f64, rng: &mut impl Rng) -> (f64, f64, bool) {
    let (mut pairs, mut sum) = (0.0, 0.0);
    loop {
        sum += truth * BLOCK + PAIR * BLOCK.sqrt() * normal(rng);
        pairs += BLOCK;
        let llr = 5.0 / (PAIR * PAIR) * (sum - 2.5 * pairs);
        if llr.abs() >= 19f64.ln() {
            return (sum / pairs, PAIR / pairs.sqrt(), llr > 0.0);
        }
    }
}

/// A measured difference.
fn measured(value: f64, deviation: f64) -> Elo {
    let error95 = deviation * Z95;
    let (low95, high95) = (value - error95, value + error95);
    Elo { value, error95, low95, high95, method: Method::Normal }
}

/// Errors of the gain of histories, and intervals that held it.
#[derive(Default)]
struct Errors {
    count: f64,
    sum: f64,
    inside: f64,
}

impl Errors {
    fn add(&mut self, error: f64, is_inside: bool) {
        self.count += 1.0;
        self.sum += error;
        self.inside += f64::from(u8::from(is_inside));
    }

    fn text(&self) -> String {
        let count = self.count.max(1.0);
        format!("{:+.1} ({:.0} %)", self.sum / count, 100.0 * self.inside / count)
    }
}

fn main() {
    let number = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let histories: u64 = number.unwrap_or(300);
    println!("| tests | histories with a gain | sum of estimates | joint model |");
    println!("|---:|---:|---:|---:|");
    for tests in [30_usize, 5, 1] {
        let mut rng = stream("strength bench", tests as u64, 0);
        let (mut naive, mut joint) = (Errors::default(), Errors::default());
        for _ in 0..histories {
            let (mut all, mut base) = (Vec::new(), 0);
            let (mut truth, mut sum, mut variance) = (0.0, 0.0, 0.0);
            for change in 1..=tests {
                let worth = 3.0 * normal(&mut rng);
                let (value, deviation, accepted) = sprt(worth, &mut rng);
                let elo = measured(value, deviation);
                let (first, second) = (change, base);
                all.push(Comparison { first, second, condition: 0, elo, is_test: true });
                if accepted {
                    base = change;
                    truth += worth;
                    sum += value;
                    variance += deviation * deviation;
                }
            }
            // Nothing went in: there is no gain to be wrong about.
            if base == 0 {
                continue;
            }
            naive.add(sum - truth, (sum - truth).abs() <= Z95 * variance.sqrt());
            let gain = Strength::new(tests + 1, &all).difference(base, 0).expect("connected");
            joint.add(gain.value - truth, (gain.low95..=gain.high95).contains(&truth));
        }
        println!("| {tests} | {} | {} | {} |", naive.count, naive.text(), joint.text());
    }
}
