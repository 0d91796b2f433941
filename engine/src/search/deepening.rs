//! Iterative deepening: what one thread does with a tree.

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::drivers::{Algorithm, Iteration};
use super::limits::{Limits, Root};
use super::score::{MAX_PLY, Score, Value, mated_in};
use super::searcher::{Bounded, Progress};
use super::table::Bound;
use super::tree::Tree;
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::params::Params;

/// Searches deeper and deeper.
pub(super) fn deepen<P: Params, E: Evaluator>(
    tree: &mut Tree<'_, P, E>,
    algorithm: Algorithm,
    root: &Root,
    limits: &Limits,
    report: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Progress {
    let position = root.position();
    let mut last = Progress {
        line: 1,
        depth: 0,
        seldepth: 0,
        score: Score::from(tree.no_move_value(position)),
        bounded: Bounded::Exact,
        nodes: 0,
        table_hits: tree.table_hits.load(Relaxed),
        time: Duration::ZERO,
        permille_full: 0,
        pv: tree.root_moves.first().copied().into_iter().collect(),
    };
    if tree.root_moves.is_empty() {
        let _ = report(&last);
        return last;
    }
    let deepest = limits.depth.unwrap_or(MAX_PLY as u32 - 1).clamp(1, MAX_PLY as u32 - 1);
    let all_moves = tree.root_moves.clone();
    let mut lines = vec![Known::default(); limits.lines.clamp(1, all_moves.len() as u32) as usize];
    lines[0].pv.clone_from(&last.pv);
    let mut pace = Pace::default();
    for depth in 1..=deepest {
        tree.root_depth = depth as i32;
        let before = lines[0].value;
        let searched = search_lines(tree, algorithm, position, &all_moves, &mut lines);
        let stopped = tree.stopped;
        let bounded = match searched {
            Searched::Nothing => break,
            Searched::Part => Bounded::AtLeast,
            Searched::Lines(_) => Bounded::Exact,
        };
        let nodes = tree.timer.visited(tree.nodes);
        let (time, permille_full) = (tree.timer.elapsed(), tree.table.permille_full());
        let mut broken_off = false;
        for (number, line) in (1..).zip(&lines[..searched.count()]) {
            let progress = Progress {
                line: number,
                depth,
                seldepth: line.seldepth as u32,
                score: Score::from(tree.known_value(line)),
                bounded,
                nodes,
                table_hits: tree.table_hits.load(Relaxed),
                time,
                permille_full,
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
        let urgency = pace.urgency(&last, lines[0].value, before);
        let mate_found = matches!((last.score, limits.mate),
            (Score::Mate(moves), Some(wanted)) if moves > 0 && moves.unsigned_abs() <= wanted);
        let forced = all_moves.len() == 1 && limits.clock.is_some();
        if mate_found || forced || !tree.timer.allows_iteration(urgency) {
            break;
        }
    }
    last.nodes = tree.timer.visited(tree.nodes);
    last.table_hits = tree.table_hits.load(Relaxed);
    last.time = tree.timer.elapsed();
    last
}

/// What is known of a line from the iteration before.
#[derive(Clone, Default)]
struct Known {
    value: Value,
    seldepth: usize,
    pv: Vec<Move>,
}

/// How much of an iteration was searched before it was stopped.
#[derive(Clone, Copy)]
enum Searched {
    /// Nothing that is better than what was known.
    Nothing,
    /// The best line's value is only a lower bound.
    Part,
    /// So many lines.
    Lines(usize),
}

impl Searched {
    fn count(self) -> usize {
        match self {
            Searched::Nothing => 0,
            Searched::Part => 1,
            Searched::Lines(count) => count,
        }
    }
}

/// Searches the best line, then the best one without its move, and so on; sorts them by value.
fn search_lines<P: Params, E: Evaluator>(
    tree: &mut Tree<'_, P, E>,
    algorithm: Algorithm,
    position: &Position,
    all_moves: &[Move],
    lines: &mut [Known],
) -> Searched {
    let depth = tree.root_depth;
    let mut taken: Vec<Move> = Vec::with_capacity(lines.len());
    for number in 0..lines.len() {
        tree.root_moves = all_moves.iter().copied().filter(|m| !taken.contains(m)).collect();
        if let Some(ranks) = tree.ranks {
            ranks.keep_best(&mut tree.root_moves);
        }
        tree.seldepth = 0;
        tree.root_best = None;
        let guess = lines[number].value;
        let value = tree.iterate(algorithm, position, Iteration { depth, guess });
        let head = lines[number].pv.first().copied().filter(|m| !taken.contains(m));
        let (value, part) = match (tree.stopped, tree.root_best) {
            (false, _) => (value, false),
            // Cut off, but a move was found that beats those before it, or there is no iteration
            // before this one to know any value from.
            (true, Some((m, value))) if number == 0 && (head != Some(m) || depth == 1) => {
                (value, true)
            }
            (true, _) if number == 0 => return Searched::Nothing,
            // What there is of the lines before is whole.
            (true, _) => {
                lines[..number].sort_by_key(|line| Reverse(tree.worth(line)));
                return Searched::Lines(number);
            }
        };
        let before: Vec<Move> = match head {
            Some(_) => std::mem::take(&mut lines[number].pv),
            None => tree.root_moves.first().copied().into_iter().collect(),
        };
        let pv = tree.principal_variation(position, &before);
        taken.extend(pv.first());
        lines[number] = Known { value, seldepth: tree.seldepth, pv };
        if part {
            return Searched::Part;
        }
    }
    tree.root_moves = all_moves.to_vec();
    // Stable: with equal values the one that was searched with more moves in sight comes first.
    lines.sort_by_key(|line| Reverse(tree.worth(line)));
    Searched::Lines(lines.len())
}

/// How settled the choice is.
#[derive(Default)]
struct Pace {
    best_move: Option<Move>,
    /// Iterations for which the best move stayed the same.
    stable: u32,
}

impl Pace {
    /// Stretches the time while the best move changes or the score falls, and shrinks it while
    /// nothing happens.
    fn urgency(&mut self, progress: &Progress, value: Value, before: Value) -> f64 {
        let best_move = progress.pv.first().copied();
        self.stable = if best_move == self.best_move { self.stable + 1 } else { 0 };
        self.best_move = best_move;
        let stability = [1.7, 1.25, 1.0, 0.85, 0.75][self.stable.min(4) as usize];
        let fall = f64::from((before - value).clamp(-20, 80));
        stability * (1.0 + fall / 120.0)
    }
}

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// The value of a line: what endgame tables know of its first move, or else what was found.
    fn known_value(&self, line: &Known) -> Value {
        match (self.ranks, line.pv.first()) {
            (Some(ranks), Some(&m)) => ranks.value(m, line.value),
            _ => line.value,
        }
    }

    /// What lines are sorted by: what endgame tables know comes first.
    fn worth(&self, line: &Known) -> (i32, Value) {
        let rank = match (self.ranks, line.pv.first()) {
            (Some(ranks), Some(&m)) => ranks.rank(m),
            _ => 0,
        };
        (rank, line.value)
    }

    /// The value of a position without a move, for the report.
    fn no_move_value(&self, position: &Position) -> Value {
        if position.in_check() && self.root_moves.is_empty() { mated_in(0) } else { 0 }
    }

    /// The best line found: as the search left it, lengthened from the table where zero windows
    /// left it short. When the last window failed low, the best move is the one before.
    fn principal_variation(&self, position: &Position, before: &[Move]) -> Vec<Move> {
        let mut pv: Vec<Move> = match self.root_best {
            Some((m, _)) => {
                let line: Vec<Move> = self.lines[0].moves().collect();
                if line.first() == Some(&m) { line } else { vec![m] }
            }
            None => before.to_vec(),
        };
        let mut child = *position;
        let mut seen = Vec::new();
        for &m in &pv {
            seen.push(child.key());
            child.play(m);
        }
        while pv.len() < 2 * self.root_depth as usize && !seen.contains(&child.key()) {
            let entry = self.table.probe(child.key(), 0);
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
