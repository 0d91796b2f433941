//! A remark beside a run that is wished or ended: "my laptop sounds like a hairdryer", "I promise I won't complain". It
//! speaks of a person or of a thing that no run has, and wishes, narrows and counts nothing.

use super::super::intent::Intent;
use super::super::words::Word;
use super::super::{clauses, coverage, field, nearest, ordinary};

/// Words with which a part says more than a remark.
const WISHES: [&str; 31] = [
    "want", "wants", "need", "needs", "should", "must", "would", "let", "please", "then", "use",
    "using", "with", "only", "without", "except", "no", "half", "until", "unless", "if", "but",
    "instead", "itself", "same", "later", "at", "against", "every", "each", "all",
];

/// Whether words are a remark beside a run.
pub fn is_one(split: &[Word], intent: Intent) -> bool {
    let words: Vec<&str> = split.iter().map(|word| word.text.as_str()).collect();
    let [first, second, ..] = words[..] else { return false };
    let is_person = clauses::PRONOUNS.contains(&first) && first != "this";
    // "My laptop", but "the book".
    let is_thing = clauses::DETERMINERS.contains(&first)
        && words.len() > 2
        && !field::is_noun(second)
        && nearest::templates_with(second, intent) == 0;
    // "I wanted to see it".
    let wishes = |at: usize| {
        let is_wanted =
            at == 1 && words.get(at + 1) == Some(&"to") && words[at].starts_with("want");
        WISHES.contains(&words[at]) && !is_wanted
    };
    // "He likes zork" may name an engine.
    let names = |at: usize| {
        at > 0
            && matches!(
                words[at - 1],
                "likes"
                    | "like"
                    | "loves"
                    | "love"
                    | "prefers"
                    | "prefer"
                    | "uses"
                    | "trusts"
                    | "trust"
                    | "hates"
                    | "hate"
                    | "beats"
                    | "beat"
                    | "is"
                    | "are"
                    | "be"
            )
            && !nearest::is_known(words[at])
            && !ordinary::is_ordinary(words[at])
    };
    let is_denied = |word: &str| matches!(word, "not" | "never") && !is_person;
    (is_person || is_thing)
        && !(0..words.len()).any(|at| wishes(at) || names(at))
        && !words
            .iter()
            .any(|word| field::is_noun(word) || coverage::TIMES.contains(word) || is_denied(word))
}
