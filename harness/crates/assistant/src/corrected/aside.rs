//! What stands between the words that take something back and what is meant: "level 6, no, that is too strong for me,
//! level 4", "on f5, no, silly me, on e5".

use super::super::tags::Tagged;
use super::super::words::Word;
use super::super::{asides, clauses};
use super::{has_sign, kind};

/// Where what is meant begins at the earliest, behind a clause that only says why something is taken back.
pub fn behind(text: &str, split: &[Word], tagged: &[Tagged], begin: usize) -> usize {
    let Some(end) = (begin + 1..split.len()).find(|at| has_sign(text, split, *at)) else {
        return begin;
    };
    let clause = &split[begin..end];
    let is_subject = clauses::PRONOUNS.contains(&clause[0].text.as_str()) && clause.len() > 1;
    // "No, not that, run 5".
    let is_denial = clause[0].text == "not"
        && clause.len() < 4
        && clause[1..].iter().all(|word| matches!(&*word.text, "that" | "this" | "it" | "one"));
    let mut tokens = tagged.iter().filter(|token| (begin..end).contains(&token.from));
    let is_plain = tokens.all(|token| kind(token).is_none());
    if is_plain && (is_subject || is_denial || asides::is_feeling(clause)) { end } else { begin }
}
