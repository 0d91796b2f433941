//! Workers with a network of their own, as on machines of their own.

use std::process::{Command, id};

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
    let output = Command::new("ip").args(line.split(' ')).output();
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
        let mut command = Command::new("ip");
        command.current_dir(folder).args(["netns", "exec", &namespace.name, "taskset", "-c"]);
        command.arg((core % cores).to_string()).args([env!("CARGO_BIN_EXE_harness"), "work"]);
        command.arg(format!("nats://{}:{}", namespace.near, cluster.port));
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
