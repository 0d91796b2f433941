//! Strengths of simulated histories whose truth is known.

use rand::Rng;

use super::super::elo::Method;
use super::*;

fn measured(value: f64, deviation: f64) -> Elo {
    Elo::symmetric(value, deviation * Normal::standard().inverse_cdf(0.975), Method::Normal)
}

fn comparison(first: usize, second: usize, value: f64, deviation: f64) -> Comparison {
    Comparison { first, second, condition: 0, elo: measured(value, deviation), is_test: false }
}

fn half_width(interval: &Interval) -> f64 {
    (interval.high95 - interval.low95) / 2.0
}

/// A normal variable (G. Box and M. Muller).
fn normal(rng: &mut impl Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}

#[test]
fn a_chain_adds_up_and_its_variances_too() {
    let strength = Strength::new(4, &[comparison(1, 0, 10.0, 3.0), comparison(2, 1, 5.0, 4.0)]);
    let gain = strength.difference(2, 0).expect("connected");
    assert!((gain.value - 15.0).abs() < 1e-6, "{gain:?}");
    assert!((half_width(&gain) - 1.96 * 5.0).abs() < 0.01, "{gain:?}");
    assert_eq!(strength.difference(3, 0), None);
    assert_eq!(strength.component(3).map(|component| component.players.len()), None);
}

#[test]
fn two_ways_between_two_players_are_weighted_by_their_information() {
    // 12 ± 3 directly; 10 + 4 with a variance of 9 + 7 by a third one.
    let all = [
        comparison(1, 0, 12.0, 3.0),
        comparison(2, 0, 10.0, 3.0),
        comparison(1, 2, 4.0, 7f64.sqrt()),
    ];
    let strength = Strength::new(3, &all);
    let gain = strength.difference(1, 0).expect("connected");
    let weights = [1.0 / 9.0, 1.0 / 16.0];
    let expected = (12.0 * weights[0] + 14.0 * weights[1]) / (weights[0] + weights[1]);
    assert!((gain.value - expected).abs() < 1e-6, "{gain:?}, {expected}");
    let deviation = (1.0 / (weights[0] + weights[1])).sqrt();
    assert!((half_width(&gain) / 1.96 / deviation - 1.0).abs() < 0.01, "{gain:?}");
    // The covariance of two that share a comparison: their distance is known better than both.
    let reversed = strength.difference(0, 1).expect("connected");
    assert!((reversed.value + gain.value).abs() < 1e-9, "{reversed:?}");
}

#[test]
fn groups_that_no_comparison_connects_stay_apart() {
    let all = [comparison(0, 1, 3.0, 1.0), comparison(2, 3, 4.0, 1.0)];
    let strength = Strength::new(5, &all);
    assert!(strength.difference(0, 1).is_some() && strength.difference(2, 3).is_some());
    for (first, second) in [(0, 2), (1, 3), (4, 0), (0, 9)] {
        assert_eq!(strength.difference(first, second), None, "{first} {second}");
    }
    let unusable = [comparison(0, 1, 3.0, 0.0), comparison(0, 1, f64::NAN, 1.0)];
    assert_eq!(Strength::new(2, &unusable).difference(0, 1), None);
    assert_eq!(Strength::new(2, &[comparison(0, 7, 1.0, 1.0)]).difference(0, 1), None);
}

#[test]
fn a_condition_under_which_differences_are_larger_is_found() {
    let at = |first, second, value: f64, condition| Comparison {
        condition,
        ..comparison(first, second, value, 1.0)
    };
    let all = [
        at(1, 0, 40.0, 0),
        at(2, 1, 60.0, 0),
        at(3, 2, 20.0, 0),
        at(1, 0, 80.0, 1),
        at(2, 1, 120.0, 1),
        // Only under the other condition.
        at(4, 3, 30.0, 1),
    ];
    let strength = Strength::new(5, &all);
    let component = strength.component(0).expect("compared");
    assert_eq!((component.reference, component.scales.len()), (0, 1));
    let (condition, scale) = component.scales[0];
    assert_eq!(condition, 1);
    assert!(
        (scale.value - 2.0).abs() < 0.02 && scale.low95 < 2.0 && scale.high95 > 2.0,
        "{scale:?}"
    );
    let gain = strength.difference(4, 3).expect("connected");
    assert!((gain.value - 15.0).abs() < 0.2, "{gain:?}");
    // An unknown scale widens the interval: by its prior alone.
    let alone = Strength::new(3, &[at(1, 0, 40.0, 0), at(2, 1, 40.0, 1), at(1, 0, 41.0, 0)]);
    let gain = alone.difference(2, 1).expect("connected");
    assert!(gain.low95 < 20.0 && gain.high95 > 60.0, "{gain:?}");
}

#[test]
fn contradictions_widen_all_errors() {
    let agreeing = [comparison(1, 0, 10.0, 1.0), comparison(1, 0, 10.5, 1.0)];
    let strength = Strength::new(2, &agreeing);
    assert_eq!(strength.component(0).map(|one| one.disagreement), Some(1.0));
    let all: Vec<Comparison> =
        (0..20).map(|n| comparison(1, 0, if n % 2 == 0 { 0.0 } else { 20.0 }, 1.0)).collect();
    let strength = Strength::new(2, &all);
    let disagreement = strength.component(0).expect("compared").disagreement;
    assert!((80.0..100.0).contains(&disagreement), "{disagreement}");
    assert!(half_width(&strength.difference(1, 0).expect("connected")) > 3.0);
}

/// A simulated SPRT of [0, 5] Elo with 5 % errors: its estimate, and whether it was accepted. A pair's
/// result has a standard deviation of 250 Elo.
fn sprt(truth: f64, rng: &mut impl Rng) -> (Elo, bool) {
    const PAIR: f64 = 250.0;
    const BLOCK: f64 = 50.0;
    let (mut pairs, mut sum) = (0.0, 0.0);
    loop {
        sum += truth * BLOCK + PAIR * BLOCK.sqrt() * normal(rng);
        pairs += BLOCK;
        let llr = 5.0 / (PAIR * PAIR) * (sum - 2.5 * pairs);
        if llr.abs() >= 19f64.ln() {
            return (measured(sum / pairs, PAIR / pairs.sqrt()), llr > 0.0);
        }
    }
}

/// Histories of changes, of which those go in that pass a test: the error of the gain of all that went in,
/// as this model has it and as the sum of their estimates, and how often the interval holds the truth.
fn histories(changes: usize, mean: f64, spread: f64, seed: u64) -> (f64, f64, f64) {
    let mut rng = crate::random::stream("histories", seed, 0);
    let (mut errors, mut naive, mut inside, mut count) = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..80 {
        let (mut all, mut base, mut truth, mut sum) = (Vec::new(), 0, 0.0, 0.0);
        for change in 1..=changes {
            let worth = mean + spread * normal(&mut rng);
            let (elo, accepted) = sprt(worth, &mut rng);
            all.push(Comparison { first: change, second: base, condition: 0, elo, is_test: true });
            if accepted {
                base = change;
                truth += worth;
                sum += elo.value;
            }
        }
        if base == 0 {
            continue;
        }
        let gain = Strength::new(changes + 1, &all).difference(base, 0).expect("connected");
        count += 1.0;
        errors += gain.value - truth;
        naive += sum - truth;
        inside += f64::from(u8::from((gain.low95..=gain.high95).contains(&truth)));
    }
    (errors / count, naive / count, inside / count)
}

#[test]
fn the_gain_of_accepted_changes_has_no_bias_of_stopping_or_selection() {
    for (changes, mean, spread) in [(12, 0.0, 3.0), (12, -1.0, 3.0), (4, 0.0, 8.0)] {
        let (bias, naive, inside) = histories(changes, mean, spread, 1);
        assert!(naive > 1.8, "{changes} {mean} {spread}: the sum of estimates is off by {naive}");
        assert!(bias.abs() < 0.45 * naive, "{changes} {mean} {spread}: {bias} of {naive}");
        assert!(inside > 0.89, "{changes} {mean} {spread}: {inside}");
    }
}

#[test]
fn a_match_over_the_whole_history_counts_with_the_tests() {
    let test =
        |first, value| Comparison { is_test: true, ..comparison(first, first - 1, value, 5.0) };
    let tests: Vec<Comparison> = (1..=6).map(|number| test(number, 8.0)).collect();
    let before = Strength::new(7, &tests).difference(6, 0).expect("connected");
    let mut all = tests;
    all.push(comparison(6, 0, 20.0, 3.0));
    let after = Strength::new(7, &all).difference(6, 0).expect("connected");
    assert!(before.value > 30.0 && after.value < 28.0, "{before:?} {after:?}");
    assert!(half_width(&after) < 0.5 * half_width(&before), "{before:?} {after:?}");
}
