//! Paired tests against simulated measurements: how often they cry wolf, and what they catch.

use harness::stats::{log_ratios, mcnemar, paired_ratio, wilcoxon};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Simulated comparisons a point.
const COMPARISONS: u64 = 4_000;

/// A p-value below this is an alarm.
const ALARM: f64 = 0.05;

/// Share of comparisons that raise an alarm.
fn alarms(compare: impl Fn(&mut Pcg64Mcg) -> f64) -> f64 {
    let raised = |seed: &u64| compare(&mut Pcg64Mcg::seed_from_u64(20_261_121 + seed)) < ALARM;
    (0..COMPARISONS).filter(raised).count() as f64 / COMPARISONS as f64
}

/// The most alarms that chance allows where [`ALARM`] are promised: three standard errors more.
fn most() -> f64 {
    ALARM + 3.0 * (ALARM * (1.0 - ALARM) / COMPARISONS as f64).sqrt()
}

/// A standard normal number (G. Box and M. Muller, 1958).
fn normal(random: &mut Pcg64Mcg) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}

/// Measurements in pairs: what both share varies by `shared`, what each has of its own by `own`,
/// both in logarithms; the second is `factor` times the first.
fn pairs(
    random: &mut Pcg64Mcg,
    count: usize,
    [shared, own]: [f64; 2],
    factor: f64,
) -> [Vec<f64>; 2] {
    let mut measured = [Vec::new(), Vec::new()];
    for _ in 0..count {
        let both = shared * normal(random);
        for (list, factor) in measured.iter_mut().zip([1.0, factor]) {
            list.push(factor * (both + own * normal(random)).exp());
        }
    }
    measured
}

#[test]
fn speeds_measured_in_turns_show_what_is_slower_and_nothing_else() {
    // Ten turns on a machine that is 10 % faster at one time than at another, and 2 % from one
    // run to the next.
    let slower = |factor: f64| {
        alarms(|random| {
            let [old, new] = pairs(random, 10, [0.1, 0.02], factor);
            paired_ratio(&old, &new).expect("pairs").p_below(1.0)
        })
    };
    let [same, by_3, by_10, by_20] = [1.0, 0.97, 0.9, 0.8].map(slower);
    println!(
        "alarms: same speed {same:.4}, 3 % slower {by_3:.4}, 10 % {by_10:.4}, 20 % {by_20:.4}"
    );
    assert!(same <= most(), "{same}");
    assert!(by_3 > 0.85 && by_10 > 0.999 && by_20 > 0.999, "{by_3} {by_10} {by_20}");
    let held = (0..COMPARISONS).filter(|seed| {
        let [old, new] = pairs(&mut Pcg64Mcg::seed_from_u64(*seed), 10, [0.1, 0.02], 0.9);
        let [low, high] = paired_ratio(&old, &new).expect("pairs").ci95;
        (low..=high).contains(&0.9)
    });
    let held = held.count() as f64 / COMPARISONS as f64;
    assert!((held - 0.95).abs() < 3.0 * (0.95f64 * 0.05 / COMPARISONS as f64).sqrt(), "{held}");
}

#[test]
fn times_to_solutions_show_what_is_slower_and_nothing_else() {
    // 60 positions from milliseconds to minutes; a time halves or doubles by chance, and one in
    // twenty is a hundred times as long.
    let slower = |factor: f64| {
        alarms(|random| {
            let [old, mut new] = pairs(random, 60, [3.0, 0.5], factor);
            for time in new.iter_mut().step_by(20) {
                *time *= if random.random() { 100.0 } else { 0.01 };
            }
            wilcoxon(&log_ratios(&old, &new).expect("pairs")).p_value
        })
    };
    let [same, by_half] = [1.0, 1.5].map(slower);
    println!("alarms: same times {same:.4}, 1.5 times as long {by_half:.4}");
    assert!(same <= most(), "{same}");
    assert!(by_half > 0.95, "{by_half}");
}

#[test]
fn solved_positions_show_what_is_worse_and_nothing_else() {
    // `noise` positions that either may solve by chance, and `fewer` that only the old one solves.
    let worse = |noise: u32, fewer: u64| {
        alarms(|random| {
            let (mut gained, mut lost) = (0, fewer);
            for _ in 0..noise {
                match (random.random::<bool>(), random.random::<bool>()) {
                    (false, true) => gained += 1,
                    (true, false) => lost += 1,
                    _ => {}
                }
            }
            mcnemar(gained, lost)
        })
    };
    let [same, by_8, by_20] = [(20, 0), (0, 8), (20, 20)].map(|(noise, few)| worse(noise, few));
    println!(
        "alarms: same {same:.4}; 8 fewer, at fixed nodes, {by_8:.4}; 20 fewer among 20 by \
         chance {by_20:.4}"
    );
    assert!(same <= most(), "{same}");
    assert!(by_8 == 1.0 && by_20 > 0.95, "{by_8} {by_20}");
}
