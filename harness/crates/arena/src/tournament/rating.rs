//! A gauntlet that rates its first engine: each stage meets the reference that tells most.

use super::super::schedule::{PublishedRating, RatingGoal};
use super::super::stage::PairScores;
use super::course::{Course, before_the_first};
use harness_stats::{Pentanomial, Reference, ReferenceGames};

/// A stage has at least this share of the pairs before it, so that a long gauntlet has few of them.
const GROWTH: f64 = 0.1;

/// The references of a goal, for the statistics.
pub fn references(goal: &RatingGoal) -> Vec<Reference> {
    let reference =
        |published: &PublishedRating| Reference { elo: published.elo, error95: published.error95 };
    goal.references.iter().map(reference).collect()
}

/// How far the gauntlet has come: it ends when the interval is narrow enough, or after `most` pairs.
pub fn course(goal: &RatingGoal, most: u64, scores: &PairScores<'_>) -> Course {
    let references = references(goal);
    let mut pairs = vec![Pentanomial::default(); references.len()];
    let mut latest = before_the_first();
    let mut course = Course::default();
    loop {
        let played = latest.pairs().end;
        let games = ReferenceGames { references: &references, pairs: &pairs };
        let is_narrow = games.rating().is_ok_and(|rated| rated.elo.error95 <= goal.error95);
        let left = most.saturating_sub(played);
        if is_narrow || left == 0 {
            return course;
        }
        let rounds = goal.batch.max((played as f64 * GROWTH) as u64).clamp(1, left);
        let Some(next) = games.most_informative(rounds) else { return course };
        // The rated engine is the first one.
        let stage = latest.next(format!("against {next}"), vec![(0, next + 1)], rounds);
        let half_points: Option<Vec<u8>> = stage.pairs().map(scores).collect();
        let Some(half_points) = half_points else {
            course.next = Some(stage);
            return course;
        };
        half_points.into_iter().for_each(|points| add(&mut pairs[next], points));
        latest = stage;
    }
}

fn add(pairs: &mut Pentanomial, half_points: u8) {
    if let Some(count) = pairs.0.get_mut(usize::from(half_points)) {
        *count += 1;
    }
}
