//! Pairs that are played twice on purpose.
//!
//! At fixed nodes a pair has the same moves wherever it is played. A worker whose moves differ from
//! those of several others has another engine, broken memory, or lies.

use std::collections::{BTreeMap, BTreeSet};

use super::message::Assignment;
use crate::arena::{GameRecord, PairJob};
use crate::player::Limit;

/// Of the pairs of each worker the first and one in this many are played twice.
const EVERY: u64 = 40;

/// Attempt of a second play, so that its result has a subject of its own; the next ones follow if
/// it was played by the worker of the first.
pub const SECOND: u32 = 1 << 16;

/// How often a pair is given out until another worker plays it.
const MOST_TRIES: u32 = 4;

/// First plays that wait for their second one, and what was found.
#[derive(Debug, Default)]
pub struct SecondPlays {
    /// Pairs of each worker.
    played: BTreeMap<Worker, u64>,
    waiting: BTreeMap<u64, FirstPlay>,
    /// By worker: those whose moves differed.
    differed: BTreeMap<Worker, BTreeSet<Worker>>,
}

#[derive(Debug)]
struct FirstPlay {
    worker: Worker,
    /// Of its games.
    moves: Vec<String>,
    job: PairJob,
}

/// Name and key of a worker.
type Worker = String;

/// What a second play has shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The same moves.
    Agree,
    /// Other moves; of two workers it is open which is wrong.
    Differ(Worker, Worker),
    /// Other moves, by a worker that differs from several others.
    Wrong(Worker),
    /// Nothing: the worker of the first has played it. To be given out again.
    Again(Box<Assignment>),
}

/// Whether the moves of a pair repeat.
fn repeats(job: &PairJob, threads: usize) -> bool {
    let repeats = |limit: &Limit| matches!(limit, Limit::Nodes(_) | Limit::Depth(_));
    threads <= 1 && job.only.is_none() && job.sides.iter().all(|side| repeats(&side.limit))
}

impl SecondPlays {
    /// Notes the first play of a pair; gives its second one, if there is to be one.
    pub fn first(
        &mut self,
        job: PairJob,
        threads: usize,
        games: &[GameRecord],
    ) -> Option<Assignment> {
        let worker = games.first()?.worker.clone()?;
        let played = self.played.entry(worker.clone()).or_default();
        let is_chosen = played.is_multiple_of(EVERY);
        *played += 1;
        if !is_chosen || !repeats(&job, threads) {
            return None;
        }
        let moves = games.iter().map(moves).collect();
        self.waiting.insert(job.pair, FirstPlay { worker, moves, job: job.clone() });
        Some(Assignment { attempt: SECOND, job })
    }

    /// Compares a second play with the first; `None` if it is not awaited.
    pub fn second(&mut self, pair: u64, attempt: u32, games: &[GameRecord]) -> Option<Finding> {
        let first = self.waiting.remove(&pair)?;
        let second = games.first().and_then(|game| game.worker.clone()).unwrap_or_default();
        if first.worker == second {
            let attempt = attempt + 1;
            if attempt >= SECOND + MOST_TRIES {
                return None;
            }
            let again = Assignment { attempt, job: first.job.clone() };
            self.waiting.insert(pair, first);
            return Some(Finding::Again(Box::new(again)));
        }
        if games.iter().map(moves).eq(first.moves) {
            return Some(Finding::Agree);
        }
        let first = first.worker;
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
    use crate::arena::{Leg, Opening, Side, Termination};
    use crate::player::EngineSpec;
    use crate::player::pool::Settings;
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

    fn job(pair: u64) -> PairJob {
        let side = |number| Side {
            number,
            name: "a".to_owned(),
            engine: EngineSpec::builtin("a"),
            settings: Settings::default(),
            limit: Limit::Nodes(1),
        };
        PairJob { pair, sides: [side(0), side(1)], opening: Opening::default(), only: None }
    }

    #[test]
    fn a_worker_that_differs_from_two_others_is_named() {
        let mut plays = SecondPlays::default();
        let mut compare = |pair, one: &str, first: &str, other: &str, second: &str| {
            // As if it were the first of this worker.
            plays.played.clear();
            let again = plays.first(job(pair), 1, &[game(one, first)]).expect("it is chosen");
            plays.second(pair, again.attempt, &[game(other, second)])
        };
        let (plain, timed) = ("1. e4 e5 1-0", "1. e4 {+0.3/5 0.01s} e5 {-0.2/4\n0.02s} 1-0");
        assert_eq!(compare(1, "a", plain, "b", timed), Some(Finding::Agree));
        let again = Assignment { attempt: SECOND + 1, job: job(2) };
        assert_eq!(compare(2, "a", plain, "a", plain), Some(Finding::Again(Box::new(again))));
        let liar = "1. e4 e5 0-1";
        let (a, x) = ("a".to_owned(), "x".to_owned());
        assert_eq!(compare(3, "a", plain, "x", liar), Some(Finding::Differ(a, x.clone())));
        assert_eq!(compare(4, "x", liar, "b", plain), Some(Finding::Wrong(x)));
        assert_eq!(plays.second(99, SECOND, &[game("a", plain)]), None);
    }

    #[test]
    fn the_first_pair_of_each_worker_and_every_fortieth_is_played_twice() {
        let mut plays = SecondPlays::default();
        let mut chosen = |pair, worker: &str, threads| {
            plays.first(job(pair), threads, &[game(worker, "1. e4 1-0")]).is_some()
        };
        assert!(chosen(0, "a", 1) && !chosen(1, "a", 1) && chosen(2, "b", 1));
        assert!((3..41).all(|pair| !chosen(pair, "a", 1)));
        assert!(chosen(41, "a", 1));
        // Two threads do not repeat their moves.
        assert!(!chosen(42, "c", 2));
    }
}
