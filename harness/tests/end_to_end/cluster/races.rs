//! Races over workers: what follows in a race from its results does not depend on who plays, or in which order.

use std::process::Output;

use rustix::process::Signal;
use serde_json::Value;

use super::faults::PlayedTwice;
use super::kills::kill_coordinator;
use super::{Cluster, games, signal, started};
use crate::common::{MOCK, run, shown};
use crate::needs::nats_server;

/// A race of the linked engine with these numbers of nodes, against an engine that is a process; `more` are
/// further flags.
fn line(nodes: &[u64], more: &str) -> String {
    let mut line = "race".to_owned();
    for (number, nodes) in (1..).zip(nodes) {
        let name = if number == 1 { "builtin".to_owned() } else { format!("builtin#{number}") };
        line += &format!(" builtin --limit {name}:nodes={nodes}");
    }
    let rest = "--nodes 20 --elo1 100 --batch 8 --seed 7 --no-probe --json";
    format!("{line} --base {MOCK} {rest} {more}").trim_end().to_owned()
}

/// A result without what differs from time to time.
fn result(summary: &Value) -> Vec<&Value> {
    let keys = ["race", "games", "pentanomial", "verdict", "llr", "terminations", "players"];
    keys.iter().map(|key| &summary[*key]).collect()
}

/// The result of a race, whatever it is.
fn summary(output: &Output) -> Value {
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{}", shown(output));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn a_race_on_workers_is_that_of_one_process() {
    let Some((folder, cluster)) = started(&["one", "two"]) else { return };
    let folder = folder.path();
    for (number, (nodes, more)) in [
        // Heats and a final, with each form of bounds.
        (&[20, 300, 40][..], ""),
        (&[20, 300, 40], "--bounds falling"),
        // The final alone.
        (&[100], ""),
        // The base runs, too.
        (&[10, 300, 20, 30, 15, 25], ""),
        // Its games run out: in a heat, after the first round, and in the final.
        (&[20, 300, 40], "--max-games 46"),
        (&[20, 21, 22, 23], "--max-games 12"),
        (&[100, 101], "--max-games 100"),
    ]
    .into_iter()
    .enumerate()
    {
        let line = line(nodes, more);
        let [here, there] = ["here", "there"].map(|place| format!("{place}-{number}"));
        let of_process = summary(&run(folder, &format!("{line} --jobs 2 --reports {here}")));
        let of_workers = cluster.command(&format!("{line} --reports {there}")).output();
        let of_workers = summary(&of_workers.expect("it runs"));
        assert_eq!(result(&of_process), result(&of_workers), "{line}");
        assert_eq!(games(&folder.join(here)), games(&folder.join(there)), "{line}");
        let played = of_workers["workers"].as_array().map_or(0, Vec::len);
        assert_eq!(played > 0, of_workers["games"] != 0, "{line}: {}", of_workers["workers"]);
    }
}

#[test]
fn a_race_on_workers_survives_kills_of_its_coordinator_and_of_a_worker() {
    if !nats_server() {
        return;
    }
    let race = line(&[290, 300, 310, 120], "--max-games 300");
    let both = PlayedTwice::here_until(&race, &[0, 1, 3]);
    let mut cluster = Cluster::start(both.folder.path());
    cluster.work("one");
    cluster.work("two");
    let coordinator = cluster.command(&race).spawn().expect("it starts");
    both.wait_for_games();
    let coordinator = kill_coordinator(&cluster, coordinator, 3, 0);
    cluster.kill_worker(0);
    cluster.work("three");
    signal(&coordinator, Signal::INT);
    let output = coordinator.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", shown(&output));
    let resumed = cluster.command("resume last --json").output().expect("it runs");
    assert_eq!(result(&both.here), result(&summary(&resumed)));
    both.compare_games();
}
