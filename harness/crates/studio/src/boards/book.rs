//! The opening that the engines of a game play into: a line from the usual start position.

use harness_games::tree::{GameTree, NodeId};
use shakmaty::Chess;
use shakmaty::uci::UciMove;

/// The moves of an opening as a game; a move that is none ends it.
fn game_of(line: &[String]) -> GameTree {
    let mut tree = GameTree::default();
    let mut at = GameTree::ROOT;
    for text in line {
        let Some(next) = text.parse().ok().and_then(|uci| tree.play(at, uci).ok()) else { break };
        at = next;
    }
    tree
}

/// The next move of an opening in a position; `None` where the position is none of it, or its last.
pub fn next_move(line: &[String], position: &Chess) -> Option<UciMove> {
    let tree = game_of(line);
    tree.nodes().find(|node| node.position == *position).and_then(|node| {
        let next: NodeId = *node.children.first()?;
        Some(tree.node(next).ok()?.played.as_ref()?.uci)
    })
}

/// Whether the position from which a game begins is one of an opening.
///
/// # Errors
/// When it is none, and the engines could not play into the opening; in words for people.
pub fn check_start(start: &GameTree, name: &str, line: &[String]) -> Result<(), String> {
    if start.is_chess960() {
        return Err(format!("`{name}` is no opening of Chess960: leave out one of the two"));
    }
    let tree = game_of(line);
    let begins = start.node(GameTree::ROOT).map_err(|error| error.to_string())?;
    if tree.nodes().any(|node| node.position == begins.position) {
        return Ok(());
    }
    let moves = tree.nodes().filter_map(|node| Some(node.played.as_ref()?.san.as_str()));
    let moves = moves.collect::<Vec<_>>().join(" ");
    Err(format!(
        "the position is none of the opening `{name}` (`{moves}`): leave out one of the two"
    ))
}
