//! An SPRT from a program of one's own: what `harness sprt NEW OLD --nodes 5000` does.
//!
//! `cargo run --release --example sprt -- ./new ./old`

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::PathBuf;

use harness::config::Config;
use harness::context::{Interrupt, Session};
use harness::failure::{Failure, OrFail};
use harness::player::{self, Limit};
use harness::runs::games::{Event, GamesRun, Request};
use harness::stats::{Model, Sprt};

fn main() -> Result<(), Failure> {
    // A second process of this program ends the engines if this one is killed.
    harness::platform::warden::enter();
    let engines: Vec<String> = std::env::args().skip(1).collect();
    let interrupt = Interrupt::install().expect("signal handlers can be installed");
    let reports = PathBuf::from("reports");
    let session = Session { reports, probe: true, quiet: false, on: None, interrupt };

    let engines = player::resolve_all(&engines, &[], &[], &Config::find().or_usage()?, &session);
    let mut request = Request::new(engines.or_usage()?, Limit::Nodes(5000));
    request.games = 40_000;
    request.sprt = Some(Sprt::new(Model::Normalized, 0.0, 10.0, 0.05, 0.05).or_usage()?);
    let finished = GamesRun::plan(request)?.start(&session, &|event| match event {
        Event::Started { run, .. } => println!("{run} begins"),
        Event::Counted(tally) => println!("{} games", tally.games()),
        Event::Warning(text) => println!("warning: {text}"),
        _ => {}
    })?;
    println!("{:?}: LLR {:?}", finished.summary.verdict, finished.summary.llr);
    Ok(())
}
