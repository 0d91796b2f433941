//! Lazy SMP: several threads search the same root and share the transposition table.
//!
//! No work is distributed. Each thread deepens by itself with histories of its own; because they
//! reach the same nodes at different times with different histories, they search different parts of
//! the tree and find each other's results in the table. The main thread alone checks the clock,
//! reports, and ends the search for all. (The "shared hash table" programs of the 1990s; D. Homan
//! and the Stockfish team made it the standard in 2013 to 2016.)

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::correction::CorrectionHistory;
use super::counters::{SharedCounters, ThreadCounter};
use super::deepening::deepen;
use super::drivers::Algorithm;
use super::frame::Stack;
use super::history::Histories;
use super::limits::{Limits, Root};
use super::reduction_table::ReductionTable;
use super::report::{Progress, ScoreBound, SearchResult, ThreadSummary};
use super::root_ranks::RootRanks;
use super::score::{MATE, MATE_IN_MAX_PLY, Score, Value};
use super::tablebase_options::TablebaseOptions;
use super::time::Timer;
use super::tree::Tree;
use super::tt::TranspositionTable;
use crate::board::Move;
use crate::eval::Evaluator;
use crate::params::Params;

/// The data of one thread, kept from search to search.
pub(super) struct ThreadData<E> {
    pub evaluator: E,
    histories: Histories,
    corrections: CorrectionHistory,
    stack: Stack,
}

impl<E> ThreadData<E> {
    pub fn new(evaluator: E) -> ThreadData<E> {
        ThreadData {
            evaluator,
            histories: Histories::new(),
            corrections: CorrectionHistory::new(),
            stack: Stack::new(),
        }
    }

    /// Clears the histories.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.corrections.clear();
    }
}

/// Data shared by the threads of a search.
pub(super) struct SharedContext<'a, P> {
    pub params: &'a P,
    pub tt: &'a TranspositionTable,
    pub reductions: &'a ReductionTable,
    pub algorithm: Algorithm,
    pub root: &'a Root,
    pub limits: &'a Limits,
    /// Root moves to search.
    pub root_moves: Vec<Move>,
    /// Options for tablebase probes inside the tree; `None`: no probes.
    pub tb_options: Option<&'a TablebaseOptions>,
    /// Tablebase ranks of the root moves, if all are known.
    pub root_ranks: Option<&'a RootRanks>,
    /// Successful tablebase probes.
    pub tb_hits: AtomicU64,
}

/// Ends the helpers when the main thread returns or panics.
struct EndHelpers<'a>(&'a SharedCounters);

impl Drop for EndHelpers<'_> {
    fn drop(&mut self) {
        self.0.finished.store(true, Relaxed);
    }
}

/// Searches with one thread per element of `threads`; the first runs on the calling thread. Threads
/// that the system cannot start are left out, and all but the first if there is no time for them.
///
/// `on_outcome` is called before the helpers have noticed that the search is over, which takes a
/// while on a busy machine: each has published its last result.
pub(super) fn search<P: Params, E: Evaluator + Send>(
    context: &SharedContext<'_, P>,
    threads: &mut [ThreadData<E>],
    stop: &AtomicBool,
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    on_outcome: &mut dyn FnMut(&SearchResult),
) -> SearchResult {
    let limits = context.limits;
    let counters = &SharedCounters::new(threads.len());
    let results: &Vec<Mutex<Option<Progress>>> =
        &threads.iter().map(|_| Mutex::default()).collect();
    let Some((main, helpers)) = threads.split_first_mut() else {
        unreachable!("a searcher has at least one thread")
    };
    // Before the helpers start: on a busy machine that takes time, too.
    let number = context.root.position().fullmoves();
    let timer = Timer::new(limits, number, context.params, stop, counters.of_thread(0));
    let helpers = if timer.allows_helpers() { helpers } else { &mut [] };
    let mut outcome = thread::scope(|scope| {
        let helpers: Vec<_> = (1..)
            .zip(helpers)
            .filter_map(|(number, data)| {
                let help =
                    move || helper(context, data, counters.of_thread(number), &results[number]);
                thread::Builder::new()
                    .name(format!("helper {number}"))
                    .spawn_scoped(scope, help)
                    .ok()
            })
            .collect();
        let end_helpers = EndHelpers(counters);
        let main = search_thread(context, main, timer, limits, report);
        drop(end_helpers);
        let outcome = choose_outcome(context, counters, main, results, report);
        on_outcome(&outcome);
        for helper in helpers {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        outcome
    });
    // Now the counts are final.
    for (summary, number) in outcome.threads.iter_mut().zip(0..) {
        summary.nodes = counters.nodes(number);
    }
    outcome.last.nodes = counters.of_thread(0).total();
    outcome
}

/// A helper thread: searches until the main thread has finished.
fn helper<P: Params, E: Evaluator>(
    context: &SharedContext<'_, P>,
    data: &mut ThreadData<E>,
    counter: ThreadCounter<'_>,
    result: &Mutex<Option<Progress>>,
) {
    let timer = Timer::of_helper(context.limits, counter.finished(), counter);
    let limits = Limits { depth: None, ..context.limits.clone() };
    let mut publish = |progress: &Progress| {
        if progress.multipv == 1 {
            *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
        }
        ControlFlow::Continue(())
    };
    search_thread(context, data, timer, &limits, &mut publish);
}

/// Chooses the line to play, and reports it if it was not the last one reported.
fn choose_outcome<P>(
    context: &SharedContext<'_, P>,
    counters: &SharedCounters,
    main: Progress,
    results: &[Mutex<Option<Progress>>],
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> SearchResult {
    let time = main.time;
    let mut found = vec![main];
    for result in &results[1..] {
        let result = result.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Depth 0, before the first iteration: no vote.
        found.push(result.unwrap_or_else(|| Progress { depth: 0, ..found[0].clone() }));
    }
    let summary = |(number, found): (usize, &Progress)| ThreadSummary {
        nodes: counters.nodes(number),
        depth: completed_depth(found),
        score: found.score,
        best_move: found.pv.first().copied(),
    };
    let threads: Vec<ThreadSummary> = found.iter().enumerate().map(summary).collect();
    let nodes = threads.iter().map(|summary| summary.nodes).sum();
    // A depth limit and MultiPV concern the main thread only.
    let main_only = context.limits.depth.is_some() || context.limits.multipv > 1;
    let best_thread = if main_only { 0 } else { best_thread(&found) };
    let tb_hits = context.tb_hits.load(Relaxed);
    let last = Progress { nodes, tb_hits, time, ..found.swap_remove(best_thread) };
    if best_thread != 0 {
        // The search is over: there is nothing to break off.
        let _ = report(&last);
    }
    let [best_move, ponder] = [0, 1].map(|at| last.pv.get(at).copied());
    SearchResult { best_move, ponder, last, threads, best_thread }
}

/// Iterative deepening of one thread.
fn search_thread<P: Params, E: Evaluator>(
    context: &SharedContext<'_, P>,
    data: &mut ThreadData<E>,
    timer: Timer<'_>,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Progress {
    data.stack.reset();
    let Stack { frames, pv_table, buffers } = &mut data.stack;
    let mut tree = Tree {
        params: context.params,
        evaluator: &mut data.evaluator,
        tt: context.tt,
        histories: &mut data.histories,
        corrections: &mut data.corrections,
        tb_options: context.tb_options,
        root_ranks: context.root_ranks,
        reductions: context.reductions,
        timer,
        keys: context.root.earlier_keys().to_vec(),
        frames,
        buffers,
        pv_table,
        root_moves: context.root_moves.clone(),
        root_best: None,
        scout: true,
        root_depth: 0,
        null_move_min_ply: 0,
        nodes: 0,
        weakness: limits.weakness,
        tb_hits: &context.tb_hits,
        seldepth: 0,
        stopped: false,
    };
    deepen(&mut tree, context.algorithm, context.root, limits, report)
}

/// The thread whose line is played. The shortest mate wins; otherwise the threads vote for their
/// moves with the weight of their depth and of how much better their value is than the worst one,
/// as in Stockfish since 2018, and the deepest thread with the winning move is taken.
fn best_thread(found: &[Progress]) -> usize {
    let numbered: Vec<(usize, &Progress)> = found.iter().enumerate().collect();
    let candidates: Vec<_> =
        numbered.iter().filter(|(_, found)| completed_depth(found) > 0).collect();
    let mating = candidates.iter().filter(|(_, found)| sort_value(found) >= MATE_IN_MAX_PLY);
    // Reversed: of equal threads the first.
    if let Some((number, _)) = mating.rev().max_by_key(|(_, found)| sort_value(found)) {
        return *number;
    }
    let worst = candidates.iter().map(|(_, found)| sort_value(found)).min().unwrap_or(0);
    let weight = |found: &Progress| {
        i64::from(sort_value(found) - worst + VOTE_OFFSET) * i64::from(completed_depth(found))
    };
    let head = |found: &Progress| found.pv.first().copied();
    let votes = |of: &Progress| -> i64 {
        let agreeing = candidates.iter().filter(|(_, found)| head(found) == head(of));
        agreeing.map(|(_, found)| weight(found)).sum()
    };
    let best = candidates.iter().rev().max_by_key(|(_, found)| (votes(found), weight(found)));
    best.map_or(0, |(number, _)| *number)
}

/// The last completed iteration, in plies; 0 before the first.
fn completed_depth(found: &Progress) -> u32 {
    match found.bound {
        ScoreBound::Exact => found.depth,
        ScoreBound::Lower | ScoreBound::Upper => found.depth.saturating_sub(1),
    }
}

/// A score as a value to compare: shorter mates are further from zero.
fn sort_value(found: &Progress) -> Value {
    match found.score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => MATE - moves,
        Score::Mate(moves) => -MATE - moves,
    }
}

/// Vote weight of the worst value, in centipawns.
const VOTE_OFFSET: Value = 14;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::Position;
    use crate::search::score::mate_in;

    fn progress(text: &str, value: Value, depth: u32) -> Progress {
        let m = Position::startpos().parse_uci(text, false).expect("legal");
        Progress {
            multipv: 1,
            depth,
            seldepth: depth,
            score: Score::from(value),
            bound: ScoreBound::Exact,
            nodes: 0,
            tb_hits: 0,
            time: Duration::ZERO,
            hashfull: 0,
            pv: vec![m],
        }
    }

    #[test]
    fn the_best_thread_is_the_deepest_of_the_majority_or_one_with_a_mate() {
        let e4 = |value, depth| progress("e2e4", value, depth);
        let d4 = |value, depth| progress("d2d4", value, depth);
        assert_eq!(best_thread(&[e4(0, 0)]), 0);
        assert_eq!(best_thread(&[e4(20, 9), d4(20, 9)]), 0, "of equals the first");
        assert_eq!(best_thread(&[e4(20, 9), d4(20, 10)]), 1);
        assert_eq!(best_thread(&[e4(20, 9), d4(20, 8), d4(20, 9)]), 2);
        assert_eq!(best_thread(&[e4(20, 9), d4(mate_in(9), 8), d4(mate_in(5), 3)]), 2);
        assert_eq!(best_thread(&[e4(-mate_in(8), 9), d4(-300, 9)]), 1);
        assert_eq!(best_thread(&[e4(20, 1), d4(900, 0)]), 0, "nothing was finished");
    }
}
