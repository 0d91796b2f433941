//! Annotated games as trees: moves with variations, comments, signs, arrows, clocks and scores.
//!
//! A [`GameTree`] is what a board page edits and what a PGN file holds. Every move is checked by the
//! rules when it enters the tree, so that a tree has legal moves only. Numbers of nodes stay valid
//! while a tree is edited.
//!
//! | module | subject |
//! |---|---|
//! | [`node`] | a position of the tree and its annotations |
//! | [`edit`] | changes |
//! | [`marks`] | annotations that are written inside comments: `[%clk 0:01:00]` |
//! | [`read`], [`write`] | PGN |
//! | [`mod@view`] | the tree as JSON for a browser |

mod edit;
mod error;
mod mark;
mod marks;
mod node;
mod read;
#[cfg(test)]
mod tests;
mod view;
mod write;

use harness_arena::castling_of;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

pub use error::TreeError;
pub use mark::Mark;
pub(crate) use marks::take as take_commands;
pub use marks::{clock_text, eval_text};
pub use node::{Annotations, Node, NodeId, Played};
pub use read::{GamePart, Stopped, read_game, read_games, read_parts};
pub use view::{NodeView, TreeView};

/// An annotated game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameTree {
    /// The first is the start position. Deleted nodes stay, without a parent that knows them.
    nodes: Vec<Node>,
    castling: CastlingMode,
    /// Names and values in their order; those of the start position and the result are not here.
    tags: Vec<(String, String)>,
    result: String,
}

impl Default for GameTree {
    fn default() -> GameTree {
        GameTree::from_position(Chess::default(), CastlingMode::Standard)
    }
}

impl GameTree {
    /// A game without moves from a FEN; `None` is the usual start position. A position whose castling only
    /// Chess960 has is one of Chess960.
    ///
    /// # Errors
    /// When the FEN or its position is invalid.
    pub fn new(fen: Option<&str>, chess960: bool) -> Result<GameTree, TreeError> {
        let needs_it = fen.is_some_and(|fen| castling_of(fen.trim()).is_chess960());
        let castling = CastlingMode::from_chess960(chess960 || needs_it);
        let position = fen.map_or_else(|| Ok(Chess::default()), |fen| position(fen, castling))?;
        Ok(GameTree::from_position(position, castling))
    }

    fn from_position(position: Chess, castling: CastlingMode) -> GameTree {
        let root = Node::root(position);
        GameTree { nodes: vec![root], castling, tags: Vec::new(), result: "*".to_owned() }
    }

    /// The start position.
    pub const ROOT: NodeId = NodeId(0);

    /// Is it a game of Chess960?
    pub fn is_chess960(&self) -> bool {
        self.castling == CastlingMode::Chess960
    }

    /// FEN of the start position.
    pub fn start_fen(&self) -> String {
        self.fen(&self.nodes[0])
    }

    /// Does the game begin at the usual start position?
    pub fn is_usual_start(&self) -> bool {
        self.nodes[0].position == Chess::default()
    }

    /// A node.
    ///
    /// # Errors
    /// When there is none of this number, or it was deleted.
    pub fn node(&self, id: NodeId) -> Result<&Node, TreeError> {
        let node = self.nodes.get(id.0 as usize).filter(|node| !node.deleted);
        node.ok_or(TreeError::NoNode(id.0))
    }

    /// All nodes, the start position first.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| !node.deleted)
    }

    /// FEN of the position of a node.
    pub fn fen(&self, node: &Node) -> String {
        Fen::from_position(&node.position, EnPassantMode::Legal).to_string()
    }

    /// The nodes from the start position to this one, without the start position.
    ///
    /// # Errors
    /// When there is no such node.
    pub fn path(&self, id: NodeId) -> Result<Vec<NodeId>, TreeError> {
        let mut path = Vec::new();
        let mut at = id;
        while let Some(parent) = self.node(at)?.parent {
            path.push(at);
            at = parent;
        }
        path.reverse();
        Ok(path)
    }

    /// The nodes of the main line, without the start position.
    pub fn main_line(&self) -> Vec<NodeId> {
        let mut line = Vec::new();
        let mut at = GameTree::ROOT;
        while let Some(&next) = self.nodes[at.0 as usize].children.first() {
            line.push(next);
            at = next;
        }
        line
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The tags in their order, without those of the start position and the result.
    pub fn tags(&self) -> &[(String, String)] {
        &self.tags
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub fn result(&self) -> &str {
        &self.result
    }

    /// How often the position of a node stands on the way to it, this time included.
    ///
    /// # Errors
    /// When there is no such node.
    pub fn repetitions(&self, id: NodeId) -> Result<u32, TreeError> {
        let own = &self.node(id)?.position;
        let same = |other: &Chess| {
            other.board() == own.board()
                && other.turn() == own.turn()
                && other.castles().castling_rights() == own.castles().castling_rights()
                && other.legal_ep_square() == own.legal_ep_square()
        };
        let before = self.path(id)?.into_iter().map(|step| &self.nodes[step.0 as usize].position);
        let all = std::iter::once(&self.nodes[0].position).chain(before);
        Ok(all.filter(|other| same(other)).count() as u32)
    }
}

/// Whether a FEN that a person has written says all of a position; its numbers of moves may be missing, as in EPD.
///
/// # Errors
/// When it is cut off behind one of its first fields: what is missing would be assumed without a word.
pub fn check_whole(fen: &str) -> Result<(), TreeError> {
    if fen.matches('/').count() != 7 {
        // What is no FEN has another fault.
        return Ok(());
    }
    let missing = match fen.split_whitespace().count() {
        1 => {
            "the side to move, castling and the en passant square are missing: `w - -` behind it means White, and none"
        }
        2 => "castling and the en passant square are missing: `- -` behind it means none",
        3 => "the en passant square is missing: `-` behind it means none",
        _ => return Ok(()),
    };
    Err(TreeError::Cut { fen: fen.trim().to_owned(), missing })
}

/// The position of a FEN.
fn position(fen: &str, castling: CastlingMode) -> Result<Chess, TreeError> {
    let wrong = |reason: String| TreeError::Position { fen: fen.to_owned(), reason };
    let parsed: Fen = fen
        .trim()
        .parse()
        .map_err(|error: shakmaty::fen::ParseFenError| wrong(error.to_string()))?;
    parsed
        .into_position(castling)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .map_err(|error: shakmaty::PositionError<Chess>| wrong(error.to_string()))
}
