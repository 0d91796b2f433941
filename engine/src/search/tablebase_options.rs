//! The tablebases of a search, and when they are probed.

use std::sync::Arc;

use crate::board::Position;
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

    /// Most men of a position that may be probed.
    pub(super) fn max_men(&self, tablebases: &Tablebases) -> u32 {
        self.probe_limit.min(tablebases.max_men())
    }

    /// The sign of the result for the side to move.
    pub(super) fn sign(&self, wdl: Wdl) -> i32 {
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
