//! Late move reductions and extensions.

use super::moves::MoveContext;
use super::node::{Node, NodeContext, NonPvNode};
use super::score::{MAX_PLY, TB_WIN_IN_MAX_PLY, Value, Window, is_decisive};
use super::tree::Tree;
use super::tt::Bound;
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::params::Params;

/// The depth up to which reductions grow with the logarithm of the depth. Beyond it they grow more
/// slowly: base and divisor are tuned in games at a few thousand nodes per move, which hardly reach
/// higher depths; extrapolated, they miss tactics that a search of a second has time for.
const SHALLOW: f64 = 8.0;

/// Base late move reductions, in hundredths of a ply, by depth and move count.
pub(super) struct Reductions {
    /// The inputs of the table: base, divisor and growth beyond [`SHALLOW`], in hundredths.
    inputs: [i32; 3],
    table: Box<[[i16; 64]; 64]>,
}

impl Reductions {
    /// base + ln(depth) ln(moves) / divisor, with less of ln(depth) beyond [`SHALLOW`].
    pub fn new<P: Params>(params: &P) -> Reductions {
        let inputs = Reductions::inputs(params);
        let [base, divisor, deep] = inputs.map(|hundredths| f64::from(hundredths) / 100.0);
        let logarithms: [f64; 64] = std::array::from_fn(|number| (number as f64).ln());
        let shallow = SHALLOW.ln();
        let mut table = Box::new([[0; 64]; 64]);
        for (row, depth) in table.iter_mut().zip(&logarithms).skip(1) {
            let growth = depth.min(shallow) + deep * (depth - shallow).max(0.0);
            for (entry, moves) in row.iter_mut().zip(&logarithms).skip(1) {
                let plies = base + growth * moves / divisor;
                *entry = (100.0 * plies) as i16;
            }
        }
        Reductions { inputs, table }
    }

    /// Recomputes the table if its inputs have changed.
    pub fn update<P: Params>(&mut self, params: &P) {
        if self.inputs != Reductions::inputs(params) {
            *self = Reductions::new(params);
        }
    }

    fn inputs<P: Params>(params: &P) -> [i32; 3] {
        [params.lmr_base(), params.lmr_divisor(), params.lmr_deep()]
    }

    fn get(&self, depth: i32, moves: usize) -> i32 {
        i32::from(self.table[depth.clamp(0, 63) as usize][moves.min(63)])
    }
}

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
        if context.depth < 3 || step.move_count <= unreduced {
            return 0;
        }
        let mut hundredths = self.reductions.get(context.depth, step.move_count);
        if context.cut_node {
            hundredths += params.lmr_cut_node();
        }
        if N::PV {
            hundredths -= params.lmr_pv();
        }
        if context.was_pv {
            hundredths -= params.lmr_was_pv();
        }
        if context.improving {
            hundredths -= params.lmr_improving();
        }
        if N::ROOT {
            hundredths = hundredths * params.lmr_root() / 100;
        }
        if gives_check {
            hundredths -= 100;
        }
        if context.noisy_hash_move {
            hundredths += params.lmr_noisy_hash();
        }
        if step.picked.quiet {
            hundredths -= 100 * step.picked.history / params.lmr_history();
        } else {
            hundredths = hundredths / 2 - 50 * step.picked.history / params.lmr_history();
        }
        (hundredths / 100).clamp(0, (step.depth - 1).max(0))
    }

    /// The depth of a quiet move after its late move reduction, at least one ply: what move pruning
    /// compares with its depth limits.
    pub fn lmr_depth(&self, depth: i32, move_count: usize, history: i32) -> i32 {
        let reduction =
            self.reductions.get(depth, move_count + 1) - 100 * history / self.params.lmr_history();
        (depth - reduction.max(0) / 100).max(1)
    }

    /// Depth adjustment of the re-search after a reduced search failed high: one ply deeper if the
    /// value beats the best one by far, one less deep if it hardly does.
    pub fn re_search_adjustment<N: Node>(&self, step: &MoveContext, value: Value) -> i32 {
        if N::ROOT || step.best_value <= -TB_WIN_IN_MAX_PLY {
            return 0;
        }
        let deeper = value > step.best_value + self.params.lmr_deeper() + 4 * step.depth;
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
        if N::ROOT || ply >= (2 * self.root_depth as usize).min(MAX_PLY / 2) {
            return Extension::plies(0);
        }
        if let Some(entry) = context.entry
            && entry.best_move == Some(m)
            && depth >= self.params.singular_depth()
            && entry.depth >= depth - 3
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
                && self.frames[ply].double_extensions < 6;
            return Extension::plies(1 + i32::from(double));
        }
        if !N::PV && margin >= window.beta && !is_decisive(value) {
            return Extension { plies: 0, multi_cut: Some(margin) };
        }
        let expected_cut = hash_value >= window.beta || context.cut_node;
        Extension::plies(-i32::from(expected_cut))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Fixed, Values};

    #[test]
    fn beyond_shallow_depths_reductions_grow_more_slowly() {
        let mut unbent = Values::default();
        unbent.set("lmr_deep", 100).expect("in its range");
        let mut reductions = Reductions::new(&unbent);
        let before = |depth: i32, moves: i32| {
            let [base, divisor] = [unbent.lmr_base(), unbent.lmr_divisor()].map(f64::from);
            (base + 10_000.0 * f64::from(depth).ln() * f64::from(moves).ln() / divisor) as i32
        };
        for depth in 1..64 {
            assert!((reductions.get(depth, 20) - before(depth, 20)).abs() <= 1, "{depth}");
        }
        reductions.update(&Fixed);
        for depth in 1..64 {
            let [now, was] = [reductions.get(depth, 20), before(depth, 20)];
            assert!(if depth <= 8 { (now - was).abs() <= 1 } else { now < was }, "{depth}");
            assert!(reductions.get(depth - 1, 20) <= now, "{depth}");
        }
    }
}
