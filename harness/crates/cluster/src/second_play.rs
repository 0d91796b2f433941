//! Pairs that are played twice on purpose.
//!
//! At fixed nodes a pair has the same moves wherever it is played. A worker whose moves differ from
//! those of several others has another engine, broken memory, or lies.

use std::collections::{BTreeMap, BTreeSet};

use super::message::{Assignment, Outcome, Rules, Task};
use harness_arena::GameRecord;
use harness_player::Limit;

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
    moves: Vec<String>,
    task: Task,
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

/// Whether the moves of a task repeat.
pub fn repeats(rules: &Rules, threads: usize, task: &Task) -> bool {
    let is_fixed = |limit: &Limit| matches!(limit, Limit::Nodes(_) | Limit::Depth(_));
    let repeats = match (rules, task) {
        (_, Task::Pair(job)) => {
            job.only.is_none() && job.sides.iter().all(|side| is_fixed(&side.limit))
        }
        (Rules::Suite { effort, .. }, _) => is_fixed(&effort.limit),
        (Rules::Scores { limit, .. }, _) => is_fixed(limit),
        _ => true,
    };
    threads <= 1 && repeats
}

impl SecondPlays {
    /// Notes the first play of a task whose moves repeat; gives its second one, if there is to be
    /// one.
    pub fn first(&mut self, task: Task, outcome: &Outcome, worker: &str) -> Option<Assignment> {
        let played = self.played.entry(worker.to_owned()).or_default();
        let is_chosen = played.is_multiple_of(EVERY);
        *played += 1;
        if !is_chosen {
            return None;
        }
        let (worker, moves) = (worker.to_owned(), moves(outcome));
        self.waiting.insert(task.number(), FirstPlay { worker, moves, task: task.clone() });
        Some(Assignment { attempt: SECOND, task })
    }

    /// Compares a second play with the first; `None` if it is not awaited.
    pub fn second(
        &mut self,
        number: u64,
        attempt: u32,
        outcome: &Outcome,
        second: &str,
    ) -> Option<Finding> {
        let first = self.waiting.remove(&number)?;
        if first.worker == second {
            let attempt = attempt + 1;
            if attempt >= SECOND + MOST_TRIES {
                return None;
            }
            let again = Assignment { attempt, task: first.task.clone() };
            self.waiting.insert(number, first);
            return Some(Finding::Again(Box::new(again)));
        }
        if moves(outcome) == first.moves {
            return Some(Finding::Agree);
        }
        let (first, second) = (first.worker, second.to_owned());
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

/// What repeats of an outcome.
fn moves(outcome: &Outcome) -> Vec<String> {
    match outcome {
        Outcome::Games(games) => games.iter().map(moves_of_game).collect(),
        Outcome::Position(result) => vec![format!("{:?} {:?}", result.r#move, result.nodes)],
        Outcome::Game(text) => vec![text.clone()],
        Outcome::Scores(scores) => scores.iter().map(|one| format!("{one:?}")).collect(),
    }
}

/// The moves of a game with its result, without tags and comments, which have times.
fn moves_of_game(game: &GameRecord) -> String {
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
    use harness_arena::{Colours, Conduct, Leg, Opening, PairJob, Side, Termination};
    use harness_player::EngineSpec;
    use harness_player::pool::Settings;
    use harness_stats::GameScore;

    fn game(text: &str) -> Outcome {
        Outcome::Games(vec![GameRecord {
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
        }])
    }

    fn task(pair: u64) -> Task {
        let side = |number| Side {
            number,
            name: "a".to_owned(),
            engine: EngineSpec::builtin("a"),
            settings: Settings::default(),
            limit: Limit::Nodes(1),
        };
        let (sides, opening) = ([side(0), side(1)], Opening::default());
        Task::Pair(Box::new(PairJob {
            pair,
            sides,
            opening,
            second_opening: None,
            colours: Colours::default(),
            only: None,
        }))
    }

    #[test]
    fn a_worker_that_differs_from_two_others_is_named() {
        let mut plays = SecondPlays::default();
        let mut compare = |pair, one: &str, first: &str, other: &str, second: &str| {
            // As if it were the first of this worker.
            plays.played.clear();
            let again = plays.first(task(pair), &game(first), one).expect("it is chosen");
            plays.second(pair, again.attempt, &game(second), other)
        };
        let (plain, timed) = ("1. e4 e5 1-0", "1. e4 {+0.3/5 0.01s} e5 {-0.2/4\n0.02s} 1-0");
        assert_eq!(compare(1, "a", plain, "b", timed), Some(Finding::Agree));
        let again = Assignment { attempt: SECOND + 1, task: task(2) };
        assert_eq!(compare(2, "a", plain, "a", plain), Some(Finding::Again(Box::new(again))));
        let liar = "1. e4 e5 0-1";
        let (a, x) = ("a".to_owned(), "x".to_owned());
        assert_eq!(compare(3, "a", plain, "x", liar), Some(Finding::Differ(a, x.clone())));
        assert_eq!(compare(4, "x", liar, "b", plain), Some(Finding::Wrong(x)));
        assert_eq!(plays.second(99, SECOND, &game(plain), "a"), None);
    }

    #[test]
    fn the_first_pair_of_each_worker_and_every_fortieth_is_played_twice() {
        let mut plays = SecondPlays::default();
        let mut chosen =
            |pair, worker| plays.first(task(pair), &game("1. e4 1-0"), worker).is_some();
        assert!(chosen(0, "a") && !chosen(1, "a") && chosen(2, "b"));
        assert!((3..41).all(|pair| !chosen(pair, "a")));
        assert!(chosen(41, "a"));
        let rules = Rules::Games { event: String::new(), conduct: Conduct::default() };
        // Two threads do not repeat their moves.
        assert!(repeats(&rules, 1, &task(0)) && !repeats(&rules, 2, &task(0)));
    }
}
