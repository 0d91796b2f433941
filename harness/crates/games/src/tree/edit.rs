//! Changes of a tree.

use shakmaty::Move;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

use super::error::TreeError;
use super::mark::Mark;
use super::marks::{normal, take};
use super::node::{Annotations, Node, NodeId, Played};
use super::{GameTree, position};
use harness_arena::Rules;
use harness_notation::pgn::tag::is_of_name;

/// Most nodes of a tree: a page that shows more would not be read.
pub const MAX_NODES: usize = 50_000;

impl GameTree {
    /// Plays a move after a node: a new child, or the one that has this move already.
    ///
    /// # Errors
    /// When the move is illegal, there is no such node, or the tree is full.
    pub fn play(&mut self, at: NodeId, uci: UciMove) -> Result<NodeId, TreeError> {
        let node = self.node(at)?;
        let illegal = || TreeError::Illegal { text: uci.to_string(), fen: self.fen(node) };
        let legal = uci.to_move(&node.position).map_err(|_| illegal())?;
        let own = legal.to_uci(self.castling);
        let same = |child: &NodeId| {
            self.nodes[child.0 as usize].played.as_ref().is_some_and(|played| played.uci == own)
        };
        match node.children.iter().copied().find(same) {
            Some(child) => Ok(child),
            None => self.add(at, legal),
        }
    }

    /// Adds a legal move after a node of this tree, even where it is there already.
    pub(super) fn add(&mut self, at: NodeId, legal: Move) -> Result<NodeId, TreeError> {
        if self.nodes.len() >= MAX_NODES {
            return Err(TreeError::TooMany(MAX_NODES));
        }
        let mut position = self.nodes[at.0 as usize].position.clone();
        let uci = legal.to_uci(self.castling);
        let san = SanPlus::from_move_and_play_unchecked(&mut position, legal).to_string();
        let id = NodeId(self.nodes.len() as u32);
        let played = Some(Played { uci, san });
        self.nodes.push(Node { parent: Some(at), played, ..Node::root(position) });
        self.nodes[at.0 as usize].children.push(id);
        Ok(id)
    }

    fn node_mut(&mut self, id: NodeId) -> Result<&mut Node, TreeError> {
        self.node(id)?;
        Ok(&mut self.nodes[id.0 as usize])
    }

    /// Deletes a move and what follows it. Gives the node before it.
    ///
    /// # Errors
    /// When there is no such node, or it is the start position.
    pub fn delete(&mut self, id: NodeId) -> Result<NodeId, TreeError> {
        let parent = self.node(id)?.parent.ok_or(TreeError::Root)?;
        self.nodes[parent.0 as usize].children.retain(|child| *child != id);
        let mut below = vec![id];
        while let Some(gone) = below.pop() {
            let node = &mut self.nodes[gone.0 as usize];
            node.deleted = true;
            below.append(&mut node.children);
        }
        Ok(parent)
    }

    /// Makes a move the first among its siblings, and so its variation the main line of where it
    /// branches.
    ///
    /// # Errors
    /// When there is no such node, or it is the start position.
    pub fn promote(&mut self, id: NodeId) -> Result<(), TreeError> {
        let parent = self.node(id)?.parent.ok_or(TreeError::Root)?;
        let children = &mut self.nodes[parent.0 as usize].children;
        children.retain(|child| *child != id);
        children.insert(0, id);
        // A comment before the move belongs to a variation.
        let moved = &mut self.nodes[id.0 as usize].annotations;
        if !moved.before.is_empty() {
            let before = std::mem::take(&mut moved.before);
            moved.comment = normal(&format!("{before} {}", moved.comment));
        }
        Ok(())
    }

    /// Makes the line to this node the main line of the game.
    ///
    /// # Errors
    /// When there is no such node.
    pub fn make_main_line(&mut self, id: NodeId) -> Result<(), TreeError> {
        for step in self.path(id)? {
            self.promote(step)?;
        }
        Ok(())
    }

    /// Sets the comment after a move; commands in it (`[%cal Ge2e4]`) become annotations.
    ///
    /// # Errors
    /// When there is no such node.
    pub fn comment(&mut self, id: NodeId, text: &str) -> Result<(), TreeError> {
        let annotations = &mut self.node_mut(id)?.annotations;
        annotations.comment = take(text, annotations);
        Ok(())
    }

    /// Adds a glyph, or takes it away. Of `!` to `?!` (1 to 6) a move has one at most.
    ///
    /// # Errors
    /// When there is no such node, or it is the start position.
    pub fn toggle_nag(&mut self, id: NodeId, nag: u16) -> Result<(), TreeError> {
        let node = self.node_mut(id)?;
        if node.parent.is_none() {
            return Err(TreeError::Root);
        }
        let nags = &mut node.annotations.nags;
        let had = nags.contains(&nag);
        let of_move = |nag: u16| (1..=6).contains(&nag);
        nags.retain(|known| *known != nag && !(of_move(nag) && of_move(*known)));
        if !had {
            nags.push(nag);
            nags.sort_unstable();
        }
        Ok(())
    }

    /// Sets arrows and coloured squares.
    ///
    /// # Errors
    /// When there is no such node.
    pub fn set_marks(&mut self, id: NodeId, marks: Vec<Mark>) -> Result<(), TreeError> {
        self.node_mut(id)?.annotations.marks = marks;
        Ok(())
    }

    /// Annotations of a move, to be changed by an engine's analysis or a clock.
    ///
    /// # Errors
    /// When there is no such node.
    pub fn annotations_mut(&mut self, id: NodeId) -> Result<&mut Annotations, TreeError> {
        Ok(&mut self.node_mut(id)?.annotations)
    }

    /// Sets a tag; an empty value removes it. `Result`, `FEN`, `SetUp` and the Chess960 `Variant`
    /// follow from the game.
    ///
    /// # Errors
    /// When PGN cannot hold the name, or the result is none.
    pub fn set_tag(&mut self, name: &str, value: &str) -> Result<(), TreeError> {
        if name.is_empty() || !name.bytes().all(is_of_name) {
            return Err(TreeError::Tag(name.to_owned()));
        }
        match name {
            "FEN" | "SetUp" => return Ok(()),
            // Without a value it is taken away, as other tags are.
            "Variant" if !value.is_empty() && is_chess(value) => return Ok(()),
            "Result" => return self.set_result(value),
            _ => {}
        }
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        // What is written where nothing is known.
        let unknown = ["?", "????.??.??"].contains(&value.as_str());
        let value = if unknown { String::new() } else { value };
        let known = self.tags.iter().position(|(known, _)| known == name);
        match known {
            Some(index) if value.is_empty() => drop(self.tags.remove(index)),
            Some(index) => self.tags[index].1 = value,
            None if value.is_empty() => {}
            None => self.tags.push((name.to_owned(), value)),
        }
        Ok(())
    }

    /// Sets the result.
    ///
    /// # Errors
    /// When it is none.
    pub fn set_result(&mut self, result: &str) -> Result<(), TreeError> {
        if !["1-0", "0-1", "1/2-1/2", "*"].contains(&result) {
            return Err(TreeError::Result(result.to_owned()));
        }
        self.result = result.to_owned();
        Ok(())
    }

    /// Another start position, before the first move.
    pub(super) fn set_start(&mut self, fen: &str) -> Result<(), TreeError> {
        self.nodes[0].position = position(fen, self.castling)?;
        Ok(())
    }

    pub(super) fn set_chess960(&mut self) {
        self.castling = shakmaty::CastlingMode::Chess960;
    }
}

fn is_chess(variant: &str) -> bool {
    Rules::of_tag(variant).is_some_and(Rules::is_chess)
}
