//! Pairs that are played twice on purpose.
//!
//! At fixed nodes a pair has the same moves wherever it is played. Of two workers whose moves differ one has
//! another engine, broken memory, or lies.

use std::collections::BTreeMap;

use super::work::RemoteWork;

/// Of the pairs of each worker the first and one in this many are played twice.
const SECOND_PLAY_INTERVAL: u64 = 40;

/// Attempt of a second play, so that its result has a subject of its own; the next ones follow if
/// it was played by the worker of the first.
pub const SECOND_ATTEMPT: u32 = 1 << 16;

/// How often a pair is given out until another worker plays it.
const MAX_TRIES: u32 = 4;

/// First plays that wait for their second one.
#[derive(Debug)]
pub struct SecondPlays<W: RemoteWork> {
    /// Pairs of each worker.
    played: BTreeMap<String, u64>,
    waiting: BTreeMap<u64, FirstPlay<W>>,
}

impl<W: RemoteWork> Default for SecondPlays<W> {
    fn default() -> SecondPlays<W> {
        let (played, waiting) = Default::default();
        SecondPlays { played, waiting }
    }
}

/// A play of a task by a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Play {
    /// Name and key of the worker.
    pub worker: String,
    /// Its public key.
    pub key: String,
    /// The repeatable part of its answer.
    pub moves: Vec<String>,
}

#[derive(Debug)]
struct FirstPlay<W: RemoteWork> {
    play: Play,
    /// The token of that worker.
    token: String,
    task: W::Task,
    /// The attempt whose result is awaited.
    attempt: u32,
}

/// Finding of a second play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding<T> {
    /// The same moves.
    Agree,
    /// Other moves in a task; of two workers it is open which is wrong.
    Differ(T, [Play; 2]),
    /// Nothing: the worker of the first has played it. To be given out again, under this attempt.
    Again(u32),
}

impl<W: RemoteWork> SecondPlays<W> {
    /// Notes the first play of a task whose moves repeat, with its worker and that one's token; gives the
    /// attempt of the second one, if there is to be one. `play` is made only then.
    pub fn first(
        &mut self,
        task: &W::Task,
        worker: &str,
        token: &str,
        play: impl FnOnce() -> Play,
    ) -> Option<u32> {
        if !self.played.contains_key(worker) {
            self.played.insert(worker.to_owned(), 0);
        }
        let played = self.played.get_mut(worker)?;
        let is_chosen = played.is_multiple_of(SECOND_PLAY_INTERVAL);
        *played += 1;
        if !is_chosen {
            return None;
        }
        let attempt = SECOND_ATTEMPT;
        let (task, token, play) = (task.clone(), token.to_owned(), play());
        self.waiting.insert(W::number(&task), FirstPlay { play, token, task, attempt });
        Some(attempt)
    }

    /// Has a task that was played by a worker of a token played again, also if it waits for that already: its
    /// job may be withdrawn. Gives the attempt.
    pub fn again(&mut self, task: &W::Task, play: Play, token: &str) -> u32 {
        let number = W::number(task);
        let waits = self.waiting.get(&number);
        let attempt = waits.map_or(SECOND_ATTEMPT, |first| first.attempt + 1);
        let (task, token) = (task.clone(), token.to_owned());
        self.waiting.insert(number, FirstPlay { play, token, task, attempt });
        attempt
    }

    /// Whether a second play is awaited of one of these tasks.
    pub fn is_one_awaited(&self, numbers: &[u64]) -> bool {
        numbers.iter().any(|number| self.waiting.contains_key(number))
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
    pub fn second(&mut self, number: u64, attempt: u32, second: Play) -> Option<Finding<W::Task>> {
        let mut first = self.waiting.remove(&number)?;
        if first.play.key == second.key {
            let attempt = attempt + 1;
            if attempt >= SECOND_ATTEMPT + MAX_TRIES {
                return None;
            }
            first.attempt = attempt;
            self.waiting.insert(number, first);
            return Some(Finding::Again(attempt));
        }
        Some(match first.play.moves == second.moves {
            true => Finding::Agree,
            false => Finding::Differ(first.task, [first.play, second]),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
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

    pub(crate) fn task(pair: u64) -> Box<PairJob> {
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

    fn play(worker: &str, text: &str) -> Play {
        let moves = GamePairs::fingerprint(&game(text));
        Play { worker: format!("{worker} {worker}"), key: worker.to_owned(), moves }
    }

    #[test]
    fn two_workers_with_other_moves_differ_and_times_do_not_matter() {
        let mut plays = SecondPlays::<GamePairs>::default();
        let mut compare = |pair, one: &str, first: &str, other: &str, second: &str| {
            // As if it were the first of this worker.
            plays.played.clear();
            let first = play(one, first);
            let worker = first.worker.clone();
            let attempt = plays.first(&task(pair), &worker, "worker1", || first);
            let attempt = attempt.expect("it is chosen");
            match plays.second(pair, attempt, play(other, second)).expect("it is awaited") {
                Finding::Agree => "agree".to_owned(),
                Finding::Differ(_, [first, second]) => format!("{} or {}", first.key, second.key),
                Finding::Again(attempt) => format!("{attempt} of {pair}"),
            }
        };
        let (plain, timed) = ("1. e4 e5 1-0", "1. e4 {+0.3/5 0.01s} e5 {-0.2/4\n0.02s} 1-0");
        assert_eq!(compare(1, "a", plain, "b", timed), "agree");
        assert_eq!(compare(2, "a", plain, "a", plain), format!("{} of 2", SECOND_ATTEMPT + 1));
        assert_eq!(compare(3, "a", plain, "x", "1. e4 e5 0-1"), "a or x");
        assert!(plays.second(99, SECOND_ATTEMPT, play("a", plain)).is_none());
    }

    #[test]
    fn the_first_pair_of_each_worker_and_every_fortieth_is_played_twice() {
        let mut plays = SecondPlays::<GamePairs>::default();
        let mut chosen = |pair, worker| {
            let first = || play(worker, "1. e4 1-0");
            plays.first(&task(pair), worker, "worker1", first).is_some()
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
