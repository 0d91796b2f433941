//! A value that is taken back as soon as it is said: "two million positions? no, twenty thousand games". The later one
//! is meant.

use std::ops::Range;

use super::context::Context;
use super::numbers;
use super::tags::{self, Tagged};
use super::words::Word;

/// Words that take back what stands before them, and whether they do so whatever it counts.
const MARKERS: [(&[&str], bool); 30] = [
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
const UNMISTAKABLE: [&[&str]; 6] = [
    &["i", "mean"],
    &["i", "meant"],
    &["scratch", "that"],
    &["strike", "that"],
    &["no", "wait"],
    &["wait", "no"],
];

/// Words between one of them and the value that is meant.
const FILLERS: [&str; 22] = [
    "the", "a", "at", "with", "against", "on", "for", "to", "make", "it", "that", "take", "use",
    "as", "of", "in", "i", "meant", "mean", "better", "rather", "just",
];

/// Nouns before their number.
const NUMBERED: [&str; 6] = ["level", "run", "game", "move", "depth", "hash"];

/// Values that are taken back in a sentence, at most.
const MOST: usize = 3;

/// How far before the marker the value stands.
const NEAR: usize = 5;

/// The words of a sentence without those that are taken back.
pub fn without_withdrawn(text: &str, mut split: Vec<Word>, context: &Context) -> Vec<Word> {
    for _ in 0..MOST {
        let Some(words) = withdrawn(text, &split, context) else { break };
        // From behind, so that the places of the others stay.
        words.into_iter().rev().for_each(|part| drop(split.drain(part)));
    }
    split
}

/// A value that is taken back, and the words from what takes it back to the one that is meant.
fn withdrawn(text: &str, split: &[Word], context: &Context) -> Option<[Range<usize>; 2]> {
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let has_sign = |at: usize| {
        let (Some(before), Some(word)) =
            (at.checked_sub(1).and_then(|at| split.get(at)), split.get(at))
        else {
            return false;
        };
        let between = text.get(before.chunk.1..word.chunk.0).unwrap_or_default();
        between.contains([',', ';', '.', '?', '!', ':', '-', '\u{2013}', '\u{2014}'])
    };
    let marked = |at: usize| {
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
            && [at - 1, end + 1].iter().all(|at| numbers::at(&words, *at).is_some());
        if is_repeated {
            return Some((end, *is_any));
        }
        // "No book" takes nothing back, "no 13" does.
        let is_last = end + 1 == words.len() && numbers::at(&words, end).is_some();
        let is_apart = said != &["no"] || has_sign(end) || is_last;
        let is_clear = UNMISTAKABLE.contains(said);
        ((has_sign(at) || is_clear) && is_apart).then_some((end, *is_any))
    };
    let found = (1..words.len()).find_map(|at| Some((at, marked(at)?)));
    let (marker, (end, is_any)) = found?;
    let meant = (end..words.len()).find(|at| !FILLERS.contains(&words[*at].as_str()))?;
    let tagged = tags::tag(text, split, &words, context);
    // "Level 4, no, level 5".
    let noun_before = usize::from(NUMBERED.contains(&words[meant].as_str()));
    let value = tagged.iter().find(|token| token.from == meant + noun_before)?;
    let (before, between) = {
        let before =
            tagged.iter().filter(|token| token.to <= marker && token.from + NEAR >= marker);
        let before: Vec<&Tagged> = before.collect();
        let at = before.iter().rposition(|token| kind(token) == kind(value))?;
        (before[at], before[at + 1..].to_vec())
    };
    let is_number = value.text == "{n}";
    let noun =
        |token: &Tagged| words.get(token.to).filter(|_| token.to < marker || token.to > meant);
    let is_same = noun(value).is_none() || noun(before).is_none() || noun(value) == noun(before);
    let is_plain = between.iter().all(|token| !token.text.starts_with('{'));
    kind(value)?;
    if noun_before > 0 {
        let is_same = before.from > 0 && words[before.from - 1] == words[meant];
        return (is_plain && is_same).then(|| [before.from - 1..before.to, before.to..meant]);
    }
    let is_meant = is_any || !is_number || is_same;
    // What stands between stays: "spsa with a.yaml, no, bayes".
    let kept = if is_plain || is_number { before.to } else { marker };
    let is_clear = is_plain || !is_number;
    (is_clear && is_meant).then_some([before.from..before.to, kept..value.from])
}

/// The sentence with the value that is meant in the place of one that is refused: of "weiss against toga2, no, not toga2
/// but ethereal" it is "weiss against ethereal".
pub fn rewritten(text: &str, split: &[Word], context: &Context) -> Option<String> {
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let tagged = tags::tag(text, split, &words, context);
    let value_behind = |at: usize| {
        let at = (at..words.len()).find(|at| !FILLERS.contains(&words[*at].as_str()))?;
        tagged.iter().find(|token| token.from == at && kind(token).is_some())
    };
    (1..words.len()).filter(|at| words[*at] == "not").find_map(|not| {
        let refused = value_behind(not + 1)?;
        let said = &words[refused.from..refused.to];
        let is_same = |token: &&Tagged| {
            token.to <= not && kind(token) == kind(refused) && words[token.from..token.to] == *said
        };
        let before = tagged.iter().rfind(is_same)?;
        // "Not 4 threads but 2 threads".
        let noun = words.get(before.to).filter(|noun| Some(*noun) == words.get(refused.to));
        let behind = refused.to + usize::from(noun.is_some() && kind(refused) == Some("{n}"));
        let link =
            usize::from(words.get(behind).is_some_and(|word| word == "but" || word == "rather"));
        let meant = value_behind(behind + link).filter(|meant| kind(meant) == kind(refused))?;
        let noun = noun.filter(|noun| Some(*noun) == words.get(meant.to));
        let end = meant.to + usize::from(noun.is_some() && kind(refused) == Some("{n}"));
        let begin = (0..not).rev().take_while(|at| words[*at] == "no").last().unwrap_or(not);
        let typed = |from: usize, to: usize| &text[split[from].chunk.0..split[to - 1].chunk.1];
        let beginning = text[..split[begin].chunk.0].trim_end_matches([' ', ',', ';', '-', '.']);
        Some(format!(
            "{}{}{}{}",
            &text[..split[before.from].chunk.0],
            typed(meant.from, meant.to),
            beginning.get(split[before.to - 1].chunk.1..).unwrap_or_default(),
            &text[split[end - 1].chunk.1..],
        ))
    })
}

/// Methods of tuning, which replace each other.
const METHODS: [&str; 7] = ["spsa", "cmaes", "bayes", "bayesian", "pso", "screened", "auto"];

/// The sentence without what is refused beside the value that is meant: "but not with builtin, with HEAD", "d4, not e4".
pub fn without_refused(text: &str, split: &[Word], context: &Context) -> Option<String> {
    let words: Vec<String> = split.iter().map(|word| word.text.clone()).collect();
    let tagged = tags::tag(text, split, &words, context);
    let value_behind = |at: usize| {
        let at = (at..words.len()).find(|at| !FILLERS.contains(&words[*at].as_str()))?;
        tagged.iter().find(|token| token.from == at && kind(token).is_some())
    };
    let not = (1..words.len()).find(|at| words[*at] == "not" && value_behind(at + 1).is_some())?;
    let refused = value_behind(not + 1)?;
    let is_meant = |token: &Tagged| kind(token) == kind(refused);
    let begin = not - usize::from(words[not - 1] == "but");
    let before = &text[..split[begin].chunk.0];
    let before = before.trim_end_matches([' ', ',', ';']);
    // A move beside the one that is made.
    let is_move = kind(refused) == Some("{move}") && refused.to == words.len();
    if is_move && tagged.iter().any(|token| token.to <= not && is_meant(token)) {
        return Some(before.to_owned());
    }
    let behind = &text[split[refused.to - 1].chunk.1..];
    let is_next = behind.starts_with(',') && value_behind(refused.to).is_some_and(is_meant);
    (is_next && begin > 0).then(|| format!("{before}{behind}"))
}

/// What a token is a value of; values of one kind replace each other.
fn kind(token: &Tagged) -> Option<&str> {
    match token.text.as_str() {
        "{engine}" | "{rev}" => Some("player"),
        kind @ ("{n}" | "{limit}" | "{side}" | "{move}" | "{suite}" | "{file}" | "{run}") => {
            Some(kind)
        }
        word if METHODS.contains(&word) => Some("method"),
        "history" | "games" | "workers" | "data" | "pgn" | "practice" | "suites" | "runs" => {
            Some("page")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    #[test]
    fn a_refused_value_is_replaced_by_the_one_that_is_meant() {
        for (text, expected) in [
            (
                "match weiss against toga2, no, not toga2 but ethereal, 40 games",
                Some("match weiss against ethereal, 40 games"),
            ),
            ("analyse with 3 lines, not 3 but 5", Some("analyse with 5 lines")),
            ("sprt HEAD main at 8+0.08, not 8+0.08, 10+0.1", Some("sprt HEAD main at 10+0.1")),
            ("tune a.yaml with spsa, no not spsa, bayes", Some("tune a.yaml with bayes")),
            (
                "sprt HEAD main 4 threads, not 4 threads but 2 threads",
                Some("sprt HEAD main 2 threads"),
            ),
            ("show 4 lines, not 2", None),
            ("sprt HEAD against main, not toga2", None),
        ] {
            let found = rewritten(text, &words::split(text), &Context::default());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_refused_beside_the_value_that_is_meant_is_left_out() {
        for (text, expected) in [
            ("make 500 games, but not with builtin, with HEAD", Some("make 500 games, with HEAD")),
            ("pawn to d4, not e4", Some("pawn to d4")),
            ("sprt HEAD against main, not toga2", None),
            ("not e4, play d4", None),
        ] {
            let found = without_refused(text, &words::split(text), &Context::default());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

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
            ("sprt dev main 10+0.1 i mean 5+0.05", "sprt dev main 5+0.05"),
        ] {
            let split = without_withdrawn(text, words::split(text), &Context::default());
            let found: Vec<String> = split.into_iter().map(|word| word.text).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
