//! Several runs of the same workers.

use std::process::Stdio;

use rustix::process::Signal;

use super::{signal, started};
use crate::common::{MOCK, harness, has_games, json, shown, until};
use crate::studio::server::Studio;

#[test]
fn a_run_of_low_priority_beside_one_of_high_priority_does_not_starve() {
    let Some((folder, cluster)) = started(&["one"]) else { return };
    let folder = folder.path();
    let long =
        format!("match builtin {MOCK} --nodes 300 --games 100000 --no-probe --json --priority 100");
    let mut long = cluster.command(&long).stdout(Stdio::null()).spawn().expect("it starts");
    until("some games are played", || has_games(folder, 4));
    let short = "match builtin builtin --nodes 5 --games 4 --no-probe --json --reports short \
                 --priority 0.01";
    let short = cluster.command(short).spawn().expect("it starts");
    // The short one waits for a batch of the long one before each of its pairs.
    until("both are known", || {
        let there = json(&cluster.command("workers --json").output().expect("it runs"));
        let runs = there["runs"].as_array().expect("a list");
        let mut priorities: Vec<f64> =
            runs.iter().filter_map(|it| it["priority"].as_f64()).collect();
        priorities.sort_by(f64::total_cmp);
        priorities == [0.01, 100.0]
    });
    let played = json(&short.wait_with_output().expect("it ends"));
    assert_eq!(played["games"], 4);
    assert!(long.try_wait().expect("it is ours").is_none(), "the long run has ended");
    signal(&long, Signal::INT);
    let output = long.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", shown(&output));
}

#[test]
fn the_studio_shows_the_workers_of_a_server_and_says_when_it_is_gone() {
    let Some((folder, cluster)) = started(&["one"]) else { return };
    let server = cluster.url();
    std::fs::write(folder.path().join("harness.yaml"), format!("on: {server}\n")).expect("written");
    let mut command = harness(folder.path(), ["studio", "--port", "0"]);
    command.env("TENCH_TOKEN", &cluster.coordinator);
    let studio = Studio::of(command);
    let page = studio.get("/workers").body;
    for part in [&*server, "1 worker, 1 core", "<td>one</td>"] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    drop(cluster);
    let page = studio.get("/workers").body;
    assert!(page.contains("harness serve") && !page.contains("<td>one</td>"), "{page}");
}

#[test]
fn workers_that_share_a_folder_have_keys_of_their_own() {
    let Some((_folder, mut cluster)) = started(&["first"]) else { return };
    let line = format!("work {} --cores 1 --name second --dir first --quiet", cluster.url());
    let mut command = harness(&cluster.folder, line.split(' '));
    let second = command.env("TENCH_TOKEN", &cluster.worker).spawn().expect("it starts");
    cluster.workers.push(second);
    let keys = || {
        let workers = json(&cluster.command("workers --json").output().expect("it runs"));
        let workers = workers["workers"].as_array().expect("a list").clone();
        let keys = workers.iter().filter_map(|worker| worker["key"].as_str().map(str::to_owned));
        keys.collect::<std::collections::BTreeSet<_>>()
    };
    until("both workers join", || keys().len() == 2);
}
