//! A text that is pasted, typed or uploaded: games, positions, moves, or something else.
//!
//! What is read and what is not are both named; nothing of a text is dropped without a word.

mod language;
mod positions;
mod text;

use std::fmt::Write as _;

use shakmaty::Position;
use thiserror::Error;

use crate::tree::{GamePart, GameTree, NodeId, Stopped, TreeError, read_parts};
use language::LANGUAGES;
use text::shown;

use harness_base::text::decode_file;

/// Titles of games or positions that are listed.
const MAX_TITLES: usize = 500;

/// Parts that cannot be read that are shown.
const MAX_LEFT: usize = 8;

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
    /// Its tags say that it is a game that cannot be read: of a variant without boards, from a position that is none.
    #[error("nothing of this game is read: {0}")]
    Unreadable(String),
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
    let text = text::without_invisible(&text);
    text::check(&text)?;
    match positions::read(&text, wanted)? {
        Some(found) => Ok(found),
        None => games(&text, wanted),
    }
}

/// The game of a part of a file, in whatever language its moves are written. What cannot be read is named
/// in a comment, where it would stand.
///
/// # Errors
/// When it holds no game, or one of other rules.
pub fn game_of_file(pgn: &[u8]) -> Result<GameTree, String> {
    let part = |text: &[u8]| match read_parts(text).next() {
        Some(Ok(part)) => Ok(part),
        Some(Err(error)) => Err(error.to_string()),
        None => Err(TreeError::NoGame.to_string()),
    };
    let moves = |part: &GamePart| part.tree.main_line().len();
    let mut best = part(pgn)?;
    match &best.stopped {
        None => return Ok(best.tree),
        Some(Stopped { error: TreeError::Illegal { .. }, .. }) => {}
        Some(stopped) => return Err(stopped.error.to_string()),
    }
    let text = decode_file(pgn);
    for language in LANGUAGES {
        let translated = part(language.translate(&text).as_bytes())?;
        let is_whole = translated.stopped.is_none() && best.stopped.is_some();
        if moves(&translated) > moves(&best) || is_whole {
            best = translated;
        }
    }
    Ok(best.with_reason())
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
    let mut refused = None;
    for part in read_parts(&text.as_bytes()[begin..]) {
        // A text in memory can always be read.
        let Ok(part) = part else { break };
        if is_nothing(&part) {
            left.extend(unread(&part, &text[begin..]));
            refused = refused.or_else(|| part.stopped.map(|stopped| stopped.error.to_string()));
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
        if let Some(reason) = refused.filter(|_| begins_with_tag(&text[begin..])) {
            return Err(PastedError::Unreadable(reason));
        }
        return Err(PastedError::Nothing(shown(&text[begin..])));
    }
    let tree = chosen.ok_or(PastedError::NoSuch { wanted, count })?;
    let read = described(&tree);
    Ok(Pasted { tree, read, left: shortened(left), titles, count })
}

/// Whether a text begins with a tag pair: `[Event "..."]`.
fn begins_with_tag(text: &str) -> bool {
    let Some(rest) = text.trim_start().strip_prefix('[') else { return false };
    let name_ends = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    name_ends.is_some_and(|end| end > 0 && rest[end..].trim_start().starts_with('"'))
}

/// Whether of a game nothing is read.
fn is_nothing(part: &GamePart) -> bool {
    let GamePart { tree, stopped, .. } = part;
    let is_bare = tree.main_line().is_empty() && tree.tags().is_empty() && tree.is_usual_start();
    let said = tree.node(GameTree::ROOT).is_ok_and(|root| !root.annotations.comment.is_empty());
    is_bare && (stopped.is_some() || !said) && tree.result() == "*"
}

/// The unread parts of a game.
fn unread(part: &GamePart, text: &str) -> Vec<String> {
    let variation = |error: &TreeError| format!("the rest of a variation: {error}");
    let mut unread: Vec<String> = part.left_out.iter().map(variation).collect();
    if let Some(stopped) = &part.stopped {
        let from = usize::try_from(stopped.from).unwrap_or(usize::MAX);
        let rest = text.get(from..).unwrap_or_default();
        // The game ends before the tags of the next one.
        let end = rest.find("\n[").unwrap_or(rest.len());
        unread.push(format!("from “{}” on: {}", shown(&rest[..end]), stopped.error));
    }
    unread
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
    fn a_game_that_its_tags_make_another_one_is_not_read_without_them() {
        for (tags, reason) in [
            ("[White \"A\"]\n[Variant \"Atomic\"]", "Atomic"),
            ("[Event \"x\"]\n[Variant \"Crazyhouse\"]", "Crazyhouse"),
            ("[SetUp \"1\"]\n[FEN \"garbage\"]", "garbage"),
            ("[FEN \"4k3/8/8/8/8/8/8/9 w - - 0 1\"]", "4k3"),
        ] {
            let text = format!("{tags}\n\n1. Nf3 f6 2. Nd4 e6 1-0\n");
            let error = read_pasted(text.as_bytes(), 1).expect_err(&text).to_string();
            assert!(error.starts_with("nothing of this game is read: "), "{error}");
            assert!(error.contains(reason), "{error}");
        }
        let found = read_pasted(b"[a sentence] 1. e4 e5", 1).expect("moves");
        assert_eq!(line(&found.tree), "e4 e5");
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

    #[test]
    fn a_game_of_a_file_is_read_in_its_language_and_up_to_what_cannot_be_read() {
        let german = b"[White \"A\"]\n\n1. e4 e5 2. Sf3 Sc6 3. Lb5 1-0";
        let tree = game_of_file(german).expect("German");
        assert_eq!(line(&tree), "e4 e5 Nf3 Nc6 Bb5");
        let null = game_of_file(b"1. e4 e5 2. -- d5 *").expect("its beginning");
        assert_eq!(line(&null), "e4 e5");
        let noted = null.nodes().any(|node| node.annotations.comment.contains("2. --"));
        assert!(noted, "what is left out is named");
        assert!(game_of_file(b"[Variant \"Atomic\"]\n\n1. e4 *").is_err());
        assert!(game_of_file(b"").is_err());
    }
}
