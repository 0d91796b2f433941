//! Files and revisions that are said: "data slash second dot vee eff", "head tilde three", "vee one point two".

use super::letters;
use super::quantities::{at_sound, figure};
use super::rewritten::Tokens;
use crate::numbers;

/// Endings of files.
const ENDINGS: [&str; 10] =
    ["yaml", "yml", "pgn", "epd", "vf", "json", "nnue", "txt", "toml", "bin"];

/// Writes files and revisions.
pub fn write(tokens: &mut Tokens) {
    let mut at = 0;
    while at < tokens.len() {
        let found = file(tokens, at).or_else(|| revision(tokens, at));
        at = found.or_else(|| branch(tokens, at)).unwrap_or(at + 1);
    }
}

/// A file whose ending is said at a place; the place behind it.
fn file(tokens: &mut Tokens, at: usize) -> Option<usize> {
    if tokens.word(at) != "dot" || at == 0 {
        return None;
    }
    let (ending, count) = ENDINGS.iter().find_map(|ending| {
        let is_said = |word: &str| word == *ending || (word == "jason" && *ending == "json");
        let whole = is_said(tokens.word(at + 1)).then_some(1);
        Some((ending, whole.or_else(|| letters::spells(tokens, at + 1, ending))?))
    })?;
    let mut from = at - 1;
    let mut name = format!("{}.{ending}", tokens.word(from));
    // "From loop two dot yaml": no file has only a number for a name.
    let stem = from.checked_sub(1).filter(|stem| is_stem(tokens.word(*stem)));
    if let Some((number, stem)) = figure(tokens.word(from)).zip(stem) {
        name = format!("{}{number}.{ending}", tokens.word(stem));
        from = stem;
    }
    // "The file small net dot yaml".
    let noun = from.checked_sub(2).filter(|noun| matches!(tokens.word(*noun), "file" | "called"));
    if let Some(stem) =
        from.checked_sub(1).filter(|stem| noun.is_some() && is_stem(tokens.word(*stem)))
    {
        name = format!("{}-{name}", tokens.word(stem));
        from = stem;
    }
    while let Some(sign) = from.checked_sub(1).and_then(|at| separator(tokens.word(at))) {
        let Some(part) = from.checked_sub(2) else { break };
        name = format!("{}{sign}{name}", tokens.word(part));
        from = part;
    }
    tokens.replace(from, at + 1 + count, &name);
    Some(from + 1)
}

/// Whether a word may be the beginning of a file's name, with a number behind it.
fn is_stem(word: &str) -> bool {
    const NONE: [&str; 16] = [
        "from", "of", "with", "by", "in", "to", "file", "into", "on", "the", "and", "using", "as",
        "run", "for", "called",
    ];
    !NONE.contains(&word)
        && separator(word).is_none()
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// "The branch history pruning against main", "branch history dash pruning": a name of two words or more, which a branch
/// has with hyphens; the place behind it.
fn branch(tokens: &mut Tokens, at: usize) -> Option<usize> {
    if tokens.word(at) != "branch" || tokens.ends(at) {
        return None;
    }
    let from = at + 1;
    let mut to = from;
    let mut name = String::new();
    while to < tokens.len() && name.matches('-').count() < MOST_HYPHENS {
        let sign = usize::from(separator(tokens.word(to)) == Some('-') && to > from);
        let word = tokens.word(to + sign);
        if !is_of_branch(word) || (to == from && is_whole_branch(word)) {
            break;
        }
        name = if name.is_empty() { word.to_owned() } else { format!("{name}-{word}") };
        to += sign + 1;
        if tokens.ends(to - 1) {
            break;
        }
    }
    // "The branch lmr test", "the branch simplify".
    let is_article =
        matches!(tokens.before(at), "the" | "my" | "our" | "against" | "with" | "test");
    (name.contains('-') && is_article).then(|| tokens.replace(from, to, &name))?;
    Some(from + 1)
}

/// Hyphens of a branch's name that is dictated, at most.
const MOST_HYPHENS: usize = 2;

/// Whether a branch may be called so, and nothing be meant behind it.
fn is_whole_branch(word: &str) -> bool {
    matches!(word, "main" | "master" | "head" | "dev" | "develop" | "trunk")
}

/// Whether a word may be part of the name of a branch that is dictated: none that goes on with the sentence.
fn is_of_branch(word: &str) -> bool {
    const NONE: [&str; 98] = [
        "from", "of", "with", "by", "in", "to", "into", "on", "the", "and", "using", "as", "for",
        "called", "named", "against", "versus", "vs", "than", "over", "at", "is", "are", "was",
        "has", "had", "have", "will", "would", "can", "could", "should", "may", "that", "which",
        "where", "who", "i", "we", "you", "it", "he", "she", "they", "or", "but", "if", "when",
        "better", "worse", "stronger", "weaker", "faster", "slower", "through", "please", "really",
        "still", "now", "just", "also", "again", "gain", "gains", "lose", "loses", "win", "wins",
        "beat", "beats", "pass", "passes", "fail", "fails", "hold", "holds", "play", "plays",
        "make", "makes", "run", "runs", "good", "ready", "any", "does", "did", "do", "not", "no",
        "before", "after", "out", "games", "sprt", "match", "gate", "i'm",
    ];
    word.len() > 1
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && !NONE.contains(&word)
        && figure(word).is_none()
        && numbers::at(&[word.to_owned()], 0).is_none()
}

fn separator(word: &str) -> Option<char> {
    Some(match word {
        "dash" | "hyphen" | "minus" => '-',
        "slash" => '/',
        "underscore" => '_',
        "dot" => '.',
        _ => return None,
    })
}

/// "Head tilde three", "vee one dot two"; the place behind it.
fn revision(tokens: &mut Tokens, at: usize) -> Option<usize> {
    let word = tokens.word(at).to_owned();
    if word == "tilde" && tokens.before(at) == "head" {
        let count = figure(tokens.word(at + 1)).or_else(|| at_sound(tokens, at + 1));
        let used = usize::from(count.is_some());
        tokens.replace(at - 1, at + 1 + used, &format!("head~{}", count.unwrap_or(1)));
        return Some(at);
    }
    if !matches!(word.as_str(), "vee" | "v" | "version") {
        return None;
    }
    let number = |at: usize| {
        let word = tokens.word(at);
        let sound = matches!(word, "to" | "too" | "for" | "won" | "ate");
        figure(word).or_else(|| at_sound(tokens, at).filter(|_| sound))
    };
    let first = number(at + 1).filter(|_| !matches!(tokens.word(at + 1), "for" | "to"))?;
    let mut version = first.to_string();
    let mut end = at + 2;
    while matches!(tokens.word(end), "dot" | "point")
        && let Some(part) = number(end + 1)
    {
        version = format!("{version}.{part}");
        end += 2;
    }
    // "Weiss v 2 engines".
    if end == at + 2 && word != "vee" {
        return None;
    }
    match word.as_str() {
        "version" => tokens.replace(at + 1, end, &version),
        _ => tokens.replace(at, end, &format!("v{version}")),
    }
    Some(at + 1)
}
