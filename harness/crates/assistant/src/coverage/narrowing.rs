//! Words that turn or narrow a sentence, and what they leave as it is: "only draws", "I do not know", "it distracts me".

use super::super::intent::Intent;
use super::super::manner::STATES;
use super::super::numbers;
use super::ARTICLES;

/// "Only draws": it narrows a list to what is in a slot.
pub fn is_narrowing_used(intent: Intent, words: &[String], used: &[bool], at: usize) -> bool {
    let is_silent = |word: &str| ARTICLES.contains(&word) || word == "please";
    let next = (at + 1..words.len()).find(|at| !is_silent(&words[*at]));
    if words[at] != "only" {
        return false;
    }
    // "Only one line", "two threads only".
    let before = at.checked_sub(1);
    // "Where toga2 has only 1 thread" is said of one of two.
    let is_of_one = before.is_some_and(|at| {
        matches!(words[at].as_str(), "has" | "have" | "gets" | "get" | "uses" | "use" | "where")
    });
    let is_count = |at: usize| !is_of_one && used[at] && numbers::at(&words[at..], 0).is_some();
    let is_number =
        next.is_some_and(is_count) || (next.is_none() && (at.saturating_sub(2)..at).any(is_count));
    let narrows = matches!(intent, Intent::ListGames | Intent::OpenPage | Intent::Practice)
        && (next.is_some_and(|next| used[next])
            || (next.is_none() && (at.saturating_sub(3)..at).any(|at| used[at])));
    is_number || narrows
}

/// "Stop the engine, it distracts me", "because it is late": why something is wished, which narrows nothing.
pub fn is_of_reason(words: &[String], at: usize) -> bool {
    let tail = words.len().saturating_sub(3);
    let complains = matches!(
        words.get(tail..),
        Some([it, _, me]) if matches!(it.as_str(), "it" | "that" | "this") && me == "me"
    );
    // "It only tempts me".
    let before = words.len().saturating_sub(4);
    let only = matches!(
        words.get(before..),
        Some([it, only, _, me]) if matches!(it.as_str(), "it" | "that" | "this") && only == "only" && me == "me"
    );
    (complains && at > tail)
        || (only && at > before)
        || words[..at].iter().any(|word| word == "because")
}

/// "Not" of "I do not know" and "I can not see": it takes nothing back.
pub fn is_of_state(words: &[String], at: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).map_or("", String::as_str);
    word(Some(at)) == "not"
        && (STATES.contains(&word(Some(at + 1)))
            || matches!(word(at.checked_sub(1)), "can" | "could"))
}
