//! What is said of a run without a verb at the beginning: "the last gate was garbage, drop it", "run 5 should go on".

use super::ended_by;
use crate::intent::Intent;
use crate::kinds;

/// "The last gate was garbage, drop it", "run 6 should be called first try": what is said of a run.
pub fn said_of_a_run(words: &[String]) -> Option<Intent> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_link = |at: &usize| {
        matches!(word(*at), "the" | "my" | "our" | "this" | "that" | "last" | "latest" | "newest")
    };
    let noun = (0..4).find(|at| !is_link(at)).filter(|at| kinds::is_of_run(word(*at)))?;
    let names = |at: &usize| {
        matches!(word(*at), "called" | "named" | "renamed" | "titled") && word(at - 1) == "be"
    };
    if (noun + 3..noun + 9).any(|at| names(&at)) {
        return Some(Intent::DescribeRun);
    }
    let is_subject = (noun + 1..noun + 3)
        .any(|at| matches!(word(at), "is" | "was" | "has" | "looks" | "seems" | "got" | "went"));
    let verb = words.len().checked_sub(2).filter(|at| *at > noun + 1)?;
    let is_pronoun = matches!(word(verb + 1), "it" | "that" | "this");
    let intent = match word(verb) {
        "drop" | "scrap" | "trash" | "erase" | "purge" => Some(Intent::DeleteRun),
        verb => ended_by(verb),
    };
    intent.filter(|_| is_subject && is_pronoun)
}

/// "All runs of glaurung are to be aborted", "run 5 should go on": what a modal verb wishes of the runs before it.
pub fn wished(words: &[String]) -> Option<Intent> {
    const MODALS: [&[&str]; 11] = [
        &["should"],
        &["must"],
        &["shall"],
        &["may"],
        &["can"],
        &["has", "to"],
        &["have", "to"],
        &["is", "to"],
        &["are", "to"],
        &["needs", "to"],
        &["need", "to"],
    ];
    const BEHIND: [&str; 14] = [
        "",
        "now",
        "please",
        "again",
        "immediately",
        "today",
        "tonight",
        "too",
        "except",
        "but",
        "and",
        "because",
        "since",
        "first",
    ];
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_before = |word: &str| {
        matches!(
            word,
            "the"
                | "my"
                | "our"
                | "this"
                | "that"
                | "these"
                | "those"
                | "last"
                | "latest"
                | "newest"
                | "current"
                | "all"
                | "every"
                | "both"
                | "two"
                | "three"
        )
    };
    let noun = (0..words.len()).find(|at| !is_before(word(*at)))?;
    let is_run = kinds::command(word(noun)).is_some() || matches!(word(noun), "run" | "runs");
    if !is_run {
        return None;
    }
    (noun + 1..words.len()).find_map(|at| {
        let is_said = |said: &&&[&str]| words[at..].iter().take(said.len()).eq(said.iter());
        let modal = MODALS.iter().find(is_said)?;
        let silent = |at: &usize| matches!(word(*at), "be" | "now" | "also" | "just" | "all");
        let verb = (at + modal.len()..words.len()).find(|at| !silent(at))?;
        let (intent, end) = match (word(verb), word(verb + 1)) {
            ("go" | "carry", "on") => (Intent::ResumeRun, verb + 2),
            // "Stopped" has two letters more than "stop".
            (verb_word, _) => {
                (ended_by(verb_word.strip_suffix("ped").unwrap_or(verb_word))?, verb + 1)
            }
        };
        BEHIND.contains(&word(end)).then_some(intent)
    })
}

/// "Run 4 against run 9: Elo and draws": two runs with no verb.
pub fn compares_two(words: &[String]) -> bool {
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_run = |word: &String| matches!(&**word, "run" | "runs" | "test");
    match words {
        [run, first, link, other, second, ..] => {
            is_run(run)
                && is_number(first)
                && matches!(&**link, "against" | "and")
                && is_run(other)
                && is_number(second)
        }
        _ => false,
    }
}
