//! The moves of a node: searched in order (principal variation search), then the tables and
//! histories updated with the result.

use std::ops::RangeInclusive;

use super::frame::NO_REPETITION;
use super::history::HistoryContext;
use super::node::{Node, NodeContext, NonPvNode, PvNode};
use super::picker::Picker;
use super::score::{DRAW, INFINITE, TB_WIN_IN_MAX_PLY, Value, Window, is_decisive, mated_in};
use super::tree::Tree;
use super::tt::{Bound, Entry};
use crate::board::{Move, MoveList, Position};
use crate::eval::Evaluator;
use crate::params::Params;

/// Depths at which the moves after one that raised alpha are reduced.
const ALPHA_RAISED_DEPTHS: RangeInclusive<i32> = 3..=12;

/// Largest difference between search and static evaluation that correction history learns from, in
/// centipawns: a larger one is a tactic.
const MAX_EVAL_ERROR: Value = 300;

/// A move as the picker returned it.
pub(super) struct PickedMove {
    pub m: Move,
    pub quiet: bool,
    pub history: i32,
    /// A capture that loses material.
    pub losing_capture: bool,
}

/// The state of a move before it is searched.
pub(super) struct MoveContext {
    pub picked: PickedMove,
    /// Number of the move among those searched, from 1.
    pub move_count: usize,
    /// Depth of the child without reduction.
    pub depth: i32,
    /// The best value so far.
    pub best_value: Value,
}

/// Depth reduction after alpha was raised: a second raise is rare.
fn alpha_raised_reduction(context: &NodeContext, alpha: Value) -> i32 {
    i32::from(alpha > context.window.alpha && ALPHA_RAISED_DEPTHS.contains(&context.depth))
}

/// The value of a node of which no move was searched: mate, stalemate, no move but the excluded, or
/// none that is not overlooked.
fn value_without_moves(context: &NodeContext, excluded: Option<Move>, overlooked: bool) -> Value {
    match excluded {
        Some(_) => context.window.alpha,
        None if overlooked => context.eval,
        None if context.in_check => mated_in(context.ply),
        None => DRAW,
    }
}

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// Searches the moves in order and updates the TT and the histories.
    pub fn search_moves<N: Node>(&mut self, position: &Position, context: NodeContext) -> Value {
        let NodeContext { ply, depth, window, tb_bounds, .. } = context;
        let mut alpha = window.alpha.max(tb_bounds.alpha);
        let mut best_value = -INFINITE;
        let mut best_move = None;
        let mut repetition_ply = NO_REPETITION;
        let mut move_count = 0;
        let mut overlooked = false;
        let mut quiets = MoveList::new();
        let mut captures = MoveList::new();
        let excluded = self.frames[ply].excluded;
        let keys = self.history_context(position, ply);
        let counter_move = self.histories.counter_move(&keys);
        let killers = self.frames[ply].killers;
        let hash_move = context.hash_move();
        let mut picker = Picker::new(self.buffers, position, hash_move, killers, counter_move);

        while let Some(m) = picker.next(position, self.histories, &keys) {
            if Some(m) == excluded || N::ROOT && !self.root_moves.contains(&m) {
                continue;
            }
            if !N::ROOT && self.overlooks(position, m, ply, context.in_check) {
                overlooked = true;
                continue;
            }
            let picked = self.picked_move(position, m, &picker, &keys);
            if !N::ROOT
                && best_value > -TB_WIN_IN_MAX_PLY
                && self.is_pruned(position, &context, &mut picker, &picked, move_count, alpha)
            {
                continue;
            }
            // Not before the pruning: most moves are pruned, and each address costs a page walk.
            self.tt.prefetch(position.likely_key_after(m));
            let extension = self.extension::<N>(position, &context, m);
            if self.stopped {
                return DRAW;
            }
            if let Some(value) = extension.multi_cut {
                return value;
            }
            move_count += 1;
            let window = Window { alpha, beta: window.beta };
            let depth = depth - 1 - alpha_raised_reduction(&context, alpha) + extension.plies;
            let step = MoveContext { picked, move_count, depth, best_value };
            let value = self.search_move::<N>(position, &context, window, &step);
            if self.stopped {
                return DRAW;
            }
            if value > best_value {
                best_value = value;
                repetition_ply = self.frames[ply + 1].repetition_ply;
                if value > alpha {
                    best_move = Some(m);
                    alpha = value;
                    self.set_best_move::<N>(ply, m, value);
                    if value >= window.beta {
                        break;
                    }
                }
            }
            if step.picked.quiet { quiets.push(m) } else { captures.push(m) }
        }

        self.buffers.recycle(picker);
        if move_count == 0 {
            return value_without_moves(&context, excluded, overlooked);
        }
        best_value = best_value.clamp(tb_bounds.alpha, tb_bounds.beta);
        self.frames[ply].repetition_ply = repetition_ply;
        if let Some(m) = best_move
            && best_value >= window.beta
        {
            self.update_histories(position, &context, &keys, m, &quiets, &captures);
        }
        if excluded.is_none() && !(N::ROOT && self.searches_some_root_moves(position)) {
            self.store_result(position, &context, best_value, best_move);
        }
        best_value
    }

    /// Whether only some of the root's legal moves are searched: its value is not the position's then.
    fn searches_some_root_moves(&self, position: &Position) -> bool {
        self.root_moves.len() < position.count_legal_moves()
    }

    /// Whether a move is pruned before it is searched. Late quiet moves are pruned all together.
    fn is_pruned(
        &self,
        position: &Position,
        context: &NodeContext,
        picker: &mut Picker,
        picked: &PickedMove,
        move_count: usize,
        alpha: Value,
    ) -> bool {
        if picked.quiet && self.late_move_pruning(context, move_count) {
            picker.skip_quiets();
            return true;
        }
        self.prune_move(position, context, picked, move_count, alpha)
    }

    /// Notes a move that raised alpha.
    fn set_best_move<N: Node>(&mut self, ply: usize, m: Move, value: Value) {
        if N::ROOT {
            self.root_best = Some((m, value));
        }
        if N::PV {
            self.update_pv(ply, m);
        }
    }

    fn picked_move(
        &self,
        position: &Position,
        m: Move,
        picker: &Picker,
        keys: &HistoryContext,
    ) -> PickedMove {
        let quiet = !position.is_noisy(m);
        let history = if let Some(history) = picker.history() {
            history
        } else if quiet {
            self.histories.quiet(position, m, keys)
        } else {
            self.histories.capture(position, m)
        };
        PickedMove { m, quiet, history, losing_capture: picker.is_losing_capture() }
    }

    /// The value of a move.
    fn search_move<N: Node>(
        &mut self,
        position: &Position,
        context: &NodeContext,
        window: Window,
        step: &MoveContext,
    ) -> Value {
        let ply = context.ply;
        self.frames[ply + 1].double_extensions =
            self.frames[ply].double_extensions + u8::from(step.depth > context.depth);
        self.with_move(position, ply, step.picked.m, |tree, child| {
            tree.search_child::<N>(child, context, window, step)
        })
    }

    /// Principal variation search of a child (T. Marsland and M. Campbell, 1982): later moves with
    /// a reduced depth and a zero window, re-searched as the result demands.
    fn search_child<N: Node>(
        &mut self,
        child: &Position,
        context: &NodeContext,
        window: Window,
        step: &MoveContext,
    ) -> Value {
        let ply = context.ply + 1;
        let scout = window.scout().reversed();
        let mut value = -INFINITE;
        let mut decided = false;
        let mut full_depth = step.depth;
        if step.move_count > 1 {
            let reduction = self.late_move_reduction::<N>(context, step, child.in_check());
            if reduction > 0 {
                let depth = (step.depth - reduction).max(1);
                value = -self.search::<NonPvNode>(child, ply, scout, depth, true);
                decided = value <= window.alpha;
                full_depth += self.re_search_adjustment::<N>(step, value);
            }
            if !decided && self.scout && N::PV && !self.stopped {
                let cut_node = !context.cut_node;
                value = -self.search::<NonPvNode>(child, ply, scout, full_depth, cut_node);
                decided = value <= window.alpha || value >= window.beta;
            }
        }
        if !decided && !self.stopped {
            value = if N::PV {
                -self.search::<PvNode>(child, ply, window.reversed(), full_depth, false)
            } else {
                let cut_node = !context.cut_node;
                -self.search::<NonPvNode>(child, ply, window.reversed(), full_depth, cut_node)
            };
        }
        value
    }

    /// Stores the result in the TT and corrects the evaluation. The value of a draw that depends on
    /// the path to this node (graph history interaction) is not stored, only the move.
    fn store_result(
        &mut self,
        position: &Position,
        context: &NodeContext,
        value: Value,
        best_move: Option<Move>,
    ) {
        let NodeContext { ply, depth, window, was_pv, .. } = *context;
        let frame = &self.frames[ply];
        let bound = if frame.is_path_dependent(ply, value) {
            Bound::None
        } else if value >= window.beta {
            Bound::Lower
        } else if best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let eval = (!context.in_check).then_some(frame.raw_eval);
        self.tt.store(position.key(), ply, Entry { best_move, value, eval, depth, bound, was_pv });

        let quiet = best_move.is_none_or(|m| !position.is_noisy(m));
        if let Some(static_eval) = frame.eval
            && quiet
            && !is_decisive(value)
            && bound.refines(value, static_eval)
        {
            let error = (value - frame.raw_eval).clamp(-MAX_EVAL_ERROR, MAX_EVAL_ERROR);
            self.corrections.update(frame.correction_slots, error, depth);
        }
    }

    /// Updates killers and histories after a beta cutoff.
    fn update_histories(
        &mut self,
        position: &Position,
        context: &NodeContext,
        keys: &HistoryContext,
        best: Move,
        quiets: &[Move],
        captures: &[Move],
    ) {
        let bonus =
            (self.params.history_bonus() * context.depth).min(self.params.history_bonus_max());
        if position.is_noisy(best) {
            self.histories.update_capture(position, best, bonus);
        } else {
            let killers = &mut self.frames[context.ply].killers;
            if killers[0] != Some(best) {
                *killers = [Some(best), killers[0]];
            }
            self.histories.update_quiets(position, best, quiets, keys, bonus);
        }
        for &m in captures {
            self.histories.update_capture(position, m, -bonus);
        }
    }
}
