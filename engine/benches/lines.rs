//! Every line that the program reports, checked: 500 positions in 13 ways each, and 40 games.
//!
//! `cargo bench -p tench --bench lines [-- POSITIONS GAMES NODES [TRANSCRIPT]]`, of which the first three
//! are 500, 40 and 4000 if left out. The transcript is what `engine/tests/lines_against_chess.py`, for a
//! second opinion, reads: a search a line, as JSON. It fails if there is a fault.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

#[path = "../tests/client/mod.rs"]
mod client;
#[path = "../tests/line_checks/mod.rs"]
mod line_checks;

use std::fs::File;
use std::io::{BufWriter, Write};

use line_checks::searches::{Plan, Way, run};

fn main() {
    // Cargo passes `--bench` too.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let number = |at: usize, default: usize| {
        words.get(at).map_or(default, |word| word.parse().expect("a number"))
    };
    let plan = Plan {
        positions: number(0, 500),
        ways: Way::ALL.len(),
        games: number(1, 40),
        nodes: number(2, 4_000) as u64,
    };
    let create = |path: &String| BufWriter::new(File::create(path).expect("writable"));
    let mut transcript = words.get(3).map(create);
    let (mut searches, mut faults, mut counts) = (0, 0, [0; 3]);
    run(plan, &mut |search| {
        searches += 1;
        for (sum, count) in counts.iter_mut().zip(search.counts()) {
            *sum += count;
        }
        for fault in search.faults() {
            faults += 1;
            println!("{}; {}: {fault}", search.game.position_command(), search.go);
        }
        if let Some(file) = &mut transcript {
            writeln!(file, "{}", search.to_json()).expect("written");
        }
    });
    let [lines, mates, bounds] = counts;
    println!("searches  lines  scores of mates  bounds among them  faults");
    println!("{searches:>8} {lines:>6} {mates:>16} {bounds:>18} {faults:>7}");
    assert_eq!(faults, 0, "there are faults");
}
