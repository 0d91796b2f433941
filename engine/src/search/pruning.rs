//! What is not searched at all.

use super::moves::Candidate;
use super::picker::Picker;
use super::score::{DECIDED, Value, Window, is_decided};
use super::table::{Bound, Entry};
use super::tree::{Context, CutNode, Tree};
use crate::board::{Color, Position, Role};
use crate::eval::Evaluator;
use crate::params::Params;

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// Gives a node up without trying its moves.
    pub fn prune_node(&mut self, position: &Position, context: &Context) -> Option<Value> {
        self.reverse_futility(context)
            .or_else(|| self.razor(position, context))
            .or_else(|| self.null_move(position, context))
            .or_else(|| self.probcut(position, context))
    }

    /// So far above beta that a quiet move will hardly bring it down: taken as a cut.
    fn reverse_futility(&self, context: &Context) -> Option<Value> {
        let Context { depth, window, eval, .. } = *context;
        let spared = if context.improving { self.params.rfp_improving() } else { 0 };
        let margin = self.params.rfp_margin() * depth - spared;
        (depth <= self.params.rfp_depth()
            && !context.was_pv
            && eval - margin.max(0) >= window.beta
            && !is_decided(window.beta)
            && !is_decided(eval))
        .then(|| window.beta + (eval - window.beta) / 3)
    }

    /// So far below alpha that only captures could help: they are tried.
    fn razor(&mut self, position: &Position, context: &Context) -> Option<Value> {
        let Context { ply, depth, window, eval, .. } = *context;
        let margin = self.params.razor_base() + self.params.razor_margin() * depth;
        if depth > self.params.razor_depth() || eval + margin >= window.alpha {
            return None;
        }
        let value = self.quiescence::<CutNode>(position, ply, window);
        (value <= window.alpha && !is_decided(value)).then_some(value)
    }

    /// Passing is hardly ever better than moving: if the opponent cannot use two moves in a row
    /// at reduced depth, the node fails high (C. Donninger, "Null move and deep search", 1993).
    /// Not with pawns alone, where zugzwang is common; at great depth it is verified.
    fn null_move(&mut self, position: &Position, context: &Context) -> Option<Value> {
        let Context { ply, depth, window, eval, .. } = *context;
        let after_null = ply > 0 && self.frames[ply - 1].null_move;
        if depth < self.params.null_depth()
            || eval < window.beta
            || after_null
            || ply < self.null_from
            || window.beta <= -DECIDED
            || !has_pieces(position, position.side())
        {
            return None;
        }
        let reduction = self.params.null_base()
            + depth / self.params.null_divisor()
            + ((eval - window.beta) / self.params.null_eval_divisor()).min(3);
        self.table.prefetch(position.key_after_pass());
        let test = Window::zero(window.beta);
        let (reduced, cut_node) = (depth - reduction, !context.cut_node);
        let value = self.with_null_move(position, ply, |tree, child| {
            -tree.search::<CutNode>(child, ply + 1, test.reversed(), reduced, cut_node)
        });
        if self.stopped || value < window.beta {
            return None;
        }
        let value = if is_decided(value) { window.beta } else { value };
        if depth < VERIFY_FROM || self.null_from > 0 {
            return Some(value);
        }
        // Without another null move in the upper part of this subtree.
        self.null_from = ply + (3 * reduced / 4).max(1) as usize;
        let verified = self.search::<CutNode>(position, ply, test, reduced, false);
        self.null_from = 0;
        (verified >= window.beta && !self.stopped).then_some(value)
    }

    /// A capture that is good enough by a margin at reduced depth is good enough (M. Buro,
    /// "ProbCut", 1995).
    fn probcut(&mut self, position: &Position, context: &Context) -> Option<Value> {
        let Context { ply, depth, window, .. } = *context;
        let raised = window.beta + self.params.probcut_margin();
        let hopeless = context.entry.is_some_and(|entry| {
            entry.depth >= depth - 3 && entry.value < raised && entry.bound != Bound::None
        });
        if depth < self.params.probcut_depth() || is_decided(window.beta) || hopeless {
            return None;
        }
        let gain = raised - self.frames[ply].eval.unwrap_or(context.eval);
        let mut picker = Picker::noisy(self.buffers, position, None, gain.max(0));
        let setting = self.setting_of_captures();
        while let Some(m) = picker.next(position, self.histories, &setting) {
            if picker.loses_exchange() {
                break;
            }
            self.table.prefetch(position.likely_key_after(m));
            let value = self.with_move(position, ply, m, |tree, child| {
                let test = Window::zero(raised).reversed();
                let value = -tree.quiescence::<CutNode>(child, ply + 1, test);
                if value < raised {
                    return value;
                }
                -tree.search::<CutNode>(child, ply + 1, test, depth - 4, !context.cut_node)
            });
            if self.stopped {
                return None;
            }
            if value >= raised {
                let eval = Some(self.frames[ply].raw_eval);
                let entry = Entry {
                    best_move: Some(m),
                    value,
                    eval,
                    depth: depth - 3,
                    bound: Bound::Lower,
                    was_pv: context.was_pv,
                };
                self.table.store(position.key(), ply, entry);
                self.buffers.recycle(picker);
                return Some(value);
            }
        }
        self.buffers.recycle(picker);
        None
    }

    /// Late-move pruning: after enough quiet moves near the leaves, the rest will not help.
    pub fn enough_quiets(&self, context: &Context, tried: usize) -> bool {
        let depth = context.depth;
        let enough = self.params.lmp_base() + self.params.lmp_factor() * depth * depth / 100;
        let enough = if context.improving { enough } else { enough / 2 };
        depth <= self.params.lmp_depth() && tried as i32 >= enough.max(1)
    }

    /// Whether a move is skipped: by futility, by history or by a losing exchange. A quiet check may
    /// be worth a sacrifice: it is judged as a capture is, by its exchange alone.
    pub fn prune_move(
        &self,
        position: &Position,
        context: &Context,
        candidate: &Candidate,
        tried: usize,
        alpha: Value,
    ) -> bool {
        let Candidate { m, quiet, history, loses_exchange } = *candidate;
        let Context { depth, eval, in_check, .. } = *context;
        let params = self.params;
        if quiet && !position.gives_check(m) {
            if depth <= params.history_depth() && history < -params.history_margin() * depth {
                return true;
            }
            let depth = self.depth_left(depth, tried, history);
            if !in_check
                && depth <= params.futility_depth()
                && eval + params.futility_base() + params.futility_margin() * depth <= alpha
            {
                return true;
            }
            return depth <= params.see_depth()
                && !position.see_at_least(m, -params.see_quiet_margin() * depth * depth);
        }
        (quiet || loses_exchange)
            && depth <= params.see_depth()
            && !position.see_at_least(m, -params.see_noisy_margin() * depth)
    }
}

/// From this depth a null-move cut is verified.
const VERIFY_FROM: i32 = 12;

/// Whether a side has more than king and pawns.
fn has_pieces(position: &Position, side: Color) -> bool {
    let few = position.pieces(side, Role::Pawn) | position.pieces(side, Role::King);
    position.by_color(side) != few
}
