//! Knockout: who loses a match is out.

use std::collections::BTreeMap;

use super::super::stage::{Encounter, PairScores, Stage};
use super::course::{Course, Round, before_the_first};

/// Pairs that decide a level match, one after the other; then the engine that was named earlier
/// continues.
const TIE_BREAKS: u64 = 10;

/// How far a knockout has come. Engines are seeded in the order in which they are named: the first
/// two meet in the last round at the earliest, and have the byes of the first one.
pub fn course(engines: usize, rounds: u64, scores: &PairScores<'_>) -> Course {
    let mut course = Course::default();
    let mut won = vec![0; engines];
    let mut alive = bracket(engines);
    let mut latest = before_the_first();
    while alive.len() > 1 {
        let mut round = Round::default();
        let mut encounters = Vec::new();
        for two in alive.chunks(2) {
            match *two {
                [Some(a), Some(b)] => encounters.push((a.min(b), a.max(b))),
                [Some(only), None] | [None, Some(only)] => round.byes.push(only),
                _ => {}
            }
        }
        let name = format!("round {}", course.rounds.len() + 1);
        let (results, last, open) = decided(latest, &name, encounters, rounds, scores);
        if open.is_some() {
            course.next = open;
            break;
        }
        latest = last;
        let winners: BTreeMap<[usize; 2], usize> =
            results.iter().filter_map(|result| Some((result.engines, result.winner?))).collect();
        winners.values().for_each(|&winner| won[winner] += 1);
        alive = alive
            .chunks(2)
            .map(|two| match *two {
                [Some(a), Some(b)] => winners.get(&[a.min(b), a.max(b)]).copied(),
                _ => two.iter().flatten().copied().next(),
            })
            .collect();
        round.encounters = results;
        course.rounds.push(round);
    }
    course.standings = won.into_iter().enumerate().collect();
    course.standings.sort_by_key(|&(engine, won)| (std::cmp::Reverse(won), engine));
    course
}

/// A round with its tie-breaks: the encounters so far, the latest stage, and the stage that is to be
/// played; without one all encounters have a winner.
fn decided(
    before: Stage,
    name: &str,
    encounters: Vec<(usize, usize)>,
    rounds: u64,
    scores: &PairScores<'_>,
) -> (Vec<Encounter>, Stage, Option<Stage>) {
    let mut stage = before.next(name.to_owned(), encounters, rounds);
    let Some(mut results) = stage.result(scores) else { return (Vec::new(), before, Some(stage)) };
    for number in 1..=TIE_BREAKS {
        let level: Vec<(usize, usize)> = results
            .iter()
            .filter(|result| result.half_points[0] == result.half_points[1])
            .map(|result| (result.engines[0], result.engines[1]))
            .collect();
        if level.is_empty() {
            break;
        }
        let next = stage.next(format!("tie-break {number} of {name}"), level, 1);
        let Some(more) = next.result(scores) else { return (results, stage, Some(next)) };
        for extra in more {
            let of_these = results.iter_mut().find(|result| result.engines == extra.engines);
            if let Some(result) = of_these {
                result.half_points[0] += extra.half_points[0];
                result.half_points[1] += extra.half_points[1];
            }
        }
        stage = next;
    }
    for result in &mut results {
        let [first, second] = result.half_points;
        result.winner = Some(result.engines[usize::from(second > first)]);
    }
    (results, stage, None)
}

/// The engines in the order of the bracket; `None`: a bye. Neighbours meet, then the winners of
/// neighbouring matches, so that the best seeds meet last.
fn bracket(engines: usize) -> Vec<Option<usize>> {
    let mut seeds = vec![0];
    while seeds.len() < engines {
        let size = 2 * seeds.len();
        seeds = seeds.iter().flat_map(|&seed| [seed, size - 1 - seed]).collect();
    }
    seeds.into_iter().map(|seed| (seed < engines).then_some(seed)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_seeds_meet_last_and_have_the_byes() {
        assert_eq!(bracket(4), [Some(0), Some(3), Some(1), Some(2)]);
        assert_eq!(bracket(6), [Some(0), None, Some(3), Some(4), Some(1), None, Some(2), Some(5)]);
        assert_eq!(bracket(1), [Some(0)]);
    }
}
