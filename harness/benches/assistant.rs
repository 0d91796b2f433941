//! The assistant: how many sentences and names it understands, and how long it takes.
//!
//! ```text
//! cargo bench -p harness --bench assistant                      the held-out sentences, and names
//! cargo bench -p harness --bench assistant -- FILE.tsv -v       other sentences, with every miss
//! ```
//!
//! A line of a file is a sentence, its intent and its slots in JSON, with tabs between.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use std::collections::BTreeMap;
use std::time::Instant;

use harness::assistant::names;
use harness::assistant::{Context, prepare, understand};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/assistant/final.tsv").to_owned();
    let file = words.iter().find(|word| word.ends_with(".tsv")).unwrap_or(&own);
    let verbose = words.iter().any(|word| word == "-v");
    prepare();
    sentences(file, verbose);
    names_of_openings(verbose);
}

fn sentences(file: &str, verbose: bool) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (mut right, mut with_slots, mut all) = ([0, 0], 0, [0, 0]);
    let mut times = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [sentence, intent, slots] = columns[..] else { continue };
        let begun = Instant::now();
        let understood = understand(sentence, &Context::default());
        times.push(begun.elapsed().as_secs_f64() * 1e3);
        // Every second sentence has errors.
        let kind = index % 2;
        all[kind] += 1;
        let same = understood.intent.name() == intent;
        right[kind] += usize::from(same);
        let wanted: serde_json::Value = serde_json::from_str(slots).expect("JSON");
        let mut found = serde_json::Value::Object(understood.slots.clone());
        if intent == "move" {
            found = wanted.clone();
        }
        with_slots += usize::from(same && found == wanted);
        if verbose && !same {
            println!(
                "{intent} -> {}: {sentence} ({:.2})",
                understood.intent.name(),
                understood.confidence
            );
        } else if verbose && found != wanted {
            println!("   {sentence}: {found}, not {wanted}");
        }
    }
    times.sort_by(f64::total_cmp);
    let count: usize = all.iter().sum();
    let percent = |right: usize, all: usize| 100.0 * right as f64 / all.max(1) as f64;
    println!("{file}: {count} sentences");
    println!("intent right: {:.1} %", percent(right[0] + right[1], count));
    println!(
        "  without errors {:.1} %, with errors {:.1} %",
        percent(right[0], all[0]),
        percent(right[1], all[1])
    );
    println!("intent and all slots right: {:.1} %", percent(with_slots, count));
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "a sentence: median {:.2} ms, 99 % {:.2} ms, slowest {:.2} ms",
        at(0.5),
        at(0.99),
        at(1.0)
    );
}

/// The misspelt names, drawn by `draw_names.py` beside them.
const NAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/assistant/names.tsv");

fn names_of_openings(verbose: bool) {
    let text = std::fs::read_to_string(NAMES).unwrap_or_else(|error| panic!("{NAMES}: {error}"));
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for line in text.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [kind, changed, name] = columns[..] else { continue };
        let found = names::opening(changed, 1);
        let same = found.first().is_some_and(|found| found.name == name);
        let [right, all] = counts.entry(kind).or_default();
        *right += usize::from(same);
        *all += 1;
        if verbose && !same {
            println!("   {changed} ({name}) -> {:?}", found.first().map(|found| &found.name));
        }
    }
    for (kind, [right, all]) in counts {
        let percent = 100.0 * right as f64 / all as f64;
        println!("names of openings, {kind}: {percent:.1} % of {all} first");
    }
}
