//! One search of the tree: what a node does, in order.

use std::sync::atomic::AtomicU64;

use super::frame::{BEFORE_ROOT, Frame, Line, NO_DRAW};
use super::history::Histories;
use super::picker::Buffers;
use super::reductions::Reductions;
use super::score::{DRAW, EVAL_LIMIT, INFINITE, MAX_PLY, Value, Window, mate_in, mated_in};
use super::table::{Entry, Table};
use super::tables::{RootRanks, TableUse, Verdict};
use super::time::Timer;
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::params::Params;

/// What kind of node is searched; the compiler makes a function for each.
pub(super) trait Node {
    /// The root itself.
    const ROOT: bool;
    /// A node whose exact value is wanted.
    const PV: bool;
}

/// The root.
pub(super) struct RootNode;
/// A node of the principal variation.
pub(super) struct PvNode;
/// A node that is only compared with a bound.
pub(super) struct CutNode;

impl Node for RootNode {
    const ROOT: bool = true;
    const PV: bool = true;
}

impl Node for PvNode {
    const ROOT: bool = false;
    const PV: bool = true;
}

impl Node for CutNode {
    const ROOT: bool = false;
    const PV: bool = false;
}

/// What is known of a node before its moves are tried.
pub(super) struct Context {
    pub ply: usize,
    pub depth: i32,
    pub window: Window,
    /// Corrected static evaluation; meaningless in check.
    pub eval: Value,
    pub in_check: bool,
    /// The evaluation is better than at our last move.
    pub improving: bool,
    /// A node that is expected to fail high.
    pub cut_node: bool,
    pub entry: Option<Entry>,
    /// Endgame tables prove that the value lies between these.
    pub proven: Window,
    /// The best move known is a capture or a promotion.
    pub noisy_hash_move: bool,
    /// A node of this principal variation or of an earlier one.
    pub was_pv: bool,
}

impl Context {
    pub fn hash_move(&self) -> Option<Move> {
        self.entry.and_then(|entry| entry.best_move)
    }
}

/// A search of one tree by one thread.
pub(super) struct Tree<'a, P, E> {
    pub params: &'a P,
    pub evaluator: &'a mut E,
    pub table: &'a Table,
    pub histories: &'a mut Histories,
    /// How endgame tables are asked inside the tree, if they are.
    pub table_use: Option<&'a TableUse>,
    /// What they say of the root moves.
    pub ranks: Option<&'a RootRanks>,
    pub reductions: &'a Reductions,
    pub timer: Timer<'a>,
    /// Keys of the game before the root and of the line that is being searched.
    pub keys: Vec<u64>,
    pub frames: &'a mut [Frame],
    pub buffers: &'a mut Buffers,
    pub lines: &'a mut [Line],
    /// Root moves to look at.
    pub root_moves: Vec<Move>,
    /// The best root move of the present call, once one is better than alpha.
    pub root_best: Option<(Move, Value)>,
    /// First try later moves with a window of zero width.
    pub scout: bool,
    /// Depth of the present iteration, in plies.
    pub root_depth: i32,
    /// No null move nearer to the root than this, while one is verified.
    pub null_from: usize,
    pub nodes: u64,
    /// Positions that endgame tables knew.
    pub table_hits: &'a AtomicU64,
    pub seldepth: usize,
    /// The limit was reached: every value from here on is meaningless.
    pub stopped: bool,
}

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// The value of a position, exact inside the window and a bound outside of it.
    pub fn search<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        mut window: Window,
        mut depth: i32,
        cut_node: bool,
    ) -> Value {
        if depth <= 0 {
            return self.quiescence::<N>(position, ply, window);
        }
        if !self.enter::<N>(ply) {
            return DRAW;
        }
        if !N::ROOT {
            if let Some(value) = self.draw(position, ply) {
                return value;
            }
            if ply >= MAX_PLY - 1 {
                return self.value_at_max_ply(position, ply);
            }
            if let Some(value) = mate_distance(&mut window, ply) {
                return value;
            }
        }
        let excluded = self.frames[ply].excluded;
        let entry = self.probe(position, ply, excluded);
        // Not near the fifty-move limit, where the stored value may hide a draw.
        if !N::PV
            && position.halfmove_clock() < 90
            && let Some(entry) = entry
            && entry.depth >= depth
            && let Some(value) = entry.cutoff(window)
        {
            return value;
        }

        let proven = match self.ask_tables::<N>(position, ply, depth, window) {
            Verdict::Value(value) => return value,
            Verdict::Between(proven) => proven,
        };

        let mut context = self.prepare(position, ply, window, depth, cut_node, entry);
        context.proven = proven;
        context.was_pv |= N::PV;
        if !N::PV
            && !context.in_check
            && excluded.is_none()
            && let Some(value) = self.prune_node(position, &context)
        {
            return value;
        }
        if depth >= self.params.iir_depth() && context.hash_move().is_none() && excluded.is_none() {
            depth -= 1;
        }
        self.try_moves::<N>(position, Context { depth, ..context })
    }

    /// Counts a node and says whether to go on.
    pub fn enter<N: Node>(&mut self, ply: usize) -> bool {
        self.lines[ply].clear();
        self.frames[ply].draw_reach = NO_DRAW;
        self.seldepth = self.seldepth.max(ply);
        // The first iteration is finished whatever the clock says: a move must come of it.
        let hurried = self.root_depth > 1;
        if self.stopped || self.timer.is_over(self.nodes, hurried) {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        true
    }

    /// A draw by rule or by repetition. Inside the tree one repetition is enough: what can be
    /// repeated once can be repeated twice.
    pub fn draw(&mut self, position: &Position, ply: usize) -> Option<Value> {
        if position.is_insufficient_material() {
            return Some(DRAW);
        }
        if position.halfmove_clock() >= 100 && (!position.in_check() || position.has_legal_move()) {
            self.frames[ply].draw_reach = BEFORE_ROOT;
            return Some(DRAW);
        }
        let reach = self.repetition(position, ply)?;
        self.frames[ply].draw_reach = reach;
        Some(DRAW)
    }

    /// The ply of the position that is repeated.
    fn repetition(&self, position: &Position, ply: usize) -> Option<i32> {
        let key = position.key();
        let back = usize::from(position.halfmove_clock()).min(self.keys.len());
        let mut seen_before_root = false;
        for distance in (4..=back).step_by(2) {
            if self.keys[self.keys.len() - distance] != key {
                continue;
            }
            if distance <= ply {
                return Some((ply - distance) as i32);
            }
            // In the game itself it takes three.
            if seen_before_root {
                return Some(BEFORE_ROOT);
            }
            seen_before_root = true;
        }
        None
    }

    fn probe(&self, position: &Position, ply: usize, excluded: Option<Move>) -> Option<Entry> {
        if excluded.is_some() {
            return None;
        }
        let mut entry = self.table.probe(position.key(), ply)?;
        entry.best_move = entry.best_move.filter(|&m| position.is_legal(m));
        Some(entry)
    }

    /// Plays `m` and calls `search` with the child position. For that time the frame and the
    /// repetition keys know of the move.
    #[inline(always)]
    pub fn with_move(
        &mut self,
        position: &Position,
        ply: usize,
        m: Move,
        search: impl FnOnce(&mut Self, &Position) -> Value,
    ) -> Value {
        let mut child = *position;
        child.play(m);
        self.frames[ply].set_move(position, m);
        self.with_child(position, &child, search)
    }

    /// [`with_move`](Self::with_move) for a null move.
    #[inline(always)]
    pub fn with_null_move(
        &mut self,
        position: &Position,
        ply: usize,
        search: impl FnOnce(&mut Self, &Position) -> Value,
    ) -> Value {
        let mut child = *position;
        child.play_null();
        self.frames[ply].set_null_move();
        self.with_child(position, &child, search)
    }

    #[inline(always)]
    fn with_child(
        &mut self,
        position: &Position,
        child: &Position,
        search: impl FnOnce(&mut Self, &Position) -> Value,
    ) -> Value {
        self.keys.push(position.key());
        let value = search(self, child);
        self.keys.pop();
        value
    }

    /// The value of a node at the maximum ply, where nothing is searched.
    pub fn value_at_max_ply(&mut self, position: &Position, ply: usize) -> Value {
        if position.in_check() { DRAW } else { self.evaluate(position, ply, None) }
    }

    /// Evaluates a position that is not in check and notes the raw and the corrected evaluation in
    /// the frame. Returns the corrected one, refined by the TT entry.
    pub fn evaluate(&mut self, position: &Position, ply: usize, entry: Option<Entry>) -> Value {
        let raw = match entry.and_then(|entry| entry.eval) {
            Some(raw) => raw,
            None => self.evaluator.evaluate_at(position, ply).clamp(-EVAL_LIMIT, EVAL_LIMIT),
        };
        let eval = self.corrected(position, ply, raw);
        self.frames[ply].raw_eval = raw;
        self.frames[ply].eval = Some(eval);
        entry.map_or(eval, |entry| entry.refine(eval))
    }

    fn corrected(&self, position: &Position, ply: usize, raw: Value) -> Value {
        let correction =
            self.histories.corrections.get(position, self.last_moves(ply), self.params);
        (raw + correction).clamp(-EVAL_LIMIT, EVAL_LIMIT)
    }

    fn prepare(
        &mut self,
        position: &Position,
        ply: usize,
        window: Window,
        depth: i32,
        cut_node: bool,
        entry: Option<Entry>,
    ) -> Context {
        let in_check = position.in_check();
        let eval = if in_check {
            self.frames[ply].eval = None;
            -INFINITE
        } else {
            self.evaluate(position, ply, entry)
        };
        let earlier = |plies: usize| ply.checked_sub(plies).and_then(|at| self.frames[at].eval);
        let improving = !in_check
            && earlier(2)
                .or_else(|| earlier(4))
                .is_none_or(|before| self.frames[ply].eval.is_some_and(|now| now > before));
        if ply + 2 < self.frames.len() {
            self.frames[ply + 2].killers = [None; 2];
        }
        let noisy_hash_move =
            entry.and_then(|entry| entry.best_move).is_some_and(|m| position.is_noisy(m));
        Context {
            ply,
            depth,
            window,
            eval,
            in_check,
            improving,
            cut_node,
            entry,
            proven: Window::FULL,
            noisy_hash_move,
            was_pv: entry.is_some_and(|entry| entry.was_pv),
        }
    }
}

/// No mate found from here can be better than one that is nearer to the root already.
fn mate_distance(window: &mut Window, ply: usize) -> Option<Value> {
    window.alpha = window.alpha.max(mated_in(ply));
    window.beta = window.beta.min(mate_in(ply + 1));
    (window.alpha >= window.beta).then_some(window.alpha)
}
