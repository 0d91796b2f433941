//! A value that is taken back as soon as it is said: "two million positions? no, twenty thousand games". The later one
//! is meant.

mod again;
mod aside;
mod begun;
mod refused;
mod repeated;
mod squares;

use std::ops::Range;

pub use self::begun::read as begun_again;

use super::asides;
use super::context::Context;
use super::kinds;
use super::limits::PRESETS;
use super::numbers;
use super::tags::{self, Tagged};
use super::words::{self, Word};

/// Words that take back what stands before them, and whether they do so whatever it counts.
const MARKERS: [(&[&str], bool); 52] = [
    (&["actually", "no", "make", "it"], true),
    (&["actually", "no", "make", "that"], true),
    (&["actually", "no"], true),
    (&["no", "actually"], true),
    (&["no", "better"], true),
    (&["on", "second", "thought"], true),
    (&["on", "second", "thoughts"], true),
    (&["no", "make", "that"], true),
    (&["no", "make", "it"], true),
    (&["no", "i", "mean"], true),
    (&["no", "i", "meant"], true),
    (&["uh", "no"], true),
    (&["um", "no"], true),
    (&["er", "no"], true),
    (&["erm", "no"], true),
    (&["ehm", "no"], true),
    (&["hmm", "no"], true),
    (&["no", "wait"], true),
    (&["wait", "no"], true),
    (&["no", "sorry"], true),
    (&["sorry", "no"], true),
    (&["ah", "no"], true),
    (&["oh", "no"], true),
    (&["or", "no"], true),
    (&["hold", "on"], true),
    (&["hang", "on"], true),
    (&["strike", "that"], true),
    (&["forget", "that"], true),
    (&["i", "mean", "to", "say"], true),
    (&["or", "better"], true),
    (&["better"], false),
    (&["er"], false),
    (&["erm"], false),
    (&["uh"], false),
    (&["um"], false),
    (&["hmm"], false),
    (&["nope"], true),
    (&["nah"], true),
    (&["oops"], true),
    (&["whoops"], true),
    (&["no"], true),
    (&["sorry"], false),
    (&["i", "mean"], true),
    (&["i", "meant"], true),
    (&["scratch", "that"], true),
    (&["correction"], true),
    (&["or", "rather"], true),
    (&["rather"], false),
    (&["make", "that"], false),
    (&["make", "it"], false),
    (&["actually"], false),
    (&["wait"], false),
];

/// Those that do so without a sign before them, too.
const UNMISTAKABLE: [&[&str]; 15] = [
    &["uh", "no"],
    &["um", "no"],
    &["er", "no"],
    &["erm", "no"],
    &["ehm", "no"],
    &["no", "make", "that"],
    &["no", "make", "it"],
    &["no", "i", "mean"],
    &["no", "i", "meant"],
    &["i", "mean"],
    &["i", "meant"],
    &["scratch", "that"],
    &["strike", "that"],
    &["no", "wait"],
    &["wait", "no"],
];

/// Words between one of them and the value that is meant.
const FILLERS: [&str; 24] = [
    "from", "than", "the", "a", "at", "with", "against", "on", "for", "to", "make", "it", "that",
    "take", "use", "as", "of", "in", "i", "meant", "mean", "better", "rather", "just",
];

/// Nouns before their number.
const NUMBERED: [&str; 6] = ["level", "run", "game", "move", "depth", "hash"];

/// Values that are taken back in a sentence, at most.
const MOST: usize = 3;

/// How far before the marker the value stands.
const NEAR: usize = 5;

/// The sentence as it is meant, where something in it is refused or said again.
pub fn meant(text: &str, split: &[Word], context: &Context) -> Option<String> {
    again::replaced(text, split, context)
        .or_else(|| refused::rewritten(text, split, context))
        .or_else(|| refused::without_refused(text, split, context))
        .or_else(|| refused::contrasted(text, split))
        .or_else(|| repeated::said_again(text, split, context))
        .filter(|meant| meant.len() < text.len())
}

/// The words of a sentence without those that are taken back.
pub fn without_withdrawn(text: &str, mut split: Vec<Word>, context: &Context) -> Vec<Word> {
    for _ in 0..MOST {
        if let Some(words) = squares::withdrawn(text, &split).or_else(|| phrase(&split)) {
            split.drain(words);
            continue;
        }
        let Some(words) = withdrawn(text, &split, context) else { break };
        // From behind, so that the places of the others stay.
        words.into_iter().rev().for_each(|part| drop(split.drain(part)));
    }
    split
}

/// Whether a sign or a hyphen stands before a word.
fn has_sign(text: &str, split: &[Word], at: usize) -> bool {
    words::has_sign(text, split, at) || words::between(text, split, at).contains('-')
}

/// Words of a remark beside what is taken back: "no, silly me, on e5", "no, that is too strong for me, level 4".
const REMARKS: [&str; 11] =
    ["silly", "stupid", "hang", "hold", "wait", "sorry", "that", "it", "wrong", "too", "oh"];

/// Whether the words of a part only say why something is taken back.
fn is_remark(part: &[Word]) -> bool {
    let first = part.first().map_or("", |word| word.text.as_str());
    let has_value = part.iter().any(|word| {
        tags::is_move(&word.text) || word.text.bytes().any(|byte| byte.is_ascii_digit())
    });
    part.len() < 8 && REMARKS.contains(&first) && !has_value
}

/// "Mate in 3 no mate in 4": the first of two phrases that are alike but for their numbers.
fn phrase(split: &[Word]) -> Option<Range<usize>> {
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let number = |at: usize| numbers::at(&words, at).map(|number| number.words);
    let is_no = |at: &usize| matches!(words[*at].as_str(), "no" | "sorry" | "rather");
    // "Mate in 3, hmm, rather mate in 2".
    let hesitates = |at: &usize| {
        let word = words[*at].as_str();
        asides::is_sound(word) || matches!(word, "no" | "wait" | "well")
    };
    (3..words.len()).filter(is_no).find_map(|at| {
        let first = (3..at).rev().take_while(hesitates).last().unwrap_or(at);
        let found = (2..=3).find(|count| {
            let before = first.checked_sub(count + 1);
            let behind = at + 1..at + 1 + count;
            before.is_some_and(|before| {
                words.get(behind.clone()) == words.get(before..before + count)
                    && number(first - 1) == Some(1)
                    && number(behind.end).is_some()
            })
        })?;
        Some(first - 1 - found..at + 1)
    })
}

/// The end of words that take something back from a word on, and whether they do so whatever it counts.
fn marked(text: &str, split: &[Word], words: &[String], at: usize) -> Option<(usize, bool)> {
    let (said, is_any) = MARKERS.iter().find(|(said, _)| {
        let words = words.get(at..at + said.len());
        words.is_some_and(|words| words.iter().eq(said.iter()))
    })?;
    let end = at + said.len();
    // "Level 2 no level 3".
    let is_repeated = said == &["no"]
        && at > 1
        && words.get(end).is_some_and(|noun| NUMBERED.contains(&noun.as_str()))
        && words.get(end) == words.get(at - 2)
        && [at - 1, end + 1].iter().all(|at| numbers::at(words, *at).is_some());
    if is_repeated {
        return Some((end, *is_any));
    }
    // "No book" takes nothing back, "no 13" does.
    let is_last = end + 1 == words.len() && numbers::at(words, end).is_some();
    // "3000 no 4000 games", "128 games no 256 games".
    let is_number = |at: usize| numbers::at(words, at).is_some();
    let is_between = said == &["no"]
        && is_number(end)
        && (is_number(at - 1)
            || (at > 1 && is_number(at - 2) && words.get(at - 1) == words.get(end + 1)));
    // "LTC no STC".
    let is_preset = |at: usize| {
        words.get(at).is_some_and(|word| PRESETS.iter().any(|(known, _)| known == word))
    };
    let is_between = is_between || (said == &["no"] && is_preset(at - 1) && is_preset(end));
    // "Level 3, no that is too easy, level 5".
    let is_too = said == &["no"]
        && matches!(words.get(end).map(String::as_str), Some("that" | "it"))
        && words[end..].iter().take(4).any(|word| word == "too");
    let is_between = is_between || is_too;
    let is_apart = said != &["no"] || is_too || has_sign(text, split, end) || is_last || is_between;
    let is_clear = UNMISTAKABLE.contains(said) || is_between;
    ((has_sign(text, split, at) || is_clear) && is_apart).then_some((end, *is_any))
}

/// The place behind a remark between signs.
fn behind_remark(text: &str, split: &[Word], at: usize) -> usize {
    let end = (at + 1..split.len()).find(|end| has_sign(text, split, *end));
    match end {
        Some(end) if is_remark(&split[at..end]) => {
            let is_apart = has_sign(text, split, at) || matches!(&*split[at].text, "that" | "it");
            if is_apart { end } else { at }
        }
        _ => at,
    }
}

/// Whether a word stands only between what takes a value back and the one that is meant: "the", of "the last match"
/// the "last".
fn is_filler(words: &[String], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", String::as_str);
    // "No, only the last two".
    let is_number = |at: usize| numbers::at(words, at).is_some();
    let counts = match words[at].as_str() {
        "only" => (at + 1..at + 4).any(is_number),
        "last" => is_number(at + 1),
        _ => false,
    };
    if counts {
        return true;
    }
    FILLERS.contains(&words[at].as_str()) || (words[at] == "last" && kinds::is_of_run(next))
}

/// A value that is taken back, and the words from what takes it back to the one that is meant.
fn withdrawn(text: &str, split: &[Word], context: &Context) -> Option<[Range<usize>; 2]> {
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let (marker, (end, is_any)) =
        (1..words.len()).find_map(|at| Some((at, marked(text, split, &words, at)?)))?;
    let end = behind_remark(text, split, end);
    let tagged = tags::tag(text, split, &words, context);
    let end = aside::behind(text, split, &tagged, end);
    let meant = (end..words.len()).find(|at| !is_filler(&words, *at))?;
    // "Level 4, no, level 5".
    let noun_before = usize::from(NUMBERED.contains(&words[meant].as_str()));
    let value = tagged.iter().find(|token| token.from == meant + noun_before)?;
    let (before, between) = {
        let before: Vec<&Tagged> = tagged.iter().filter(|token| token.to <= marker).collect();
        let is_same = |token: &&&Tagged| kind(token) == kind(value);
        // The only one of its kind may stand farther away.
        let is_only = is_any && before.iter().filter(is_same).count() == 1;
        let is_near = |token: &&Tagged| is_only || token.from + NEAR >= marker;
        let at = before.iter().rposition(|token| kind(token) == kind(value) && is_near(token))?;
        (before[at], before[at + 1..].to_vec())
    };
    let is_number = value.text == "{n}";
    // "Eight threads, I mean concurrency eight": the number stays, and what it counts is another.
    if let Some(words) = recounted(&words, marker, end) {
        return Some(words);
    }
    let noun =
        |token: &Tagged| words.get(token.to).filter(|_| token.to < marker || token.to > meant);
    let is_same = noun(value).is_none() || noun(before).is_none() || noun(value) == noun(before);
    let is_plain = between.iter().all(|token| !token.text.starts_with('{'));
    kind(value)?;
    if noun_before > 0 {
        let is_same = before.from > 0 && words[before.from - 1] == words[meant];
        // What stands between stays: "mark move 9 good, sorry, move 10".
        return (is_plain && is_same).then(|| [before.from - 1..before.to, marker..meant]);
    }
    let is_meant = is_any || !is_number || is_same;
    // What stands between stays: "spsa with a.yaml, no, bayes".
    // "Bishop f1 off, no, c1".
    let kept = if (is_plain || is_number) && value.text != "{move}" { before.to } else { marker };
    let is_clear = is_plain || !is_number;
    (is_clear && is_meant).then_some([before.from..before.to, kept..value.from])
}

/// A number with a noun before what takes it back, and the same number with another noun behind it: the words of the first
/// noun with its number, and those of what takes it back.
fn recounted(words: &[String], marker: usize, end: usize) -> Option<[Range<usize>; 2]> {
    const COUNTED: [&str; 7] =
        ["threads", "concurrency", "jobs", "hash", "cores", "games", "rounds"];
    let is_noun = |at: usize| words.get(at).is_some_and(|word| COUNTED.contains(&word.as_str()));
    let value = |at: usize| numbers::at(words, at).map(|number| (number.value, number.words));
    let first = (marker.saturating_sub(4)..marker).find_map(|at| {
        value(at).filter(|(_, count)| at + count + 1 == marker).map(|found| (at, found))
    })?;
    let (from, (before, count)) = first;
    let behind = value(end + 1).filter(|_| is_noun(end));
    let (again, _) = behind.or_else(|| value(end).filter(|(_, count)| is_noun(end + count)))?;
    let is_same = before == again && is_noun(from + count);
    is_same.then_some([from..marker, marker..end])
}

/// Methods of tuning, which replace each other.
const METHODS: [&str; 7] = ["spsa", "cmaes", "bayes", "bayesian", "pso", "screened", "auto"];

/// What a token is a value of; values of one kind replace each other.
fn kind(token: &Tagged) -> Option<&str> {
    match token.text.as_str() {
        "{engine}" | "{rev}" => Some("player"),
        kind @ ("{n}" | "{limit}" | "{side}" | "{move}" | "{suite}" | "{file}" | "{run}"
        | "{sign}") => Some(kind),
        word if METHODS.contains(&word) => Some("method"),
        word if kinds::is_of_run(word) => Some("kind"),
        "history" | "games" | "workers" | "data" | "pgn" | "fen" | "practice" | "practise"
        | "suites" | "runs" | "list" => Some("page"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn the_later_value_is_meant() {
        for (text, expected) in [
            (
                "make data with dev, two million positions? no, twenty thousand games",
                "make data with dev twenty thousand games",
            ),
            ("sprt head main at 10+0.1, no, 8+0.08", "sprt head main at 8+0.08"),
            ("set the level to 5, sorry, 6", "set the level to 6"),
            ("new game at level 4, no, level 5", "new game at level 5"),
            ("stop run 7, sorry, run 8", "stop run 8"),
            ("match dev against toga2, I mean weiss", "match dev against weiss"),
            ("new game as white, no wait, as black", "new game as black"),
            ("undo two moves, make that three", "undo three"),
            ("match dev main, no book", "match dev main no book"),
            ("100 games, make it 4 threads", "100 games make it 4 threads"),
            ("no, take it back", "no take it back"),
            ("go to move 12, no 13", "go to move 13"),
            ("new game level 2 no level 3 as white", "new game level 3 as white"),
            ("tune a.yaml by spsa, no I mean bayes", "tune a.yaml by bayes"),
            ("start spsa with a.yaml, no, I mean bayes", "start with a.yaml bayes"),
            ("mate in 3, no, better 2", "mate in 2"),
            ("sprt dev main at 10+0.1, no, HEAD", "sprt dev at 10+0.1 head"),
            ("open the history, no, the games", "open the games"),
            ("mark move 9 good, sorry, move 10", "mark good move 10"),
            ("level 3 no that is too easy, level 5", "level 5"),
            ("level 6, no, that's too strong for me, level 4", "level 4"),
            ("mate in 3 no mate in 4", "mate in 4"),
            ("mate in 3, hmm, rather mate in 2", "mate in 2"),
            ("at ltc no stc", "at stc"),
            ("delete the last match uh no the last tournament", "delete the last tournament"),
            ("sprt dev main 10+0.1 i mean 5+0.05", "sprt dev main 5+0.05"),
            ("use eight threads i mean concurrency eight", "use concurrency eight"),
        ] {
            let split = without_withdrawn(text, words::split(text), &Context::default());
            let found: Vec<String> = split.into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
