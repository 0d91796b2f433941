//! Which moves are searched less deeply, and which more.

use super::moves::Step;
use super::score::{DECIDED, MAX_PLY, Value, Window, is_decided};
use super::table::Bound;
use super::tree::{Context, CutNode, Node, Tree};
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::params::Params;

/// The depth up to which reductions grow with the logarithm of the depth. Beyond it they grow more
/// slowly: base and divisor were tuned in games at a few thousand nodes a move, which hardly see
/// depths beyond; taken further, they leave tactics unseen that a search of a second has time for.
const SHALLOW: f64 = 8.0;

/// The late-move reductions, in hundredths of a ply, by depth and by number of the move.
pub(super) struct Reductions {
    /// What they were made with: base, divisor and growth beyond [`SHALLOW`], in hundredths.
    made_with: [i32; 3],
    table: Box<[[i16; 64]; 64]>,
}

impl Reductions {
    /// base + ln(depth) ln(moves) / divisor, with less of ln(depth) beyond [`SHALLOW`].
    pub fn new<P: Params>(params: &P) -> Reductions {
        let made_with = Reductions::recipe(params);
        let [base, divisor, deep] = made_with.map(|hundredths| f64::from(hundredths) / 100.0);
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
        Reductions { made_with, table }
    }

    /// Makes them anew if the parameters are others.
    pub fn follow<P: Params>(&mut self, params: &P) {
        if self.made_with != Reductions::recipe(params) {
            *self = Reductions::new(params);
        }
    }

    fn recipe<P: Params>(params: &P) -> [i32; 3] {
        [params.lmr_base(), params.lmr_divisor(), params.lmr_deep()]
    }

    fn get(&self, depth: i32, moves: usize) -> i32 {
        i32::from(self.table[depth.clamp(0, 63) as usize][moves.min(63)])
    }
}

/// What a check for singularity found.
pub(super) struct Extension {
    /// Plies to add; negative to take off.
    pub plies: i32,
    /// The node can be given up with this value.
    pub multi_cut: Option<Value>,
}

impl Extension {
    fn plies(plies: i32) -> Extension {
        Extension { plies, multi_cut: None }
    }
}

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// Late-move reduction in plies: good moves come early, so later ones are first looked at
    /// less deeply, the less so the better they did elsewhere.
    pub fn reduction<N: Node>(&self, context: &Context, step: &Step, gives_check: bool) -> i32 {
        let params = self.params;
        let free = params.lmr_moves() as usize + usize::from(N::PV) + usize::from(N::ROOT);
        if context.depth < 3 || step.tried <= free {
            return 0;
        }
        let mut hundredths = self.reductions.get(context.depth, step.tried);
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
        if step.candidate.quiet {
            hundredths -= 100 * step.candidate.history / params.lmr_history();
        } else {
            hundredths = hundredths / 2 - 50 * step.candidate.history / params.lmr_history();
        }
        (hundredths / 100).clamp(0, (step.depth - 1).max(0))
    }

    /// Depth left to a quiet move after the reduction that it would get, at least one ply: the
    /// measure of what may be pruned at once.
    pub fn depth_left(&self, depth: i32, tried: usize, history: i32) -> i32 {
        let reduction =
            self.reductions.get(depth, tried + 1) - 100 * history / self.params.lmr_history();
        (depth - reduction.max(0) / 100).max(1)
    }

    /// Plies to add to the second search of a move that did better than its reduced search was
    /// to show: one more if it is better by far, one less if it is hardly better.
    pub fn second_thoughts<N: Node>(&self, step: &Step, value: Value) -> i32 {
        if N::ROOT || step.best <= -DECIDED {
            return 0;
        }
        let deeper = value > step.best + self.params.lmr_deeper() + 4 * step.depth;
        let shallower = value < step.best + self.params.lmr_shallower();
        i32::from(deeper) - i32::from(shallower)
    }

    /// How much deeper a move is searched.
    ///
    /// A hash move that is better by a margin than all others (none reaches the margin in a
    /// search without it, at half the depth) is singular and worth a ply more (T. Anantharaman,
    /// M. Campbell and F. Hsu, "Singular extensions", 1988). If the others do as well as beta
    /// without it, the node is given up: multi-cut.
    pub fn extension<N: Node>(
        &mut self,
        position: &Position,
        context: &Context,
        m: Move,
    ) -> Extension {
        let Context { ply, depth, window, .. } = *context;
        if N::ROOT || ply >= (2 * self.root_depth as usize).min(MAX_PLY / 2) {
            return Extension::plies(0);
        }
        if let Some(entry) = context.entry
            && entry.best_move == Some(m)
            && depth >= self.params.singular_depth()
            && entry.depth >= depth - 3
            && matches!(entry.bound, Bound::Lower | Bound::Exact)
            && !is_decided(entry.value)
            && self.frames[ply].excluded.is_none()
        {
            let margin = entry.value - self.params.singular_margin() * depth / 100;
            self.frames[ply].excluded = Some(m);
            let test = Window::zero(margin);
            let value =
                self.search::<CutNode>(position, ply, test, (depth - 1) / 2, context.cut_node);
            self.frames[ply].excluded = None;
            return self.judge_singular::<N>(context, window, entry.value, margin, value);
        }
        let worth_check = context.in_check && depth < self.params.singular_depth();
        Extension::plies(i32::from(worth_check))
    }

    fn judge_singular<N: Node>(
        &mut self,
        context: &Context,
        window: Window,
        hash_value: Value,
        margin: Value,
        value: Value,
    ) -> Extension {
        let ply = context.ply;
        if value < margin {
            let double = !N::PV
                && value < margin - self.params.singular_double()
                && self.frames[ply].double_extensions < 6;
            return Extension::plies(1 + i32::from(double));
        }
        if !N::PV && margin >= window.beta && !is_decided(value) {
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
        reductions.follow(&Fixed);
        for depth in 1..64 {
            let [now, was] = [reductions.get(depth, 20), before(depth, 20)];
            assert!(if depth <= 8 { (now - was).abs() <= 1 } else { now < was }, "{depth}");
            assert!(reductions.get(depth - 1, 20) <= now, "{depth}");
        }
    }
}
