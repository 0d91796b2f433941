//! The ids of runs, revisions and engines in a sentence.

use std::ops::Range;

use super::super::context::Context;
use super::super::slots::COUNTED;
use super::super::words::{self, Word};
use super::super::{coverage, limits, names, nearest, numbers, spelling};
use super::{
    ENGINES, REVISION_NOUNS, REVISIONS, chunk, engine_without_number, engines, is_other_engine,
    of_chunk,
};

/// Parts of an engine that branches are named by.
const TERMS: [&str; 18] = [
    "lmr", "nmp", "see", "tt", "lmp", "rfp", "iid", "iir", "qsearch", "futility", "razoring",
    "pruning", "nnue", "smp", "fix", "patch", "movegen", "eval",
];

/// Ordinary words that are no misspelt names, however like one.
const ORDINARY: [&str; 13] = [
    "again", "against", "main", "start", "stopped", "opening", "king", "queen", "white", "black",
    "score", "tenth", "tenths",
];

/// The id of a run, whole.
pub fn run(split: &[Word], at: usize, text: &str, context: &Context) -> Option<usize> {
    let written = chunk(text, &split[at]);
    let dated = is_dated(written) && {
        // "20261128 nodes" are counted.
        let next = split.get(at + of_chunk(split, at)).map_or("", |word| word.text.as_str());
        !COUNTED.contains(&next) && next != "nodes"
    };
    let known = context.runs.iter().any(|run| run == written);
    (dated || known).then(|| of_chunk(split, at))
}

/// Whether a text is the beginning of the id of a run: its date, `20261128` or `20261128-1530`.
fn is_dated(written: &str) -> bool {
    let Some((date, rest)) = written.split_at_checked(8) else { return false };
    let number =
        |range: Range<usize>| date.get(range).and_then(|digits| digits.parse::<u32>().ok());
    date.bytes().all(|byte| byte.is_ascii_digit())
        && matches!(number(0..2), Some(19 | 20))
        && number(4..6).is_some_and(|month| (1..=12).contains(&month))
        && number(6..8).is_some_and(|day| (1..=31).contains(&day))
        && (rest.is_empty() || rest.starts_with('-'))
}

/// A git revision: `HEAD~2`, `main`, `lmr-tweak`, a hash.
pub fn revision(split: &[Word], words: &[String], at: usize, text: &str) -> Option<usize> {
    let written = chunk(text, &split[at]);
    // "Twenty-three".
    if numbers::at(words, at).is_some_and(|number| number.words >= of_chunk(split, at))
        && written.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        return None;
    }
    if is_manner(written) || is_list(written) {
        return None;
    }
    let word = words[at].as_str();
    // "What would a master do".
    let is_person = word == "master"
        && at.checked_sub(1).is_some_and(|at| {
            matches!(words[at].as_str(), "a" | "chess" | "old" | "real" | "true" | "great")
        });
    // "They make my head spin".
    let next = words.get(at + 1).map_or("", String::as_str);
    let is_body = word == "head"
        && at
            .checked_sub(1)
            .is_some_and(|at| matches!(words[at].as_str(), "my" | "your" | "his" | "her" | "our"))
        && matches!(
            next,
            "spin" | "spins" | "ache" | "aches" | "hurt" | "hurts" | "explode" | "is"
        );
    let named = (REVISIONS.contains(&word) && !is_person && !is_body)
        || word.starts_with("head~")
        || word.starts_with("head^")
        || word == ".";
    let assigned = ["new=", "old=", "dev=", "base="].iter().any(|name| word.starts_with(name));
    if ((named || assigned) && of_chunk(split, at) == 1) || words::is_version(word) {
        return Some(1);
    }
    // `elo0=-5`
    if word.contains('=') {
        return None;
    }
    let neighbour = |at: Option<usize>| {
        at.and_then(|at| words.get(at)).is_some_and(|word| REVISION_NOUNS.contains(&word.as_str()))
    };
    // `the branch faster-eval`, `version 1.2`, `the faster-eval branch`.
    let count = of_chunk(split, at);
    // "My commit passes" names none.
    let is_known = |word: &String| coverage::stems(word).any(nearest::is_known);
    let is_plain = words[at..(at + count).min(words.len())].iter().all(is_known);
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    let counts =
        is_number && words.get(at + 1).is_some_and(|noun| COUNTED.contains(&noun.as_str()));
    if neighbour(at.checked_sub(1)) && !counts && (!is_plain || is_number || count > 1) {
        return Some(count);
    }
    // "A branch which he calls king-safety", "the commit tagged first-try".
    let is_called = |word: &str| matches!(word, "calls" | "called" | "named" | "tagged" | "call");
    let before =
        |by: usize| at.checked_sub(by).and_then(|at| words.get(at)).map_or("", |word| word);
    if is_called(before(1))
        && (2..7).any(|by| REVISION_NOUNS.contains(&before(by)))
        && (!is_plain || count > 1)
        && !is_number
    {
        return Some(count);
    }
    // In `my simplification branch drop-iid` the name is behind the noun.
    let behind = at + count + 1;
    let is_named_behind = words.get(behind).is_some_and(|word| {
        of_chunk(split, behind) > 1
            || !(nearest::is_known(word) || word.starts_with(|c: char| c.is_ascii_digit()))
    });
    if neighbour(Some(at + count)) && !is_named_behind && !is_number && (!is_plain || count > 1) {
        return Some(count);
    }
    let hash = (7..=40).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
        // "1,000,000 games".
        && !(word.bytes().all(|byte| byte.is_ascii_digit())
            && (counts || written.contains(',')));
    let count = of_chunk(split, at);
    let joined = written.contains(['-', '_', '~', '/'])
        && at + count <= words.len()
        && !written.to_lowercase().starts_with("non-");
    let ordinary = words[at..at + count]
        .iter()
        .filter(|word| {
            nearest::is_known(word) || coverage::is_empty(word) || names::is_of_opening(word)
        })
        .count();
    // "1s/mv" and "1000-game" are no names.
    let before = split[..at].iter().rev().take_while(|word| word.chunk == split[at].chunk);
    let first = at - before.count();
    let is_limit = limits::at(words, first).is_some_and(|limit| limit.words <= at - first);
    let is_count = numbers::at(words, first).is_some_and(|number| number.words == 1)
        && words.get(first + 1).is_some_and(|noun| COUNTED.contains(&noun.as_str()));
    // "Positions 1-100".
    let is_range = written.split('-').all(|part| part.parse::<u32>().is_ok());
    if joined && (is_limit || is_count || is_range) {
        return None;
    }
    let name = joined && ordinary < count && !names_engine(written);
    // Words that are ordinary each: `pawn-history` in the place of a player.
    let word_at = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
    let is_player =
        matches!(word_at(at.checked_sub(1)), "against" | "sprt" | "between" | "than" | "over")
            || matches!(word_at(Some(at + count)), "against" | "beats" | "gains");
    let is_opening = || {
        words[at..at + count]
            .iter()
            .all(|word| names::is_of_opening(word) && !nearest::is_known(word))
    };
    // `tune-lmr` and `see-fix` name a part of an engine.
    let is_term = count == 2 && words[at..at + 2].iter().any(|word| TERMS.contains(&&**word));
    let player = joined && (is_player || is_term) && !names_engine(written) && !is_opening();
    (hash || name || player).then_some(count)
}

/// "Self-play match", "OpenBench-like", "fastchess -engine cmd=weiss", "a nine-year-old": how something is done, or who a person
/// is, and no player.
pub fn is_manner(written: &str) -> bool {
    let written = written.to_lowercase();
    ["self-play", "cutechess", "fastchess", "fixed-"].iter().any(|said| written.starts_with(said))
        || ["-like", "-style", "-ish", "-year-old", "-year-olds", "-yr-old"]
            .iter()
            .any(|said| written.ends_with(said))
}

/// "Weiss/toga2/ethereal", "weiss-toga2": engines, and no revision.
fn is_list(written: &str) -> bool {
    let mut parts = written.split(['/', '-']);
    written.contains(['/', '-']) && parts.all(names_engine)
}

fn names_engine(written: &str) -> bool {
    ENGINES.iter().any(|engine| engine.eq_ignore_ascii_case(written))
}

/// An engine by its name, if need be misspelt.
pub fn engine(
    split: &[Word],
    words: &[String],
    at: usize,
    text: &str,
    context: &Context,
) -> Option<usize> {
    let known = engines(context);
    let count = of_chunk(split, at);
    let written = chunk(text, &split[at]);
    if known.iter().any(|name| name.eq_ignore_ascii_case(written)) {
        return Some(count);
    }
    let word = words[at].as_str();
    // `sf` stands for its long name.
    if count == 1 && known.contains(&word) {
        return Some(1);
    }
    if is_other_engine(word, context) {
        return Some(1);
    }
    // "Weis".
    let is_short_slip = word.len() == 4
        && !nearest::is_known(word)
        && ENGINES.iter().any(|engine| {
            engine.len() == 5
                && engine.bytes().all(|byte| byte.is_ascii_lowercase())
                && spelling::slip(word, engine) == Some(spelling::Slip::LeftOutOrDoubled)
        });
    if (word.len() < 5 && !is_short_slip)
        || ORDINARY.contains(&word)
        || coverage::is_empty(word)
        || nearest::is_known(word)
    {
        // `stock fish`, "toga two"
        let next = words.get(at + 1)?;
        let number = numbers::at(words, at + 1).filter(|number| number.words == 1);
        // "Toga too", as it is heard.
        let heard = matches!(next.as_str(), "to" | "too" | "ii").then_some(2);
        let number = number.and_then(|number| number.count()).or(heard);
        let next = number.map_or_else(|| next.clone(), |number| number.to_string());
        let both = format!("{word}{next}");
        let exact = known.iter().any(|name| *name == both);
        let short = || engine_without_number(word, &known).map(|_| 1);
        return exact.then_some(2).or_else(short);
    }
    let close = names::among(word, known.iter().copied())?;
    // "Clearing" is no Glaurung.
    let same_first = close.name.as_bytes().first() == word.as_bytes().first();
    let is_slip = same_first || spelling::slip(word, &close.name).is_some();
    (close.similarity >= 0.75 && is_slip).then_some(1)
}
