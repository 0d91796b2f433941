use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::super::openings::OpeningsSpec;
use super::super::{Conduct, Pairing, PublishedRating, RatingGoal, Stage};
use super::*;
use harness_player::{EngineSpec, Limit};

fn plan(engines: usize, format: Format, rounds: u64) -> Plan {
    Plan {
        pairings: Vec::new(),
        engines: (0..engines).map(|number| EngineSpec::builtin(&format!("{number}"))).collect(),
        limits: vec![Limit::Nodes(1); engines],
        format,
        rounds,
        openings: OpeningsSpec::default(),
        conduct: Conduct::default(),
        jobs: 1,
        event: String::new(),
        pairing: Pairing::default(),
        shard: None,
        rating: None,
        race: None,
    }
}

/// Plays a tournament to its end; `score` gives the half points of the first engine of a pair.
fn play(plan: &Plan, score: &dyn Fn((usize, usize), u64) -> u8) -> (Course, Vec<Stage>) {
    let mut scores: BTreeMap<u64, u8> = BTreeMap::new();
    let mut stages = Vec::new();
    loop {
        let course = course(plan, &|pair| scores.get(&pair).copied());
        let Some(stage) = course.next.clone() else { return (course, stages) };
        assert_eq!(stage.first, scores.len() as u64, "pairs are numbered one after the other");
        for pair in stage.pairs() {
            // The stage stays the same while it is played.
            let again = super::course(plan, &|pair| scores.get(&pair).copied());
            assert_eq!(again.next.as_ref(), Some(&stage));
            scores.insert(pair, score(stage.pairing(pair).0, pair));
        }
        stages.push(stage);
    }
}

/// The engine that is named earlier wins.
fn by_seed((first, second): (usize, usize), _: u64) -> u8 {
    if first < second { 4 } else { 0 }
}

#[test]
fn the_winner_of_a_knockout_has_won_all_its_rounds_and_the_seeds_come_far() {
    let (course, stages) = play(&plan(8, Format::Knockout, 3), &by_seed);
    let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["round 1", "round 2", "round 3"]);
    assert_eq!(stages[0].encounters, [(0, 7), (3, 4), (1, 6), (2, 5)]);
    assert_eq!(stages[1].encounters, [(0, 3), (1, 2)]);
    assert_eq!(stages[2].encounters, [(0, 1)]);
    assert_eq!(course.standings[..4], [(0, 3), (1, 2), (2, 1), (3, 1)]);
    assert_eq!(course.rounds[2].encounters[0].half_points, [12, 0]);
    let (course, stages) = play(&plan(5, Format::Knockout, 1), &by_seed);
    assert_eq!(stages[0].encounters, [(3, 4)]);
    assert_eq!(course.rounds[0].byes, [0, 1, 2]);
    assert_eq!(course.standings[0].0, 0);
}

#[test]
fn a_level_match_is_decided_by_further_pairs_and_in_the_end_by_the_seeds() {
    // All pairs are level until the third tie-break of the first round, which the weaker seed wins.
    let level = |engines: (usize, usize), pair| match (engines, pair) {
        ((0, 1), 4) => 1,
        _ => 2,
    };
    let (course, stages) = play(&plan(2, Format::Knockout, 2), &level);
    let names: Vec<&str> = stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(
        names,
        ["round 1", "tie-break 1 of round 1", "tie-break 2 of round 1", "tie-break 3 of round 1"]
    );
    assert_eq!(course.rounds[0].encounters[0].winner, Some(1));
    assert_eq!(course.rounds[0].encounters[0].half_points, [9, 11]);
    let rounds: Vec<u64> = stages.iter().map(|stage| stage.pairing(stage.first).1).collect();
    assert_eq!(rounds, [0, 2, 3, 4], "each pair has an opening of its own");
    let (course, stages) = play(&plan(2, Format::Knockout, 1), &|_, _| 2);
    assert_eq!(stages.len(), 11);
    assert_eq!(course.rounds[0].encounters[0].winner, Some(0));
}

#[test]
fn in_a_swiss_tournament_the_halves_of_a_group_meet_and_leaders_meet_leaders() {
    let (course, stages) = play(&plan(8, Format::Swiss, 1), &by_seed);
    assert_eq!(stages.len(), 3);
    assert_eq!(stages[0].encounters, [(0, 4), (1, 5), (2, 6), (3, 7)]);
    assert_eq!(stages[1].encounters, [(0, 2), (1, 3), (4, 6), (5, 7)]);
    assert_eq!(stages[2].encounters[0], (0, 1), "those that won both meet");
    assert_eq!(course.standings[0], (0, 6));
    assert_eq!(course.standings[7], (7, 0));
}

#[test]
fn a_rating_gauntlet_meets_who_tells_most_until_the_interval_is_narrow() {
    let goal = |error95: f64| RatingGoal {
        references: [1500.0, 2000.0, 2500.0]
            .map(|elo| PublishedRating { elo, error95: 0.0 })
            .into(),
        error95,
        batch: 4,
    };
    let mut plan = plan(4, Format::Gauntlet, 200);
    plan.rating = Some(goal(60.0));
    // It wins against the first, is even with the second and loses against the third.
    let score = |(_, opponent): (usize, usize), pair: u64| match opponent {
        1 => 4,
        2 => [0, 4][pair as usize % 2],
        _ => 0,
    };
    let (course, stages) = play(&plan, &score);
    assert_eq!(course.next, None);
    let pairs: u64 = stages.iter().map(|stage| stage.rounds).sum();
    assert!((30..200).contains(&pairs), "{pairs}");
    let near = stages.iter().filter(|stage| stage.encounters == [(0, 2)]);
    assert!(2 * near.map(|stage| stage.rounds).sum::<u64>() > pairs, "{stages:?}");
    // A narrower interval takes more; never more than the plan has.
    plan.rating = Some(goal(1.0));
    let (_, stages) = play(&plan, &score);
    assert_eq!(stages.iter().map(|stage| stage.rounds).sum::<u64>(), 200);
    assert_eq!(plan.pairs(), 200);
    assert!(plan.depends_on_results());
}

proptest! {
    #[test]
    fn no_two_engines_meet_twice_and_each_round_has_everybody_once(
        engines in 2_usize..18,
        results in proptest::collection::vec(0_u8..=4, 18 * 18),
        rounds in 1_u64..8,
    ) {
        let mut plan = plan(engines, Format::Swiss, 1);
        plan.pairing.swiss_rounds = Some(rounds.min(engines as u64 / 2));
        let (course, _) = play(&plan, &|(first, second), _| results[first * 18 + second]);
        prop_assert_eq!(course.rounds.len() as u64, plan.swiss_rounds());
        let mut met = BTreeSet::new();
        let mut byes = BTreeSet::new();
        for round in &course.rounds {
            let mut seen = BTreeSet::new();
            for encounter in &round.encounters {
                prop_assert!(met.insert(encounter.engines), "{:?} met twice", encounter.engines);
                encounter.engines.iter().for_each(|engine| assert!(seen.insert(*engine)));
            }
            for bye in &round.byes {
                prop_assert!(byes.insert(*bye), "{} had no opponent twice", bye);
                seen.insert(*bye);
            }
            prop_assert_eq!(seen.len(), engines);
        }
        // Each match gives two points.
        let points: u64 = course.standings.iter().map(|(_, points)| points).sum();
        let expected = course.rounds.iter().map(|round| {
            2 * (round.encounters.len() + round.byes.len()) as u64
        });
        prop_assert_eq!(points, expected.sum::<u64>());
    }

    #[test]
    fn a_knockout_ends_with_one_that_is_not_beaten(
        engines in 2_usize..20,
        results in proptest::collection::vec(0_u8..=4, 400),
    ) {
        let plan = plan(engines, Format::Knockout, 1);
        let (course, _) = play(&plan, &|(first, second), pair| {
            results[(first * 20 + second + pair as usize) % 400]
        });
        let lost: BTreeSet<usize> = course
            .rounds
            .iter()
            .flat_map(|round| &round.encounters)
            .flat_map(|met| met.engines.into_iter().filter(|engine| Some(*engine) != met.winner))
            .collect();
        prop_assert_eq!(lost.len(), engines - 1, "all but one are out");
        prop_assert!(!lost.contains(&course.standings[0].0));
    }
}
