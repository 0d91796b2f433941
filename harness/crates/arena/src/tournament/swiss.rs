//! Swiss system: in each round engines with as many points meet, none twice.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::super::stage::{Encounter, PairScores};
use super::course::{Course, Round, before_the_first};

/// Steps of the search for pairings without a repetition. A round of a hundred engines takes some
/// hundred; where the search fails, a meeting is repeated.
const STEPS: u32 = 20_000;

/// Standing of an engine.
#[derive(Clone, Copy, Debug)]
struct Standing {
    engine: usize,
    /// 2 a match won, 1 a level one.
    points: u64,
    /// Of all its games.
    half_points: u64,
    had_bye: bool,
}

/// How far a Swiss tournament has come. Before the first round engines stand in the order in which
/// they are named.
pub fn course(engines: usize, rounds: u64, swiss_rounds: u64, scores: &PairScores<'_>) -> Course {
    let standing = |engine| Standing { engine, points: 0, half_points: 0, had_bye: false };
    let mut table: Vec<Standing> = (0..engines).map(standing).collect();
    let mut met = BTreeSet::new();
    let mut latest = before_the_first();
    let mut course = Course::default();
    for number in 1..=swiss_rounds {
        let (encounters, bye) = pairings(&table, &met);
        let stage = latest.next(format!("round {number}"), encounters, rounds);
        let Some(mut results) = stage.result(scores) else {
            course.next = Some(stage);
            break;
        };
        for result in &mut results {
            count(&mut table, result);
            met.insert(result.engines);
        }
        for standing in table.iter_mut().filter(|standing| Some(standing.engine) == bye) {
            standing.points += 2;
            standing.had_bye = true;
        }
        table.sort_by_key(|it| (Reverse(it.points), Reverse(it.half_points), it.engine));
        course.rounds.push(Round { encounters: results, byes: bye.into_iter().collect() });
        latest = stage;
    }
    course.standings = table.iter().map(|standing| (standing.engine, standing.points)).collect();
    course
}

/// Counts an encounter, and notes its winner.
fn count(table: &mut [Standing], result: &mut Encounter) {
    let [first, second] = result.half_points;
    let points = match first.cmp(&second) {
        std::cmp::Ordering::Greater => [2, 0],
        std::cmp::Ordering::Equal => [1, 1],
        std::cmp::Ordering::Less => [0, 2],
    };
    result.winner = points.iter().position(|&points| points == 2).map(|side| result.engines[side]);
    for side in [0, 1] {
        let engine = result.engines[side];
        for standing in table.iter_mut().filter(|standing| standing.engine == engine) {
            standing.points += points[side];
            standing.half_points += result.half_points[side];
        }
    }
}

/// Who meets whom in the next round, and who has no opponent: the last one that had none before.
fn pairings(
    table: &[Standing],
    met: &BTreeSet<[usize; 2]>,
) -> (Vec<(usize, usize)>, Option<usize>) {
    let mut free: Vec<Standing> = table.to_vec();
    let mut bye = None;
    if !free.len().is_multiple_of(2) {
        let last = free.iter().rposition(|standing| !standing.had_bye).unwrap_or(free.len() - 1);
        bye = Some(free.remove(last).engine);
    }
    let mut pairs = Vec::with_capacity(free.len() / 2);
    let mut steps = STEPS;
    if !pair_up(&mut free.clone(), met, &mut pairs, &mut steps) {
        pairs.clear();
        // Every engine has met every other, or nearly so: neighbours meet again.
        pairs.extend(free.chunks_exact(2).map(|two| [two[0].engine, two[1].engine]));
    }
    (pairs.into_iter().map(|[a, b]| (a.min(b), a.max(b))).collect(), bye)
}

/// Pairs up the free engines, the best one first, without repeating a meeting; false if it cannot
/// be done, or not within the steps.
fn pair_up(
    free: &mut Vec<Standing>,
    met: &BTreeSet<[usize; 2]>,
    pairs: &mut Vec<[usize; 2]>,
    steps: &mut u32,
) -> bool {
    if free.is_empty() {
        return true;
    }
    let best = free.remove(0);
    for opponent in by_preference(&best, free) {
        let engines = [best.engine.min(opponent), best.engine.max(opponent)];
        if met.contains(&engines) {
            continue;
        }
        let Some(left) = steps.checked_sub(1) else { break };
        *steps = left;
        let at = free.iter().position(|other| other.engine == opponent);
        let Some(other) = at.map(|at| (at, free.remove(at))) else { continue };
        pairs.push(engines);
        if pair_up(free, met, pairs, steps) {
            return true;
        }
        pairs.pop();
        free.insert(other.0, other.1);
    }
    free.insert(0, best);
    false
}

/// Opponents of the best free engine, the most wanted one first: of those with as many points the
/// upper half meets the lower half, as in the Dutch system; then those with fewer points.
fn by_preference(best: &Standing, free: &[Standing]) -> Vec<usize> {
    let equal = free.iter().take_while(|other| other.points == best.points).count();
    // The best one itself belongs to its group.
    let wanted = equal.div_ceil(2).saturating_sub(1);
    let mut order: Vec<usize> = (0..free.len()).collect();
    order.sort_by_key(|&place| if place < equal { place.abs_diff(wanted) } else { place + equal });
    order.into_iter().map(|place| free[place].engine).collect()
}
