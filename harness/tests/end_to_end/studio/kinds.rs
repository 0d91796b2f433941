//! Folders with runs of every kind: finished, failed and unfinished.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::{self, MOCK, git, json, shown};

/// A loop of one small generation.
const LOOP: &str = "generations: 1
games: { count: 40, nodes: 30, plies: [6, 9], balance: 1000 }
filters: { keep: all, min_ply: 8, max_score: 1500 }
network: { hidden: 32 }
training: { blend: 1, epochs: 4, batch: 64, validation: 0.15 }
test: { nodes: 50, elo0: -1500, elo1: -500, games: 20, max_moves: 10 }
jobs: 1
";

/// Games with many positions in which one move alone wins: Morphy's at the opera, Anderssen's immortal and evergreen ones.
const GAMES: &str = include_str!("games.pgn");

/// A folder with a finished run of each kind that is quick: a match, a test, a suite, a tuning run.
/// Gives their ids.
pub fn bench() -> (tempfile::TempDir, Vec<String>) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let experiment = "engine: builtin\nlimit: nodes=60\ngames: 24\nbatch: 4\nmax_moves: 20\n\
        parameters:\n  rfp_margin: { start: 150 }\nvalidation: { games: 0 }\n";
    std::fs::write(folder.path().join("try.yaml"), experiment).expect("written");
    for line in [
        "match builtin builtin --nodes 300 --games 12 --quiet",
        "sprt builtin builtin --option old.Hash=1 --limit new:nodes=400 --limit old:nodes=40 \
         --elo1 100 --quiet",
        "suite bk --nodes 500 --quiet",
        "tune run try.yaml --quiet",
    ] {
        let done = common::run(folder.path(), line);
        assert!(matches!(done.status.code(), Some(0 | 1 | 3)), "{line}\n{}", shown(&done));
    }
    let ids = ids(folder.path());
    (folder, ids)
}

/// Adds a finished run of each other kind, some of revisions of a repository in the folder.
pub fn add_other_kinds(folder: &Path) -> Vec<String> {
    git(folder, &["init", "-q", "-b", "main"]);
    let recipe = "build: { command: cp engine.sh engine && chmod +x engine, binary: engine }\n";
    let book: Vec<String> = include_str!("../../../../suites/openings.epd")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .take(1_500)
        .zip(0..)
        .map(|(line, number)| {
            let fen: Vec<&str> = line.split_ascii_whitespace().take(4).collect();
            format!("{} | {} | 0.5\n", fen.join(" "), number % 100)
        })
        .collect();
    for (name, text) in [
        ("harness.yaml", recipe),
        (".gitignore", "cache\nreports\n"),
        (
            "mine.epd",
            "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; id \"a\";\n6k1/5ppp/8/8/8/8/7P/R3K3 w - - bm Kd2; id \"b\";\n",
        ),
        ("gate.yaml", "base: HEAD~1\nsuites: [{ suite: bk, nodes: 1 }]\n"),
        ("data.txt", &book.concat()),
        (
            "net.yaml",
            "data: [data.txt]\nnetwork: { hidden: 32 }\nepochs: 2\nbatch: 128\nvalidation: 0.3\noutput: net\n",
        ),
        ("bad.yaml", "data: [missing.txt]\noutput: bad\n"),
        (
            "texel.yaml",
            "data: data.txt\nfit: [placement, tempo]\nblend: 0.5\nvalidation: 0.3\nepochs: 2\npatience: 2\n\
             learning_rate: 3\nl2: 0\noutput: new/weights\n",
        ),
        ("loop.yaml", LOOP),
        ("games.pgn", GAMES),
    ] {
        std::fs::write(folder.join(name), text).expect("written");
    }
    for number in 0..3 {
        let program = format!("#!/bin/sh\n# {number}\nexec {MOCK} --seed {number}\n");
        std::fs::write(folder.join("engine.sh"), program).expect("written");
        git(folder, &["add", "-A"]);
        git(folder, &["commit", "-q", "-m", &format!("Search: change number {number}")]);
    }
    for line in [
        "race HEAD HEAD~1 --base HEAD~2 --nodes 1 --max-moves 4 --elo1 300 --no-probe --quiet",
        "match HEAD HEAD~2 --nodes 1 --max-moves 8 --games 8 --no-probe --quiet",
        "openings rate builtin mine.epd --nodes 60 --most 4 --max-moves 8 --no-probe --quiet",
        "data generate --games 2 --nodes 60 -o own.games --quiet",
        "openings generate --count 2 --nodes 50 -o own.epd --quiet",
        "suite audit ./mine.epd --nodes 200 --quiet",
        "suite bk HEAD HEAD~1 --nodes 1 --no-probe --quiet",
        "train net.yaml --quiet",
        "gate gate.yaml --quiet",
        "bisect HEAD~2 HEAD --test true --quiet",
        "match HEAD HEAD~1 HEAD~2 --nodes 1 --max-moves 4 --games 4 --no-probe --quiet",
        "tune texel texel.yaml --quiet",
        "suite make --engine builtin --from games.pgn --nodes 2000 --verify-nodes 4000 --every 1 --margin 60 -o made.epd --quiet",
        "data import data.txt -o copy.csv --quiet",
        "loop loop.yaml --quiet",
    ] {
        let mut command = common::harness(folder, line.split(' '));
        let done = command.env("TENCH_CACHE", folder.join("cache")).output().expect("it starts");
        assert!(matches!(done.status.code(), Some(0 | 1 | 3)), "{line}\n{}", shown(&done));
    }
    let failed = common::run(folder, "train bad.yaml --quiet");
    assert_eq!(failed.status.code(), Some(2), "{}", shown(&failed));
    ids(folder)
}

/// Leaves a run of several kinds unfinished; gives their ids.
pub fn leave_unfinished(folder: &Path) -> Vec<String> {
    for (name, text) in [
        (
            "long.yaml",
            "engine: builtin\nlimit: nodes=400\ngames: 20000\nbatch: 4\nparameters:\n  rfp_margin: { start: 150 }\n\
             \x20 lmr_base:\nvalidation: { games: 0 }\n",
        ),
        (
            "long-net.yaml",
            "data: [data.txt]\nnetwork: { hidden: 32 }\nepochs: 100000\nbatch: 128\nvalidation: 0.3\noutput: long\n",
        ),
    ] {
        std::fs::write(folder.join(name), text).expect("written");
    }
    let mut left = Vec::new();
    for line in [
        "match builtin builtin --nodes 3000 --games 4000 --jobs 1 --quiet",
        "sprt builtin builtin --nodes 300 --elo1 1 --max-moves 20 --jobs 1 --quiet",
        "suite wac --nodes 1000000 --quiet",
        "tune run long.yaml --quiet",
        "train long-net.yaml --quiet",
        "data generate --games 100000 --nodes 60 -o long.games --quiet",
    ] {
        let before = ids(folder);
        let mut command = common::harness(folder, line.split(' '));
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
        common::until(line, || ids(folder).len() > before.len());
        // Something of it is done by then.
        std::thread::sleep(Duration::from_secs(1));
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        left.extend(ids(folder).into_iter().filter(|id| !before.contains(id)));
    }
    left
}

/// The ids of the runs of a folder.
fn ids(folder: &Path) -> Vec<String> {
    let runs = json(&common::run(folder, "runs --json"));
    let runs = runs.as_array().expect("a list");
    runs.iter().map(|run| run["run"].as_str().expect("an id").to_owned()).collect()
}
