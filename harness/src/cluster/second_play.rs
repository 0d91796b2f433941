//! Pairs that are played twice on purpose.
//!
//! At fixed nodes a pair has the same moves wherever it is played. A worker whose moves differ from
//! those of several others has another engine, broken memory, or lies.

use std::collections::{BTreeMap, BTreeSet};

use crate::arena::{GameRecord, PairJob};
use crate::player::Limit;

/// One pair in this many is played twice.
const EVERY: u64 = 40;

/// Added to the attempt of a second play, so that its result has a subject of its own.
pub const SECOND: u32 = 1 << 16;

/// First plays that wait for their second one, and what was found.
#[derive(Debug, Default)]
pub struct SecondPlays {
    /// By pair: the worker, and the moves of its games.
    waiting: BTreeMap<u64, (Worker, Vec<String>)>,
    /// By worker: those whose moves differed.
    differed: BTreeMap<Worker, BTreeSet<Worker>>,
    agreed: u64,
}

/// Name and key of a worker.
type Worker = String;

/// What a second play has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The same moves.
    Agree,
    /// Other moves; of two workers it is open which is wrong.
    Differ(Worker, Worker),
    /// Other moves, by a worker that differs from several others.
    Wrong(Worker),
}

/// Whether a pair is to be played twice: its moves repeat, and it is one of the chosen.
pub fn is_wanted(job: &PairJob, threads: usize) -> bool {
    let repeats = |limit: &Limit| matches!(limit, Limit::Nodes(_) | Limit::Depth(_));
    threads <= 1
        && job.only.is_none()
        && job.pair % EVERY == EVERY / 3
        && job.sides.iter().all(|side| repeats(&side.limit))
}

impl SecondPlays {
    /// Notes the first play of a pair.
    pub fn first(&mut self, pair: u64, games: &[GameRecord]) {
        let worker = games.first().and_then(|game| game.worker.clone()).unwrap_or_default();
        self.waiting.insert(pair, (worker, games.iter().map(moves).collect()));
    }

    /// Compares the second play with the first; `None` if both were of one worker.
    pub fn second(&mut self, pair: u64, games: &[GameRecord]) -> Option<Finding> {
        let (first, expected) = self.waiting.remove(&pair)?;
        let second = games.first().and_then(|game| game.worker.clone()).unwrap_or_default();
        if first == second {
            return None;
        }
        if games.iter().map(moves).eq(expected) {
            self.agreed += 1;
            return Some(Finding::Agree);
        }
        for (one, other) in [(&first, &second), (&second, &first)] {
            self.differed.entry(one.clone()).or_default().insert(other.clone());
        }
        let wrong = [&first, &second].into_iter().find(|worker| self.differed[*worker].len() > 1);
        Some(match wrong {
            Some(wrong) => Finding::Wrong(wrong.clone()),
            None => Finding::Differ(first, second),
        })
    }
}

/// The moves of a game with its result, without tags and comments, which have times.
fn moves(game: &GameRecord) -> String {
    let mut depth = 0;
    let lines = game.pgn.lines().filter(|line| !line.starts_with('['));
    let letters = lines.flat_map(|line| line.chars().chain([' ']));
    let kept: String = letters
        .filter(|letter| {
            depth += i32::from(*letter == '{');
            let is_kept = depth == 0;
            depth -= i32::from(*letter == '}');
            is_kept
        })
        .collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::arena::{Leg, Termination};
    use crate::stats::GameScore;

    fn game(worker: &str, text: &str) -> GameRecord {
        GameRecord {
            pair: 0,
            leg: Leg::First,
            white: 0,
            black: 1,
            result: GameScore::Win,
            termination: Termination::Checkmate,
            reason: String::new(),
            plies: 1,
            took: Duration::ZERO,
            nodes: [None; 2],
            pgn: format!("[Event \"{worker}\"]\n\n{text}\n\n"),
            worker: Some(worker.to_owned()),
        }
    }

    #[test]
    fn a_worker_that_differs_from_two_others_is_named() {
        let mut plays = SecondPlays::default();
        let mut compare = |pair, one: &str, first: &str, other: &str, second: &str| {
            plays.first(pair, &[game(one, first)]);
            plays.second(pair, &[game(other, second)])
        };
        let (plain, timed) = ("1. e4 e5 1-0", "1. e4 {+0.3/5 0.01s} e5 {-0.2/4\n0.02s} 1-0");
        assert_eq!(compare(1, "a", plain, "b", timed), Some(Finding::Agree));
        assert_eq!(compare(2, "a", plain, "a", "1. d4 1-0"), None);
        let liar = "1. e4 e5 0-1";
        let (a, x) = ("a".to_owned(), "x".to_owned());
        assert_eq!(compare(3, "a", plain, "x", liar), Some(Finding::Differ(a, x.clone())));
        assert_eq!(compare(4, "x", liar, "b", plain), Some(Finding::Wrong(x)));
        assert_eq!(plays.second(99, &[game("a", plain)]), None);
    }
}
