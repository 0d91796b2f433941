//! Positions of a pasted text: FEN, EPD and UCI commands, a line each.

use super::text::shown;
use super::{MAX_TITLES, Pasted, PastedError, described, game_from, shortened};
use crate::tree::{GameTree, TreeError, check_whole};

use harness_arena::castling_of;
use harness_notation::epd::{Line, content};

/// A position of a line: FEN, EPD, or a UCI command.
struct PositionLine {
    tree: GameTree,
    title: String,
    /// Remarks beside the line.
    left: Vec<String>,
}

/// The positions of a text whose first line is one.
///
/// # Errors
/// When a position is none, or there is no such one.
pub fn read(text: &str, wanted: usize) -> Result<Option<Pasted>, PastedError> {
    let mut lines = text.split(['\n', '\r']).enumerate().filter_map(|(at, line)| {
        content(line.trim_start_matches('\u{feff}').trim()).map(|line| (at + 1, line))
    });
    let Some((_, first)) = lines.next() else { return Ok(None) };
    let Some(first) = position_line(first)? else { return Ok(None) };
    let (mut found, mut left, mut rest) = (vec![first], Vec::new(), Vec::new());
    for (number, line) in lines {
        match position_line(line) {
            Ok(Some(position)) => found.push(position),
            Ok(None) => rest.push((number, line)),
            Err(error) => left.push(format!("line {number}: {error}")),
        }
    }
    if let ([only], [_, ..]) = (found.as_slice(), rest.as_slice()) {
        // A position, and moves from there.
        let moves: Vec<&str> = rest.iter().map(|(_, line)| *line).collect();
        if let Some(game) = game_from(&only.tree, &moves.join("\n")) {
            return Ok(Some(game));
        }
    }
    left.extend(rest.iter().map(|(number, line)| format!("line {number}: “{}”", shown(line))));
    let titles: Vec<String> = found.iter().map(|position| position.title.clone()).collect();
    let count = found.len();
    let chosen = wanted.checked_sub(1).filter(|at| *at < count);
    let chosen = chosen.ok_or(PastedError::NoSuch { wanted, count })?;
    let PositionLine { tree, left: own, .. } = found.swap_remove(chosen);
    let read = described(&tree);
    Ok(Some(Pasted {
        tree,
        read,
        left: shortened(own.into_iter().chain(left).collect()),
        titles: titles.into_iter().take(MAX_TITLES).collect(),
        count,
    }))
}

/// Whether a word is the board of a FEN: eight rows of pieces and numbers.
fn is_board(word: &str) -> bool {
    let known = |c: char| "pnbrqkPNBRQK0123456789/~".contains(c);
    word.matches('/').count() == 7 && word.chars().all(known)
}

/// The position of a line; `None` where it does not look like one.
fn position_line(line: &str) -> Result<Option<PositionLine>, PastedError> {
    if let Some(found) = uci_position(line)? {
        return Ok(Some(found));
    }
    // `FEN: ...`, `"..."`.
    let plain = line.trim_matches(['"', '\'', '`', '“', '”']);
    let begin =
        plain.find(|c: char| !(c.is_alphabetic() || c == ' ')).map_or("", |at| &plain[..at]);
    let named =
        begin.trim().eq_ignore_ascii_case("fen") || begin.trim().eq_ignore_ascii_case("epd");
    let plain =
        if named { plain[begin.len()..].trim_start_matches([':', '=', ' ']) } else { plain };
    let plain = plain.strip_prefix("fen ").or_else(|| plain.strip_prefix("FEN ")).unwrap_or(plain);
    let Some(board) = plain.split_whitespace().next().filter(|word| is_board(word)) else {
        return Ok(None);
    };
    let wrong = |reason: String| PastedError::Position { shown: shown(plain), reason };
    let fields = plain.split_whitespace().count();
    let (full, mut left) = if fields < 4 {
        let assumed = ["", "w", "-", "-"];
        let given: Vec<&str> = plain.split_whitespace().collect();
        let filled: Vec<&str> =
            (0..4).map(|at| given.get(at).copied().unwrap_or(assumed[at])).collect();
        let missing =
            ["", "the side to move (White)", "castling rights (none)", "en passant (none)"];
        let missing = missing[fields..].join(", ");
        (filled.join(" "), vec![format!("the position does not say: {missing}; that is assumed")])
    } else {
        (plain.to_owned(), Vec::new())
    };
    let parsed = Line::parse(&full).map_err(|error| wrong(error.what.clone()))?;
    let fen = parsed.fen().map_err(|error| wrong(error.what.clone()))?;
    let mut tree = tree_of(&fen).map_err(|error| wrong(error.to_string()))?;
    let operations: Vec<String> = parsed
        .operations
        .iter()
        .map(|operation| format!("{} {};", operation.opcode, operation.text()))
        .collect();
    if !operations.is_empty()
        && let Err(error) = tree.comment(GameTree::ROOT, &operations.join(" "))
    {
        left.push(format!("{}: {error}", operations.join(" ")));
    }
    let id = parsed.operation("id").map(|operation| operation.text());
    let title = id.filter(|id| !id.is_empty()).unwrap_or_else(|| board.to_owned());
    Ok(Some(PositionLine { tree, title, left }))
}

fn tree_of(fen: &str) -> Result<GameTree, TreeError> {
    GameTree::new(Some(fen), castling_of(fen).is_chess960())
}

/// `position startpos moves e2e4`, `startpos`, `position fen ... moves ...`.
fn uci_position(line: &str) -> Result<Option<PositionLine>, PastedError> {
    let rest = line.strip_prefix("position ").unwrap_or(line).trim();
    let (position, moves) = match rest.split_once(" moves") {
        Some((position, moves)) => (position.trim(), moves.trim()),
        None => (rest, ""),
    };
    let fen = match position.strip_prefix("fen ") {
        Some(fen) => Some(fen.trim()),
        None if position == "startpos" => None,
        None => return Ok(None),
    };
    let wrong = |reason: String| PastedError::Position { shown: shown(line), reason };
    let tree = match fen {
        Some(fen) => check_whole(fen)
            .and_then(|()| tree_of(fen))
            .map_err(|error| wrong(error.to_string()))?,
        None => GameTree::default(),
    };
    let title = shown(position);
    if moves.is_empty() {
        return Ok(Some(PositionLine { tree, title, left: Vec::new() }));
    }
    let game = game_from(&tree, moves)
        .ok_or_else(|| wrong(format!("“{}” is no legal move there", shown(moves))))?;
    Ok(Some(PositionLine { tree: game.tree, title, left: game.left }))
}
