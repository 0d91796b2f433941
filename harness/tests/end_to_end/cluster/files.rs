//! What engines and rules need of the file system: working folders and tablebases.

use std::fs;

use super::{Cluster, games};
use crate::common::{MOCK, json, run, shown, write_program};
use crate::matches::tablebases::tables;
use crate::needs::{debian_engine, nats_server};

#[test]
fn an_engine_with_a_working_folder_plays_in_its_copy_on_workers() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let own = folder.join("own");
    fs::create_dir_all(own.join("data")).expect("a folder");
    fs::copy(MOCK, own.join("engine")).expect("a file");
    fs::write(own.join("data/net"), "a network").expect("a file");
    // It finds its program and its data by its working folder only.
    let text = "#!/bin/sh\n[ -e data/net ] || exit 3\nexec ./engine\n";
    write_program(&folder.join("start"), text);
    fs::write(folder.join("harness.yaml"), "engines:\n  boxed: {cmd: ./start, dir: own}\n")
        .expect("a file");
    let mut cluster = Cluster::start(folder);
    cluster.work("one");
    let line = "match builtin boxed --nodes 100 --games 6 --no-probe --json";
    let here = json(&run(folder, &format!("{line} --reports here")));
    let there = json(&cluster.command(line).output().expect("it runs"));
    assert_eq!(there["terminations"]["crash"], 0, "{there}");
    assert_eq!(here["pentanomial"], there["pentanomial"]);
    assert_eq!(games(&folder.join("here")), games(&folder.join("reports")));
}

#[test]
fn tablebases_are_those_of_the_worker_if_they_have_the_same_files() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for name in ["tables", "theirs", "others"] {
        fs::create_dir(folder.join(name)).expect("a folder");
        tables::write_all(&folder.join(name));
    }
    fs::remove_file(folder.join("others/KQvK.rtbw")).expect("its own file");
    fs::write(folder.join("pawn.epd"), "8/8/3K4/3P4/8/8/7k/8 w - - 0 1\n").expect("a file");
    let mut cluster = Cluster::start(folder);
    cluster.work_with("other", "--syzygy others");
    let line = "match builtin builtin --nodes 300 --games 2 --openings pawn.epd --tb tables --json \
                --no-probe";
    let refused = cluster.command(line).output().expect("it runs");
    assert_eq!(refused.status.code(), Some(4), "{}", shown(&refused));
    let text = shown(&refused).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("does not have the tablebases of the run"), "{text}");
    cluster.kill_worker(0);
    cluster.work_with("one", "--syzygy theirs");
    // Gone is what the coordinator has named: the worker plays by its own.
    let played = json(&cluster.command(line).output().expect("it runs"));
    assert_eq!(played["terminations"]["adjudicated_win"], 2, "{played}");

    // The same of an engine that is given them by an option.
    if debian_engine("stockfish").is_some() {
        let tables = folder.join("tables").display().to_string();
        let line = format!(
            "match stockfish builtin --option stockfish.SyzygyPath={tables} --nodes 300 --games 2 \
             --openings pawn.epd --no-probe --json"
        );
        let played = json(&cluster.command(&line).output().expect("it runs"));
        assert_eq!(played["games"], 2, "{played}");
    }
}
