//! `harness workers`: who plays.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clap::Args;

use crate::address::GivenAddress;
use crate::cluster::link::Link;
use crate::cluster::message::{RunStatus, Status};
use crate::cluster::overview::Overview;
use crate::cluster::presence::Presence;
use crate::cluster::sharing::Runs;
use crate::cluster::{drain, quarantine};
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::output;
use crate::report::terminal;
use crate::report::text::grouped;
use crate::session::ClusterAddress;

/// How often --watch shows the workers.
const WATCH: Duration = Duration::from_secs(2);

/// Lists the workers of a server.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness workers                          # of the server of this machine
  harness workers nats://box:4222
  harness workers --json
  harness workers --watch                  # again and again, until Ctrl-C
  harness workers --drain box3             # it finishes what it has, and ends
  harness workers --quarantine box3        # its results do not count; others play its pairs")]
pub struct WorkersArgs {
    /// Address of the server [default: that of --on, else this machine's].
    #[arg(value_name = "URL")]
    server: Option<GivenAddress>,
    /// Show them again every two seconds, until Ctrl-C.
    #[arg(long, conflicts_with_all = ["quarantine", "release", "json"])]
    watch: bool,
    /// Ask a worker to leave, by its name or key: it finishes the games that it has, takes no new ones, and
    /// ends.
    #[arg(long, value_name = "WORKER", conflicts_with_all = ["quarantine", "release", "watch"])]
    drain: Option<String>,
    /// Quarantine a worker, by its name or key: it ends, and its pairs are played again by others.
    #[arg(long, value_name = "WORKER")]
    quarantine: Option<String>,
    /// Let a quarantined worker play again.
    #[arg(long, value_name = "WORKER", conflicts_with = "quarantine")]
    release: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// When the server cannot be reached or refuses the token.
pub fn run(args: &WorkersArgs, context: &Context) -> Result<Exit, Failure> {
    let asked = args.server.clone().map(ClusterAddress::from);
    let of_this_machine = || -> ClusterAddress {
        let given: GivenAddress = "127.0.0.1".parse().expect("an address");
        given.into()
    };
    let address = asked
        .or_else(|| context.on.clone().map(|remote| remote.address))
        .unwrap_or_else(of_this_machine);
    let link = Link::of_coordinator(&address, "harness workers")?;
    let (runs, _heard) = Runs::listen(&link)?;
    let workers = Presence::listen(&link)?.answered();
    if let Some(worker) = &args.drain {
        let there = workers.iter().map(|worker| (worker.key.clone(), worker.name.clone()));
        let (key, name) = find_worker(worker, there)?;
        drain::ask(&link, &key)?;
        context.say(&format!("{name} {key} finishes what it has, and ends"));
        return Ok(Exit::Good);
    }
    let quarantined = quarantine::list(&link).unwrap_or_default();
    if let Some(worker) = &args.quarantine {
        let there = workers.iter().map(|worker| (worker.key.clone(), worker.name.clone()));
        let (key, name) = find_worker(worker, there)?;
        quarantine::add(&link, &key, &name)?;
        context.say(&format!("{name} {key} is quarantined"));
        return Ok(Exit::Good);
    }
    if let Some(worker) = &args.release {
        let (key, name) = find_worker(worker, quarantined.clone())?;
        quarantine::remove(&link, &key)?;
        context.say(&format!("{name} {key} may play again"));
        return Ok(Exit::Good);
    }
    if args.watch {
        let presence = Presence::listen(&link)?;
        while !context.interrupt.is_set() {
            let quarantined = quarantine::list(&link).unwrap_or_default();
            let text = listing(&presence.answered(), &names(&quarantined), &runs.there());
            output::clear_results().or_failed()?;
            context.print(&text)?;
            let until = Instant::now() + WATCH;
            while !context.interrupt.is_set() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(50));
            }
            presence.ask(&link)?;
        }
        return Ok(Exit::Good);
    }
    let shown = Overview { workers, quarantined: names(&quarantined), runs: runs.there() };
    context.show(&shown, || listing(&shown.workers, &shown.quarantined, &shown.runs))
}

/// Names and keys in one text each.
fn names(quarantined: &BTreeMap<String, String>) -> Vec<String> {
    quarantined.iter().map(|(key, name)| format!("{name} {key}")).collect()
}

/// A table of the workers.
fn listing(workers: &[Status], quarantined: &[String], runs: &[RunStatus]) -> String {
    // Where all have the same token, it says nothing.
    let has_tokens = workers.windows(2).any(|two| two[0].token != two[1].token);
    let rows = workers.iter().map(|worker| {
        let mut row = vec![
            worker.name.clone(),
            worker.short_key().to_owned(),
            worker.cores.to_string(),
            grouped((worker.speed / 1000.0) as u64),
            format!("{:.0} %", 100.0 * worker.noise),
            grouped(worker.games),
            grouped(worker.games_per_hour() as u64),
            worker.faults.to_string(),
            worker.sandbox.clone(),
            worker.plays(),
        ];
        if has_tokens {
            row.insert(2, worker.token.clone());
        }
        row
    });
    let mut head =
        vec!["Name", "Key", "Cores", "knps", "+-", "Games", "per h", "Faults", "Sandbox", "Plays"];
    if has_tokens {
        head.insert(2, "Token");
    }
    let mut text = if workers.is_empty() {
        "no worker is there; `harness work` on any machine joins".to_owned()
    } else {
        terminal::table(head, rows, if has_tokens { 3 } else { 2 }).to_string()
    };
    for RunStatus { run, priority, .. } in runs {
        text += &format!("\nrun {run}, priority {priority}\n");
    }
    for worker in quarantined {
        text += &format!("\nquarantined: {worker}\n");
    }
    text
}

/// The key and name of a worker that a user named by either.
fn find_worker(
    text: &str,
    workers: impl IntoIterator<Item = (String, String)>,
) -> Result<(String, String), Failure> {
    let is_it =
        |(key, name): &(String, String)| name == text || text.len() > 5 && key.contains(text);
    // A full key need not be there.
    let is_key = |text: &str| text.len() == 56 && text.bytes().all(|it| it.is_ascii_alphanumeric());
    let found: Vec<(String, String)> = workers.into_iter().filter(is_it).collect();
    match &found[..] {
        [one] => Ok(one.clone()),
        [] if is_key(text) => Ok((text.to_owned(), text[..9].to_owned())),
        [] => Err(Failure::Usage(miette::miette!(
            help = "`harness workers` lists them",
            "no worker is called {text}"
        ))),
        [..] => Err(Failure::Usage(miette::miette!(
            help = "name it by its key, which `harness workers --json` shows",
            "{} workers are called {text}",
            found.len()
        ))),
    }
}
