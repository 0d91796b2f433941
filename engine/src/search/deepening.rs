//! Iterative deepening of one thread, with MultiPV.

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::drivers::Algorithm;
use super::limits::{Limits, Root};
use super::report::{Progress, ScoreBound};
use super::root_lines::{RootLine, with_earlier_lines};
use super::score::{EVAL_LIMIT, MAX_PLY, Score, Value, mated_in};
use super::tree::Tree;
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::params::Params;

/// Searches iterations of increasing depth and returns the last report of the best line.
pub(super) fn deepen<P: Params, E: Evaluator>(
    tree: &mut Tree<'_, P, E>,
    algorithm: Algorithm,
    root: &Root,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Progress {
    let position = root.position();
    let mut last = Progress {
        multipv: 1,
        depth: 0,
        seldepth: 0,
        score: Score::from(no_move_value(position, &tree.root_moves)),
        bound: ScoreBound::Exact,
        nodes: 0,
        tb_hits: tree.tb_hits.load(Relaxed),
        time: Duration::ZERO,
        hashfull: 0,
        pv: tree.root_moves.first().copied().into_iter().collect(),
    };
    if tree.root_moves.is_empty() {
        let _ = report(&last);
        return last;
    }
    let deepest = limits.depth.unwrap_or(MAX_PLY as u32 - 1).clamp(1, MAX_PLY as u32 - 1);
    let all_moves = tree.root_moves.clone();
    let count = limits.multipv.clamp(1, all_moves.len() as u32) as usize;
    let mut lines = vec![RootLine::default(); count];
    lines[0].pv.clone_from(&last.pv);
    let mut stability = Stability::default();
    for depth in 1..=deepest {
        tree.root_depth = depth as i32;
        let previous = lines[0].value;
        let found = tree.search_lines(algorithm, root, &all_moves, &lines);
        if found.is_empty() && (count == 1 || depth == 1) {
            break;
        }
        lines = with_earlier_lines(&found, &lines);
        let broken_off;
        (last, broken_off) = report_lines(tree, &lines, found.len(), report);
        if broken_off || tree.stopped {
            break;
        }
        let time_scale = stability.time_scale(&last, lines[0].value, previous);
        let mate_found = matches!((last.score, limits.mate),
            (Score::Mate(moves), Some(wanted)) if moves > 0 && moves.unsigned_abs() <= wanted);
        let forced = all_moves.len() == 1 && limits.clock.is_some();
        if mate_found || forced || !tree.timer.allows_iteration(time_scale) {
            break;
        }
    }
    last.nodes = tree.timer.total_nodes(tree.nodes);
    last.tb_hits = tree.tb_hits.load(Relaxed);
    last.time = tree.timer.elapsed();
    if last.depth == 0 && !position.in_check() {
        // Stopped before the first move had a value: that of the position without a search.
        let value = tree.evaluator.evaluate_at(position, 0).clamp(-EVAL_LIMIT, EVAL_LIMIT);
        last.score = Score::from(value);
        let _ = report(&last);
    }
    last
}

/// Reports the lines, of which `fresh` are those of this iteration, the best first. Returns the report
/// of the best one, and whether the receiver of the reports breaks off.
fn report_lines<P: Params, E: Evaluator>(
    tree: &Tree<'_, P, E>,
    lines: &[RootLine],
    fresh: usize,
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> (Progress, bool) {
    let mut sorted: Vec<&RootLine> = lines.iter().collect();
    // Of a mate that turned out shorter the value may be better than that of the line before.
    sorted[..fresh].sort_by_key(|line| Reverse(tree.sort_key(line, line.reported)));
    let nodes = tree.timer.total_nodes(tree.nodes);
    let time = tree.timer.elapsed();
    let hashfull = tree.tt.hashfull();
    let progress = |(multipv, line): (u32, &&RootLine)| Progress {
        multipv,
        depth: line.depth as u32,
        seldepth: line.seldepth as u32,
        score: Score::from(line.reported),
        bound: line.bound,
        nodes,
        tb_hits: tree.tb_hits.load(Relaxed),
        time,
        hashfull,
        pv: line.pv.clone(),
    };
    let reports: Vec<Progress> = (1..).zip(&sorted).map(progress).collect();
    let mut broken_off = false;
    for progress in &reports {
        broken_off |= report(progress).is_break();
    }
    let best = reports.into_iter().next();
    (best.unwrap_or_else(|| unreachable!("a search has at least one line")), broken_off)
}

/// Factors of the time budget by the number of iterations since the best move changed.
const STABILITY_FACTORS: [f64; 5] = [1.7, 1.25, 1.0, 0.85, 0.75];
/// Largest rise and fall of the score that count in the time budget, in centipawns.
const MAX_RISE: Value = 20;
const MAX_FALL: Value = 80;
/// Fall of the score that doubles the time budget, in centipawns.
const DOUBLING_FALL: f64 = 120.0;

/// Stability of the best move, for time management.
#[derive(Default)]
struct Stability {
    best_move: Option<Move>,
    /// Iterations since the best move changed.
    iterations: u32,
}

impl Stability {
    /// The factor of the time budget: larger while the best move changes or the score falls, smaller
    /// while both are stable.
    fn time_scale(&mut self, progress: &Progress, value: Value, previous: Value) -> f64 {
        let best_move = progress.pv.first().copied();
        self.iterations = if best_move == self.best_move { self.iterations + 1 } else { 0 };
        self.best_move = best_move;
        let last = STABILITY_FACTORS.len() - 1;
        let stability = STABILITY_FACTORS[(self.iterations as usize).min(last)];
        let fall = f64::from((previous - value).clamp(-MAX_RISE, MAX_FALL));
        stability * (1.0 + fall / DOUBLING_FALL)
    }
}

/// The value to report for a root without moves.
fn no_move_value(position: &Position, moves: &[Move]) -> Value {
    if position.in_check() && moves.is_empty() { mated_in(0) } else { 0 }
}
