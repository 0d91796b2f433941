//! Names, numbers, moves, sides and pieces in a sentence, each a token as the examples have it.

mod players;

pub use self::players::is_manner;
use self::players::{engine, revision, run};
use super::context::Context;
use super::names::Mention;
use super::slots::COUNTED;
use super::templates::{self, OPENING};
use super::words::{self, Word};
use super::{limits, numbers};

/// Test suites by the names that people call them.
pub const SUITES: [&str; 14] = [
    "wac", "eret", "bk", "sts", "iq", "bratko", "kaufman", "hard", "silent", "ece", "lct", "ecm",
    "arasan", "zugzwang",
];

/// Suites that are ordinary words, too: "hard puzzles".
const ADJECTIVES: [&str; 2] = ["hard", "silent"];

/// Whether a word says that a suite is meant.
fn speaks_of_suites(words: &[String]) -> bool {
    let is_of_suites = |word: &String| {
        matches!(word.as_str(), "suite" | "run" | "solve" | "test" | "positions" | "solves")
    };
    words.iter().any(is_of_suites)
}

/// Engines that people speak of.
pub const ENGINES: [&str; 11] = [
    "builtin",
    "tench",
    "stockfish",
    "ethereal",
    "toga2",
    "glaurung",
    "fairy-stockfish",
    "weiss",
    "demolito",
    "reckless",
    "viridithas",
];

/// Revisions that every repository may have.
pub const REVISIONS: [&str; 6] = ["head", "main", "master", "dev", "develop", "trunk"];

/// Words beside the name of a revision.
pub const REVISION_NOUNS: [&str; 12] = [
    "branch",
    "branches",
    "tag",
    "tags",
    "commit",
    "commits",
    "revision",
    "revisions",
    "version",
    "versions",
    "release",
    "releases",
];

/// A match, and no revision.
const HEAD_TO_HEAD: [&str; 3] = ["head", "to", "head"];

/// Engines that people speak of, which the test bench does not know: by their exact names, and no others are taken for
/// one of them.
const OTHER_ENGINES: [&str; 20] = [
    "lc0",
    "leela",
    "berserk",
    "komodo",
    "houdini",
    "rybka",
    "crafty",
    "critter",
    "koivisto",
    "rubichess",
    "obsidian",
    "caissa",
    "alexandria",
    "plentychess",
    "stormphrax",
    "igel",
    "minic",
    "rofchade",
    "fritz",
    "shredder",
];

/// Whether a word is the name of an engine that the test bench does not know, and no short name of one of the user's.
pub fn is_other_engine(word: &str, context: &Context) -> bool {
    let is_own = |name: &String| name.to_lowercase().starts_with(word);
    OTHER_ENGINES.contains(&word) && !context.engines.iter().any(is_own)
}

/// A word of a sentence, or a token that takes the place of some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tagged {
    /// The word, or `{engine}` and the like.
    pub text: String,
    /// The first word that it stands for.
    pub from: usize,
    /// The word behind the last.
    pub to: usize,
}

/// The names of engines that a sentence can speak of.
pub fn engines(context: &Context) -> Vec<&str> {
    context.engines.iter().map(String::as_str).chain(ENGINES).collect()
}

/// The engine that people call by its name without the number, "toga" of `toga2`: the only one of this name.
pub fn engine_without_number<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let is_it = |name: &&&str| {
        let letters = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
        letters.len() < name.len() && letters.eq_ignore_ascii_case(word)
    };
    let mut found = known.iter().filter(is_it);
    let first = found.next()?;
    found.all(|other| other.eq_ignore_ascii_case(first)).then_some(first)
}

/// Tags a sentence, all but names of openings.
pub fn tag(text: &str, split: &[Word], words: &[String], context: &Context) -> Vec<Tagged> {
    let mut tagged = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at..].starts_with(&HEAD_TO_HEAD.map(str::to_owned)) {
            let to = at + HEAD_TO_HEAD.len();
            tagged.push(Tagged { text: "match".to_owned(), from: at, to });
            at = to;
            continue;
        }
        let (token, used) = token(text, split, words, at, context);
        let to = at + used.max(1);
        tagged.push(Tagged { text: token.unwrap_or_else(|| words[at].clone()), from: at, to });
        at = to;
    }
    tagged
}

/// A tagged sentence in which some words are taken as the name of an opening.
pub fn with_opening(tagged: &[Tagged], words: &[String], mention: &Mention) -> Vec<Tagged> {
    let mut named = Vec::new();
    let outside = |at: &usize| *at < mention.from || *at >= mention.to;
    for token in tagged {
        if (token.from..token.to).contains(&mention.from) {
            named.push(Tagged { text: OPENING.to_owned(), from: mention.from, to: mention.to });
        }
        if token.to <= mention.from || token.from >= mention.to {
            named.push(token.clone());
        } else {
            // Of a token that is cut, such as a number and its unit, plain words remain.
            let rest = (token.from..token.to).filter(outside);
            named.extend(rest.map(|at| Tagged { text: words[at].clone(), from: at, to: at + 1 }));
        }
    }
    named.sort_by_key(|token| token.from);
    named
}

/// Details of how engines play, with their numbers.
const DETAILS: [&str; 16] = [
    "thread",
    "threads",
    "core",
    "cores",
    "mb",
    "mib",
    "megabyte",
    "megabytes",
    "gb",
    "gib",
    "hash",
    "concurrency",
    "jobs",
    "parallel",
    "tc",
    "each",
];

/// Whether a word or token is a detail that every kind of run may have.
pub fn is_detail(text: &str) -> bool {
    text.starts_with('{') || text == "against" || DETAILS.contains(&text)
}

/// Words that link a detail with what is before it.
const LINKS: [&str; 8] = ["at", "with", "of", "in", "per", "a", "and", "using"];

/// A sentence without its limits, its numbers of threads and the like, and the words that link them.
pub fn without_details(tagged: &[Tagged]) -> Vec<Tagged> {
    let is_detail = |at: usize| {
        let text = |at: usize| tagged.get(at).map_or("", |token| &*token.text);
        let is_noun = |at: usize| DETAILS.contains(&text(at));
        match text(at) {
            "{limit}" => true,
            "{n}" => is_noun(at + 1) || at.checked_sub(1).is_some_and(is_noun),
            _ => is_noun(at) || text(at).contains('='),
        }
    };
    let is_link = |at: usize| {
        LINKS.contains(&&*tagged[at].text) && (at + 1 == tagged.len() || is_detail(at + 1))
    };
    (0..tagged.len())
        .filter(|at| !is_detail(*at) && !is_link(*at))
        .map(|at| tagged[at].clone())
        .collect()
}

/// The parts of a sentence between its signs.
pub fn parts<'a>(
    tagged: &'a [Tagged],
    text: &str,
    split: &[Word],
) -> impl Iterator<Item = &'a [Tagged]> {
    tagged.chunk_by(move |one, next| {
        let between = split.get(next.from).map(|word| word.chunk.0);
        let before = split.get(one.to - 1).map(|word| word.chunk.1);
        let between = before.zip(between).and_then(|(from, to)| text.get(from..to));
        !between.is_some_and(|signs| signs.contains([',', ';', '.', '?', '!', ':']))
    })
}

fn token(
    text: &str,
    split: &[Word],
    words: &[String],
    at: usize,
    context: &Context,
) -> (Option<String>, usize) {
    let found = |token: &str, used: usize| (Some(token.to_owned()), used);
    let word = words[at].as_str();
    if let Some(used) = fen(text, split, at) {
        return found("{fen}", used);
    }
    if let Some(said) = limits::at(words, at) {
        return found("{limit}", said.words);
    }
    if is_move(word) {
        return found("{move}", 1);
    }
    // "Train on data/".
    if text[split[at].chunk.1..].starts_with('/') && !text[..split[at].chunk.0].ends_with('/') {
        return found("{folder}", of_chunk(split, at));
    }
    if words::is_path(chunk(text, &split[at])) && words::file_extension(word).is_none() {
        // "Tablebases in /tb", "games to /tmp/games".
        let before = at.checked_sub(1).map_or("", |at| words[at].as_str());
        let is_folder = matches!(before, "in" | "into" | "under" | "from" | "to");
        return found(if is_folder { "{folder}" } else { "{rev}" }, 1);
    }
    match words::file_extension(word) {
        Some("epd") if !is_book(word) => return found("{suite}", 1),
        Some(_) => return found("{file}", 1),
        None => {}
    }
    if SUITES.contains(&word) && (!ADJECTIVES.contains(&word) || speaks_of_suites(words)) {
        let has_second = word == "bratko"
            && words.get(at + 1).is_some_and(|next| matches!(next.as_str(), "kopec" | "kopek"));
        return found("{suite}", 1 + usize::from(has_second));
    }
    if let Some(used) = run(split, at, text, context) {
        return found("{run}", used);
    }
    if let Some(used) = revision(split, words, at, text) {
        return found("{rev}", used);
    }
    if let Some(used) = engine(split, words, at, text, context) {
        return found("{engine}", used);
    }
    if let Some(number) = numbers::at(words, at).filter(|_| !is_pronoun(words, at)) {
        return found("{n}", number.words);
    }
    match templates::token(word) {
        Some(token) => found(token, 1),
        None => (None, 1),
    }
}

/// `book=pohl.epd` is no suite.
fn is_book(word: &str) -> bool {
    ["book=", "openings="].iter().any(|name| word.starts_with(name))
}

/// Words before a "one" that is a number, where nothing is counted behind it.
const BEFORE_ONE: [&str; 11] =
    ["in", "by", "to", "back", "level", "number", "of", "game", "run", "move", "strength"];

/// Whether "one" stands for something: "another one", "a harder one please".
fn is_pronoun(words: &[String], at: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
    let next = word(Some(at + 1));
    word(Some(at)) == "one"
        && (next == "another" || !BEFORE_ONE.contains(&word(at.checked_sub(1))))
        && !COUNTED.contains(&next)
        && numbers::at(words, at).is_some_and(|number| number.words == 1)
        && limits::at(words, at).is_none()
}

/// The words of a FEN that begins at one: its board, and what follows of the other fields.
fn fen(text: &str, split: &[Word], at: usize) -> Option<usize> {
    let chunk_at = |at: usize| split.get(at).map(|word| chunk(text, word));
    let next = |at: usize| {
        let from = split.get(at)?.chunk;
        Some(at + split[at..].iter().take_while(|word| word.chunk == from).count())
    };
    let is_first = at == 0 || split[at - 1].chunk != split[at].chunk;
    let board = chunk_at(at).filter(|_| is_first)?;
    let is_board = board.bytes().filter(|byte| *byte == b'/').count() == 7
        && board.bytes().all(|byte| b"/12345678KQRBNPkqrbnp".contains(&byte));
    if !is_board {
        return None;
    }
    let mut end = next(at)?;
    let fields: [fn(&str) -> bool; 5] = [
        |text| matches!(text, "w" | "b"),
        |text| text.bytes().all(|byte| b"KQkqABCDEFGHabcdefgh-".contains(&byte)),
        |text| text == "-" || (text.len() == 2 && text.ends_with(['3', '6'])),
        |text| text.bytes().all(|byte| byte.is_ascii_digit()),
        |text| text.bytes().all(|byte| byte.is_ascii_digit()),
    ];
    // A field `-` has no word of its own.
    for is_field in fields {
        if chunk_at(end).is_some_and(is_field) {
            end = next(end)?;
        }
    }
    Some(end - at)
}

/// Whether a word is a piece in plain words: "knight", "rooks"; "castle" may be a move.
pub fn is_piece(word: &str) -> bool {
    let singular = word.strip_suffix('s').unwrap_or(word);
    matches!(singular, "king" | "queen" | "rook" | "bishop" | "knight" | "horse" | "pawn")
}

/// `e4`, `nf3`, `exd5`, `nbd2`, `e8=q`, `e2e4`, `o-o`.
pub fn is_move(word: &str) -> bool {
    if word == "o-o" || word == "o-o-o" {
        return true;
    }
    let is_piece = |byte: u8| b"nbrqk".contains(&byte);
    let letters: Vec<u8> = word.bytes().filter(|byte| !b"x=".contains(byte)).collect();
    let is_square =
        |pair: &[u8]| (b'a'..=b'h').contains(&pair[0]) && (b'1'..=b'8').contains(&pair[1]);
    // From the end: a promotion, the target, where it comes from, the piece.
    let end = match letters.as_slice() {
        [.., rank, promoted] if is_piece(*promoted) && matches!(rank, b'1' | b'8') => 1,
        _ => 0,
    };
    let Some(target) = letters.len().checked_sub(end + 2) else { return false };
    if !is_square(&letters[target..target + 2]) {
        return false;
    }
    match &letters[..target] {
        [] => true,
        [one] => is_piece(*one) || (b'a'..=b'h').contains(one),
        from if from.len() == 2 && is_square(from) => true,
        [piece, rest @ ..] if is_piece(*piece) => match rest {
            [one] => one.is_ascii_digit() || (b'a'..=b'h').contains(one),
            rest => rest.len() == 2 && is_square(rest),
        },
        _ => false,
    }
}

/// The text that was typed for a word; of `book=uho.epd` the value.
pub fn chunk<'a>(text: &'a str, word: &Word) -> &'a str {
    let typed = &text[word.chunk.0..word.chunk.1];
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'-');
    match typed.split_once('=') {
        Some((name, value)) if is_name(name) && !value.is_empty() => value,
        _ => typed,
    }
}

/// How many words have the chunk of this one.
fn of_chunk(split: &[Word], at: usize) -> usize {
    split[at..].iter().take_while(|word| word.chunk == split[at].chunk).count()
}

#[cfg(test)]
mod tests {
    use super::super::names::FoundName;
    use super::*;

    #[test]
    fn moves_are_told_from_other_short_words() {
        for word in
            ["e4", "nf3", "exd5", "nbd2", "n1d2", "nb1d2", "qxf7", "e8=q", "exd8=n", "e2e4", "o-o"]
        {
            assert!(is_move(word), "{word}");
        }
        for word in ["a1b2c3d", "e9", "toga2", "wac1", "b", "8", "x", "", "v2", "d2d9", "abc4"] {
            assert!(!is_move(word), "{word}");
        }
    }

    #[test]
    fn a_name_takes_the_place_of_its_words_and_what_it_cuts_stays_plain() {
        let token = |text: &str, from, to| Tagged { text: text.to_owned(), from, to };
        let words: Vec<String> =
            "play two knights five minutes".split(' ').map(str::to_owned).collect();
        let tagged = [
            token("play", 0, 1),
            token("{n}", 1, 2),
            token("{piece}", 2, 3),
            token("{limit}", 3, 5),
        ];
        let found = || FoundName { name: String::new(), similarity: 1.0 };
        let mention = Mention { from: 1, to: 3, found: found() };
        let expected = [token("play", 0, 1), token(OPENING, 1, 3), token("{limit}", 3, 5)];
        assert_eq!(with_opening(&tagged, &words, &mention), expected);
        let mention = Mention { from: 2, to: 4, found: found() };
        let named = with_opening(&tagged, &words, &mention);
        let texts: Vec<&str> = named.iter().map(|token| token.text.as_str()).collect();
        assert_eq!(texts, ["play", "{n}", OPENING, "minutes"]);
    }
}
