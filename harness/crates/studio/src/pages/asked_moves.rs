//! Moves of a game that a sentence names: by their numbers, their notation or what they did. The answer to it has what the
//! page needs to go there, to take them back or to write at them.

use serde_json::{Value, json};

use super::ask::nothing;
use crate::boards::board::State as BoardState;
use crate::boards::take_back::TakeBack;
use harness_assistant::Intent;
use harness_games::tree::{GameTree, NodeId};
use shakmaty::{Color, Position, Role};

/// Why nothing is done.
const NOT_PLAYED: &str = "no such move was played in this game";

/// Adds the moves that an answer is about, where a position is shown. One that was not played turns it into an answer that
/// does nothing.
pub fn name_moves(value: &mut Value, intent: Intent, state: &BoardState, shown: NodeId) {
    match intent {
        Intent::TakeBack => name_taken_back(value, state, shown),
        Intent::GoTo => name_place(value, &state.tree, shown),
        Intent::MarkMove | Intent::CommentMove if !value["slots"]["to"].is_null() => {
            name_described(value, &state.tree);
        }
        _ => {}
    }
}

/// Names the moves that a sentence takes back, and the first of them, which the page sends.
fn name_taken_back(value: &mut Value, state: &BoardState, shown: NodeId) {
    let count = value["slots"]["count"].as_u64().unwrap_or(1) as usize;
    let wanted = match value["slots"]["unit"].as_str() {
        _ if !value["slots"]["stands"].is_null() => {
            let line = state.tree.main_line();
            match last_with_piece(&state.tree, &line, &value["slots"]) {
                Some(at) => TakeBack::From(line[at]),
                None => return *value = nothing("this piece did not stand there in this game"),
            }
        }
        _ if names_move(&value["slots"]) => {
            let line = state.tree.main_line();
            let Some(at) = first_played(&state.tree, &line, &value["slots"]) else {
                return *value = nothing(NOT_PLAYED);
            };
            let behind = usize::from(!value["slots"]["after"].is_null());
            match line.get(at + behind) {
                Some(id) => TakeBack::From(*id),
                None => return *value = nothing("nothing was played behind this move"),
            }
        }
        Some(TakeBack::HALF_MOVES) => TakeBack::HalfMoves(count),
        _ => TakeBack::Moves(count),
    };
    // What cannot be taken back is refused when it is asked for.
    let Ok(moves) = state.taken_back(wanted) else { return };
    value["shown"] = json!(format!("Take back {}", state.taken_back_text(&moves)));
    value["from"] = json!(moves[0].0);
    // The end of the line is not in sight.
    if moves.last() != Some(&shown) {
        value["confirm"] = json!("always");
    }
}

/// Where in a line the first of the moves is that slots name: of "Nc3 as well as a6" that of the earlier one. `None` where one of
/// them was not played.
fn first_played(tree: &GameTree, line: &[NodeId], slots: &Value) -> Option<usize> {
    let others = slots["with"].as_array().into_iter().flatten();
    let places: Option<Vec<usize>> =
        std::iter::once(slots).chain(others).map(|one| played(tree, line, one)).collect();
    places?.into_iter().min()
}

/// The place in a line of the move that was played in the last position with a piece on a square.
fn last_with_piece(tree: &GameTree, line: &[NodeId], slots: &Value) -> Option<usize> {
    let square = slots["to"].as_str()?.parse().ok()?;
    let letter = slots["piece"].as_str()?.chars().next()?;
    let role = Role::from_char(letter)?;
    let side = slots["side"].as_str().map(|side| Color::from_white(side == "white"));
    let before = |at: usize| at.checked_sub(1).map_or(GameTree::ROOT, |at| line[at]);
    (0..line.len()).rev().find(|at| {
        let piece =
            tree.node(before(*at)).ok().and_then(|node| node.position.board().piece_at(square));
        piece.is_some_and(|piece| piece.role == role && side.is_none_or(|side| side == piece.color))
    })
}

/// Whether slots name a move of the game.
fn names_move(slots: &Value) -> bool {
    ["move", "san", "to"].iter().any(|slot| !slots[*slot].is_null())
}

/// Where in a line the last move is that is like the slots: its number and side, its notation, or the square, the piece and
/// whether it captured. Notation is first compared as it is written: `bxd4` is no bishop's move where a pawn has one.
fn played(tree: &GameTree, line: &[NodeId], slots: &Value) -> Option<usize> {
    let plain = |san: &str| san.trim_end_matches(['+', '#']).to_owned();
    let is_like = |id: &NodeId, is_same: fn(&str, &str) -> bool| {
        let Ok(node) = tree.node(*id) else { return false };
        let Some(san) = node.played.as_ref().map(|played| plain(&played.san)) else { return false };
        let (number, is_white) = node.number();
        let target = san.trim_end_matches(|sign: char| sign == '=' || sign.is_ascii_uppercase());
        let piece = san.chars().next().filter(char::is_ascii_uppercase).unwrap_or('P');
        let text = |slot: &str| slots[slot].as_str();
        text("side").is_none_or(|side| (side == "white") == is_white)
            && slots["move"].as_u64().is_none_or(|wanted| wanted == u64::from(number))
            && text("san").is_none_or(|wanted| match wanted {
                "castling" => san.starts_with("O-O"),
                wanted => is_same(&plain(wanted), &san),
            })
            && text("to").is_none_or(|to| target.ends_with(to))
            && (slots["capture"].is_null() || san.contains('x'))
            && text("piece").is_none_or(|wanted| wanted.starts_with(piece))
    };
    let last = |is_same| line.iter().rposition(|id| is_like(id, is_same));
    last(|a, b| a == b).or_else(|| last(str::eq_ignore_ascii_case))
}

/// The number, the side and the notation of a move at which something is written, and that is named by what it did.
fn name_described(value: &mut Value, tree: &GameTree) {
    let line = tree.main_line();
    let at = played(tree, &line, &value["slots"]);
    let Some((number, is_white, san)) = at.and_then(|at| numbered(tree, line[at])) else {
        return *value = nothing(NOT_PLAYED);
    };
    let shown = value["shown"].as_str().unwrap_or_default();
    value["shown"] = json!(format!("{shown}: {}", move_text(number, is_white, &san)));
    value["slots"]["move"] = json!(number);
    value["slots"]["side"] = json!(if is_white { "white" } else { "black" });
    value["slots"]["san"] = json!(san);
}

/// The number of a move, whether White made it, and its notation; `None` of the beginning.
fn numbered(tree: &GameTree, id: NodeId) -> Option<(u32, bool, String)> {
    let node = tree.node(id).ok()?;
    let (number, is_white) = node.number();
    Some((number, is_white, node.played.as_ref()?.san.clone()))
}

/// A move with its number: `3… cxd4`.
fn move_text(number: u32, is_white: bool, san: &str) -> String {
    format!("{number}{} {san}", if is_white { "." } else { "…" })
}

/// The place of a move that is named by what it did, in the line to the position that is shown, else in the main line; a
/// number is found by the page.
fn name_place(value: &mut Value, tree: &GameTree, shown: NodeId) {
    let slots = &value["slots"];
    if let Some(ply) = slots["ply"].as_u64() {
        let line = tree.main_line();
        let node = ply.checked_sub(1).map(|at| line.get(at as usize).copied());
        match node.unwrap_or(Some(GameTree::ROOT)) {
            Some(id) => value["node"] = json!(id.0),
            None => *value = nothing("the game has fewer plies"),
        }
        return;
    }
    if slots["san"].is_null() && slots["to"].is_null() {
        return;
    }
    let lines = [tree.path(shown).unwrap_or_default(), tree.main_line()];
    let found = lines.iter().find_map(|line| Some(line[played(tree, line, slots)?]));
    let Some((id, (number, is_white, san))) = found.and_then(|id| Some((id, numbered(tree, id)?)))
    else {
        return *value = nothing(NOT_PLAYED);
    };
    let is_before = !slots["before"].is_null();
    let parent = tree.node(id).ok().and_then(|node| node.parent).unwrap_or(GameTree::ROOT);
    let place = if is_before { "before" } else { "behind" };
    value["shown"] = json!(format!("Go {place} {}", move_text(number, is_white, &san)));
    value["node"] = json!(if is_before { parent.0 } else { id.0 });
}
