//! A text that is pasted, typed or uploaded: games, positions, moves, or something else.
//!
//! What is read and what is not are both named; nothing of a text is dropped without a word.

mod language;

use std::fmt::Write as _;

use shakmaty::Position;
use thiserror::Error;

use crate::tree::{GamePart, GameTree, NodeId, TreeError, read_parts};
use language::LANGUAGES;

use harness_arena::castling_of;
use harness_base::text::decode_file;
use harness_notation::epd::{Line, content};

/// Titles of games or positions that are listed.
const MAX_TITLES: usize = 500;

/// Parts that cannot be read that are shown.
const MAX_LEFT: usize = 8;

/// Characters of a part that are shown.
const SHOWN_CHARS: usize = 80;

/// A text in which more characters than this share are control characters is none.
const MAX_CONTROL_SHARE: f64 = 0.02;

/// One of the games or positions of a text.
#[derive(Clone, Debug)]
pub struct Pasted {
    /// The game, or the position as a game without moves.
    pub tree: GameTree,
    /// Its description: "a game, Ann – Bob, 1-0: 12 moves, 1 variation".
    pub read: String,
    /// Parts of the text that are not in it, and why; other games and positions are not among them.
    pub left: Vec<String>,
    /// All games or positions of the text, by their titles.
    pub titles: Vec<String>,
    /// How many there are, which may be more than there are titles.
    pub count: usize,
}

/// A text in which nothing is found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PastedError {
    /// It has no characters.
    #[error("there is no text: paste a game in PGN, moves, a FEN or an EPD")]
    Empty,
    /// It is a file of another kind.
    #[error(
        "this is no text but a file of another kind ({control} of {characters} characters are control characters): nothing is read"
    )]
    Binary {
        /// Control characters.
        control: usize,
        /// All characters.
        characters: usize,
    },
    /// It has neither a game nor a position.
    #[error(
        "this is neither a game in PGN nor moves nor a position: it begins “{0}”, which is no move in the start position"
    )]
    Nothing(String),
    /// It looks like a position, and is none.
    #[error("“{shown}” is no position: {reason}")]
    Position {
        /// Its beginning.
        shown: String,
        /// Description of the fault.
        reason: String,
    },
    /// There are fewer games or positions.
    #[error("there is no number {wanted}: the text has {count}")]
    NoSuch {
        /// As given, from 1.
        wanted: usize,
        /// How many there are.
        count: usize,
    },
}

impl From<PastedError> for String {
    fn from(error: PastedError) -> String {
        error.to_string()
    }
}

/// Reads game or position number `wanted` of a text, counted from 1.
///
/// # Errors
/// When the text holds none, or no such one.
pub fn read_pasted(bytes: &[u8], wanted: usize) -> Result<Pasted, PastedError> {
    let text = decode_file(bytes);
    let text = without_invisible(&text);
    is_text(&text)?;
    match positions(&text, wanted)? {
        Some(found) => Ok(found),
        None => games(&text, wanted),
    }
}

/// A text without the invisible characters that pages and chats put between words, as marks of the direction of
/// writing. In comments and tags they stay: some scripts need them.
fn without_invisible(text: &str) -> String {
    let (mut in_comment, mut in_tag) = (false, false);
    let is_kept = |letter: &char| {
        match letter {
            '{' if !in_tag => in_comment = true,
            '}' => in_comment = false,
            '"' if !in_comment => in_tag = !in_tag,
            '\n' | '\r' => in_tag = false,
            _ => {}
        }
        let is_invisible = matches!(
            letter,
            '\u{ad}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2064}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
        );
        in_comment || in_tag || !is_invisible
    };
    text.chars().filter(is_kept).collect()
}

fn is_text(text: &str) -> Result<(), PastedError> {
    if text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        return Err(PastedError::Empty);
    }
    // 0x1a is the end of a file of DOS.
    let is_control =
        |c: &char| (c.is_control() && !c.is_whitespace() && *c != '\x1a') || *c == '\u{fffd}';
    let (control, characters) = (text.chars().filter(is_control).count(), text.chars().count());
    if control as f64 > MAX_CONTROL_SHARE * characters as f64 {
        return Err(PastedError::Binary { control, characters });
    }
    Ok(())
}

/// The beginning of a text, for people.
fn shown(text: &str) -> String {
    let mut shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if shown.chars().count() > SHOWN_CHARS {
        shown = shown.chars().take(SHOWN_CHARS).collect();
        shown.push('…');
    }
    shown.replace(|c: char| c.is_control(), "·")
}

/// A position of a line: FEN, EPD, or a UCI command.
struct PositionLine {
    tree: GameTree,
    title: String,
    /// Remarks beside the line.
    left: Vec<String>,
}

/// The positions of a text whose first line is one.
fn positions(text: &str, wanted: usize) -> Result<Option<Pasted>, PastedError> {
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
        Some(fen) => tree_of(fen).map_err(|error| wrong(error.to_string()))?,
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

/// The moves of a text from a position, as engines write them; `None` unless it is moves and nothing else,
/// two at least.
pub fn line_from(tree: &GameTree, at: NodeId, text: &str) -> Option<Vec<String>> {
    let node = tree.node(at).ok()?;
    let start = GameTree::new(Some(&tree.fen(node)), tree.is_chess960()).ok()?;
    let Pasted { tree, left, count, .. } = game_from(&start, text)?;
    let plain = |id: &NodeId| Some(tree.node(*id).ok()?.played.as_ref()?.uci.to_string());
    let moves: Vec<String> = tree.main_line().iter().filter_map(plain).collect();
    (left.is_empty() && count == 1 && moves.len() > 1).then_some(moves)
}

/// The game of moves from a position; `None` if the first of them is none.
fn game_from(start: &GameTree, moves: &str) -> Option<Pasted> {
    let variant = if start.is_chess960() { "[Variant \"Chess960\"]\n" } else { "" };
    let head = format!("[SetUp \"1\"]\n[FEN \"{}\"]\n{variant}\n", start.start_fen());
    let text = format!("{head}{moves}");
    let found = games(&text, 1).ok()?;
    (!found.tree.main_line().is_empty()).then_some(found)
}

/// The games of a text, in the language in which most of it is read.
fn games(text: &str, wanted: usize) -> Result<Pasted, PastedError> {
    let english = games_behind_prose(text, wanted);
    if english.as_ref().is_ok_and(|found| found.left.is_empty()) {
        return english;
    }
    let moves = |found: &Result<Pasted, PastedError>| {
        found.as_ref().map_or(0, |found| found.tree.main_line().len())
    };
    // Of two languages that read as much, the one that has more of the letters: `Pf3` beside `Lb5` is a knight
    // of Dutch, and no pawn of German.
    let read_as_english = moves(&english);
    let (mut best, mut best_letters) = (english, 0);
    for language in LANGUAGES {
        let translated = language.translate(text);
        if translated == text {
            continue;
        }
        let mut found = games_behind_prose(&translated, wanted);
        let letters = changed_words(text, &translated);
        let is_better = (moves(&found), letters) > (moves(&best), best_letters);
        if is_better && moves(&found) > read_as_english {
            best_letters = letters;
            if let Ok(found) = &mut found {
                let _ = write!(found.read, ", with the letters of {}", language.name);
            }
            best = found;
        }
    }
    best
}

/// Words that a translation has changed.
fn changed_words(text: &str, translated: &str) -> usize {
    let pairs = text.split_whitespace().zip(translated.split_whitespace());
    pairs.filter(|(before, after)| before != after).count()
}

/// The games of a text, which may begin with a sentence about them.
fn games_behind_prose(text: &str, wanted: usize) -> Result<Pasted, PastedError> {
    match games_from(text, 0, wanted) {
        Err(PastedError::Nothing(begins)) => {
            // Moves behind a sentence: `Look at this: 1. e4 e5`.
            let begin = first_number(text).ok_or(PastedError::Nothing(begins))?;
            games_from(text, begin, wanted)
        }
        found => found,
    }
}

/// Where move number 1 stands in a text, behind something else.
fn first_number(text: &str) -> Option<usize> {
    let places = text.match_indices("1.").map(|(at, _)| at);
    let stands_apart = |at: &usize| {
        *at > 0 && text[..*at].ends_with(|c: char| c.is_whitespace() || "(\"“:".contains(c))
    };
    places.into_iter().find(stands_apart)
}

/// The games of a text from a byte.
fn games_from(text: &str, begin: usize, wanted: usize) -> Result<Pasted, PastedError> {
    let mut left = Vec::new();
    if begin > 0 {
        left.push(format!("before the moves: “{}”", shown(&text[..begin])));
    }
    let (mut titles, mut count, mut chosen) = (Vec::new(), 0, None);
    for part in read_parts(&text.as_bytes()[begin..]) {
        // A text in memory can always be read.
        let Ok(part) = part else { break };
        if is_nothing(&part) {
            left.extend(unread(&part, &text[begin..]));
            continue;
        }
        count += 1;
        if titles.len() < MAX_TITLES {
            titles.push(title(&part.tree));
        }
        if count == wanted {
            left.extend(unread(&part, &text[begin..]));
            chosen = Some(part.tree);
        }
    }
    if count == 0 {
        return Err(PastedError::Nothing(shown(&text[begin..])));
    }
    let tree = chosen.ok_or(PastedError::NoSuch { wanted, count })?;
    let read = described(&tree);
    Ok(Pasted { tree, read, left: shortened(left), titles, count })
}

/// Whether of a game nothing is read.
fn is_nothing(part: &GamePart) -> bool {
    let GamePart { tree, stopped } = part;
    let is_bare = tree.main_line().is_empty() && tree.tags().is_empty() && tree.is_usual_start();
    let said = tree.node(GameTree::ROOT).is_ok_and(|root| !root.annotations.comment.is_empty());
    is_bare && (stopped.is_some() || !said) && tree.result() == "*"
}

/// The unread part of a game, if there is one.
fn unread(part: &GamePart, text: &str) -> Option<String> {
    let stopped = part.stopped.as_ref()?;
    let from = usize::try_from(stopped.from).ok()?;
    let rest = text.get(from..).unwrap_or_default();
    // The game ends before the tags of the next one.
    let end = rest.find("\n[").unwrap_or(rest.len());
    Some(format!("from “{}” on: {}", shown(&rest[..end]), stopped.error))
}

fn shortened(mut left: Vec<String>) -> Vec<String> {
    let more = left.len().saturating_sub(MAX_LEFT);
    if more > 0 {
        left.truncate(MAX_LEFT);
        left.push(format!("and {more} more parts"));
    }
    left
}

/// `Ann – Bob, 2024.05.01`.
fn title(tree: &GameTree) -> String {
    let tag = |name: &str| tree.tag(name).filter(|value| !matches!(*value, "" | "?"));
    let players = match (tag("White"), tag("Black")) {
        (None, None) => tag("Event").unwrap_or("a game").to_owned(),
        (white, black) => format!("{} – {}", white.unwrap_or("?"), black.unwrap_or("?")),
    };
    let date = tag("Date").filter(|date| !date.starts_with('?'));
    let result = if tree.result() == "*" { String::new() } else { format!(", {}", tree.result()) };
    format!("{players}{}{result}", date.map(|date| format!(", {date}")).unwrap_or_default())
}

/// Description of a tree.
fn described(tree: &GameTree) -> String {
    let plies = tree.main_line().len();
    let root = tree.node(GameTree::ROOT);
    let black = root.is_ok_and(|root| root.position.turn().is_black());
    if plies == 0 {
        let side = if black { "Black" } else { "White" };
        let named = !tree.tags().is_empty();
        return match (named, tree.is_usual_start()) {
            (true, true) => format!("{}: tags without moves", title(tree)),
            (false, true) => "the start position".to_owned(),
            _ => format!("a position, {side} to move"),
        };
    }
    let mut text = title(tree);
    let moves = plies.div_ceil(2);
    let _ = write!(text, ": {}", counted(moves, "move"));
    if !tree.is_usual_start() {
        text.push_str(" from a position of its own");
    }
    let (mut variations, mut comments) = (0, 0);
    for node in tree.nodes() {
        variations += node.children.len().saturating_sub(1);
        comments += usize::from(!node.annotations.comment.is_empty());
    }
    if variations > 0 {
        let _ = write!(text, ", {}", counted(variations, "variation"));
    }
    if comments > 0 {
        let _ = write!(text, ", {}", counted(comments, "comment"));
    }
    text
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tree: &GameTree) -> String {
        let nodes = tree.main_line().into_iter();
        let san = nodes.filter_map(|id| Some(tree.node(id).ok()?.played.as_ref()?.san.clone()));
        san.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn moves_are_read_in_every_notation() {
        let spanish = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O";
        for text in [
            "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O",
            "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O",
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1",
            "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1",
            "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. La4 Sf6 5. 0-0",
            "1. e4 e5 2. ♘f3 ♞c6 3. ♗b5 a6 4. ♗a4 ♞f6 5. O-O",
            "1.e4 e5 2.Cf3 Cc6 3.Ab5 a6 4.Aa4 Cf6 5.O-O",
            "1. e4 e5 2. Кf3 Кc6 3. Сb5 a6 4. Сa4 Кf6 5. 0-0",
            "e4 e5 Sf3 Sc6 Lb5 a6 La4 Sf6 O-O",
            "1. e4 e5 2. Pf3 Pc6 3. Lb5 a6 4. La4 Pf6 5. O-O",
            "1. e4 e5 2. Cf3 Cc6 3. Fb5 a6 4. Fa4 Cf6 5. O-O",
            "1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 3. Bf1-b5 a7-a6 4. Bb5-a4 Ng8-f6 5. O-O",
            "Look at this: 1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O",
            "\u{feff}[White \"Ann\"]\r\n\r\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O *\r\n",
        ] {
            let found =
                read_pasted(text.as_bytes(), 1).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(line(&found.tree), spanish, "{text}");
            let prose = text.starts_with("Look");
            assert_eq!(found.left.len(), usize::from(prose), "{text}: {:?}", found.left);
        }
    }

    #[test]
    fn positions_are_read_from_fen_epd_and_uci() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        for text in [
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "4k3/8/8/8/8/8/4P3/4K3 w - -",
            "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"one\";",
            "FEN: 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]",
            "  4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n\n",
        ] {
            let found =
                read_pasted(text.as_bytes(), 1).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(found.tree.start_fen(), fen, "{text}");
            assert_eq!(found.left, Vec::<String>::new(), "{text}");
            assert_eq!(found.count, 1, "{text}");
        }
        let epd =
            read_pasted(b"4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"one\";", 1).expect("an EPD");
        let root = epd.tree.node(GameTree::ROOT).expect("a root");
        assert!(root.annotations.comment.contains("bm e4"), "{}", root.annotations.comment);
        assert_eq!(epd.titles, ["one"]);
        let bare = read_pasted(b"4k3/8/8/8/8/8/4P3/4K3", 1).expect("a board");
        assert!(bare.left[0].contains("side to move"), "{:?}", bare.left);
        let more = read_pasted(b"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n1. e4 Kd7", 1).expect("moves");
        assert_eq!(line(&more.tree), "e4 Kd7");
    }

    #[test]
    fn several_games_and_positions_are_counted_and_chosen() {
        let two = "[White \"Ann\"]\n\n1. e4 *\n\n[White \"Bob\"]\n\n1. d4 d5 1-0\n";
        let found = read_pasted(two.as_bytes(), 2).expect("two games");
        assert_eq!((found.count, line(&found.tree)), (2, "d4 d5".to_owned()));
        assert_eq!(found.titles, ["Ann – ?", "Bob – ?, 1-0"]);
        let three = PastedError::NoSuch { wanted: 3, count: 2 };
        assert_eq!(read_pasted(two.as_bytes(), 3).expect_err("two games"), three);
        let positions = "4k3/8/8/8/8/8/8/4K3 w - -\n\n8/8/8/8/8/8/k7/4K3 b - -\nnonsense\n";
        let found = read_pasted(positions.as_bytes(), 2).expect("two positions");
        assert_eq!(found.count, 2);
        assert_eq!(found.left, ["line 4: “nonsense”"]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (text, moves, named) in [
            ("1. e4 e5 2. Nf3 Xx9 3. Bb5", "e4 e5 Nf3", "Xx9 3. Bb5"),
            ("1. e4 e5 2. Ke5", "e4 e5", "Ke5"),
            ("e2e4 e7e5 hello world", "e4 e5", "hello world"),
            ("1. e4 e5 2. Nf3\n\nthanks for the game", "e4 e5 Nf3", "thanks for the game"),
        ] {
            let found =
                read_pasted(text.as_bytes(), 1).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(line(&found.tree), moves, "{text}");
            assert!(found.left.iter().any(|left| left.contains(named)), "{text}: {:?}", found.left);
        }
    }

    #[test]
    fn invisible_characters_between_words_are_no_part_of_moves() {
        let text = "\u{202e}1. e4\u{200b} e5 {a\u{200d}b} \u{feff}2. N\u{ad}f3\u{2069} *";
        let read = read_pasted(text.as_bytes(), 1).expect("a game");
        assert_eq!((read.tree.main_line().len(), read.left), (3, vec![]));
        assert!(read.tree.to_pgn().contains("{ a\u{200d}b }"), "{}", read.tree.to_pgn());
        let fen = "\u{200e}8/8/8/4k3/8/4K3/4P3/8 w - - 0 1\u{200e}";
        assert!(read_pasted(fen.as_bytes(), 1).is_ok());
        assert_eq!(read_pasted("\u{200b}".as_bytes(), 1).err(), Some(PastedError::Empty));
    }

    #[test]
    fn texts_without_game_or_position_are_refused() {
        let random: Vec<u8> =
            (0..50_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert!(matches!(read_pasted(&random, 1), Err(PastedError::Binary { .. })));
        for text in ["", "  \n\t", "\u{feff}"] {
            assert_eq!(read_pasted(text.as_bytes(), 1).expect_err("nothing"), PastedError::Empty);
        }
        for text in [
            "hello world",
            "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n",
            "<html><body>e4</body></html>",
            "{\"moves\": [1, 2]}",
            "42",
            "# a heading",
        ] {
            let found = read_pasted(text.as_bytes(), 1);
            assert!(matches!(found, Err(PastedError::Nothing(_))), "{text}: {found:?}");
        }
        for text in [
            "9/8/8/8/8/8/8/8 w - - 0 1",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
        ] {
            let found = read_pasted(text.as_bytes(), 1);
            assert!(matches!(found, Err(PastedError::Position { .. })), "{text}: {found:?}");
        }
    }
}
