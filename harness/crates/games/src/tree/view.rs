//! A tree as JSON for a browser.

use serde::Serialize;

use super::GameTree;
use super::mark::Mark;
use super::node::NodeId;

/// A tree with all that a page shows of it.
#[derive(Clone, Debug, Serialize)]
pub struct TreeView {
    /// Names and values of the tags.
    pub tags: Vec<(String, String)>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// Is it Chess960?
    pub chess960: bool,
    /// Parents before their children, the main line of each first; the first is the start position.
    pub nodes: Vec<NodeView>,
}

/// A node.
#[derive(Clone, Debug, Serialize)]
pub struct NodeView {
    /// Its number.
    pub id: u32,
    /// The number of the node before; `None` of the start position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// The move, as people write it; empty of the start position.
    pub san: String,
    /// The move, as engines write it; empty of the start position.
    pub uci: String,
    /// The position.
    pub fen: String,
    /// Before the move.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// After the move.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub comment: String,
    /// Numeric annotation glyphs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nags: Vec<u16>,
    /// Arrows and coloured squares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// Clock after the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
    /// Score from White's view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval: Option<String>,
}

impl GameTree {
    /// The tree for a browser.
    pub fn view(&self) -> TreeView {
        let mut nodes = Vec::new();
        let mut next = vec![GameTree::ROOT];
        while let Some(id) = next.pop() {
            nodes.push(self.node_view(id));
            next.extend(self.nodes[id.0 as usize].children.iter().rev());
        }
        let tags = self.tags().to_vec();
        let result = self.result().to_owned();
        TreeView { tags, result, chess960: self.is_chess960(), nodes }
    }

    fn node_view(&self, id: NodeId) -> NodeView {
        let node = &self.nodes[id.0 as usize];
        let said = &node.annotations;
        let played = node.played.as_ref();
        NodeView {
            id: id.0,
            parent: node.parent.map(|parent| parent.0),
            san: played.map(|played| played.san.clone()).unwrap_or_default(),
            uci: played.map(|played| played.uci.to_string()).unwrap_or_default(),
            fen: self.fen(node),
            before: said.before.clone(),
            comment: said.comment.clone(),
            nags: said.nags.clone(),
            marks: said.marks.clone(),
            clock: said.clock.clone(),
            eval: said.eval.clone(),
        }
    }
}
