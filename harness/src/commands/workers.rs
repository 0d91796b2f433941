//! `harness workers`: who plays.

use clap::Args;
use serde::Serialize;

use crate::cli::server_url;
use crate::cluster::link::Link;
use crate::cluster::message::Status;
use crate::cluster::presence::Presence;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::report::terminal;
use crate::report::text::grouped;
use crate::session::ClusterAddress;

/// Lists the workers of a server.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness workers                          # of the server of this machine
  harness workers nats://box:4222
  harness workers --json")]
pub struct WorkersArgs {
    /// Address of the server [default: that of --on, else this machine's].
    #[arg(value_name = "URL", value_parser = server_url)]
    url: Option<String>,
}

/// The workers as one JSON object.
#[derive(Serialize)]
struct Workers {
    workers: Vec<Status>,
}

/// Runs the command.
///
/// # Errors
/// When the server cannot be reached or refuses the token.
pub fn run(args: &WorkersArgs, context: &Context) -> Result<Exit, Failure> {
    let asked = args.url.clone().map(|url| ClusterAddress { url, token: None });
    let address = asked
        .or_else(|| context.on.clone())
        .unwrap_or_else(|| ClusterAddress { url: "nats://127.0.0.1:4222".to_owned(), token: None });
    let link = Link::connect(&address, "harness workers")?;
    let workers = Presence::listen(&link)?.answered();
    context.show(&Workers { workers: workers.clone() }, || {
        if workers.is_empty() {
            return "no worker is there; `harness work` on any machine joins\n".to_owned();
        }
        let rows = workers.iter().map(|worker| {
            let hours = worker.seconds / 3600.0;
            vec![
                worker.name.clone(),
                worker.key.get(1..9).unwrap_or(&worker.key).to_owned(),
                worker.cores.to_string(),
                grouped((worker.speed / 1000.0) as u64),
                grouped(worker.games),
                grouped((worker.games as f64 / hours.max(1e-9)) as u64),
                worker.faults.to_string(),
                worker.sandbox.clone(),
                worker.runs.join(", "),
            ]
        });
        let head = ["Name", "Key", "Cores", "knps", "Games", "per h", "Faults", "Sandbox", "Plays"];
        terminal::table(head, rows, 2).to_string()
    })
}
