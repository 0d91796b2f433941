//! Node pruning and move pruning: what is not searched at all.

use super::history::HistoryContext;
use super::moves::PickedMove;
use super::node::{NodeContext, NonPvNode};
use super::picker::Picker;
use super::score::{TB_WIN_IN_MAX_PLY, Value, Window, is_decisive};
use super::tree::Tree;
use super::tt::{Bound, Entry};
use crate::board::{Color, Position, Role};
use crate::eval::Evaluator;
use crate::params::Params;

/// Part of the distance from beta to the evaluation that reverse futility pruning returns.
const RFP_RETURN_DIVISOR: Value = 3;
/// Most plies of null-move reduction for an evaluation above beta.
const MAX_NULL_EVAL_REDUCTION: i32 = 3;
/// Depth from which null-move cutoffs are verified.
const NULL_VERIFICATION_DEPTH: i32 = 12;
/// Numerator and denominator of the part of a subtree's depth in which no other null move is tried
/// while one is verified.
const NULL_FREE_PART: (i32, i32) = (3, 4);
/// Reduction of the search that verifies a capture in ProbCut, the capture included, in plies.
const PROBCUT_REDUCTION: i32 = 4;
/// Divisor of the number of quiet moves before late move pruning in a position that does not improve.
const LMP_NOT_IMPROVING_DIVISOR: i32 = 2;

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// Node pruning: the value of a node whose moves need not be searched.
    pub fn prune_node(&mut self, position: &Position, context: &NodeContext) -> Option<Value> {
        self.reverse_futility(context)
            .or_else(|| self.razor(position, context))
            .or_else(|| self.null_move(position, context))
            .or_else(|| self.probcut(position, context))
    }

    /// Reverse futility pruning (static null move): so far above beta that the opponent's move will
    /// hardly bring the value below it.
    fn reverse_futility(&self, context: &NodeContext) -> Option<Value> {
        let NodeContext { depth, window, eval, .. } = *context;
        let margin = self.params.rfp_margin() * depth;
        (depth <= self.params.rfp_depth()
            && !context.was_pv
            && eval - margin >= window.beta
            && !is_decisive(window.beta)
            && !is_decisive(eval))
        .then(|| window.beta + (eval - window.beta) / RFP_RETURN_DIVISOR)
    }

    /// Razoring: so far below alpha that only captures could raise it, and a quiescence search says
    /// whether they do.
    fn razor(&mut self, position: &Position, context: &NodeContext) -> Option<Value> {
        let NodeContext { ply, depth, window, eval, .. } = *context;
        let margin = self.params.razor_base() + self.params.razor_margin() * depth;
        if depth > self.params.razor_depth() || eval + margin >= window.alpha {
            return None;
        }
        let value = self.quiescence::<NonPvNode>(position, ply, window);
        (value <= window.alpha && !is_decisive(value)).then_some(value)
    }

    /// Null-move pruning (C. Donninger, "Null move and deep search", 1993): passing is hardly ever
    /// better than moving, so a node that fails high after a pass at reduced depth fails high. Not
    /// with pawns only, where zugzwang is common; verified at high depth.
    fn null_move(&mut self, position: &Position, context: &NodeContext) -> Option<Value> {
        let NodeContext { ply, depth, window, eval, .. } = *context;
        let after_null = ply > 0 && self.frames[ply - 1].null_move;
        if depth < self.params.null_depth()
            || eval < window.beta
            || after_null
            || ply < self.null_move_min_ply
            || window.beta <= -TB_WIN_IN_MAX_PLY
            || !has_non_pawn_material(position, position.side())
        {
            return None;
        }
        let reduction = self.params.null_base()
            + depth / self.params.null_divisor()
            + ((eval - window.beta) / self.params.null_eval_divisor()).min(MAX_NULL_EVAL_REDUCTION);
        self.tt.prefetch(position.key_after_null_move());
        let test = Window::zero(window.beta);
        let reduced = depth - reduction;
        let cut_node = !context.cut_node;
        let value = self.with_null_move(position, ply, |tree, child| {
            -tree.search::<NonPvNode>(child, ply + 1, test.reversed(), reduced, cut_node)
        });
        if self.stopped || value < window.beta {
            return None;
        }
        let value = if is_decisive(value) { window.beta } else { value };
        if depth < NULL_VERIFICATION_DEPTH || self.null_move_min_ply > 0 {
            return Some(value);
        }
        // Verification search: no other null move in the upper part of this subtree.
        let (part, whole) = NULL_FREE_PART;
        self.null_move_min_ply = ply + (part * reduced / whole).max(1) as usize;
        let verified = self.search::<NonPvNode>(position, ply, test, reduced, false);
        self.null_move_min_ply = 0;
        (verified >= window.beta && !self.stopped).then_some(value)
    }

    /// ProbCut (M. Buro, 1995): a capture that beats beta by a margin at reduced depth will most
    /// likely beat beta at full depth.
    fn probcut(&mut self, position: &Position, context: &NodeContext) -> Option<Value> {
        let NodeContext { ply, depth, window, .. } = *context;
        let probcut_beta = window.beta + self.params.probcut_margin();
        let refuted = context.entry.is_some_and(|entry| {
            entry.depth > depth - PROBCUT_REDUCTION
                && entry.value < probcut_beta
                && entry.bound != Bound::None
        });
        if depth < self.params.probcut_depth() || is_decisive(window.beta) || refuted {
            return None;
        }
        let gain = probcut_beta - self.frames[ply].eval.unwrap_or(context.eval);
        let mut picker = Picker::noisy(self.buffers, position, None, gain.max(0));
        let keys = HistoryContext::EMPTY;
        while let Some(m) = picker.next(position, self.histories, &keys) {
            if picker.is_losing_capture() {
                break;
            }
            self.tt.prefetch(position.likely_key_after(m));
            let value = self.with_move(position, ply, m, |tree, child| {
                let test = Window::zero(probcut_beta).reversed();
                let value = -tree.quiescence::<NonPvNode>(child, ply + 1, test);
                if value < probcut_beta {
                    return value;
                }
                -tree.search::<NonPvNode>(
                    child,
                    ply + 1,
                    test,
                    depth - PROBCUT_REDUCTION,
                    !context.cut_node,
                )
            });
            if self.stopped {
                return None;
            }
            if value >= probcut_beta {
                let eval = Some(self.frames[ply].raw_eval);
                let entry = Entry {
                    best_move: Some(m),
                    value,
                    eval,
                    // With the capture.
                    depth: depth - PROBCUT_REDUCTION + 1,
                    bound: Bound::Lower,
                    was_pv: context.was_pv,
                };
                self.tt.store(position.key(), ply, entry);
                self.buffers.recycle(picker);
                return Some(value);
            }
        }
        self.buffers.recycle(picker);
        None
    }

    /// Late move pruning: near the leaves, quiet moves after the first ones are skipped.
    pub fn late_move_pruning(&self, context: &NodeContext, move_count: usize) -> bool {
        let depth = context.depth;
        let limit = self.params.lmp_base() + self.params.lmp_factor() * depth * depth / 100;
        let limit = if context.improving { limit } else { limit / LMP_NOT_IMPROVING_DIVISOR };
        depth <= self.params.lmp_depth() && move_count as i32 >= limit.max(1)
    }

    /// Move pruning: history pruning, futility pruning and SEE pruning. A quiet check may be worth a
    /// sacrifice: only SEE pruning applies to it, with the margin of captures.
    pub fn prune_move(
        &self,
        position: &Position,
        context: &NodeContext,
        picked: &PickedMove,
        move_count: usize,
        alpha: Value,
    ) -> bool {
        let PickedMove { m, quiet, history, losing_capture } = *picked;
        let NodeContext { depth, eval, in_check, .. } = *context;
        let params = self.params;
        if quiet && !position.gives_check(m) {
            if depth <= params.history_depth() && history < -params.history_margin() * depth {
                return true;
            }
            let depth = self.lmr_depth(depth, move_count, history);
            if !in_check
                && depth <= params.futility_depth()
                && eval + params.futility_base() + params.futility_margin() * depth <= alpha
            {
                return true;
            }
            return depth <= params.see_depth()
                && !position.see_at_least(m, -params.see_quiet_margin() * depth * depth);
        }
        (quiet || losing_capture)
            && depth <= params.see_depth()
            && !position.see_at_least(m, -params.see_noisy_margin() * depth)
    }
}

/// Whether a side has more than king and pawns.
fn has_non_pawn_material(position: &Position, side: Color) -> bool {
    let pawns_and_king = position.pieces(side, Role::Pawn) | position.pieces(side, Role::King);
    position.by_color(side) != pawns_and_king
}
