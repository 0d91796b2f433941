//! Games from PGN, with all that is written about them.

use std::io::Read;
use std::ops::ControlFlow;

use pgn_reader::{Nag, Outcome, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};
use shakmaty::Position;

use super::error::TreeError;
use super::marks::take;
use super::node::NodeId;
use super::{GameTree, marks};
use crate::arena::Rules;

/// Longest comment that is read in one piece.
const LONGEST_COMMENT: usize = 64 * 1024;

/// The first game of a text.
///
/// # Errors
/// When it holds none, or the game breaks the rules.
pub fn read_game(pgn: &[u8]) -> Result<GameTree, TreeError> {
    read_games(pgn).next().unwrap_or(Err(TreeError::NoGame))
}

/// The games of a source one after the other. One that cannot be read does not end the others.
pub fn read_games<R: Read>(source: R) -> impl Iterator<Item = Result<GameTree, TreeError>> {
    let builder = Reader::build(source).set_supported_comment_length(LONGEST_COMMENT);
    let mut reader = builder.finish();
    let mut number = 0;
    let mut over = false;
    std::iter::from_fn(move || {
        if over {
            return None;
        }
        number += 1;
        let wrong = |reason: String| TreeError::Game { game: number, reason };
        match reader.read_game(&mut TreeReader) {
            Ok(None) => None,
            Ok(Some(read)) => Some(read.map_err(|error| wrong(error.to_string()))),
            Err(error) => {
                // What follows an unreadable part cannot be told apart from it.
                over = true;
                Some(Err(wrong(error.to_string())))
            }
        }
    })
}

struct TreeReader;

struct Movetext {
    tree: GameTree,
    /// The last move of the line that is read.
    at: NodeId,
    /// Where the lines go on that are interrupted by a variation.
    interrupted: Vec<NodeId>,
    /// A variation has begun, and its first move is not read yet.
    begins: bool,
    /// A comment before that move.
    before: String,
    /// The part of a comment that is read.
    partial: String,
}

type Output = Result<GameTree, TreeError>;

impl Visitor for TreeReader {
    type Tags = Vec<(String, String)>;
    type Movetext = Movetext;
    type Output = Output;

    fn begin_tags(&mut self) -> ControlFlow<Output, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Output> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        tags.push((text(name), text(&value.decode())));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Output, Movetext> {
        match with_tags(&tags) {
            Ok(tree) => ControlFlow::Continue(Movetext {
                tree,
                at: GameTree::ROOT,
                interrupted: Vec::new(),
                begins: false,
                before: String::new(),
                partial: String::new(),
            }),
            Err(error) => ControlFlow::Break(Err(error)),
        }
    }

    fn san(&mut self, text: &mut Movetext, san: SanPlus) -> ControlFlow<Output> {
        let node = &text.tree.nodes[text.at.0 as usize];
        let Ok(legal) = san.san.to_move(&node.position) else {
            let (number, dots) = next_number(&node.position);
            let written = format!("{number}{dots} {san}");
            let fen = text.tree.fen(node);
            return ControlFlow::Break(Err(TreeError::Illegal { text: written, fen }));
        };
        match text.tree.add(text.at, legal) {
            Ok(id) => text.at = id,
            Err(error) => return ControlFlow::Break(Err(error)),
        }
        text.begins = false;
        if !text.before.is_empty() {
            let before = std::mem::take(&mut text.before);
            text.tree.nodes[text.at.0 as usize].annotations.before = before;
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, text: &mut Movetext, nag: Nag) -> ControlFlow<Output> {
        let nags = &mut text.tree.nodes[text.at.0 as usize].annotations.nags;
        if text.at != GameTree::ROOT && !text.begins && !nags.contains(&nag.0) {
            nags.push(nag.0);
            nags.sort_unstable();
        }
        ControlFlow::Continue(())
    }

    fn partial_comment(
        &mut self,
        text: &mut Movetext,
        part: RawComment<'_>,
    ) -> ControlFlow<Output> {
        text.partial.push_str(&String::from_utf8_lossy(part.as_bytes()));
        ControlFlow::Continue(())
    }

    fn comment(&mut self, text: &mut Movetext, comment: RawComment<'_>) -> ControlFlow<Output> {
        let mut whole = std::mem::take(&mut text.partial);
        whole.push_str(&String::from_utf8_lossy(comment.as_bytes()));
        if text.begins {
            text.before = marks::normal(&format!("{} {whole}", text.before));
            return ControlFlow::Continue(());
        }
        let annotations = &mut text.tree.nodes[text.at.0 as usize].annotations;
        let more = take(&whole, annotations);
        annotations.comment = marks::normal(&format!("{} {more}", annotations.comment));
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, text: &mut Movetext) -> ControlFlow<Output, Skip> {
        let parent = text.tree.nodes[text.at.0 as usize].parent;
        match parent {
            // Another way to play the last move.
            Some(parent) if !text.begins => {
                text.interrupted.push(text.at);
                text.at = parent;
                text.begins = true;
                ControlFlow::Continue(Skip(false))
            }
            // Without a move before it, it is a variation of nothing.
            _ => {
                text.interrupted.push(text.at);
                ControlFlow::Continue(Skip(true))
            }
        }
    }

    fn end_variation(&mut self, text: &mut Movetext) -> ControlFlow<Output> {
        if let Some(at) = text.interrupted.pop() {
            text.at = at;
        }
        text.begins = false;
        text.before.clear();
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, text: &mut Movetext, outcome: Outcome) -> ControlFlow<Output> {
        if text.interrupted.is_empty() {
            text.tree.result = outcome.to_string();
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, text: Movetext) -> Output {
        Ok(text.tree)
    }
}

fn next_number(position: &shakmaty::Chess) -> (u32, &'static str) {
    (position.fullmoves().get(), if position.turn().is_white() { "." } else { "..." })
}

/// A game without moves, with its tags.
fn with_tags(tags: &[(String, String)]) -> Result<GameTree, TreeError> {
    let mut tree = GameTree::default();
    let value = |name: &str| {
        let found = tags.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    };
    if let Some(variant) = value("Variant") {
        match Rules::of_tag(variant) {
            Some(Rules::Chess) => {}
            Some(Rules::Chess960) => tree.set_chess960(),
            _ => {
                let reason = "the games of other variants have other rules".to_owned();
                return Err(TreeError::Position { fen: variant.to_owned(), reason });
            }
        }
    }
    if let Some(fen) = value("FEN") {
        tree.set_start(fen)?;
    }
    for (name, value) in tags {
        if name == "Result" {
            // The end of the moves says it again; a word that is none is not kept.
            let _ = tree.set_result(value);
        } else if !name.is_empty() {
            // Names that PGN does not allow are not kept.
            let _ = tree.set_tag(name, value);
        }
    }
    Ok(tree)
}
