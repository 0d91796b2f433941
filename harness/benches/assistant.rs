//! The assistant: how many sentences and names it understands, and how long it takes.
//!
//! ```text
//! cargo bench -p tench-harness --bench assistant                      the held-out sentences and names
//! cargo bench -p tench-harness --bench assistant -- work              those to work with
//! cargo bench -p tench-harness --bench assistant -- FILE.tsv -v       another file, with every miss
//! ```
//!
//! A line of a file of sentences is as `harness::assistant::labelled` reads it.
//! `names*.tsv` have the kind of misspelling, the misspelt name, the name and a sentence for it.
//! `harness/tests/assistant/draw.py` draws both.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use std::collections::BTreeMap;
use std::time::Instant;

use harness::assistant::labelled::{Labelled, Outcome};
use harness::assistant::names;
use harness::assistant::{Context, is_example, prepare, understand};
use harness::platform::processor_time;

/// Where sentences and names are.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/assistant");

/// What nothing was chosen by.
const HELD_OUT: [&str; 2] = ["held_out.tsv", "names.tsv"];

/// What there is to work with.
const WORK: [&str; 37] = [
    "writers_second.tsv",
    "walks_of_life.tsv",
    "hurry_second.tsv",
    "listeners.tsv",
    "writers_boards.tsv",
    "makers.tsv",
    "strangers_second.tsv",
    "outsiders.tsv",
    "neighbours.tsv",
    "restrictions.tsv",
    "hurry.tsv",
    "fresh.tsv",
    "strangers.tsv",
    "authors.tsv",
    "authors_second.tsv",
    "authors_third.tsv",
    "authors_fourth.tsv",
    "authors_fifth.tsv",
    "authors_sixth.tsv",
    "authors_seventh.tsv",
    "users.tsv",
    "users_second.tsv",
    "users_third.tsv",
    "users_fourth.tsv",
    "users_fifth.tsv",
    "final.tsv",
    "sentences.tsv",
    "dev.tsv",
    "functions.tsv",
    "functions_last.tsv",
    "testers.tsv",
    "testers_work.tsv",
    "functions_work.tsv",
    "functions_new.tsv",
    "pool.tsv",
    "sentences_work.tsv",
    "names_work.tsv",
];

/// The sentence that most names are asked for with.
const COMMONEST: &str = "play the {}";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let verbose = words.iter().any(|word| word == "-v");
    let mut files: Vec<String> =
        words.iter().filter(|word| word.ends_with(".tsv")).cloned().collect();
    if files.is_empty() {
        let is_work = words.iter().any(|word| word == "work");
        let own: &[&str] = if is_work { &WORK } else { &HELD_OUT };
        files.extend(own.iter().map(|name| format!("{FOLDER}/{name}")));
    }
    prepare();
    for file in files {
        let of_names = file.rsplit('/').next().is_some_and(|name| name.starts_with("names"));
        if of_names { names_of_openings(&file, verbose) } else { sentences(&file, verbose) }
    }
}

fn sentences(file: &str, verbose: bool) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let (mut right, mut with_slots, mut all) = ([0, 0], 0, [0, 0]);
    // Wrong, and nothing is named as not understood; right, and something is asked about that need not be.
    let (mut silent, mut needless) = (0, 0);
    let mut either = [Either::default(), Either::default()];
    // Those that are no example word for word.
    let (mut new_right, mut new) = (0, 0);
    let mut times = Times::default();
    for (index, line) in text.lines().enumerate() {
        let labelled = Labelled::read(line);
        let labelled = labelled
            .unwrap_or_else(|| panic!("{file}, line {}: not as `labelled` has it", index + 1));
        let sentence = labelled.sentence;
        let understood = times.timed(|| understand(sentence, &Context::default()));
        let outcome = labelled.outcome(&understood);
        // Every second sentence of the files that are not drawn has errors.
        let kind = index % 2;
        all[kind] += 1;
        right[kind] += usize::from(outcome.intent);
        if !is_example(sentence) {
            new += 1;
            new_right += usize::from(outcome.intent);
        }
        with_slots += usize::from(outcome.right);
        silent += usize::from(outcome.silent);
        needless += usize::from(outcome.needless);
        either[half(sentence)].count(outcome);
        if verbose && (!outcome.right || outcome.needless) {
            let kind = match outcome {
                Outcome { silent: true, .. } => "silent",
                Outcome { needless: true, .. } => "needless",
                _ => "wrong",
            };
            let (name, unread) = (understood.intent.name(), &understood.unread);
            let (slots, sure) = (serde_json::json!(understood.slots), understood.confidence);
            println!("{kind}: {line}\n    {name} {slots} {unread:?} {sure:.2}");
        }
    }
    let count: usize = all.iter().sum();
    let percent = |right: usize, all: usize| 100.0 * right as f64 / all.max(1) as f64;
    println!("{file}: {count} sentences");
    println!("intent right: {:.1} %", percent(right[0] + right[1], count));
    if ["final.tsv", "dev.tsv"].iter().any(|name| file.ends_with(name)) {
        let (without, with) = (percent(right[0], all[0]), percent(right[1], all[1]));
        println!("  without errors {without:.1} %, with errors {with:.1} %");
    }
    println!("  of the {new} that are no example word for word: {:.1} %", percent(new_right, new));
    println!("intent and all slots right: {:.1} %", percent(with_slots, count));
    println!("  wrong without a question {silent}, right with a needless question {needless}");
    for (half, either) in ["to choose by", "to report"].into_iter().zip(either) {
        let Either { wrong, offered, right, needless } = either;
        println!(
            "  asked which is meant, half {half}: {wrong} of the wrong, {offered} of them with the right one; {needless} of {right} right",
        );
    }
    times.print();
}

/// Half of the sentences that one belongs to: the threshold of likely readings is chosen by the first.
fn half(sentence: &str) -> usize {
    let hash =
        sentence.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    (hash % 2) as usize
}

/// Sentences of which it is asked which reading is meant.
#[derive(Default)]
struct Either {
    wrong: usize,
    /// Of the wrong ones those with a right reading among the others.
    offered: usize,
    /// All right ones.
    right: usize,
    /// Of them those that are asked about, though no other reading is right.
    needless: usize,
}

impl Either {
    fn count(&mut self, outcome: Outcome) {
        let Outcome { right, either, offered, .. } = outcome;
        self.wrong += usize::from(!right && either);
        self.offered += usize::from(!right && offered);
        self.right += usize::from(right);
        self.needless += usize::from(right && either && !offered);
    }
}

/// Misspelt names, alone and in their sentences.
fn names_of_openings(file: &str, verbose: bool) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut counts: BTreeMap<(&str, &str), [usize; 2]> = BTreeMap::new();
    let mut times = Times::default();
    for line in text.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [kind, changed, name, frame] = columns[..] else { continue };
        let sentence = frame.replace("{}", changed);
        let understood = times.timed(|| understand(&sentence, &Context::default()));
        let alone = names::opening(changed, 1).into_iter().next().map(|found| found.name);
        let within = understood.slots.get("opening").and_then(|name| name.as_str());
        let group = if frame == COMMONEST { "in \"play the ...\"" } else { "in other sentences" };
        for (group, found) in [("alone", alone.as_deref()), (group, within)] {
            let [right, all] = counts.entry((kind, group)).or_default();
            *right += usize::from(found == Some(name));
            *all += 1;
            if verbose && found != Some(name) {
                let asked = if group == "alone" { changed } else { &sentence };
                println!("   {asked} ({name}) -> {found:?}, {}", understood.intent.name());
            }
        }
    }
    println!("{file}:");
    for ((kind, group), [right, all]) in counts {
        let percent = 100.0 * right as f64 / all as f64;
        println!("names of openings, {kind}, {group}: {percent:.1} % of {all} first");
    }
    times.print();
}

/// How long sentences take, in milliseconds.
#[derive(Default)]
struct Times {
    /// By the clock.
    clock: Vec<f64>,
    /// Of the processor, without what other programs took from it meanwhile.
    processor: Vec<f64>,
}

impl Times {
    fn timed<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (begun, before) = (Instant::now(), processor_time());
        let result = work();
        self.processor.push((processor_time() - before).as_secs_f64() * 1e3);
        self.clock.push(begun.elapsed().as_secs_f64() * 1e3);
        result
    }

    fn print(&mut self) {
        for (name, times) in
            [("by the clock", &mut self.clock), ("of the processor", &mut self.processor)]
        {
            times.sort_by(f64::total_cmp);
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
            let (median, most, slowest) = (at(0.5), at(0.99), at(1.0));
            println!(
                "a sentence, {name}: median {median:.2} ms, 99 % {most:.2} ms, slowest {slowest:.2} ms"
            );
        }
    }
}
