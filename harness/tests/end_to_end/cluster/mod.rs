//! Runs on several machines: a real `nats-server`, and workers that are processes of their own.
//!
//! Where `nats-server` is not installed, the tests pass without a check; CI installs it.

mod builds;
mod clocks;
mod faults;
mod files;
mod kills;
mod leaving;
mod liar;
mod namespaces;
mod others;
mod races;
mod raw;
mod returned;
mod security;
mod sharing;
mod suspects;
mod wire;

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use harness::ledger::Ledger;
use harness::session::ClusterAddress;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{MOCK, harness, has_games, json, run, shown, until};
use crate::matches::games::moves;
use crate::needs::nats_server;

/// Lease of the tests' batches: short, so that a lost worker is soon replaced.
const LEASE: &str = "2s";

/// A server with its workers; all processes end with it.
pub struct Cluster {
    folder: PathBuf,
    port: u16,
    server: Child,
    workers: Vec<Child>,
    coordinator: String,
    worker: String,
}

/// A server in a folder of its own, with workers of one core and these names. `None` where no server is
/// installed.
pub fn started(workers: &[&str]) -> Option<(TempDir, Cluster)> {
    if !nats_server() {
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut cluster = Cluster::start(folder.path());
    workers.iter().for_each(|name| cluster.work(name));
    Some((folder, cluster))
}

pub fn signal(child: &Child, signal: Signal) {
    let id = Pid::from_raw(child.id().try_into().expect("a process id")).expect("a process id");
    kill_process(id, signal).expect("it runs");
}

fn serve(folder: &Path, port: u16, more: &str) -> Child {
    let out = File::create(folder.join("serve.out")).expect("a file");
    let host = if more.contains("--host") { "" } else { "--host 127.0.0.1" };
    let line = format!("serve {host} --port {port} --dir server --lease {LEASE} {more}");
    let mut command = harness(folder, line.split_whitespace());
    let errors = File::create(folder.join("serve.err")).expect("a file");
    let child = command.stdout(out).stderr(errors).spawn().expect("it starts");
    let text = || fs::read_to_string(folder.join("serve.out")).expect("a file");
    until("the server starts", || text().contains("TENCH_TOKEN="));
    child
}

impl Cluster {
    pub fn start(folder: &Path) -> Cluster {
        Cluster::start_with(folder, "")
    }

    /// With more options of `serve`.
    pub fn start_with(folder: &Path, more: &str) -> Cluster {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let server = serve(folder, port, more);
        let text = fs::read_to_string(folder.join("serve.out")).expect("a file");
        let token = |role: &str| {
            let from = text.find(role).expect("the token is printed");
            text[from..].split_whitespace().next().expect("a word").to_owned()
        };
        let (coordinator, worker) = (token("coordinator."), token("worker1."));
        let folder = folder.to_owned();
        Cluster { folder, port, server, workers: Vec::new(), coordinator, worker }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub fn address(&self, token: &str) -> ClusterAddress {
        ClusterAddress::with_token(self.url().parse().expect("an address"), token)
    }

    /// Starts a worker with one core.
    pub fn work(&mut self, name: &str) {
        self.work_at(name, self.port, &[]);
    }

    /// Starts a worker that reaches the server at another port, with these variables.
    pub fn work_at(&mut self, name: &str, port: u16, variables: &[(&str, &str)]) {
        let line = format!("work nats://127.0.0.1:{port}");
        let mut command = harness(&self.folder, line.split(' '));
        command.envs(variables.iter().copied());
        self.start_worker(name, command);
    }

    /// Starts a worker with more options of `work`.
    pub fn work_with(&mut self, name: &str, more: &str) {
        let line = format!("work {} {more}", self.url());
        self.start_worker(name, harness(&self.folder, line.split(' ')));
    }

    /// Starts a worker with one core by a command that lacks its name and folder.
    pub fn start_worker(&mut self, name: &str, mut command: Command) {
        command.args(["--cores", "1", "--name", name, "--dir", name, "--quiet"]);
        let log = File::create(self.folder.join(format!("{name}.log"))).expect("a file");
        let worker = command.env("TENCH_TOKEN", &self.worker).stderr(log).spawn();
        self.workers.push(worker.expect("it starts"));
        let there = || {
            let workers = json(&self.command("workers --json").output().expect("it runs"));
            let names = workers["workers"].as_array().expect("a list").clone();
            names.iter().any(|worker| worker["name"] == name)
        };
        until("the worker joins", there);
    }

    /// A further token for workers.
    pub fn new_token(&self, begins: &str) -> String {
        let line = format!("serve --dir server --port {} --new-token", self.port);
        let made = harness(&self.folder, line.split(' ')).output().expect("it runs");
        assert_eq!(made.status.code(), Some(0), "{}", shown(&made));
        let text = shown(&made);
        let token = text.split_whitespace().find(|word| word.starts_with(begins));
        token.expect("the new token is printed").to_owned()
    }

    /// A command of a coordinator.
    pub fn command(&self, line: &str) -> Command {
        self.command_at(line, self.port)
    }

    /// A command of a coordinator that reaches the server at another port.
    pub fn command_at(&self, line: &str, port: u16) -> Command {
        let words = format!("{line} --on nats://127.0.0.1:{port}");
        let mut command = harness(&self.folder, words.split(' '));
        command.env("TENCH_TOKEN", &self.coordinator).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Kills a worker as the out-of-memory killer does.
    pub fn kill_worker(&mut self, index: usize) {
        let mut worker = self.workers.remove(index);
        worker.kill().expect("it runs");
        worker.wait().expect("it is ours");
    }

    /// Sends a signal to the `nats-server`.
    pub fn signal_server(&self, signal: Signal) {
        let id = fs::read_to_string(self.folder.join("server/nats.pid")).expect("a pid file");
        let id = Pid::from_raw(id.trim().parse().expect("a number")).expect("a process id");
        // It may have been killed a moment ago.
        let _ = kill_process(id, signal);
    }

    /// Kills `harness serve`, or only its `nats-server`.
    pub fn kill_server(&mut self, with_harness: bool) {
        if with_harness {
            self.server.kill().expect("it runs");
            self.server.wait().expect("it is ours");
            self.server = serve(&self.folder, self.port, "");
        } else {
            self.signal_server(Signal::KILL);
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for child in self.workers.iter_mut().chain([&mut self.server]) {
            signal(child, Signal::CONT);
            signal(child, Signal::TERM);
        }
        for child in self.workers.iter_mut().chain([&mut self.server]) {
            let _ = child.wait();
        }
    }
}

/// The games of the last run in a reports folder, without what differs from time to time.
pub fn games(reports: &Path) -> Vec<(u64, u8, String)> {
    let ledger = Ledger::open(reports).expect("a ledger");
    let mut games: Vec<_> = ledger.games("last").expect("games").iter().map(moves).collect();
    games.sort();
    games
}

/// A test with a decision, with an engine that is a process, and a linked one.
fn test() -> String {
    format!(
        "sprt builtin {MOCK} --nodes 100 --elo0 0 --elo1 50 --max-games 60 --seed 5 --json --no-probe"
    )
}

#[test]
fn a_test_on_workers_is_that_of_one_process() {
    let Some((folder, cluster)) = started(&["one", "two"]) else { return };
    let folder = folder.path();
    let parsed = |output: std::process::Output| -> Value {
        assert!(output.status.code().is_some_and(|code| code < 2), "{}", shown(&output));
        serde_json::from_slice(&output.stdout).expect("one JSON object")
    };
    let here = parsed(run(folder, &format!("{} --jobs 2 --reports here", test())));
    let there = format!("{} --reports there", test());
    let there = parsed(cluster.command(&there).output().expect("it runs"));
    for key in ["games", "pentanomial", "llr", "verdict", "wins", "losses", "terminations"] {
        assert_eq!(here[key], there[key], "{key}");
    }
    assert_eq!(games(&folder.join("here")), games(&folder.join("there")));
    let workers = json(&cluster.command("workers --json").output().expect("it runs"));
    let played: Vec<u64> = workers["workers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|worker| worker["games"].as_u64().expect("a number"))
        .collect();
    assert!(played.len() == 2 && played.iter().all(|&games| games > 0), "{workers}");
}

/// The result of a tuning run of a few games, which may show anything of what it found.
fn tuned(output: &Output) -> Value {
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{}", shown(output));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn a_tuning_run_on_workers_finds_the_values_of_one_process() {
    let Some((folder, cluster)) = started(&["one", "two"]) else { return };
    let folder = folder.path();
    for method in ["spsa", "bayes", "auto"] {
        let experiment = format!(
            "engine: builtin\nlimit: nodes=50\nmethod: {method}\ngames: 48\nseed: 3\n\
             validation: {{games: 0}}\nparameters:\n  rfp_margin: {{min: 20, max: 160}}\n"
        );
        fs::write(folder.join("t.yaml"), experiment).expect("a file");
        let line = "tune run t.yaml --no-probe --json --jobs 2";
        let here = tuned(&run(folder, &format!("{line} --reports here")));
        let there = cluster.command(&format!("{line} --reports there")).output();
        let there = tuned(&there.expect("it runs"));
        for key in ["best", "candidate", "parameters"] {
            assert_eq!(here[key], there[key], "{method}");
        }
        assert_eq!(games(&folder.join("here")), games(&folder.join("there")), "{method}");
    }
}

#[test]
fn a_tuning_run_plays_all_again_that_depends_on_a_quarantined_worker() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let experiment = "engine: builtin\nlimit: nodes=400\nmethod: spsa\ngames: 96\nseed: 3\nvalidation: {games: 0}\n\
                      parameters:\n  rfp_margin: {min: 20, max: 160}\n";
    fs::write(folder.join("t.yaml"), experiment).expect("a file");
    let mut cluster = Cluster::start(folder);
    cluster.work("one");
    cluster.work("two");
    let line = "tune run t.yaml --no-probe --json --jobs 2";
    let here = tuned(&run(folder, &format!("{line} --reports here")));
    let coordinator = cluster.command(line).spawn().expect("it starts");
    until("some games are played", || has_games(folder, 30));
    signal(&coordinator, Signal::INT);
    assert_eq!(coordinator.wait_with_output().expect("it ends").status.code(), Some(130));
    let quarantine = cluster.command("workers --quarantine one").status().expect("it runs");
    assert!(quarantine.success());
    let output = cluster.command("resume last --json").output().expect("it runs");
    let text = shown(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("were taken out and played again"), "{text}");
    assert_eq!(tuned(&output)["candidate"], here["candidate"]);
    assert_eq!(games(&folder.join("here")), games(&folder.join("reports")));
}
