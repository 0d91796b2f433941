//! Tablebase probes inside the tree.

use std::sync::atomic::Ordering::Relaxed;

use super::node::{Node, TbProbe};
use super::score::{TB_WIN, Value, Window};
use super::tree::Tree;
use super::tt::{Bound, Entry};
use crate::board::Position;
use crate::eval::Evaluator;
use crate::params::Params;

/// Plies added to the depth of a TT entry with a tablebase value: nothing but a deeper search may
/// replace it.
const TB_DEPTH_BONUS: i32 = 6;

impl<P: Params, E: Evaluator> Tree<'_, P, E> {
    /// Probes WDL right after a capture or pawn move, where the result does not depend on the
    /// fifty-move counter. A win or loss is only a bound: the search may find a mate beyond it.
    pub fn probe_tablebases<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        window: Window,
    ) -> TbProbe {
        let unknown = TbProbe::Bounds(Window::FULL);
        let Some(options) = self.tb_options else { return unknown };
        if N::ROOT || position.halfmove_clock() != 0 || self.frames[ply].excluded.is_some() {
            return unknown;
        }
        let Some(tablebases) = options.for_position(position) else { return unknown };
        let has_max_men = position.occupied().count() as u32 == options.max_men(tablebases);
        if has_max_men && depth < options.probe_depth as i32 {
            return unknown;
        }
        let Some(wdl) = tablebases.probe_wdl(position) else { return unknown };
        self.tb_hits.fetch_add(1, Relaxed);
        let sign = options.sign(wdl);
        let value = sign * (TB_WIN - ply as Value);
        let bound = match sign {
            0 => Bound::Exact,
            1 => Bound::Lower,
            _ => Bound::Upper,
        };
        let depth = depth + TB_DEPTH_BONUS;
        let entry = Entry { best_move: None, value, eval: None, depth, bound, was_pv: N::PV };
        if let Some(value) = entry.cutoff(window) {
            self.tt.store(position.key(), ply, entry);
            return TbProbe::Cutoff(value);
        }
        TbProbe::Bounds(match bound {
            Bound::Lower => Window { alpha: value, ..Window::FULL },
            _ => Window { beta: value, ..Window::FULL },
        })
    }
}
