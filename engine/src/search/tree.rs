//! The search of a node as a list of steps, and what all kinds of nodes share.

use std::sync::atomic::AtomicU64;

use super::correction::{CorrectionHistory, CorrectionSlots};
use super::frame::{BEFORE_ROOT, Frame, NO_REPETITION, PvLine};
use super::history::{Histories, HistoryContext, PieceTo};
use super::node::{Node, NodeContext, TbProbe};
use super::picker::Buffers;
use super::reduction_table::ReductionTable;
use super::root_ranks::RootRanks;
use super::score::{DRAW, EVAL_LIMIT, INFINITE, MAX_PLY, Value, Window, mate_in, mated_in};
use super::tablebase_options::TablebaseOptions;
use super::time::Timer;
use super::tt::{Entry, TranspositionTable};
use super::weakness::Weakness;
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::params::Params;
use crate::tablebase::FIFTY_MOVES;

/// Plies without a capture or pawn move from which on a TT value may hide a draw by the fifty-move
/// rule.
const MAX_CUTOFF_CLOCK: u16 = FIFTY_MOVES as u16 - 10;

/// Plies between a position and its first possible repetition: each side moves a piece and returns
/// it.
const MIN_REPETITION: usize = 4;

/// The search of one tree by one thread.
pub(super) struct Tree<'a, P, E> {
    pub params: &'a P,
    pub evaluator: &'a mut E,
    pub tt: &'a TranspositionTable,
    pub histories: &'a mut Histories,
    pub corrections: &'a mut CorrectionHistory,
    /// Options for tablebase probes inside the tree; `None`: no probes.
    pub tb_options: Option<&'a TablebaseOptions>,
    /// Tablebase ranks of the root moves, if all are known.
    pub root_ranks: Option<&'a RootRanks>,
    pub reductions: &'a ReductionTable,
    pub timer: Timer<'a>,
    /// Keys of the game before the root and of the current line, for repetitions.
    pub keys: Vec<u64>,
    pub frames: &'a mut [Frame],
    pub buffers: &'a mut Buffers,
    /// The principal variation from each ply on (triangular PV table).
    pub pv_table: &'a mut [PvLine],
    /// Root moves to search.
    pub root_moves: Vec<Move>,
    /// The best root move of the current root search, once one has raised alpha.
    pub root_best: Option<(Move, Value)>,
    /// Principal variation search: search later moves with a zero window first.
    pub scout: bool,
    /// Depth of the current iteration, in plies.
    pub root_depth: i32,
    /// While a null-move cutoff is verified, null moves are tried from this ply on only.
    pub null_move_min_ply: usize,
    pub nodes: u64,
    /// Mistakes of a limited strength.
    pub weakness: Option<Weakness>,
    /// Successful tablebase probes of all threads.
    pub tb_hits: &'a AtomicU64,
    pub seldepth: usize,
    /// A limit was reached: all values returned from here on are meaningless.
    pub stopped: bool,
}

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// The value of a position: exact inside the window, a bound outside (fail-soft).
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
        if !self.enter_node(ply) {
            return DRAW;
        }
        if !N::ROOT
            && let Some(value) = self.draw(position, ply)
        {
            return value;
        }
        self.find_corrections(position, ply);
        if !N::ROOT {
            if ply >= MAX_PLY - 1 {
                return self.value_at_max_ply(position, ply);
            }
            if let Some(value) = mate_distance_pruning(&mut window, ply) {
                return value;
            }
        }
        let excluded = self.frames[ply].excluded;
        let entry = self.probe_tt(position, ply, excluded);
        // Not near the fifty-move limit, where the stored value may hide a draw.
        if !N::PV
            && position.halfmove_clock() < MAX_CUTOFF_CLOCK
            && let Some(entry) = entry
            && entry.depth >= depth
            && let Some(value) = entry.cutoff(window)
        {
            return value;
        }

        let tb_bounds = match self.probe_tablebases::<N>(position, ply, depth, window) {
            TbProbe::Cutoff(value) => return value,
            TbProbe::Bounds(bounds) => bounds,
        };

        let mut context = self.node_context(position, ply, window, depth, cut_node, entry);
        context.tb_bounds = tb_bounds;
        context.was_pv |= N::PV;
        if !N::PV
            && !context.in_check
            && excluded.is_none()
            && let Some(value) = self.prune_node(position, &context)
        {
            return value;
        }
        // Internal iterative reduction (E. Schröder, Rebel): without a hash move, search less deeply
        // and leave one for the next time.
        if depth >= self.params.iir_depth() && context.hash_move().is_none() && excluded.is_none() {
            depth -= 1;
        }
        self.search_moves::<N>(position, NodeContext { depth, ..context })
    }

    /// Counts a node; false when the search is stopped.
    pub fn enter_node(&mut self, ply: usize) -> bool {
        self.pv_table[ply].clear();
        self.frames[ply].repetition_ply = NO_REPETITION;
        self.seldepth = self.seldepth.max(ply);
        // Time does not end the first iteration, so that there is always a move to play.
        let time_counts = self.root_depth > 1;
        if self.stopped || self.timer.is_over(self.nodes, time_counts) {
            self.stopped = true;
            return false;
        }
        self.nodes += 1;
        true
    }

    /// A draw by insufficient material, the fifty-move rule or repetition. One repetition within
    /// the tree is enough: what can be repeated once can be repeated twice.
    pub fn draw(&mut self, position: &Position, ply: usize) -> Option<Value> {
        if position.is_insufficient_material() {
            return Some(DRAW);
        }
        if position.halfmove_clock() >= FIFTY_MOVES as u16
            && (!position.in_check() || position.has_legal_move())
        {
            self.frames[ply].repetition_ply = BEFORE_ROOT;
            return Some(DRAW);
        }
        let repeated = self.repetition(position, ply)?;
        self.frames[ply].repetition_ply = repeated;
        Some(DRAW)
    }

    /// The ply of the position that this one repeats.
    fn repetition(&self, position: &Position, ply: usize) -> Option<i32> {
        let key = position.key();
        let back = usize::from(position.halfmove_clock()).min(self.keys.len());
        let mut seen_before_root = false;
        for distance in (MIN_REPETITION..=back).step_by(2) {
            if self.keys[self.keys.len() - distance] != key {
                continue;
            }
            if distance <= ply {
                return Some((ply - distance) as i32);
            }
            // Before the root it takes two earlier occurrences.
            if seen_before_root {
                return Some(BEFORE_ROOT);
            }
            seen_before_root = true;
        }
        None
    }

    /// The TT entry with a move that is legal here; none while a move is excluded.
    fn probe_tt(&self, position: &Position, ply: usize, excluded: Option<Move>) -> Option<Entry> {
        if excluded.is_some() {
            return None;
        }
        let mut entry = self.tt.probe(position.key(), ply)?;
        entry.best_move = entry.best_move.filter(|&m| position.is_legal(m));
        Some(entry)
    }

    /// Plays `m` and calls `search` with the child position. Meanwhile the frame and the repetition
    /// keys hold the move.
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
        self.evaluator.played(position, Some(m), &child, ply + 1);
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
        self.evaluator.played(position, None, &child, ply + 1);
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

    /// Whether a limited strength overlooks a move; in check it sees all.
    #[inline]
    pub fn overlooks(&self, position: &Position, m: Move, ply: usize, in_check: bool) -> bool {
        !in_check && self.weakness.is_some_and(|weakness| weakness.overlooks(position, m, ply))
    }

    /// The value of a node at the maximum ply, where nothing is searched.
    pub fn value_at_max_ply(&mut self, position: &Position, ply: usize) -> Value {
        if position.in_check() { DRAW } else { self.evaluate(position, ply, None) }
    }

    /// Finds the corrections of the evaluation, unless in check. They are in the cache when the TT
    /// entry is, which is waited for.
    pub fn find_corrections(&mut self, position: &Position, ply: usize) {
        if !position.in_check() {
            let slots = CorrectionSlots::new(position, self.last_moves(ply));
            self.corrections.prefetch(slots);
            self.frames[ply].correction_slots = slots;
        }
    }

    /// Evaluates a position that is not in check and stores the raw and the corrected evaluation in
    /// the frame. Returns the corrected one, refined by the TT entry.
    pub fn evaluate(&mut self, position: &Position, ply: usize, entry: Option<Entry>) -> Value {
        let raw = match entry.and_then(|entry| entry.eval) {
            Some(raw) => raw,
            None => {
                let error = self.weakness.map_or(0, |weakness| weakness.misjudgement(position));
                let value = self.evaluator.evaluate_at(position, ply) + error;
                value.clamp(-EVAL_LIMIT, EVAL_LIMIT)
            }
        };
        let correction = self.corrections.get(self.frames[ply].correction_slots, self.params);
        let eval = (raw + correction).clamp(-EVAL_LIMIT, EVAL_LIMIT);
        self.frames[ply].raw_eval = raw;
        self.frames[ply].eval = Some(eval);
        entry.map_or(eval, |entry| entry.refine(eval))
    }

    fn node_context(
        &mut self,
        position: &Position,
        ply: usize,
        window: Window,
        depth: i32,
        cut_node: bool,
        entry: Option<Entry>,
    ) -> NodeContext {
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
        NodeContext {
            ply,
            depth,
            window,
            eval,
            in_check,
            improving,
            cut_node,
            entry,
            tb_bounds: Window::FULL,
            noisy_hash_move,
            was_pv: entry.is_some_and(|entry| entry.was_pv),
        }
    }

    /// The move a number of plies before this one; `None` if it was a null move or lies before the
    /// root.
    fn previous_move(&self, ply: usize, plies: usize) -> Option<PieceTo> {
        self.frames[ply.checked_sub(plies)?].piece_to
    }

    /// The history context of a node.
    pub fn history_context(&self, position: &Position, ply: usize) -> HistoryContext {
        HistoryContext::new(position, [1, 2, 4].map(|plies| self.previous_move(ply, plies)))
    }

    /// The last two moves, the latest first, if both are known.
    fn last_moves(&self, ply: usize) -> Option<[PieceTo; 2]> {
        Some([self.previous_move(ply, 1)?, self.previous_move(ply, 2)?])
    }

    /// The principal variation of this ply: the move, and that of the child.
    pub fn update_pv(&mut self, ply: usize, m: Move) {
        let (head, tail) = self.pv_table.split_at_mut(ply + 1);
        head[ply].set(m, &tail[0]);
    }
}

/// Mate distance pruning: no mate from here can beat one that is nearer to the root.
fn mate_distance_pruning(window: &mut Window, ply: usize) -> Option<Value> {
    window.alpha = window.alpha.max(mated_in(ply));
    window.beta = window.beta.min(mate_in(ply + 1));
    (window.alpha >= window.beta).then_some(window.alpha)
}
