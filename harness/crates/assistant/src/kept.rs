//! Clauses that say what stays as it is, or is not to be done, beside a wish: "delete run 4, keep 5", "mute, the engine stays on", "call run 8
//! ltc and leave the note alone", "the form for a new run, don't begin it". The wish is read without it, and it is named: what
//! is spared is never taken for what is meant.

use std::ops::Range;

use super::context::Context;
use super::words::{self, Word};
use super::{Intent, Understood, coverage, kinds, several, understand_part};

/// Kinds of such clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    /// "Keep 5", "leave the note alone".
    Left,
    /// "The engine stays on".
    Stays,
    /// "Run 23 should go on": spared by what stops or deletes another one.
    GoesOn,
    /// "Don't begin it", "nothing should be played".
    Refused,
    /// "Except run 23", "excepted the training".
    Excepted,
    /// "Not from zero": where a run is not to begin.
    Elsewhere,
}

/// Words before the first one of a clause.
const LEADING: [&str; 7] = ["and", "but", "just", "please", "only", "also", "so"];

/// Words behind "leave" and "keep" with which something is to be done, or the wish itself is taken back.
const DONE: [&str; 14] = [
    "out", "off", "on", "going", "me", "it", "up", "in", "away", "us", "to", "track", "an", "quiet",
];

/// The answer to a sentence without what is kept, which is named; `None` where nothing is.
pub fn read(
    text: &str,
    split: &[Word],
    context: &Context,
    has_reasons: bool,
) -> Option<Understood> {
    let clauses = clauses(text, split);
    let kept: Vec<(Range<usize>, Kept)> = clauses
        .iter()
        .skip(1)
        .filter_map(|clause| Some((clause.clone(), kept(&split[clause.clone()])?)))
        .collect();
    if kept.is_empty() {
        return None;
    }
    let mut rest = text.to_owned();
    for (clause, _) in kept.iter().rev() {
        let (from, to) = (split[clause.start - 1].chunk.1, split[clause.end - 1].chunk.1);
        let is_quote = |sign: char| "\"'\u{201d}\u{2019}\u{bb}".contains(sign);
        let from = to - text[from..to].trim_start_matches(is_quote).len();
        // A sign stays between what stands before and behind it.
        rest.replace_range(from..to, if clause.end < split.len() { "," } else { "" });
    }
    let mut found = understand_part(&rest, context, has_reasons);
    let excepts = kept.iter().any(|(_, kept)| *kept == Kept::Excepted);
    if excepts && found.intent.changes_runs() {
        // "Stop what runs, except run 23" means several.
        found = Understood::unknown(several::REASON.to_owned(), Vec::new());
    }
    let is_fitting = kept.iter().all(|(_, kept)| fits(*kept, &found));
    if !is_fitting {
        return None;
    }
    for (clause, _) in kept {
        let from = clause.clone().find(|at| !LEADING.contains(&split[*at].text.as_str()));
        let from = split[from.unwrap_or(clause.start)].chunk.0;
        found.unread.push(text[from..split[clause.end - 1].chunk.1].to_owned());
    }
    Some(found)
}

/// Whether what is kept may stand beside the wish that was read without it.
fn fits(kept: Kept, found: &Understood) -> bool {
    let intent = found.intent;
    let changes_runs = intent.changes_runs() || found.shown == several::REASON;
    let is_speech = matches!(intent, Intent::SpeechOn | Intent::SpeechOff);
    let shows = matches!(
        intent,
        Intent::Explorer
            | Intent::OpenPage
            | Intent::RunStatus
            | Intent::OpenGame
            | Intent::WhyLost
            | Intent::CompareRuns
            | Intent::Help
    );
    match kept {
        Kept::Left => changes_runs,
        Kept::Stays => changes_runs || is_speech,
        Kept::GoesOn => changes_runs && intent != Intent::ResumeRun,
        // What is not there for another reason is not begun anyway.
        Kept::Refused if intent == Intent::Unknown => found.has_reason(),
        Kept::Refused => shows || intent == Intent::DescribeRun || is_speech,
        Kept::Excepted => changes_runs,
        Kept::Elsewhere => intent == Intent::ResumeRun,
    }
}

/// The kind of a clause that is no part of the wish.
fn kept(clause: &[Word]) -> Option<Kept> {
    let leading = clause.iter().take_while(|word| LEADING.contains(&word.text.as_str())).count();
    let clause = &clause[leading..];
    let word = |at: usize| clause.get(at).map_or("", |word| word.text.as_str());
    let has = |wanted: &[&str]| clause.iter().any(|word| wanted.contains(&word.text.as_str()));
    match (word(0), word(1), word(2)) {
        // "Keep its games".
        ("keep" | "leave" | "spare", "it", "is") => return Some(Kept::Left),
        ("leave" | "keep" | "spare", object, _)
            if !object.is_empty() && !DONE.contains(&object) =>
        {
            return Some(Kept::Left);
        }
        ("except" | "excepted" | "excluding", object, _) if !object.is_empty() => {
            return Some(Kept::Excepted);
        }
        ("not", "from", "zero" | "scratch" | "0" | "nothing")
        | ("not", "from", "the")
        | ("not", "again", "from") => return Some(Kept::Elsewhere),
        ("do", "not", verb) if !matches!(verb, "forget" | "know" | "mind" | "care") => {
            return (clause.len() < 8).then_some(Kept::Refused);
        }
        ("i" | "we", "do" | "would", "not") if matches!(word(3), "want" | "wish" | "like") => {
            return (word(4) == "to" && clause.len() < 10).then_some(Kept::Refused);
        }
        ("nothing", "should" | "must" | "shall" | "is", _) => return Some(Kept::Refused),
        _ => {}
    }
    let is_subject = clause.first().is_some_and(|first| {
        let first = first.text.as_str();
        !matches!(first, "should" | "must" | "let" | "can" | "could" | "will" | "i" | "you")
            && (!coverage::is_verb(first) || kinds::is_of_run(first))
    });
    if !is_subject || clause.len() < 2 || clause.len() > 9 {
        return None;
    }
    if has(&["stay", "stays", "remain", "remains", "stands", "unchanged", "untouched", "kept"]) {
        return Some(Kept::Stays);
    }
    let ends = |said: &[&str]| {
        let from = clause.len().checked_sub(said.len());
        from.is_some_and(|from| {
            clause[from..].iter().map(|word| &*word.text).eq(said.iter().copied())
        })
    };
    let goes_on = ["continue", "continues", "survive", "survives", "live"].map(|word| [word]);
    let goes_on = goes_on.iter().any(|said| ends(said))
        || [
            ["go", "on"],
            ["goes", "on"],
            ["carry", "on"],
            ["keep", "running"],
            ["keeps", "running"],
        ]
        .iter()
        .any(|said| ends(said));
    goes_on.then_some(Kept::GoesOn)
}

/// The clauses between signs, and from "and leave", "but keep" on.
fn clauses(text: &str, split: &[Word]) -> Vec<Range<usize>> {
    let word = |at: usize| split.get(at).map_or("", |word| word.text.as_str());
    let begins = |at: &usize| {
        let between = words::between(text, split, *at);
        let is_sign = between.contains([',', ';', '!', '.', ':', '\u{2013}', '\u{2014}'])
            || between.contains(" - ");
        let leaves = match word(*at) {
            "and" | "but" => {
                matches!(word(at + 1), "leave" | "keep" | "spare")
                    || (matches!(word(at + 1), "do" | "just") && word(at + 2) == "not")
            }
            "except" | "excepted" => true,
            _ => false,
        };
        is_sign || leaves
    };
    let begins: Vec<usize> = (1..split.len()).filter(begins).collect();
    let from = [0].into_iter().chain(begins.iter().copied());
    let to = begins.iter().copied().chain([split.len()]);
    from.zip(to).map(|(from, to)| from..to).filter(|clause| !clause.is_empty()).collect()
}
