//! Pairs that are played twice on purpose.
//!
//! At fixed nodes a pair has the same moves wherever it is played. A worker whose moves differ from
//! those of several others has another engine, broken memory, or lies.

use std::collections::{BTreeMap, BTreeSet};

use super::work::RemoteWork;

/// Of the pairs of each worker the first and one in this many are played twice.
const SECOND_PLAY_INTERVAL: u64 = 40;

/// Attempt of a second play, so that its result has a subject of its own; the next ones follow if
/// it was played by the worker of the first.
pub const SECOND_ATTEMPT: u32 = 1 << 16;

/// How often a pair is given out until another worker plays it.
const MAX_TRIES: u32 = 4;

/// First plays that wait for their second one, and what was found.
#[derive(Debug)]
pub struct SecondPlays<W: RemoteWork> {
    /// Pairs of each worker.
    played: BTreeMap<Worker, u64>,
    waiting: BTreeMap<u64, FirstPlay<W>>,
    /// By worker: those whose moves differed.
    differed: BTreeMap<Worker, BTreeSet<Worker>>,
}

impl<W: RemoteWork> Default for SecondPlays<W> {
    fn default() -> SecondPlays<W> {
        let (played, waiting, differed) = Default::default();
        SecondPlays { played, waiting, differed }
    }
}

#[derive(Debug)]
struct FirstPlay<W: RemoteWork> {
    worker: Worker,
    /// The token of that worker.
    token: String,
    /// The repeatable part of its answer.
    moves: Vec<String>,
    task: W::Task,
    /// The attempt whose result is awaited.
    attempt: u32,
}

/// Name and key of a worker.
type Worker = String;

/// Finding of a second play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The same moves.
    Agree,
    /// Other moves; of two workers it is open which is wrong.
    Differ(Worker, Worker),
    /// Other moves, by a worker that differs from several others.
    Wrong(Worker),
    /// Nothing: the worker of the first has played it. To be given out again, under this attempt.
    Again(u32),
}

impl<W: RemoteWork> SecondPlays<W> {
    /// Notes the first play of a task whose moves repeat, with its worker and the worker's token; gives the
    /// attempt of the second one, if there is to be one.
    pub fn first(
        &mut self,
        task: W::Task,
        answer: &W::Answer,
        (worker, token): (&str, &str),
    ) -> Option<u32> {
        let played = self.played.entry(worker.to_owned()).or_default();
        let is_chosen = played.is_multiple_of(SECOND_PLAY_INTERVAL);
        *played += 1;
        if !is_chosen {
            return None;
        }
        let (worker, token) = (worker.to_owned(), token.to_owned());
        let (number, moves) = (W::number(&task), W::fingerprint(answer));
        let attempt = SECOND_ATTEMPT;
        self.waiting.insert(number, FirstPlay { worker, token, moves, task, attempt });
        Some(attempt)
    }

    /// A task that waits for its second play, and the token of who played it first.
    pub fn task(&self, number: u64) -> Option<(W::Task, String)> {
        self.waiting.get(&number).map(|first| (first.task.clone(), first.token.clone()))
    }

    /// Whether the result of an attempt is awaited.
    pub fn is_awaited(&self, number: u64, attempt: u32) -> bool {
        self.waiting.get(&number).is_some_and(|first| first.attempt == attempt)
    }

    /// Compares a second play with the first; `None` if it is not awaited.
    pub fn second(
        &mut self,
        number: u64,
        attempt: u32,
        answer: &W::Answer,
        second: &str,
    ) -> Option<Finding> {
        let mut first = self.waiting.remove(&number)?;
        if first.worker == second {
            let attempt = attempt + 1;
            if attempt >= SECOND_ATTEMPT + MAX_TRIES {
                return None;
            }
            first.attempt = attempt;
            self.waiting.insert(number, first);
            return Some(Finding::Again(attempt));
        }
        if W::fingerprint(answer) == first.moves {
            return Some(Finding::Agree);
        }
        let first = first.worker;
        let second = second.to_owned();
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::work::GamePairs;
    use harness_arena::{Colours, Conduct, GameRecord, Leg, Opening, PairJob, Side, Termination};
    use harness_player::pool::Settings;
    use harness_player::{EngineSpec, Limit};
    use harness_stats::GameScore;

    fn game(text: &str) -> Vec<GameRecord> {
        vec![GameRecord {
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
            pgn: format!("[Event \"{}\"]\n\n{text}\n\n", text.len()),
            worker: None,
        }]
    }

    fn task(pair: u64) -> Box<PairJob> {
        let side = |number| Side {
            number,
            name: "a".to_owned(),
            engine: EngineSpec::builtin("a"),
            settings: Settings::default(),
            limit: Limit::Nodes(1),
        };
        let (sides, opening) = ([side(0), side(1)], Opening::default());
        let colours = Colours::default();
        Box::new(PairJob { pair, sides, opening, second_opening: None, colours, only: None })
    }

    #[test]
    fn a_worker_that_differs_from_two_others_is_named() {
        let mut plays = SecondPlays::<GamePairs>::default();
        let mut compare = |pair, one: &str, first: &str, other: &str, second: &str| {
            // As if it were the first of this worker.
            plays.played.clear();
            let again = plays.first(task(pair), &game(first), (one, "worker1"));
            let finding = plays.second(pair, again.expect("it is chosen"), &game(second), other);
            match finding.expect("it is awaited") {
                Finding::Agree => "agree".to_owned(),
                Finding::Differ(one, other) => format!("{one} or {other}"),
                Finding::Wrong(worker) => worker,
                Finding::Again(attempt) => format!("{attempt} of {pair}"),
            }
        };
        let (plain, timed) = ("1. e4 e5 1-0", "1. e4 {+0.3/5 0.01s} e5 {-0.2/4\n0.02s} 1-0");
        let liar = "1. e4 e5 0-1";
        assert_eq!(compare(1, "a", plain, "b", timed), "agree");
        assert_eq!(compare(2, "a", plain, "a", plain), format!("{} of 2", SECOND_ATTEMPT + 1));
        assert_eq!(compare(3, "a", plain, "x", liar), "a or x");
        assert_eq!(compare(4, "x", liar, "b", plain), "x");
        assert!(plays.second(99, SECOND_ATTEMPT, &game(plain), "a").is_none());
    }

    #[test]
    fn the_first_pair_of_each_worker_and_every_fortieth_is_played_twice() {
        let mut plays = SecondPlays::<GamePairs>::default();
        let mut chosen = |pair, worker| {
            plays.first(task(pair), &game("1. e4 1-0"), (worker, "worker1")).is_some()
        };
        assert!(chosen(0, "a") && !chosen(1, "a") && chosen(2, "b"));
        assert!((3..41).all(|pair| !chosen(pair, "a")));
        assert!(chosen(41, "a"));
        let rules = GamePairs { event: String::new(), conduct: Conduct::default() };
        let mut timed = task(0);
        timed.sides[1].limit = Limit::MoveTime(Duration::from_secs(1));
        let half = Box::new(PairJob { only: Some(Leg::First), ..*task(0) });
        assert!(rules.repeats(&task(0)) && !rules.repeats(&timed) && !rules.repeats(&half));
    }
}
