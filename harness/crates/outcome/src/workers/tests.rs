//! Who is named: liars of all sizes, and no honest worker.

use rand::Rng;

use super::*;
use harness_stats::{Model, Sprt, random};

/// Games of a worker.
fn add(tally: &mut dyn FnMut(&WorkerGame<'_>), worker: &str, pair: u64, points: [u8; 2]) {
    for first_half_points in points {
        tally(&WorkerGame { worker, stratum: "", pair, first_half_points, is_fault: false });
    }
}

/// A fleet of an engine that is a little better: pairs of each worker; `lie` changes the points of a game
/// of some workers.
fn fleet(seed: u64, pairs: &[u64], lie: impl Fn(usize, u8) -> u8) -> WorkerTally {
    fleet_of(seed, pairs, |worker| format!("w{worker} KEY{worker}"), lie)
}

/// As [`fleet`], with these names.
fn fleet_of(
    seed: u64,
    pairs: &[u64],
    name_of: impl Fn(usize) -> String,
    lie: impl Fn(usize, u8) -> u8,
) -> WorkerTally {
    let mut random = random::stream("fleet", seed, 0);
    let mut tally = WorkerTally::default();
    let mut number = 0;
    for (worker, &pairs) in pairs.iter().enumerate() {
        for _ in 0..pairs {
            let points = [0, 1].map(|_| match random.random_range(0..100) {
                0..28 => 2,
                28..78 => 1,
                _ => 0,
            });
            let points = points.map(|points| lie(worker, points));
            let name = name_of(worker);
            let mut count = |game: &WorkerGame<'_>| {
                tally.add(game);
            };
            add(&mut count, &name, number, points);
            number += 1;
        }
    }
    tally
}

fn names(tally: &WorkerTally) -> Vec<String> {
    tally.suspects().into_iter().map(|it| name_and_key(&it.worker).0.to_owned()).collect()
}

#[test]
fn honest_workers_are_named_rarely() {
    let fleets = 400;
    let alarms = (0..fleets).filter(|&seed| !names(&fleet(seed, &[60; 8], |_, it| it)).is_empty());
    // One fleet in a thousand is expected at most.
    assert!(alarms.count() <= 2);
}

/// Whatever the number of its pairs, and of those of the others: none of the others.
#[test]
fn a_liar_is_named_and_no_other() {
    let cases: [&[u64]; 6] = [
        &[60; 10],
        // A few pairs, beside a large majority.
        &[25, 300],
        &[25, 1_000, 20],
        &[25, 300, 300, 300],
        // Honest workers with too few pairs to be compared.
        &[60, 200, 200, 3, 2, 1],
        &[120, 100, 100],
    ];
    for pairs in cases {
        for seed in 0..20 {
            // Losses and draws are reported as wins.
            let tally = fleet(seed, pairs, |worker, it| if worker == 0 { 2 } else { it });
            assert_eq!(names(&tally), ["w0"], "{pairs:?} {seed}");
            let shares = tally.shares();
            assert!(shares[0].is_suspicious(), "{shares:?}");
            assert!(!shares[1..].iter().any(WorkerShare::is_suspicious), "{shares:?}");
        }
    }
}

#[test]
fn of_two_workers_with_as_many_pairs_none_is_named_and_the_result_is_in_doubt() {
    let tally = fleet(1, &[100, 100], |worker, it| if worker == 0 { 2 } else { it });
    assert!(names(&tally).is_empty());
    assert!(tally.undecidable().is_some());
    let honest = fleet(1, &[100, 100], |_, it| it);
    assert_eq!(honest.undecidable(), None);
}

/// Two that agree with each other are not accused one by one, next to a fast liar with most of the pairs.
#[test]
fn the_honest_are_not_accused_beside_a_liar_with_most_of_the_pairs() {
    for pairs in [[100, 25, 20], [60, 55, 50], [300, 30, 30]] {
        let tally = fleet(2, &pairs, |worker, it| if worker == 0 { 2 } else { it });
        let found = names(&tally);
        assert!(found.is_empty() || found == ["w0"], "{pairs:?} {found:?}");
        assert_eq!(tally.undecidable().is_some(), found.is_empty(), "{pairs:?}");
    }
}

/// None of twelve keys has enough pairs to be found alone.
#[test]
fn keys_that_lie_alike_are_found_together() {
    let pairs: Vec<u64> = [10; 12].into_iter().chain([60; 18]).collect();
    let lie = |worker, it: u8| if worker < 12 { (it + 1).min(2) } else { it };
    for seed in 0..10 {
        let found = names(&fleet(seed, &pairs, lie));
        let of_liars = found.iter().filter(|name| name[1..].parse::<u64>().is_ok_and(|it| it < 12));
        let count = of_liars.count();
        assert!(count >= 6 && found.len() <= count + 2, "{seed}: {found:?}");
    }
}

/// Pairs of another meeting have other results: whoever played those is no liar.
#[test]
fn only_comparable_results_are_compared() {
    let mut tally = WorkerTally::default();
    for pair in 0..200 {
        let (worker, stratum, first_half_points) =
            if pair % 2 == 0 { ("a A", "weak", 2) } else { ("b B", "strong", 0) };
        for _ in 0..2 {
            let is_fault = false;
            tally.add(&WorkerGame { worker, stratum, pair, first_half_points, is_fault });
        }
    }
    assert!(names(&tally).is_empty());
    assert_eq!(tally.undecidable(), None);
}

#[test]
fn a_worker_with_many_faults_is_named() {
    let mut tally = WorkerTally::default();
    for (worker, faults) in [("a A", 0), ("b B", 1), ("c C", 15)] {
        for pair in 0..50 {
            for game in 0..2 {
                let is_fault = 2 * pair + game < faults;
                let (stratum, first_half_points) = ("", 1);
                tally.add(&WorkerGame { worker, stratum, pair, first_half_points, is_fault });
            }
        }
    }
    assert_eq!(names(&tally), ["c"]);
}

/// A test that only one worker decides; the same by many.
#[test]
fn a_verdict_that_hinges_on_one_worker_does_not_stand() {
    let sprt = Sprt::new(Model::Normalized, 0.0, 50.0, 0.05, 0.05).expect("valid");
    let decided = |worker_of_wins: &dyn Fn(u64) -> u64| {
        let mut fleet = Fleet::new(Some(sprt));
        for pair in 0..90 {
            let wins = pair % 3 == 0;
            let worker = if wins { worker_of_wins(pair) } else { 1 + pair % 2 };
            let name = format!("w{worker} KEY{worker}");
            let points =
                if wins { [2, 2] } else { [2 * (pair % 2) as u8, 2 - 2 * (pair % 2) as u8] };
            add(&mut |game| fleet.add(game), &name, pair, points);
        }
        fleet.doubt_of_test()
    };
    assert!(
        matches!(decided(&|_| 0), Some(Doubt::Hinges(Party::Worker(name))) if name == "w0 KEY0")
    );
    assert_eq!(decided(&|pair| pair % 3 + pair / 3 % 3), None);
}

#[test]
fn a_worker_is_its_name_its_token_and_its_key() {
    let worker = worker_text("box", "worker1", "UKEY");
    assert_eq!((name_and_key(&worker), token_of(&worker)), (("box", "UKEY"), Some("worker1")));
    for (old, name) in [("box UKEY", "box"), ("my box UKEY", "my box")] {
        assert_eq!((name_and_key(old), token_of(old)), ((name, "UKEY"), None));
    }
}

/// Keys cost nothing: many keys of one token do not outvote two machines of two others, and are found
/// where each of them has too few pairs.
#[test]
fn keys_of_one_token_are_one_party() {
    let pairs: Vec<u64> = [10; 12].into_iter().chain([150; 2]).collect();
    let name = |worker: usize| {
        let token = if worker < 12 { 0 } else { worker };
        worker_text(&format!("w{worker}"), &format!("t{token}"), &format!("KEY{worker}"))
    };
    let lie = |worker, it: u8| if worker < 12 { (it + 1).min(2) } else { it };
    for seed in 0..10 {
        let mut found = names(&fleet_of(seed, &pairs, name, lie));
        found.sort_by_key(|name| name[1..].parse::<u64>().ok());
        let liars: Vec<String> = (0..12).map(|worker| format!("w{worker}")).collect();
        assert_eq!(found, liars, "{seed}");
    }
}

/// One token for all workers, as `serve` prints it: a broken machine is found as it is by its key alone.
#[test]
fn one_token_for_all_makes_no_party() {
    let name =
        |worker: usize| worker_text(&format!("w{worker}"), "worker1", &format!("KEY{worker}"));
    for pairs in [&[60; 10][..], &[120, 100, 100], &[25, 300]] {
        for seed in 0..10 {
            let tally = fleet_of(seed, pairs, name, |worker, it| if worker == 0 { 2 } else { it });
            assert_eq!(names(&tally), ["w0"], "{pairs:?} {seed}");
        }
    }
    // The same machine among those of its token, beside one of another.
    let name = |worker: usize| {
        let token = if worker < 9 { "a" } else { "b" };
        worker_text(&format!("w{worker}"), token, &format!("KEY{worker}"))
    };
    let tally = fleet_of(1, &[60; 10], name, |worker, it| if worker == 0 { 2 } else { it });
    assert_eq!(names(&tally), ["w0"]);
}

/// Each of eight keys has a small part of the wins.
#[test]
fn a_verdict_that_hinges_on_the_keys_of_one_token_does_not_stand() {
    let sprt = Sprt::new(Model::Normalized, 0.0, 50.0, 0.05, 0.05).expect("valid");
    let mut fleet = Fleet::new(Some(sprt));
    for pair in 0..90 {
        let is_win = pair % 3 == 0;
        let (worker, token) =
            if is_win { (10 + pair / 3 % 8, "liar") } else { (pair % 2, "honest") };
        let points = if is_win { [2, 2] } else { [2 * (pair % 2) as u8, 2 - 2 * (pair % 2) as u8] };
        let name = worker_text(&format!("w{worker}"), token, &format!("KEY{worker}"));
        add(&mut |game| fleet.add(game), &name, pair, points);
    }
    let doubt = fleet.doubt_of_test();
    let text = doubt.as_ref().map(Doubt::text).unwrap_or_default();
    assert!(text.contains("the token liar"), "{doubt:?}");
}

/// Who makes up its pairs has many of them: of two tokens neither is believed.
#[test]
fn of_two_tokens_none_is_accused_however_many_pairs_one_has() {
    let name = |worker: usize| {
        worker_text(&format!("w{worker}"), &format!("worker{worker}"), &format!("KEY{worker}"))
    };
    let lie = |worker, it| if worker == 0 { 2 } else { it };
    for pairs in [&[83, 30][..], &[300, 30], &[30, 300]] {
        let tally = fleet_of(3, pairs, name, lie);
        assert!(names(&tally).is_empty(), "{pairs:?}");
        assert!(tally.undecidable().is_some(), "{pairs:?}");
    }
    assert_eq!(names(&fleet_of(3, &[200, 50, 50], name, lie)), Vec::<String>::new());
    assert_eq!(names(&fleet_of(3, &[120, 100, 100], name, lie)), ["w0"]);
}
