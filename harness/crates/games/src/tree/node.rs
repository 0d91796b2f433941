//! A position of the tree and its annotations.

use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

use super::mark::Mark;

/// The number of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// The move that leads to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// In the notation of the game's castling mode.
    pub uci: UciMove,
    /// With the signs of check and mate.
    pub san: String,
}

/// Annotations of a move by people and engines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    /// Before the move; only of the first move of a variation.
    pub before: String,
    /// After the move; of the start position: before the first move.
    pub comment: String,
    /// Numeric annotation glyphs: 1 is `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`.
    pub nags: Vec<u16>,
    /// Arrows and coloured squares, in their order.
    pub marks: Vec<Mark>,
    /// Clock after the move, as written: `1:02:03`.
    pub clock: Option<String>,
    /// Time spent on the move, as written: `0:00:05`.
    pub elapsed: Option<String>,
    /// Score from White's view as written: `0.35,22` with a depth, `#-3`.
    pub eval: Option<String>,
}

/// A position of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The node before; `None` of the start position.
    pub parent: Option<NodeId>,
    /// Continuations; the first is the main line.
    pub children: Vec<NodeId>,
    /// The move that leads here; `None` of the start position.
    pub played: Option<Played>,
    /// The position after the move.
    pub position: Chess,
    /// Its annotations.
    pub annotations: Annotations,
    /// No longer in the tree.
    pub(super) deleted: bool,
}

impl Node {
    pub(super) fn root(position: Chess) -> Node {
        Node {
            parent: None,
            children: Vec::new(),
            played: None,
            position,
            annotations: Annotations::default(),
            deleted: false,
        }
    }

    /// The number of the move that leads here, and whether White made it.
    pub fn number(&self) -> (u32, bool) {
        let white = self.position.turn().is_black();
        let next = self.position.fullmoves().get();
        (if white { next } else { next.saturating_sub(1).max(1) }, white)
    }
}
