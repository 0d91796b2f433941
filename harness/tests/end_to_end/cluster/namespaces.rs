//! Workers with a network of their own, as on machines of their own.

use std::process::{Command, id};
use std::thread;
use std::time::Duration;

use super::faults::{PlayedTwice, line};
use super::wire::Wire;
use super::{Cluster, games, test};
use crate::common::{json, run, shown};
use crate::needs::{self, nats_server};

/// A network namespace that is joined to this one by a wire; it ends with the value.
struct Namespace {
    name: String,
    /// Address of this side of the wire.
    near: String,
}

/// Runs `ip`; whether it succeeds.
fn ip(line: &str) -> bool {
    succeeds("ip", line)
}

fn succeeds(program: &str, line: &str) -> bool {
    let output = Command::new(program).args(line.split(' ')).output();
    output.is_ok_and(|output| output.status.success())
}

impl Namespace {
    /// `None` where this process may not make one.
    fn new(number: u32) -> Option<Namespace> {
        let name = format!("tench{}-{number}", id());
        // Another run of the tests at the same time has other addresses, most likely.
        let net = format!("10.{}.{}", 64 + id() % 128, 2 * (id() / 128 % 64) + number);
        if !ip(&format!("netns add {name}")) {
            return None;
        }
        let namespace = Namespace { name, near: format!("{net}.1") };
        let name = &namespace.name;
        let (here, there) = (format!("t{}a{number}", id()), format!("t{}b{number}", id()));
        let made = ip(&format!("link add {here} type veth peer name {there} netns {name}"))
            && ip(&format!("addr add {net}.1/24 dev {here}"))
            && ip(&format!("link set {here} up"))
            && ip(&format!("-n {name} addr add {net}.2/24 dev {there}"))
            && ip(&format!("-n {name} link set {there} up"));
        made.then_some(namespace)
    }

    /// A command that runs in it.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]).args(words);
        command
    }

    /// Loses this share of the packets in each direction, and lets 100 kB a second out. Whether it may.
    fn make_bad(&self, loss: f64) -> bool {
        let name = &self.name;
        let lose = |chain: &str| {
            let rule =
                format!("-A {chain} -m statistic --mode random --probability {loss} -j DROP");
            succeeds("ip", &format!("netns exec {name} iptables {rule}"))
        };
        let there = format!("t{}b", id());
        let links = self.command(&["ip", "-o", "link"]).output().expect("it runs");
        let links = String::from_utf8_lossy(&links.stdout).into_owned();
        let device = links.split([' ', '@']).find(|word| word.starts_with(&there));
        let device = device.expect("the end of the wire");
        let queue = "root tbf rate 800kbit burst 16kb latency 500ms";
        let is_slow =
            succeeds("ip", &format!("netns exec {name} tc qdisc add dev {device} {queue}"));
        is_slow && lose("INPUT") && lose("OUTPUT")
    }

    /// Takes the wire away, or gives it back.
    fn set_wire(&self, number: u32, state: &str) {
        assert!(ip(&format!("link set t{}a{number} {state}", id())), "the wire is there");
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // The wire ends with it.
        ip(&format!("netns del {}", self.name));
    }
}

#[test]
fn two_workers_with_networks_and_cores_of_their_own_play_the_games_of_one_process() {
    if !nats_server() {
        return;
    }
    let (Some(one), Some(two)) = (Namespace::new(0), Namespace::new(1)) else {
        needs::skip_forbidden("make network namespaces");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut cluster = Cluster::start_with(folder, "--host 0.0.0.0");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for (core, (name, namespace)) in [("one", &one), ("two", &two)].into_iter().enumerate() {
        let core = (core % cores).to_string();
        let mut command =
            namespace.command(&["taskset", "-c", &core, env!("CARGO_BIN_EXE_harness"), "work"]);
        command.current_dir(folder).arg(format!("nats://{}:{}", namespace.near, cluster.port));
        cluster.start_worker(name, command);
    }
    let here = run(folder, &format!("{} --jobs 2 --reports here", test()));
    let there = format!("{} --reports there", test());
    let there = cluster.command(&there).output().expect("it runs");
    assert_eq!(here.status.code(), there.status.code(), "{}", shown(&there));
    let parsed = |output: &std::process::Output| -> serde_json::Value {
        serde_json::from_slice(&output.stdout).expect("one JSON object")
    };
    let (here, there) = (parsed(&here), parsed(&there));
    for key in ["games", "pentanomial", "llr", "verdict"] {
        assert_eq!(here[key], there[key], "{key}");
    }
    assert_eq!(games(&folder.join("here")), games(&folder.join("there")));
    let workers = json(&cluster.command("workers --json").output().expect("it runs"));
    let played = workers["workers"].as_array().expect("a list").iter();
    let played: Vec<u64> = played.filter_map(|worker| worker["games"].as_u64()).collect();
    assert!(played.len() == 2 && played.iter().all(|&games| games > 0), "{workers}");
}

#[test]
fn links_that_lose_packets_delay_and_break_change_no_game() {
    if !nats_server() {
        return;
    }
    let Some(namespace) = Namespace::new(2) else {
        needs::skip_forbidden("make network namespaces");
        return;
    };
    if !namespace.make_bad(0.1) {
        needs::skip_forbidden("lose packets");
        return;
    }
    let both = PlayedTwice::here(&line());
    let folder = both.folder.path();
    let mut cluster = Cluster::start_with(folder, "--host 0.0.0.0");
    let mut command = namespace.command(&[env!("CARGO_BIN_EXE_harness"), "work"]);
    command.current_dir(folder).arg(format!("nats://{}:{}", namespace.near, cluster.port));
    cluster.start_worker("lossy", command);
    let delay = Duration::from_millis(60);
    cluster.work_at("distant", Wire::slow(cluster.port, delay).port, &[]);
    // The coordinator is far away, too.
    let wire = Wire::slow(cluster.port, delay);
    let coordinator = cluster.command_at(&line(), wire.port).spawn().expect("it starts");
    both.wait_for_games();
    for _ in 0..2 {
        namespace.set_wire(2, "down");
        thread::sleep(Duration::from_secs(3));
        namespace.set_wire(2, "up");
        thread::sleep(Duration::from_secs(1));
    }
    both.compare(coordinator);
}
