//! Clauses that only say why a run is wished or ended: "ci is red", "it's the final check before I tag the release", "cause
//! the box reboots tonight". They narrow nothing.

use std::ops::Range;

use super::super::clauses::{CONJUNCTIONS, DETERMINERS, PRONOUNS};
use super::super::field;
use super::super::intent::Intent;
use super::super::nearest;
use super::super::slots::Sentence;
use super::super::tags::Tagged;
use super::{TIMES, TURNING};

/// Verbs of states, and of what happened.
const VERBS: [&str; 32] = [
    "is",
    "am",
    "are",
    "was",
    "were",
    "has",
    "have",
    "had",
    "need",
    "needs",
    "needed",
    "hate",
    "hates",
    "love",
    "loves",
    "got",
    "keeps",
    "looks",
    "seems",
    "sounds",
    "sleeps",
    "sleeping",
    "forgot",
    "misheard",
    "confuse",
    "confuses",
    "distract",
    "distracts",
    "bothers",
    "bores",
    "hurts",
    "reboots",
];

/// Words with which a clause is a wish, or says more than a reason.
const WISHES: [&str; 14] = [
    "want", "wants", "would", "should", "must", "let", "please", "then", "like", "can", "could",
    "will", "shall", "called",
];

/// The words of the reasons of a sentence.
pub fn reasons(sentence: &Sentence<'_>, intent: Intent, used: &[bool]) -> Vec<Range<usize>> {
    if !intent.is_run() && !intent.changes_runs() {
        return Vec::new();
    }
    let clauses = clauses(sentence);
    let is_one = |clause: &Range<usize>| is_reason(sentence, intent, used, clause);
    let reasons: Vec<Range<usize>> =
        clauses.iter().filter(|clause| is_one(clause)).cloned().collect();
    if reasons.len() == clauses.len() { Vec::new() } else { reasons }
}

/// The clauses between signs, and from "because" on.
fn clauses(sentence: &Sentence<'_>) -> Vec<Range<usize>> {
    let words = sentence.words;
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_boundary = |at: usize| {
        let (before, next) = (sentence.split[at - 1].chunk, sentence.split[at].chunk);
        let between = sentence.text.get(before.1..next.0).unwrap_or_default();
        let because = match word(at) {
            "because" => true,
            "cause" => PRONOUNS.contains(&word(at + 1)) || DETERMINERS.contains(&word(at + 1)),
            "since" | "as" => PRONOUNS.contains(&word(at + 1)),
            _ => false,
        };
        because
            || between.contains([',', ';', '.', ':', '!', '?', '(', ')', '\u{2013}', '\u{2014}'])
    };
    let mut clauses = Vec::new();
    let mut from = 0;
    for at in (1..words.len()).filter(|at| is_boundary(*at)).chain([words.len()]) {
        clauses.push(from..at);
        from = at;
    }
    clauses
}

fn is_reason(
    sentence: &Sentence<'_>,
    intent: Intent,
    used: &[bool],
    clause: &Range<usize>,
) -> bool {
    let begins = |word: &str| CONJUNCTIONS.contains(&word) || word == "as";
    let said: Vec<&str> = sentence.words[clause.clone()].iter().map(String::as_str).collect();
    let because = usize::from(said.first().is_some_and(|first| begins(first)));
    let said = &said[because..];
    let (Some(first), true) = (said.first(), said.len() > 1) else { return false };
    let is_used = clause.clone().any(|at| used[at]);
    // "I am no expert": it denies nothing of the wish.
    let is_personal = matches!(*first, "i" | "we" | "he" | "she" | "they")
        && !said.iter().any(|word| field::is_noun(word));
    let denies = |word: &str| matches!(word, "no" | "not" | "never" | "only" | "nothing");
    let turns = said.iter().any(|word| {
        // "I need it overnight".
        let is_wish = WISHES.contains(word) && (because == 0 || *word != "called");
        is_wish
            || (TURNING.contains(word) && !(is_personal && denies(word)))
            || (because == 0 && TIMES.contains(word))
    });
    // "It is 2 am".
    let is_hour = |token: &Tagged| {
        let next = sentence.words.get(token.to).map_or("", String::as_str);
        token.text == "{n}" && matches!(next, "am" | "pm" | "oclock")
    };
    let mut tokens = sentence.tagged.iter().filter(|token| clause.contains(&token.from));
    let has_detail = tokens.any(|token| token.text.starts_with('{') && !is_hour(token));
    if is_used || turns || has_detail {
        return false;
    }
    // "The book is noob" says what is wanted.
    let is_strange =
        |word: &&str| nearest::templates_with(word, intent) == 0 && !field::is_noun(word);
    // "I only wanted to see it".
    let wanted = |at: usize| said[at] == "wanted" && said.get(at + 1) == Some(&"to");
    let verb = (0..said.len().min(4)).position(|at| VERBS.contains(&said[at]) || wanted(at));
    match verb {
        Some(verb) if PRONOUNS.contains(first) => verb < 3,
        Some(verb) if DETERMINERS.contains(first) => {
            verb > 1 && said[1..verb].iter().all(is_strange)
        }
        Some(1) => !field::is_noun(first) && said.len() < 5,
        _ => because > 0 && (PRONOUNS.contains(first) || DETERMINERS.contains(first)),
    }
}
