//! Iterative deepening of one thread, with MultiPV.

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::drivers::{Algorithm, Iteration};
use super::limits::{Limits, Root};
use super::report::{Progress, ScoreBound};
use super::score::{MAX_PLY, Score, Value, mated_in};
use super::tree::Tree;
use super::tt::Bound;
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
        score: Score::from(tree.no_move_value(position)),
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
        let searched = search_lines(tree, algorithm, position, &all_moves, &mut lines);
        let stopped = tree.stopped;
        let bound = match searched {
            Completed::Nothing => break,
            Completed::Part => ScoreBound::Lower,
            Completed::Lines(_) => ScoreBound::Exact,
        };
        let nodes = tree.timer.total_nodes(tree.nodes);
        let time = tree.timer.elapsed();
        let hashfull = tree.tt.hashfull();
        let mut broken_off = false;
        for (number, line) in (1..).zip(&lines[..searched.count()]) {
            let progress = Progress {
                multipv: number,
                depth,
                seldepth: line.seldepth as u32,
                score: Score::from(tree.reported_value(line)),
                bound,
                nodes,
                tb_hits: tree.tb_hits.load(Relaxed),
                time,
                hashfull,
                pv: line.pv.clone(),
            };
            broken_off |= report(&progress).is_break();
            if number == 1 {
                last = progress;
            }
        }
        if broken_off || stopped {
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
    last
}

/// Plies of a principal variation per ply of the iteration: the table may hold more of it.
const MAX_PV_DEPTHS: usize = 2;

/// A line of the root, as the last iteration left it.
#[derive(Clone, Default)]
struct RootLine {
    value: Value,
    seldepth: usize,
    pv: Vec<Move>,
}

/// How much of an iteration was completed before the search was stopped.
#[derive(Clone, Copy)]
enum Completed {
    /// Nothing better than the previous iteration.
    Nothing,
    /// Part of the best line: its value is a lower bound.
    Part,
    /// This number of lines.
    Lines(usize),
}

impl Completed {
    fn count(self) -> usize {
        match self {
            Completed::Nothing => 0,
            Completed::Part => 1,
            Completed::Lines(count) => count,
        }
    }
}

/// MultiPV: searches the best line, then the best one without its first move, and so on; sorts them
/// by value.
fn search_lines<P: Params, E: Evaluator>(
    tree: &mut Tree<'_, P, E>,
    algorithm: Algorithm,
    position: &Position,
    all_moves: &[Move],
    lines: &mut [RootLine],
) -> Completed {
    let depth = tree.root_depth;
    let mut taken: Vec<Move> = Vec::with_capacity(lines.len());
    for number in 0..lines.len() {
        tree.root_moves = all_moves.iter().copied().filter(|m| !taken.contains(m)).collect();
        if let Some(ranks) = tree.root_ranks {
            ranks.keep_best(&mut tree.root_moves);
        }
        tree.seldepth = 0;
        tree.root_best = None;
        let guess = lines[number].value;
        let value = tree.search_root(algorithm, position, Iteration { depth, guess });
        let head = lines[number].pv.first().copied().filter(|m| !taken.contains(m));
        let (value, part) = match (tree.stopped, tree.root_best) {
            (false, _) => (value, false),
            // Stopped, but another move has raised alpha, or there is no previous iteration with a
            // value.
            (true, Some((m, value))) if number == 0 && (head != Some(m) || depth == 1) => {
                (value, true)
            }
            (true, _) if number == 0 => return Completed::Nothing,
            // The lines before this one are complete.
            (true, _) => {
                lines[..number].sort_by_key(|line| Reverse(tree.sort_key(line)));
                return Completed::Lines(number);
            }
        };
        let previous: Vec<Move> = match head {
            Some(_) => std::mem::take(&mut lines[number].pv),
            None => tree.root_moves.first().copied().into_iter().collect(),
        };
        let pv = tree.principal_variation(position, &previous);
        taken.extend(pv.first());
        lines[number] = RootLine { value, seldepth: tree.seldepth, pv };
        if part {
            return Completed::Part;
        }
    }
    tree.root_moves = all_moves.to_vec();
    // Stable: of equal values the line that was searched among more moves comes first.
    lines.sort_by_key(|line| Reverse(tree.sort_key(line)));
    Completed::Lines(lines.len())
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

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// The value of a line to report: that of the tablebases for its first move if known, otherwise
    /// the searched one.
    fn reported_value(&self, line: &RootLine) -> Value {
        match (self.root_ranks, line.pv.first()) {
            (Some(ranks), Some(&m)) => ranks.value(m, line.value),
            _ => line.value,
        }
    }

    /// Lines are sorted by tablebase rank, then by searched value.
    fn sort_key(&self, line: &RootLine) -> (i32, Value) {
        let rank = match (self.root_ranks, line.pv.first()) {
            (Some(ranks), Some(&m)) => ranks.rank(m),
            _ => 0,
        };
        (rank, line.value)
    }

    /// The value to report for a root without moves.
    fn no_move_value(&self, position: &Position) -> Value {
        if position.in_check() && self.root_moves.is_empty() { mated_in(0) } else { 0 }
    }

    /// The principal variation, extended from the transposition table where zero windows left it
    /// short. If the last window failed low, it is the previous one.
    fn principal_variation(&self, position: &Position, previous: &[Move]) -> Vec<Move> {
        let mut pv: Vec<Move> = match self.root_best {
            Some((m, _)) => {
                let line: Vec<Move> = self.pv_table[0].moves().collect();
                if line.first() == Some(&m) { line } else { vec![m] }
            }
            None => previous.to_vec(),
        };
        let mut child = *position;
        let mut seen = Vec::new();
        for &m in &pv {
            seen.push(child.key());
            child.play(m);
        }
        while pv.len() < MAX_PV_DEPTHS * self.root_depth as usize && !seen.contains(&child.key()) {
            let entry = self.tt.probe(child.key(), 0);
            let Some(m) = entry
                .filter(|entry| entry.bound != Bound::Upper)
                .and_then(|entry| entry.best_move)
                .filter(|&m| child.is_legal(m))
            else {
                break;
            };
            seen.push(child.key());
            child.play(m);
            pv.push(m);
        }
        pv
    }
}
