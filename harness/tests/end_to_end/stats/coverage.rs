//! Intervals of few games hold the truth as often as they say. `cargo bench -p tench-harness --bench
//! coverage` has the whole table.

use harness::stats::{Elo, Pentanomial, Sample, score_of_elo};

use super::few::{Players, normal_covers, posterior_covers, share};

/// Simulated matches a case.
const MATCHES: u64 = 1_500;

#[test]
fn intervals_of_few_pairs_hold_the_truth_whatever_the_draws() {
    // Three standard errors of the simulation below 94 %.
    let least = 0.94 - 3.0 * (0.94f64 * 0.06 / MATCHES as f64).sqrt();
    let mut worst_normal: f64 = 1.0;
    for pairs in [2, 4, 9, 25] {
        for (draws, elo) in [(0.1, 0.0), (0.1, 120.0), (0.5, 30.0), (0.9, 0.0), (0.9, 30.0)] {
            let players = Players::new(draws, elo, 0.0).expect("room");
            let results = players.play(pairs, MATCHES, 20_261_123 + pairs);
            let covered = share(&results, |counts| posterior_covers(counts, players.score, 0.5));
            let normal = share(&results, |counts| normal_covers(counts, players.score));
            println!("{pairs} pairs, {draws} drawn, {elo} Elo: {covered:.3}, normal {normal:.3}");
            assert!(covered >= least, "{pairs} pairs, {draws} drawn, {elo} Elo: {covered}");
            worst_normal = worst_normal.min(normal);
        }
    }
    assert!(worst_normal < 0.8, "the simulation would not notice a bad interval: {worst_normal}");
}

#[test]
fn the_reported_interval_is_the_one_whose_coverage_is_measured() {
    for players in [Players::new(0.3, 60.0, 0.6), Players::new(0.9, 10.0, 0.0)] {
        let players = players.expect("room");
        for counts in players.play(6, 100, 7).into_keys() {
            let pairs = Pentanomial(counts);
            let Ok(elo) = Elo::from_counts(Sample::from(&pairs)) else { continue };
            let reported = score_of_elo(elo.low95) <= players.score
                && players.score <= score_of_elo(elo.high95);
            assert_eq!(reported, posterior_covers(&pairs, players.score, 0.5), "{counts:?}");
        }
    }
}

#[test]
fn intervals_of_few_pairs_are_not_absurdly_wide() {
    // The half-width may be at most half as much again as with the spread known.
    for (draws, pairs) in [(0.1, 10), (0.5, 10), (0.5, 30), (0.8, 50)] {
        let players = Players::new(draws, 0.0, 0.0).expect("room");
        let widths: Vec<f64> = players
            .play(pairs, 60, 11)
            .into_keys()
            .filter_map(|counts| Elo::from_counts(&Pentanomial(counts)).ok().map(|elo| elo.error95))
            .collect();
        let mean = widths.iter().sum::<f64>() / widths.len() as f64;
        let known = 1.96 * ((1.0 - draws) / 8.0 / pairs as f64).sqrt() / 0.25 * 173.7;
        assert!(mean < 1.5 * known, "{draws} drawn, {pairs} pairs: {mean} {known}");
    }
}
