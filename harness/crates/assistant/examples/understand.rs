//! Sentences and what is understood: those of standard input, or how many of labelled files are right.
//!
//! ```text
//! cargo run -p tench-assistant --example understand < sentences.txt
//! cargo run -p tench-assistant --example understand -- harness/tests/assistant/dev.tsv -v
//! ```
//!
//! The board is that of a new game; the engines and runs are those of the test bench alone.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example that is read by people"
)]

use std::io::BufRead;

use harness_assistant::labelled::Labelled;
use harness_assistant::{Context, Understood, understand};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (files, flags): (Vec<String>, Vec<String>) =
        words.into_iter().partition(|word| word.ends_with(".tsv"));
    if files.is_empty() {
        let context = first_position();
        std::io::stdin().lock().lines().map_while(Result::ok).for_each(|text| {
            println!("{text}\n    {}", in_words(&understand(&text, &context)));
        });
    }
    files.iter().for_each(|file| score(file, !flags.is_empty()));
}

/// Prints how many sentences of a file are right, and each that is not.
fn score(file: &str, is_verbose: bool) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (mut right, mut silent, mut needless) = (0, 0, 0);
    for line in text.lines() {
        let labelled = Labelled::read(line).unwrap_or_else(|| panic!("{file}: {line}"));
        let found = understand(labelled.sentence, &Context::default());
        let outcome = labelled.outcome(&found);
        right += usize::from(outcome.right);
        silent += usize::from(outcome.silent);
        needless += usize::from(outcome.needless);
        if is_verbose && (!outcome.right || outcome.needless) {
            println!("{line}\n    {}", in_words(&found));
        }
    }
    let count = text.lines().count();
    println!(
        "{file}: {right} of {count} right, {silent} silent, {needless} with a needless question"
    );
}

fn in_words(found: &Understood) -> String {
    let slots = serde_json::json!(found.slots);
    let others: Vec<&str> = found.others.iter().map(|other| other.choice.as_str()).collect();
    format!(
        "{} {:?} {:?} {:.2} {slots} unread {:?} others {others:?}",
        found.intent.name(),
        found.shown,
        found.confirm,
        found.confidence,
        found.unread
    )
}

/// The moves of White at the start of a game.
fn first_position() -> Context {
    let pawns = ('a'..='h').flat_map(|file| [3, 4].map(|rank| (file, rank)));
    let pawns = pawns.map(|(file, rank)| (format!("{file}2{file}{rank}"), format!("{file}{rank}")));
    let knights = [("b1", "a3"), ("b1", "c3"), ("g1", "f3"), ("g1", "h3")];
    let knights = knights.map(|(from, to)| (format!("{from}{to}"), format!("N{to}")));
    Context { legal: pawns.chain(knights).collect(), ..Context::default() }
}
