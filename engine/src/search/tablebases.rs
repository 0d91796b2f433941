//! Tablebase probes inside the tree.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::node::Node;
use super::score::{TB_WIN, Value, Window};
use super::tree::Tree;
use super::tt::{Bound, Entry};
use crate::board::Position;
use crate::eval::Evaluator;
use crate::params::Params;
use crate::tablebase::{MAX_MEN, Tablebases, Wdl};

/// The tablebases of a search and when they are probed (`SyzygyPath` and the options beside it).
#[derive(Clone)]
pub struct TablebaseOptions {
    /// The tablebases, if there are any.
    pub tablebases: Option<Arc<Tablebases>>,
    /// Least remaining depth, in plies, for probes of positions with the maximum number of men;
    /// those with fewer are always probed.
    pub probe_depth: u32,
    /// Most men of a probed position.
    pub probe_limit: u32,
    /// Cursed wins and blessed losses are draws.
    pub fifty_move_rule: bool,
}

impl Default for TablebaseOptions {
    fn default() -> TablebaseOptions {
        TablebaseOptions {
            tablebases: None,
            probe_depth: 1,
            probe_limit: MAX_MEN,
            fifty_move_rule: true,
        }
    }
}

impl TablebaseOptions {
    /// The tablebases, if a position with this number of men may be probed.
    pub(super) fn for_position(&self, position: &Position) -> Option<&Tablebases> {
        let tablebases = self.tablebases.as_deref()?;
        let men = position.occupied().count() as u32;
        (men <= self.max_men(tablebases)).then_some(tablebases)
    }

    fn max_men(&self, tablebases: &Tablebases) -> u32 {
        self.probe_limit.min(tablebases.max_men())
    }

    /// The sign of the result for the side to move.
    fn sign(&self, wdl: Wdl) -> i32 {
        match wdl {
            Wdl::Loss => -1,
            Wdl::Win => 1,
            Wdl::Draw => 0,
            Wdl::BlessedLoss if !self.fifty_move_rule => -1,
            Wdl::CursedWin if !self.fifty_move_rule => 1,
            Wdl::BlessedLoss | Wdl::CursedWin => 0,
        }
    }
}

/// The result of a tablebase probe inside the tree.
pub(super) enum TbProbe {
    /// The value decides the window.
    Cutoff(Value),
    /// Bounds of the value.
    Bounds(Window),
}

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
        let depth = depth + 6;
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
