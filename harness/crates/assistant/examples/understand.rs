//! Sentences of standard input, a line each, and what is understood.
//!
//! ```text
//! cargo run -p tench-assistant --example understand < sentences.txt
//! cargo run -p tench-assistant --example understand -- --words < sentences.txt
//! ```
//!
//! With `--words` each sentence as a line of `src/data/said.tsv` has it behind its intent: to add what was misread, put the
//! intent and a tab before it.
//!
//! The board is that of a new game; the engines and runs are those of the test bench alone. How many labelled
//! sentences are right: `cargo bench -p tench-harness --bench assistant`.

#![allow(clippy::disallowed_methods, reason = "an example that is read by people")]

use std::io::{self, BufRead, Write};

use harness_assistant::{Context, Understood, as_said, understand};

fn main() -> io::Result<()> {
    let context = first_position();
    let prints_words = std::env::args().any(|argument| argument == "--words");
    let mut output = io::stdout().lock();
    for text in io::stdin().lock().lines() {
        let text = text?;
        let printed = match prints_words {
            true => as_said(&text, &context),
            false => format!("{text}\n    {}", in_words(&understand(&text, &context))),
        };
        match writeln!(output, "{printed}") {
            // Its reader has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            written => written?,
        }
    }
    Ok(())
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
