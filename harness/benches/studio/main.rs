//! The studio: its index of games, its pages, and what it costs a running match.
//!
//! ```text
//! cargo bench -p tench-harness --bench studio                    all of it, a million games
//! cargo bench -p tench-harness --bench studio -- index 200000    the index alone, with fewer games
//! cargo bench -p tench-harness --bench studio -- pages           first paint of every page
//! cargo bench -p tench-harness --bench studio -- latency         from a move to its pixels, 16 boards
//! cargo bench -p tench-harness --bench studio -- cost            games an hour with three pages open
//! cargo bench -p tench-harness --bench studio -- boards          drag to answer, analysis, first paint
//! cargo bench -p tench-harness --bench studio -- pgn             a PGN file of 100 MB
//! ```
//!
//! All but the index and `pgn` need `chromium` and `chromedriver` (Debian's `chromium-driver`). Times depend on
//! the machine and on what else it does: compare those of one call.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

mod boards;
mod browser;
mod files;
mod index;
mod live;
mod pages;
#[path = "../../tests/webdriver.rs"]
#[allow(dead_code, reason = "the tests need other parts of it")]
mod webdriver;

use std::process::ExitCode;

use harness::ledger::Ledger;

type Failure = Box<dyn std::error::Error>;

/// Games where no number is given.
const GAMES: u64 = 1_000_000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if words.iter().any(|word| word == boards::ENGINE) {
        boards::talk();
        return ExitCode::SUCCESS;
    }
    let games = words.iter().find_map(|word| word.parse().ok()).unwrap_or(GAMES);
    let wanted = |name: &str| {
        words.iter().all(|word| word.parse::<u64>().is_ok())
            || words.iter().any(|word| word == name)
    };
    match measure(games, &wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn measure(games: u64, wanted: &dyn Fn(&str) -> bool) -> Result<(), Failure> {
    if wanted("latency") {
        live::latency()?;
    }
    if wanted("cost") {
        live::cost()?;
    }
    if wanted("pgn") {
        files::large()?;
    }
    if wanted("boards") {
        boards::answers()?;
        boards::updates()?;
        boards::paints()?;
    }
    if !wanted("index") && !wanted("pages") {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let ledger = Ledger::open(folder.path())?;
    if wanted("pages") {
        pages::record_small_runs(&ledger)?;
    }
    let run = pages::start_large_run(&ledger, games)?;
    let took = index::timed(|| index::record(&ledger, &run, games))?;
    pages::finish_large_run(&ledger, &run, games)?;
    let size = std::fs::metadata(folder.path().join("ledger.db"))?.len() >> 20;
    println!("ledger of {games} games, {size} MiB: {:.1} s", took.as_secs_f64());
    if wanted("index") {
        index::measure(folder.path(), &ledger, &run, games)?;
    }
    let id = run.id().to_owned();
    drop(run);
    if wanted("pages") { pages::measure(folder.path(), &id) } else { Ok(()) }
}
