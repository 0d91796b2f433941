//! Several threads search the same root and share the transposition table: lazy SMP.
//!
//! No work is handed out. Each thread deepens by itself, with histories of its own; because they
//! reach the same nodes at different times with different histories, they search different parts,
//! and what one has found the others read in the table. The first thread alone looks at the clock,
//! reports, and ends the search for all. (The idea is as old as the "shared hash table" programs
//! of the 1990s; D. Homan's and the Stockfish team's work of 2013 to 2016 made it the standard.)

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::deepening::deepen;
use super::drivers::Algorithm;
use super::frame::Stack;
use super::history::Histories;
use super::limits::{Limits, Root};
use super::reductions::Reductions;
use super::score::{MATE, MATE_FOUND, Score, Value};
use super::searcher::{Account, Bounded, Outcome, Progress};
use super::table::Table;
use super::tables::{RootRanks, TableUse};
use super::time::Timer;
use super::tree::Tree;
use crate::board::Move;
use crate::eval::Evaluator;
use crate::params::Params;

/// What a thread keeps to itself.
pub(super) struct Mind<E> {
    pub evaluator: E,
    histories: Histories,
    stack: Stack,
}

impl<E> Mind<E> {
    pub fn new(evaluator: E) -> Mind<E> {
        Mind { evaluator, histories: Histories::new(), stack: Stack::new() }
    }

    pub fn forget(&mut self) {
        self.histories = Histories::new();
    }
}

/// What all threads of a search work on.
pub(super) struct Task<'a, P> {
    pub params: &'a P,
    pub table: &'a Table,
    pub reductions: &'a Reductions,
    pub algorithm: Algorithm,
    pub root: &'a Root,
    pub limits: &'a Limits,
    /// Root moves to look at.
    pub root_moves: Vec<Move>,
    /// How endgame tables are asked inside the tree, if they are.
    pub table_use: Option<&'a TableUse>,
    /// What they say of the root moves.
    pub ranks: Option<&'a RootRanks>,
    /// Positions that they knew.
    pub table_hits: AtomicU64,
}

/// How the threads of a search hear of each other.
pub(super) struct Crew {
    counters: Vec<Counter>,
    /// The first thread has ended.
    over: AtomicBool,
}

/// Nodes of a thread, as it last told; on a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct Counter(AtomicU64);

impl Crew {
    pub fn new(threads: usize) -> Crew {
        let mut counters = Vec::new();
        counters.resize_with(threads, Counter::default);
        Crew { counters, over: AtomicBool::new(false) }
    }

    fn nodes(&self, thread: usize) -> u64 {
        self.counters[thread].0.load(Relaxed)
    }

    pub fn visited(&self, thread: usize) -> Visited<'_> {
        Visited { crew: self, thread }
    }
}

/// The nodes of all threads, as one of them sees and tells them.
#[derive(Clone, Copy)]
pub(super) struct Visited<'a> {
    crew: &'a Crew,
    thread: usize,
}

impl Visited<'_> {
    /// Tells the others how many this thread has visited.
    pub fn tell(self, nodes: u64) {
        self.crew.counters[self.thread].0.store(nodes, Relaxed);
    }

    /// What all threads have told.
    pub fn total(self) -> u64 {
        self.crew.counters.iter().map(|counter| counter.0.load(Relaxed)).sum()
    }

    /// This thread's share of so many nodes: an equal one, so that the limit is kept exactly
    /// without asking the others at every node. The first gets what is left over.
    pub fn share(self, nodes: u64) -> u64 {
        let threads = self.crew.counters.len() as u64;
        nodes / threads + if self.thread == 0 { nodes % threads } else { 0 }
    }
}

/// Ends the helpers when the first thread has ended, however it did.
struct Release<'a>(&'a Crew);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.over.store(true, Relaxed);
    }
}

/// Searches with a thread a mind, the first of them the calling one, and tells `answer` what is
/// known best at the end. A thread that the system does not grant is done without.
///
/// The answer does not wait for the helpers to notice that the search is over, which on a busy
/// machine takes them a while: each has told what it last found.
pub(super) fn search<P: Params, E: Evaluator + Send>(
    task: &Task<'_, P>,
    minds: &mut [Mind<E>],
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    answer: &mut dyn FnMut(&Outcome),
) -> Outcome {
    let limits = task.limits;
    let crew = &Crew::new(minds.len());
    let told: &Vec<Mutex<Option<Progress>>> = &minds.iter().map(|_| Mutex::default()).collect();
    let Some((first, helpers)) = minds.split_first_mut() else {
        unreachable!("a searcher has at least one thread")
    };
    // Now: on a busy machine, starting the others takes its time, too.
    let timer = Timer::new(limits, task.params, stop, crew.visited(0));
    let mut outcome = thread::scope(|scope| {
        let helpers: Vec<_> = (1..)
            .zip(helpers)
            .filter_map(|(number, mind)| {
                let help = move || help(task, mind, crew.visited(number), &told[number]);
                thread::Builder::new()
                    .name(format!("helper {number}"))
                    .spawn_scoped(scope, help)
                    .ok()
            })
            .collect();
        let release = Release(crew);
        let first = think(task, first, timer, limits, report);
        drop(release);
        let outcome = conclude(task, crew, first, told, report);
        answer(&outcome);
        for helper in helpers {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        outcome
    });
    // By now all have told the last of it.
    for (account, number) in outcome.accounts.iter_mut().zip(0..) {
        account.nodes = crew.nodes(number);
    }
    outcome.last.nodes = crew.visited(0).total();
    outcome
}

/// What a helper does: it searches as long as the first thread has anything to do.
fn help<P: Params, E: Evaluator>(
    task: &Task<'_, P>,
    mind: &mut Mind<E>,
    visited: Visited<'_>,
    told: &Mutex<Option<Progress>>,
) {
    let timer = Timer::of_helper(task.limits, &visited.crew.over, visited);
    let limits = Limits { depth: None, ..task.limits.clone() };
    let mut tell = |progress: &Progress| {
        if progress.line == 1 {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
        }
        ControlFlow::Continue(())
    };
    think(task, mind, timer, &limits, &mut tell);
}

/// Decides which line is played, and reports it where that was not the last thing reported.
fn conclude<P>(
    task: &Task<'_, P>,
    crew: &Crew,
    first: Progress,
    told: &[Mutex<Option<Progress>>],
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Outcome {
    let time = first.time;
    let mut found = vec![first];
    for told in &told[1..] {
        let told = told.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // One that has told nothing yet has no say.
        found.push(told.unwrap_or_else(|| Progress { depth: 0, ..found[0].clone() }));
    }
    let account = |(number, found): (usize, &Progress)| Account {
        nodes: crew.nodes(number),
        depth: finished(found),
        score: found.score,
        best_move: found.pv.first().copied(),
    };
    let accounts: Vec<Account> = found.iter().enumerate().map(account).collect();
    let nodes = accounts.iter().map(|account| account.nodes).sum();
    // A depth that was asked for, or several lines, are the first thread's to tell.
    let alone = task.limits.depth.is_some() || task.limits.lines > 1;
    let elected = if alone { 0 } else { elect(&found) };
    let table_hits = task.table_hits.load(Relaxed);
    let last = Progress { nodes, table_hits, time, ..found.swap_remove(elected) };
    if elected != 0 {
        // There is nothing to break off.
        let _ = report(&last);
    }
    let [best_move, ponder] = [0, 1].map(|at| last.pv.get(at).copied());
    Outcome { best_move, ponder, last, accounts, elected }
}

fn think<P: Params, E: Evaluator>(
    task: &Task<'_, P>,
    mind: &mut Mind<E>,
    timer: Timer<'_>,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Progress {
    mind.stack.reset();
    let Stack { frames, lines, buffers } = &mut mind.stack;
    let mut tree = Tree {
        params: task.params,
        evaluator: &mut mind.evaluator,
        table: task.table,
        histories: &mut mind.histories,
        table_use: task.table_use,
        ranks: task.ranks,
        reductions: task.reductions,
        timer,
        keys: task.root.earlier().to_vec(),
        frames,
        buffers,
        lines,
        root_moves: task.root_moves.clone(),
        root_best: None,
        scout: true,
        root_depth: 0,
        null_from: 0,
        nodes: 0,
        table_hits: &task.table_hits,
        seldepth: 0,
        stopped: false,
    };
    deepen(&mut tree, task.algorithm, task.root, limits, report)
}

/// The thread whose line is played. A mate that was found is played, the nearest first; else the
/// threads vote for their moves with the weight of their depth and of how much better their value
/// is than the worst, as Stockfish does since 2018, and the deepest of the winners is taken.
fn elect(found: &[Progress]) -> usize {
    let numbered: Vec<(usize, &Progress)> = found.iter().enumerate().collect();
    let candidates: Vec<_> = numbered.iter().filter(|(_, found)| finished(found) > 0).collect();
    let mating = candidates.iter().filter(|(_, found)| worth(found) >= MATE_FOUND);
    // Of equals the first thread.
    if let Some((number, _)) = mating.rev().max_by_key(|(_, found)| worth(found)) {
        return *number;
    }
    let worst = candidates.iter().map(|(_, found)| worth(found)).min().unwrap_or(0);
    let weight = |found: &Progress| {
        i64::from(worth(found) - worst + VOTE_FLOOR) * i64::from(finished(found))
    };
    let head = |found: &Progress| found.pv.first().copied();
    let votes = |of: &Progress| -> i64 {
        let agreeing = candidates.iter().filter(|(_, found)| head(found) == head(of));
        agreeing.map(|(_, found)| weight(found)).sum()
    };
    let best = candidates.iter().rev().max_by_key(|(_, found)| (votes(found), weight(found)));
    best.map_or(0, |(number, _)| *number)
}

/// The last iteration that was finished, in plies; 0 before the first.
fn finished(found: &Progress) -> u32 {
    match found.bounded {
        Bounded::Exact => found.depth,
        Bounded::AtLeast => found.depth.saturating_sub(1),
    }
}

/// The value of a score, for comparing: a mate is above or below all others, the nearer the more.
fn worth(found: &Progress) -> Value {
    match found.score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => MATE - moves,
        Score::Mate(moves) => -MATE - moves,
    }
}

/// What the worst value weighs, in centipawns.
const VOTE_FLOOR: Value = 14;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Position;
    use crate::search::score::mate_in;

    fn found(text: &str, value: Value, depth: u32) -> Progress {
        let m = Position::startpos().parse_uci(text, false).expect("legal");
        Progress {
            line: 1,
            depth,
            seldepth: depth,
            score: Score::from(value),
            bounded: Bounded::Exact,
            nodes: 0,
            table_hits: 0,
            time: Duration::ZERO,
            permille_full: 0,
            pv: vec![m],
        }
    }

    #[test]
    fn the_deepest_of_the_majority_is_elected_and_a_mate_before_all() {
        let (e4, d4) = (
            |value, depth| found("e2e4", value, depth),
            |value, depth| found("d2d4", value, depth),
        );
        assert_eq!(elect(&[e4(0, 0)]), 0);
        assert_eq!(elect(&[e4(20, 9), d4(20, 9)]), 0, "of equals the first");
        assert_eq!(elect(&[e4(20, 9), d4(20, 10)]), 1);
        assert_eq!(elect(&[e4(20, 9), d4(20, 8), d4(20, 9)]), 2);
        assert_eq!(elect(&[e4(20, 9), d4(mate_in(9), 8), d4(mate_in(5), 3)]), 2);
        assert_eq!(elect(&[e4(-mate_in(8), 9), d4(-300, 9)]), 1);
        assert_eq!(elect(&[e4(20, 1), d4(900, 0)]), 0, "nothing was finished");
    }

    #[test]
    fn shares_of_nodes_add_up() {
        for (threads, nodes) in [(1, 7), (3, 1), (3, 1000), (256, 1023)] {
            let crew = Crew::new(threads);
            let shares = (0..threads).map(|thread| crew.visited(thread).share(nodes));
            assert_eq!(shares.sum::<u64>(), nodes);
            assert!(crew.visited(0).share(nodes) > 0);
        }
    }
}
