//! Costs in instructions, compared with committed budgets.
//!
//! ```text
//! cargo test -p tench-harness --bench costs                     as CI does: fails at more than 3 % off
//! cargo test -p tench-harness --bench costs -- --only ply       some of them, by the beginning of their names
//! cargo test -p tench-harness --bench costs -- --update         writes budgets.yaml
//! cargo test -p tench-harness --bench costs -- --list
//! cargo bench -p tench-harness --bench costs                    the same of the optimised build
//! ```
//!
//! Each cost is measured with two amounts of work, by our own programs under `valgrind
//! --tool=cachegrind`; the difference over that of the work leaves out what starting takes. A cost that
//! rises fails, and so does one that falls: a change that makes something cheaper lowers its budget, so
//! that the next one cannot give it away again.
//!
//! Instructions do not depend on what else the machine does, and little on the machine: Valgrind offers
//! programs no more than AVX2, which every machine has to have that compares; the C library is set to
//! use neither AVX nor its own ideas of the caches. They depend on the compiler and the profile: there are
//! budgets for each profile, and the file names the compiler that they were made with; with another one
//! nothing fails, and they have to be written again.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

mod budgets;
mod counting;
#[path = "../data/random_games.rs"]
mod random_games;
mod work;

use std::process::ExitCode;

use budgets::{Budgets, Verdict};
use work::{Cost, Workshop};

type Failure = Box<dyn std::error::Error>;

/// Command line.
#[derive(Default)]
struct Arguments {
    only: Vec<String>,
    update: bool,
    list: bool,
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(reason) => {
            eprintln!("costs: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Arguments, Failure> {
    let mut arguments = Arguments::default();
    // Cargo adds `--bench`.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        match word.as_str() {
            "--update" => arguments.update = true,
            "--list" => arguments.list = true,
            "--only" => arguments.only.push(words.next().ok_or("--only needs a name")?),
            _ => {
                let known = "--only NAME, --update and --list";
                return Err(format!("cannot understand `{word}`; there are {known}").into());
            }
        }
    }
    Ok(arguments)
}

/// Whether every cost is within its budget.
fn run(arguments: &Arguments) -> Result<bool, Failure> {
    let costs: Vec<Cost> = work::costs()
        .into_iter()
        .filter(|cost| {
            arguments.only.is_empty()
                || arguments.only.iter().any(|name| cost.name.starts_with(name.as_str()))
        })
        .collect();
    if costs.is_empty() {
        return Err("no cost has such a name; --list shows them".into());
    }
    if arguments.list {
        costs.iter().for_each(|cost| println!("{:<24} {}", cost.name, cost.about));
        return Ok(true);
    }
    counting::check_machine()?;
    let mut budgets = Budgets::read()?;
    let foreign = budgets.check_compiler(arguments.update)?;
    let workshop = Workshop::new()?;
    let mut all_within = true;
    println!("{:<24} {:>14} {:>14} {:>9}", "instructions for", "budget", "now", "change");
    for cost in &costs {
        let budget = budgets.of(cost.name);
        let mut now = cost.measure(&workshop)?;
        let mut verdict = Verdict::of(cost.name, budget, now);
        let is_off = matches!(verdict, Verdict::Over | Verdict::Under);
        if !arguments.update && foreign.is_none() && is_off {
            // Threads may have been scheduled unluckily, or luckily.
            let again = cost.measure(&workshop)?;
            now = if verdict == Verdict::Over { now.min(again) } else { now.max(again) };
            verdict = Verdict::of(cost.name, budget, now);
        }
        let known = budget.map_or("-".to_owned(), |budget| format!("{budget:.0}"));
        let change = budget
            .map_or(String::new(), |budget| format!("{:+.2} %", 100.0 * (now / budget - 1.0)));
        println!("{:<24} {known:>14} {now:>14.0} {change:>9}  {}", cost.name, verdict.words());
        // A new method is measured by the next update.
        all_within &= matches!(verdict, Verdict::Within | Verdict::New);
        budgets.set(cost.name, now);
    }
    if arguments.update {
        budgets.write()?;
        return Ok(true);
    }
    if let Some(note) = foreign {
        println!("{note}; `--update` writes them again");
        return Ok(true);
    }
    if !all_within {
        let command = "cargo test -p tench-harness --bench costs -- --update";
        println!("where a change is meant to be, `{command}` writes new budgets");
    }
    Ok(all_within)
}
