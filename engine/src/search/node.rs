//! Kinds of nodes, and the state of a node before its moves are searched.

use super::score::{Value, Window};
use super::tt::Entry;
use crate::board::Move;

/// The kind of a node, known at compile time.
pub(super) trait Node {
    const ROOT: bool;
    /// A node whose exact value is wanted: its window is open.
    const PV: bool;
}

pub(super) struct RootNode;
/// A node of a principal variation.
pub(super) struct PvNode;
/// Any other node, expected to be a cut node or an all node: it is searched with a zero window.
pub(super) struct NonPvNode;

impl Node for RootNode {
    const ROOT: bool = true;
    const PV: bool = true;
}

impl Node for PvNode {
    const ROOT: bool = false;
    const PV: bool = true;
}

impl Node for NonPvNode {
    const ROOT: bool = false;
    const PV: bool = false;
}

/// The state of a node before its moves are searched.
pub(super) struct NodeContext {
    pub ply: usize,
    pub depth: i32,
    pub window: Window,
    /// Corrected static evaluation, refined by the TT entry; meaningless in check.
    pub eval: Value,
    pub in_check: bool,
    /// The static evaluation is higher than at our previous move.
    pub improving: bool,
    /// Expected to fail high.
    pub cut_node: bool,
    pub entry: Option<Entry>,
    /// Bounds of the value by the tablebases.
    pub tb_bounds: Window,
    /// The hash move is a capture or a promotion.
    pub noisy_hash_move: bool,
    /// The node is or once was part of a principal variation.
    pub was_pv: bool,
}

impl NodeContext {
    pub fn hash_move(&self) -> Option<Move> {
        self.entry.and_then(|entry| entry.best_move)
    }
}

/// The result of a tablebase probe inside the tree.
pub(super) enum TbProbe {
    /// The value decides the window.
    Cutoff(Value),
    /// Bounds of the value.
    Bounds(Window),
}
