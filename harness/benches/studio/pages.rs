//! First paint of every page, with a thousand runs and a million games in the ledger.

use std::path::Path;

use crate::webdriver::Client;
use harness::ledger::{Ledger, Run};
use harness::outcome::{EngineFacts, MatchFacts, Outcome, Tally};
use harness::stats::GameScore;
use serde_json::{Value, json};

use crate::Failure;
use crate::browser::{Driver, Studio, quantile};

/// Runs beside the large one.
const SMALL_RUNS: usize = 999;

/// Times that each page is loaded.
const TURNS: usize = 7;

fn facts(name: &str) -> MatchFacts {
    let engine = |name: &str| EngineFacts {
        name: name.to_owned(),
        what: "builtin".to_owned(),
        options: Default::default(),
        defaults: Default::default(),
    };
    MatchFacts {
        command: "match".to_owned(),
        engines: vec![engine("new"), engine(name)],
        limit: "nodes=5000".to_owned(),
        games_asked: Some(100),
        openings: None,
        jobs: 2,
        seed: Some(1),
        sprt: None,
        command_line: Some("harness match new old".to_owned()),
    }
}

fn plan(facts: &MatchFacts) -> Value {
    json!({ "facts": facts, "engines": [{ "name": "new" }, { "name": "old" }], "jobs": 2 })
}

/// The result of games in a fixed pattern.
fn summary(id: &str, facts: &MatchFacts, games: u64) -> Value {
    let mut tally = Tally::new("new");
    for game in 0..games {
        let score = [GameScore::Win, GameScore::Draw, GameScore::Loss, GameScore::Draw];
        let [first, second, termination] =
            ["new", facts.engines[1].name.as_str(), "checkmate"].map(str::to_owned);
        let score = score[(game / 2 % 4) as usize];
        tally.add(&Outcome { pair: game / 2, first, second, score, termination });
    }
    json!(tally.summary(id, facts, 60.0))
}

/// Finished runs without games.
pub fn record_small_runs(ledger: &Ledger) -> Result<(), Failure> {
    for number in 0..SMALL_RUNS {
        let facts = facts(&format!("old-{number}"));
        let run = ledger.start_run("match", &plan(&facts))?;
        ledger.finish(&run, &summary(run.id(), &facts, 100))?;
    }
    Ok(())
}

/// The run with all the games.
pub fn start_large_run(ledger: &Ledger, games: u64) -> Result<Run, Failure> {
    let mut plan = plan(&facts("old"));
    plan["games"] = games.into();
    Ok(ledger.start_run("match", &plan)?)
}

/// Its summary; that of the games in the ledger would take as long to count as they took to write.
pub fn finish_large_run(ledger: &Ledger, run: &Run, games: u64) -> Result<(), Failure> {
    Ok(ledger.finish(run, &summary(run.id(), &facts("old"), games.min(100_000)))?)
}

/// Loads every page several times; the first time is shown beside the median of the others.
pub fn measure(reports: &Path, large: &str) -> Result<(), Failure> {
    let studio = Studio::start(reports)?;
    let driver = Driver::start()?;
    let pages = [
        ("runs", "/".to_owned()),
        ("runs, a search", "/?q=old-5".to_owned()),
        ("a run with all games", format!("/run/{large}/")),
        ("games of a run", format!("/games?run={large}")),
        ("games by swing", format!("/games?run={large}&sort=-swing&outcome=lost")),
        ("last of them", format!("/games?run={large}&sort=-time&offset=999950")),
        ("all games", "/games".to_owned()),
        ("a game", format!("/run/{large}/game/2.1")),
        ("compare", "/compare".to_owned()),
        ("new run", "/start".to_owned()),
        ("history", "/history".to_owned()),
    ];
    let window = driver.window(&studio)?;
    paints(&window, &studio, &pages)?;
    window.close()?;
    Ok(())
}

/// Prints the first paint of pages, in milliseconds from the request.
pub fn paints(window: &Client, studio: &Studio, pages: &[(&str, String)]) -> Result<(), Failure> {
    println!("\n{:<24}{:>10}{:>10}{:>10}", "first paint, ms", "first", "median", "slowest");
    for (name, path) in pages {
        let mut paints = Vec::new();
        for _ in 0..TURNS {
            window.goto(&studio.page(path))?;
            let script = "const done = arguments[arguments.length - 1];
                const look = () => {
                    const paint = performance.getEntriesByName('first-contentful-paint')[0];
                    paint ? done(paint.startTime) : setTimeout(look, 20);
                };
                look();";
            let paint = window.execute_async(script, &[])?;
            paints.push(paint.as_f64().unwrap_or(f64::NAN));
        }
        let first = paints.remove(0);
        let (median, slowest) = (quantile(&mut paints, 0.5), quantile(&mut paints, 1.0));
        println!("{name:<24}{first:>10.0}{median:>10.0}{slowest:>10.0}");
    }
    Ok(())
}
