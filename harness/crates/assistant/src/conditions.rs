//! A condition of a wish, "when the current run is done, start a gate", "stop it once the test has passed", which nothing
//! here waits for: it is named.

use std::ops::Range;

use super::context::Context;
use super::manner::{self, Manner};
use super::words::Word;
use super::{Confirm, Intent, Understood, clauses, kinds, understand_part};

/// Words that begin a condition.
const BEGINNINGS: [&[&str]; 10] = [
    &["as", "soon", "as"],
    &["when"],
    &["once"],
    &["after"],
    &["if"],
    &["unless"],
    &["until"],
    &["while"],
    &["provided"],
    &["whenever"],
];

/// Words of what is waited for.
const AWAITED: [&str; 21] = [
    "done",
    "finished",
    "finishes",
    "over",
    "ended",
    "ends",
    "passes",
    "passed",
    "fails",
    "failed",
    "runs",
    "tests",
    "free",
    "idle",
    "complete",
    "completed",
    "through",
    "ready",
    "lost",
    "won",
    "stopped",
];

/// Words of a condition at the end of a sentence, at most.
const LONGEST: usize = 9;

/// The answer to a sentence without its condition, which is named.
pub fn read(
    text: &str,
    split: &[Word],
    context: &Context,
    has_reasons: bool,
) -> Option<Understood> {
    let condition = leading(text, split).or_else(|| trailing(text, split))?;
    let rest = match condition.start {
        0 => &text[split[condition.end].chunk.0..],
        start => text[..split[start].chunk.0].trim_end_matches([' ', ',', ';']),
    };
    let mut found = understand_part(rest, context, has_reasons);
    // "Redo, once it has finished" is refused for another reason.
    let is_refused = found.has_reason();
    if found.intent == Intent::Unknown && !is_refused && condition.start > 0 {
        return None;
    }
    if found.intent == Intent::Unknown && is_refused {
        return Some(found);
    }
    let condition = &text[split[condition.start].chunk.0..split[condition.end - 1].chunk.1];
    found.unread.push(condition.to_owned());
    if found.intent != Intent::Unknown && !found.intent.answers() {
        found.confirm = Confirm::Always;
    }
    Some(found)
}

/// How many words begin a condition at a place.
fn begins(split: &[Word], at: usize) -> Option<usize> {
    let is_said = |said: &&&[&str]| {
        let words = split[at..].iter().map(|word| word.text.as_str()).take(said.len());
        words.eq(said.iter().copied())
    };
    BEGINNINGS.iter().find(is_said).map(|said| said.len())
}

/// "When the current run is done, start a gate".
fn leading(text: &str, split: &[Word]) -> Option<Range<usize>> {
    let count = begins(split, 0)?;
    let is_apart = |at: &usize| {
        let between = text.get(split[at - 1].chunk.1..split[*at].chunk.0);
        between.is_some_and(|between| between.contains([',', ';', ':']))
    };
    let end = (count + 1..split.len()).find(is_apart)?;
    let is_awaited =
        |word: &Word| AWAITED.contains(&word.text.as_str()) || kinds::is_of_run(&word.text);
    // "While I think here: what is the score".
    let is_beside = split[0].text == "while" && clauses::is_subject(&split[count].text);
    let is_asked = split[0].text == "if" && text.trim_end().ends_with('?');
    let is_wish = split.len() > end + 1 && !is_asked;
    (is_wish && (is_beside || split[..end].iter().any(is_awaited))).then_some(0..end)
}

/// "Start a gate once the run has finished": the end of a sentence, from who or what to its verb.
fn trailing(text: &str, split: &[Word]) -> Option<Range<usize>> {
    // "What would happen if I just passed?"
    let asks = manner::of(text, split) == Manner::Question;
    let is_awaited = split.last().is_some_and(|last| AWAITED.contains(&last.text.as_str()));
    let is_one = |at: &usize| {
        let subject = begins(split, *at).map_or(split.len(), |count| at + count);
        let first = split.get(subject).map_or("", |word| word.text.as_str());
        let is_subject =
            clauses::is_subject(first) || kinds::is_of_run(first) || first == "nothing";
        let is_asked = asks && split[*at].text == "if";
        !is_asked && is_subject && subject + 1 < split.len()
    };
    let from = split.len().saturating_sub(LONGEST).max(1);
    let at = (from..split.len()).find(is_one).filter(|_| is_awaited)?;
    Some(at..split.len())
}

#[cfg(test)]
mod tests {
    use super::super::{Context, understand};
    use super::*;

    #[test]
    fn a_condition_is_named_and_the_wish_is_read_without_it() {
        for (text, intent, named) in [
            (
                "when the current run is done, start a gate of HEAD against v2.3",
                Intent::Gate,
                "when the current run is done",
            ),
            ("sprt HEAD main once it has finished", Intent::Sprt, "once it has finished"),
            (
                "run wac with toga2 after the gate has passed",
                Intent::Suite,
                "after the gate has passed",
            ),
            ("turn the board when the run is over", Intent::Flip, "when the run is over"),
            ("unless it has finished, show run 66", Intent::RunStatus, "unless it has finished"),
            ("match weiss toga2, 20 games, if nothing runs", Intent::Match, "if nothing runs"),
        ] {
            let found = understand(text, &Context::default());
            assert_eq!(found.intent, intent, "{text}: {found:?}");
            assert!(found.unread.iter().any(|part| part == named), "{text}: {found:?}");
            // What only answers is answered.
            assert!(found.confirm == Confirm::Always || intent.answers(), "{text}");
        }
    }
}
