use super::simulation::{Scenario, Way, compare, scenarios};
use super::*;
use crate::sequential::sprt::Model;

fn rule(candidates: usize) -> RaceRule {
    let test = Sprt::new(Model::Normalized, 0.0, 60.0, 0.05, 0.05).expect("valid");
    let rule = RaceRule::new(test, candidates, 100_000).expect("valid");
    RaceRule { batch: 16, ..rule }
}

/// Plays a race; `score` has the half points of the first of two runners in a round.
fn play(rule: RaceRule, score: &mut dyn FnMut(usize, usize) -> u8) -> Race {
    let mut race = Race::new(rule);
    loop {
        let round: Vec<u8> = match race.ask() {
            Ask::Heat { pairings, .. } => pairings.iter().map(|&(a, b)| score(a, b)).collect(),
            Ask::Final { candidate, .. } => vec![score(candidate, BASE)],
            Ask::Over => return race,
        };
        race.tell(&round);
    }
}

/// A result by the numbers of wins in a cycle: runner `strong` wins each third pair, all else is drawn.
fn with_a_strong_one(strong: usize) -> impl FnMut(usize, usize) -> u8 {
    let mut number = 0;
    move |first, second| {
        number += 1;
        match (number % 3 == 0, first == strong, second == strong) {
            (true, true, _) => 4,
            (true, _, true) => 0,
            _ => 2,
        }
    }
}

#[test]
fn the_strong_one_is_found_wherever_it_stands_and_passes() {
    for candidates in [1, 2, 3, 5, 7] {
        for strong in 1..=candidates {
            let race = play(rule(candidates), &mut with_a_strong_one(strong));
            assert_eq!(race.verdict(), Some(Verdict::Accepted), "{strong} of {candidates}");
            assert_eq!(race.leader(), Some(strong));
            let dropped = race.dropped().iter().skip(1).flatten().count();
            assert_eq!(dropped, candidates - 1);
            assert_eq!(race.final_begins(), Some(race.pairs() - race.final_counts().pairs()));
        }
    }
}

#[test]
fn a_strong_base_ends_the_race_of_many_without_a_final() {
    let race = play(rule(6), &mut with_a_strong_one(BASE));
    assert_eq!(race.verdict(), Some(Verdict::Rejected));
    assert_eq!((race.final_counts().pairs(), race.leader()), (0, None));
    // Of two candidates the base is no runner, and the final says it.
    let race = play(rule(2), &mut with_a_strong_one(BASE));
    assert_eq!(race.verdict(), Some(Verdict::Rejected));
    assert!(race.final_counts().pairs() > 0);
}

#[test]
fn candidates_that_play_the_same_games_end_and_the_first_one_stays() {
    for candidates in [2, 3, 8] {
        let race = play(rule(candidates), &mut |_, _| 2);
        assert_eq!(race.verdict(), Some(Verdict::Rejected), "{candidates}");
        if candidates < BASE_RUNS_FROM {
            assert_eq!(race.leader(), Some(1));
        }
        assert!(race.pairs() < 10_000, "{}", race.pairs());
    }
}

#[test]
fn a_candidate_that_is_the_base_wins_without_a_final_and_is_not_better() {
    let rule = RaceRule { equals: vec![2], ..rule(3) };
    let race = play(rule.clone(), &mut with_a_strong_one(2));
    assert_eq!(race.verdict(), Some(Verdict::Rejected));
    assert_eq!((race.final_counts().pairs(), race.leader()), (0, Some(2)));
    let race = play(rule, &mut with_a_strong_one(1));
    assert_eq!(race.verdict(), Some(Verdict::Accepted));
    // Nothing is left that could be better.
    let all = Race::new(RaceRule { equals: vec![1, 2, 3], ..race.rule().clone() });
    assert!(all.ask() == Ask::Over && all.verdict() == Some(Verdict::Rejected), "{all:?}");
    let alone = Race::new(RaceRule { candidates: 1, equals: vec![1], ..race.rule().clone() });
    assert_eq!(alone.verdict(), Some(Verdict::Rejected));
}

#[test]
fn a_final_may_have_bounds_that_fall_and_ends_then() {
    let rule = rule(2).with_bounds(Shape::Falling, 0.5).expect("valid");
    let last = rule.final_test.last_pair().expect("it ends");
    let mut number = 0;
    let race = play(rule, &mut |first, _| {
        number += 1;
        // The first candidate is half way to what passes.
        if first == 1 && number % 24 == 0 { 3 } else { 2 }
    });
    assert!(race.final_counts().pairs() <= last);
    assert!(matches!(race.verdict(), Some(Verdict::Accepted | Verdict::Rejected)));
}

#[test]
fn a_race_without_enough_games_is_undecided_and_has_a_leader() {
    for max_pairs in [0, 1, 3, 50] {
        let rule = RaceRule { max_pairs, ..rule(3) };
        let race = play(rule, &mut with_a_strong_one(2));
        assert_eq!(race.verdict(), Some(Verdict::Inconclusive));
        assert!(race.pairs() <= max_pairs && race.leader().is_some());
    }
}

/// No race plays with less than its first round, and none has a verdict with fewer pairs than the fewest.
#[test]
fn a_first_round_and_the_fewest_pairs_are_needed() {
    for candidates in [1, 2, 3, 5, 6] {
        let rule = rule(candidates);
        // The candidates that are named first win, and the base wins or loses.
        let of = |max_pairs, base_wins: bool| {
            let rule = RaceRule { max_pairs, ..rule.clone() };
            let wins = move |a, b| if b == BASE { !base_wins } else { a != BASE && a < b };
            play(rule, &mut |a, b| if wins(a, b) { 4 } else { 0 })
        };
        assert_eq!(of(rule.first_round() - 1, true).pairs(), 0, "{candidates}");
        assert_eq!(of(rule.first_round(), true).pairs(), rule.first_round(), "{candidates}");
        let undecided = |pairs| {
            let verdicts = [true, false].map(|base_wins| of(pairs, base_wins).verdict());
            verdicts == [Some(Verdict::Inconclusive); 2]
        };
        if !rule.base_runs() {
            let fewest = rule.fewest_pairs();
            assert!(undecided(fewest - 1), "{candidates}");
            // One heat may not settle who is best.
            assert!(candidates > 1 || !undecided(fewest), "{candidates}");
        }
    }
}

#[test]
fn a_heat_has_all_pairings_of_those_that_run_and_is_as_long_as_the_batch() {
    let race = Race::new(rule(3));
    let pairings = vec![(1, 2), (1, 3), (2, 3)];
    assert_eq!(race.ask(), Ask::Heat { number: 1, pairings, rounds: 6 });
    let with_base = Race::new(rule(6));
    assert_eq!(with_base.running(), [0, 1, 2, 3, 4, 5, 6]);
    // A candidate that may be as good as the base is not dropped by it.
    let test = Sprt { elo0: -30.0, elo1: 0.0, ..rule(6).test };
    let simplification = Race::new(RaceRule { test, ..rule(6) });
    assert_eq!(simplification.running(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_race_errs_as_rarely_as_it_says_and_costs_fewer_games_than_a_test_each() {
    let test = Sprt { elo1: 40.0, ..rule(8).test };
    for scenario in scenarios(8, &test).into_iter().skip(1) {
        let comparison = compare(test, 0.5, scenario, 100, &mut || ()).expect("valid");
        let of = |way| comparison.costs.iter().find(|cost| cost.way == way).expect("simulated");
        let (race, each) = (of(Way::Race), of(Way::SprtEachCorrected));
        assert!(race.games < each.games, "{scenario:?}: {race:?} {each:?}");
        // 5 % with three standard errors of 100 runs.
        assert!(race.false_passes < 0.115, "{scenario:?}: {race:?}");
        assert!(race.missed.is_none_or(|missed| missed < 0.115), "{scenario:?}: {race:?}");
    }
    // The winner of short matches whose games count again is biased.
    let none = Scenario { candidates: 8, good: 0, others: 0.0 };
    let small = Sprt { elo1: 10.0, ..test };
    let comparison = compare(small, 0.5, none, 60, &mut || ()).expect("valid");
    let biased = comparison.costs.iter().find(|cost| cost.way == Way::MatchesCounted);
    assert!(biased.is_some_and(|cost| cost.false_passes > 0.05), "{biased:?}");
}
