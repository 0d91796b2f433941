//! `harness work`: plays for the runs of other machines.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use clap::Args;
use serde_json::json;

use crate::address::GivenAddress;
use crate::cluster::drain::{self, Running};
use crate::cluster::folders;
use crate::cluster::keys::WorkerKey;
use crate::cluster::link::Link;
use crate::cluster::sandbox::Sandbox;
use crate::cluster::{ClusterError, Token};

use crate::cluster::worker::{Left, Offer, Progress, work};
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::platform;
use crate::report::Progress as Line;
use crate::report::text::grouped;
use crate::runs::games::{free_cores, hold_cores, take_share_note};
use crate::secret::Key;
use crate::session::ClusterAddress;
use crate::sync::lock;
use crate::system;

/// Plays games for the runs of other machines.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness work nats://box -t worker1.3fa9...
  harness work nats://box -t worker1.3fa9... --cores 12 --memory 8192 --name box1
  TENCH_TOKEN=worker1.3fa9... srun harness work nats://box     # on each node of a Slurm job
  harness work nats://box -t worker1.3fa9... --pause-when-busy # on a machine that others use, too
  harness work --drain                     # the workers of this machine leave after what they do

`harness serve` prints the line to join. A worker needs no open port. Ctrl-C ends it; the games that
it had begun are played by others. `harness work --drain` on its machine, and `harness workers --drain NAME`
from the coordinator's, let it finish the games that it has; it takes no new ones and ends. Engines run in a sandbox (bubblewrap) where there is one: without
network or home, with a limit of processes; `harness workers` shows which sandbox each worker has.")]
pub struct WorkArgs {
    /// Address of the server.
    #[arg(value_name = "URL", required_unless_present = "drain")]
    server: Option<GivenAddress>,
    /// Ask the workers that run on this machine (with this --dir) to finish what they have and to end.
    #[arg(long, conflicts_with_all = ["server", "token", "cores", "memory", "name", "syzygy"])]
    drain: bool,
    /// Take no games while other programs use more of the machine than this many cores [default: those that
    /// this worker leaves, and a half].
    #[arg(long, value_name = "CORES", num_args = 0..=1, require_equals = true, value_parser = used_cores)]
    pause_when_busy: Option<Option<f64>>,
    /// The token that `harness serve` printed [default: that of TENCH_TOKEN].
    #[arg(short, long, value_name = "TOKEN", value_parser = key)]
    token: Option<Key>,
    /// Cores to play on [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    cores: Option<u16>,
    /// Limit the memory of each engine.
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..))]
    memory: Option<u32>,
    /// Play no time limits while the speed varies by more than this standard deviation, in percent
    /// of it.
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0)]
    max_noise: f64,
    /// Name of this worker [default: the machine's].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Folder of the worker's key and of the engines that it fetched [default: ~/.cache/tench/worker].
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Folders of Syzygy tablebases on this machine, with `:` between them: for runs whose
    /// tablebases have the same files.
    #[arg(long, value_name = "DIRS")]
    syzygy: Option<String>,
    /// Let builds of engines (`--build-on-workers`) use the network, such as for crates.
    #[arg(long)]
    build_network: bool,
    /// Do not play unless engines run in a sandbox.
    #[arg(long)]
    require_sandbox: bool,
}

/// Any text, which is not printed again.
fn key(text: &str) -> Result<Key, Infallible> {
    Ok(Key::new(text.to_owned()))
}

/// A number of cores that others may use.
fn used_cores(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=10_000.0).contains(number));
    number.ok_or_else(|| "cores that other programs may use are a number such as 0.5".to_owned())
}

/// Cores that other programs may use before a worker pauses: those that it leaves to them, and half of one.
fn usual_pause(offered: usize) -> f64 {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    all.saturating_sub(offered) as f64 + 0.5
}

/// Asks the workers of a folder on this machine to leave.
fn drain_here(folder: &Path, context: &Context) -> Result<Exit, Failure> {
    let asked = drain::ask_here(folder).map_err(|error| {
        Failure::Failed(miette::miette!("cannot ask the workers of {}: {error}", folder.display()))
    })?;
    if asked.is_empty() {
        return Err(Failure::Usage(miette::miette!(
            help = "name the folder of the worker with --dir, as it was started",
            "no worker runs with the folder {}",
            folder.display()
        )));
    }
    let noun = if asked.len() == 1 { "worker finishes" } else { "workers finish" };
    context.show(&json!({ "draining": asked }), || {
        format!("{} {noun} and ends: process {}\n", asked.len(), asked.join(", "))
    })
}

/// The server, and what is shown to it: the token of `-t`, or what stood in the address.
fn address(given: &GivenAddress, args: &WorkArgs) -> Result<ClusterAddress, ClusterError> {
    let GivenAddress { server, credentials } = given.clone();
    let Some(token) = &args.token else { return Ok(ClusterAddress::new(server, credentials)) };
    // It is one of ours, or a mistake.
    token.secret().parse::<Token>()?;
    Ok(ClusterAddress::with_token(server, token.secret()))
}

/// The same folders by their full paths.
fn absolute_folders(folders: &str) -> String {
    let folders = std::env::split_paths(folders);
    let full = folders.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
    let full: Vec<String> = full.map(|folder| folder.to_string_lossy().into_owned()).collect();
    full.join(":")
}

/// Runs the command.
///
/// # Errors
/// When the server cannot be reached or refuses the token.
pub fn run(args: &WorkArgs, context: &Context) -> Result<Exit, Failure> {
    let usual = || system::cache().unwrap_or_default().join("worker");
    let folder = args.dir.clone().unwrap_or_else(usual);
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    // Clap requires an address without --drain.
    let Some(given) = args.server.as_ref().filter(|_| !args.drain) else {
        return drain_here(&folder, context);
    };
    let sandbox = Sandbox::detect();
    if sandbox == Sandbox::None {
        if args.require_sandbox {
            return Err(Failure::Usage(miette::miette!(
                help = "install bubblewrap (Debian: `apt install bubblewrap`)",
                "no sandbox works on this machine"
            )));
        }
        context.warn("no sandbox: engines of others may read and write what you may");
    }
    let name = args.name.clone().unwrap_or_else(|| {
        let host = platform::host_name();
        if host.is_empty() { "worker".to_owned() } else { host }
    });
    let cores = args.cores.map_or_else(free_cores, usize::from);
    hold_cores(cores);
    take_share_note().iter().for_each(|note| context.warn(note));
    let offer = Offer {
        name,
        cores,
        pause_above: args
            .pause_when_busy
            .map(|cores_of_others| cores_of_others.unwrap_or_else(|| usual_pause(cores))),
        memory: args.memory.map(|mebibytes| u64::from(mebibytes) << 20),
        most_noise: args.max_noise / 100.0,
        sandbox,
        cache: folder.join("files"),
        build_network: args.build_network,
        syzygy: args.syzygy.as_deref().map(absolute_folders),
    };
    if let Some(folders) = &offer.syzygy
        && folders::tables_hash(folders).is_none()
    {
        return Err(Failure::Usage(miette::miette!(
            help = "Syzygy tables are files such as KQvK.rtbw; *.rtbz alone are of no use",
            "there are no tablebases in {folders}"
        )));
    }
    let key = WorkerKey::of_folder(&folder)?;
    let running = Running::announce(&folder)
        .inspect_err(|error| context.warn(&format!("`--drain` cannot reach this worker: {error}")))
        .ok();
    let link = Link::of_worker(&address(given, args)?, &format!("harness work, {}", offer.name))?;
    context.say(&format!(
        "{} joined {} with {} cores; sandbox: {}",
        offer.name, given.server, offer.cores, offer.sandbox
    ));
    let line = Mutex::new(Line::start(None, 0, context.quiet));
    let is_asked = || running.as_ref().is_some_and(Running::is_asked);
    let state = Mutex::new(None);
    let left = work(&link, &key, &offer, &context.interrupt, &is_asked, &|progress| {
        let mut progress = progress.clone();
        if !link.is_connected() {
            let away = "no connection: the server is away, or refuses the token; tried again";
            progress.state = Some(away.to_owned());
        }
        let Progress { runs, games, games_per_hour, .. } = &progress;
        say_change(&state, &progress, context);
        let what = if runs.is_empty() { "waiting".to_owned() } else { runs.join(", ") };
        let what = progress.state.iter().fold(what, |what, state| format!("{what} ({state})"));
        let text = format!("{what}  {} games, {games_per_hour:.0}/h", grouped(*games));
        lock(&line).show(*games, |_| text);
    })?;
    drop(line);
    if left == Left::Drained {
        context.say(&format!("{} has finished what it had, and leaves", offer.name));
    }
    Ok(Exit::Good)
}

/// Says when a worker pauses, plays again, or is about to leave.
fn say_change(last: &Mutex<Option<String>>, progress: &Progress, context: &Context) {
    // The cores that others use change all the time.
    let kind = |state: &Option<String>| {
        state.as_ref().map(|text| text.split(':').next().map(str::to_owned))
    };
    let mut last = lock(last);
    if kind(&last) != kind(&progress.state) {
        context.say(progress.state.as_deref().unwrap_or("plays again"));
    }
    last.clone_from(&progress.state);
}
