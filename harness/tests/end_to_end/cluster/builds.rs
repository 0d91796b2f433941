//! Engines that workers build from the sources of a revision, and the bench by which they are checked.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

use harness::ledger::Ledger;

use super::{Cluster, games};
use crate::common::{git, harness, json, shown, until};
use crate::needs::{debian_engine, nats_server};

const STOCKFISH: &str = "/usr/games/stockfish";

/// Commits an engine that a Makefile builds: Stockfish, whose bench has as many nodes as `nodes` prints, a
/// shell command at the place of the build; `check` is another one, whose failure is the build's.
fn commit(folder: &Path, check: &str, nodes: &str) {
    let rule = format!(
        "$(EXE): start.sh\n\t@{check}\n\tsed \"s/NODES/$$({nodes})/\" start.sh >$(EXE)\n\
         \tchmod +x $(EXE)\n"
    );
    let start = format!(
        "#!/bin/sh\nif [ \"$1\" = bench ]; then echo NODES nodes 5 nps; else exec {STOCKFISH}; fi\n"
    );
    fs::write(folder.join("Makefile"), rule).expect("a file");
    fs::write(folder.join("start.sh"), start).expect("a file");
    git(folder, &["add", "Makefile", "start.sh"]);
    git(folder, &["commit", "-q", "-m", nodes]);
}

/// A folder with a repository of such an engine, and a server; `None` where a program is missing.
fn started(check: &str, nodes: &str) -> Option<(tempfile::TempDir, Cluster)> {
    if !nats_server() {
        return None;
    }
    debian_engine("stockfish")?;
    let folder = tempfile::tempdir().expect("a folder");
    git(folder.path(), &["init", "-q", "-b", "main"]);
    commit(folder.path(), check, nodes);
    let cluster = Cluster::start(folder.path());
    Some((folder, cluster))
}

/// What a command prints whose run is played by workers.
fn there(cluster: &Cluster, folder: &Path, line: &str) -> Output {
    let mut command = cluster.command(&format!("{line} --build-on-workers"));
    command.env("TENCH_CACHE", folder.join("cache")).output().expect("it runs")
}

/// The files of a worker whose names begin like this.
fn files(folder: &Path, worker: &str, begin: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join(worker).join("files")).expect("a folder");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let named = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin))
    };
    paths.filter(named).collect()
}

/// Starts a worker that finds these programs and no others, so no sandbox.
fn work_without_sandbox(cluster: &mut Cluster, folder: &Path, name: &str) {
    let programs = folder.join("programs");
    if !programs.exists() {
        fs::create_dir(&programs).expect("a folder");
        for program in ["sh", "make", "sed", "chmod", "pwd"] {
            symlink(Path::new("/usr/bin").join(program), programs.join(program)).expect("a link");
        }
    }
    let url = cluster.url();
    let mut command = harness(folder, ["work", &url]);
    command.env("PATH", programs);
    cluster.start_worker(name, command);
}

const MATCH: &str = "match HEAD builtin --nodes 200 --no-probe --json";

#[test]
fn workers_build_the_engine_of_a_revision_once_and_play_the_games_of_one_process() {
    let Some((folder, mut cluster)) = started(":", "echo 5") else { return };
    let folder = folder.path();
    let line = format!("{MATCH} --games 40 --reports here");
    let mut here = harness(folder, line.split(' '));
    let here = json(&here.env("TENCH_CACHE", folder.join("cache")).output().expect("it runs"));
    cluster.work("one");
    cluster.work("two");
    let line = format!("{MATCH} --games 40 --reports there");
    let elsewhere = json(&there(&cluster, folder, &line));
    assert_eq!(here["pentanomial"], elsewhere["pentanomial"]);
    assert_eq!(elsewhere["terminations"]["crash"], 0, "{elsewhere}");
    assert_eq!(games(&folder.join("here")), games(&folder.join("there")));
    for worker in ["one", "two"] {
        let built = files(folder, worker, "built-");
        let programs = built.iter().filter(|path| path.extension().is_none());
        assert_eq!(programs.count(), 1, "{built:?}");
        let bench = built.iter().find(|path| path.extension().is_some_and(|it| it == "bench"));
        assert_eq!(fs::read_to_string(bench.expect("it was checked")).expect("a file"), "5");
        assert!(built.iter().all(|path| path.is_file()), "nothing is left of a build: {built:?}");
    }
    // The next run uses what was built; another commit is built again.
    let again = format!("{MATCH} --games 2 --reports again");
    json(&there(&cluster, folder, &again));
    commit(folder, ":", "echo 6");
    json(&there(&cluster, folder, &again));
    let programs = |worker| files(folder, worker, "built-").len();
    assert_eq!(programs("one").max(programs("two")), 6, "program, lock and bench of two commits");
}

#[test]
fn a_worker_that_cannot_build_an_engine_says_what_the_compiler_said() {
    // It ends well where the coordinator builds, and nowhere else.
    let check = "test -d ../logs || (echo no such type >&2; false)";
    let Some((folder, mut cluster)) = started(check, "echo 5") else { return };
    let folder = folder.path();
    cluster.work("one");
    let output = there(&cluster, folder, &format!("{MATCH} --games 8"));
    let text = shown(&output);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("worker one cannot play: cannot build HEAD: `make"), "{text}");
    assert!(text.contains("no such type"), "{text}");
    assert!(files(folder, "one", "built-").iter().all(|path| path.is_file()), "{text}");
}

#[test]
fn a_worker_with_another_bench_plays_nothing_and_two_that_agree_are_named() {
    let odd = "case $$(pwd) in *odd*) echo 7;; *) echo 5;; esac";
    let Some((folder, mut cluster)) = started(":", odd) else { return };
    let folder = folder.path();
    work_without_sandbox(&mut cluster, folder, "odd");
    work_without_sandbox(&mut cluster, folder, "even");
    let output = there(&cluster, folder, &format!("{MATCH} --games 24"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    json(&output);
    let text = "worker odd cannot play: the bench of HEAD has 7 nodes, and 5 at the coordinator's";
    assert!(said.contains(text), "{said}");
    let ledger = Ledger::open(&folder.join("reports")).expect("a ledger");
    let played = ledger.games("last").expect("games");
    assert_eq!(played.len(), 24);
    let by_even =
        |worker: &Option<String>| worker.as_deref().is_some_and(|it| it.starts_with("even"));
    assert!(played.iter().all(|game| by_even(&game.worker)));
    // A second one that finds the same: it is ours that may be wrong. Who can play plays on.
    work_without_sandbox(&mut cluster, folder, "oddity");
    let output = there(&cluster, folder, &format!("{MATCH} --games 200 --reports other"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(json(&output)["games"], 200);
    let names = said.contains("odd and oddity") || said.contains("oddity and odd");
    assert!(names && said.contains("plays differently from machine to machine"), "{said}");
    // Nobody is left who can play.
    cluster.kill_worker(1);
    let output = there(&cluster, folder, &format!("{MATCH} --games 200 --reports third"));
    let said = shown(&output);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("the bench of HEAD has 7 nodes"), "{said}");
    until("all workers are idle", || {
        let workers = json(&cluster.command("workers --json").output().expect("it runs"));
        let list = workers["workers"].as_array().expect("a list").clone();
        list.iter().all(|worker| worker["runs"].as_array().is_some_and(Vec::is_empty))
    });
}
