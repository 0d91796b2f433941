//! Late move reductions and extensions.

use super::moves::MoveContext;
use super::node::{Node, NodeContext, NonPvNode};
use super::score::{MAX_PLY, TB_WIN_IN_MAX_PLY, Value, Window, is_decisive};
use super::tree::Tree;
use super::tt::Bound;
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::params::Params;

/// Least depth of a node whose later moves are reduced.
const MIN_LMR_DEPTH: i32 = 3;
/// One ply, in the unit of reductions.
const PLY: i32 = 100;
/// Parts of the reduction, and of the effect of history, that captures have.
const NOISY_DIVISOR: i32 = 2;
/// A re-search a ply deeper needs a value better by this much more per ply of depth, in centipawns.
const DEEPER_MARGIN: Value = 4;
/// Plies that the depth of a TT entry may lie below that of the node for its move to be tested for
/// singularity.
const SINGULAR_TT_DEPTH: i32 = 3;
/// Extensions by two plies in one line.
const MAX_DOUBLE_EXTENSIONS: u8 = 6;
/// Moves are extended up to this multiple of the iteration's depth, ...
const MAX_EXTENDED_DEPTHS: usize = 2;
/// ... and up to this ply: a line of extensions ends.
const MAX_EXTENDED_PLY: usize = MAX_PLY / 2;

/// The extension of a move.
pub(super) struct Extension {
    /// Plies to add; negative for a reduction.
    pub plies: i32,
    /// Multi-cut: the node is pruned with this value.
    pub multi_cut: Option<Value>,
}

impl Extension {
    fn plies(plies: i32) -> Extension {
        Extension { plies, multi_cut: None }
    }
}

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// Late move reduction, in plies: good moves are ordered first, so later ones are searched less
    /// deeply at first. The adjustments come from the node and from the move's history.
    pub fn late_move_reduction<N: Node>(
        &self,
        context: &NodeContext,
        step: &MoveContext,
        gives_check: bool,
    ) -> i32 {
        let params = self.params;
        let unreduced = params.lmr_moves() as usize + usize::from(N::PV) + usize::from(N::ROOT);
        if context.depth < MIN_LMR_DEPTH || step.move_count <= unreduced {
            return 0;
        }
        let mut hundredths = self.reductions.get(context.depth, step.move_count);
        if context.cut_node {
            hundredths += params.lmr_cut_node();
        }
        if N::PV {
            hundredths -= params.lmr_pv();
        }
        if context.improving {
            hundredths -= params.lmr_improving();
        }
        if N::ROOT {
            hundredths = hundredths * params.lmr_root() / 100;
        }
        if gives_check {
            hundredths -= PLY;
        }
        if context.noisy_hash_move {
            hundredths += params.lmr_noisy_hash();
        }
        if step.picked.quiet {
            hundredths -= PLY * step.picked.history / params.lmr_history();
        } else {
            let history = PLY / NOISY_DIVISOR * step.picked.history / params.lmr_history();
            hundredths = hundredths / NOISY_DIVISOR - history;
        }
        (hundredths / PLY).clamp(0, (step.depth - 1).max(0))
    }

    /// The depth of a quiet move after its late move reduction, at least one ply: what move pruning
    /// compares with its depth limits.
    pub fn lmr_depth(&self, depth: i32, move_count: usize, history: i32) -> i32 {
        let reduction =
            self.reductions.get(depth, move_count + 1) - PLY * history / self.params.lmr_history();
        (depth - reduction.max(0) / PLY).max(1)
    }

    /// Depth adjustment of the re-search after a reduced search failed high: one ply deeper if the
    /// value beats the best one by far, one less deep if it hardly does.
    pub fn re_search_adjustment<N: Node>(&self, step: &MoveContext, value: Value) -> i32 {
        if N::ROOT || step.best_value <= -TB_WIN_IN_MAX_PLY {
            return 0;
        }
        let deeper =
            value > step.best_value + self.params.lmr_deeper() + DEEPER_MARGIN * step.depth;
        let shallower = value < step.best_value + self.params.lmr_shallower();
        i32::from(deeper) - i32::from(shallower)
    }

    /// Singular and check extensions.
    ///
    /// The hash move is singular if no other move comes within a margin of its value, in a search
    /// that excludes it at half the depth; it is extended (T. Anantharaman, M. Campbell and F. Hsu,
    /// "Singular extensions", 1988). If another move reaches beta as well, the node is pruned
    /// (multi-cut).
    pub fn extension<N: Node>(
        &mut self,
        position: &Position,
        context: &NodeContext,
        m: Move,
    ) -> Extension {
        let NodeContext { ply, depth, .. } = *context;
        let max_ply = MAX_EXTENDED_PLY.min(MAX_EXTENDED_DEPTHS * self.root_depth as usize);
        if N::ROOT || ply >= max_ply {
            return Extension::plies(0);
        }
        if let Some(entry) = context.entry
            && entry.best_move == Some(m)
            && depth >= self.params.singular_depth()
            && entry.depth >= depth - SINGULAR_TT_DEPTH
            && matches!(entry.bound, Bound::Lower | Bound::Exact)
            && !is_decisive(entry.value)
            && self.frames[ply].excluded.is_none()
        {
            let margin = entry.value - self.params.singular_margin() * depth / 100;
            self.frames[ply].excluded = Some(m);
            let test = Window::zero(margin);
            let value =
                self.search::<NonPvNode>(position, ply, test, (depth - 1) / 2, context.cut_node);
            self.frames[ply].excluded = None;
            return self.singular_extension::<N>(context, entry.value, margin, value);
        }
        let in_check = context.in_check && depth < self.params.singular_depth();
        Extension::plies(i32::from(in_check))
    }

    /// The extension of the hash move: `value` is that of the other moves, compared with `margin`.
    fn singular_extension<N: Node>(
        &self,
        context: &NodeContext,
        hash_value: Value,
        margin: Value,
        value: Value,
    ) -> Extension {
        let NodeContext { ply, window, .. } = *context;
        if value < margin {
            let double = !N::PV
                && value < margin - self.params.singular_double()
                && self.frames[ply].double_extensions < MAX_DOUBLE_EXTENSIONS;
            return Extension::plies(1 + i32::from(double));
        }
        if !N::PV && margin >= window.beta && !is_decisive(value) {
            return Extension { plies: 0, multi_cut: Some(margin) };
        }
        let expected_cut = hash_value >= window.beta || context.cut_node;
        Extension::plies(-i32::from(expected_cut))
    }
}
