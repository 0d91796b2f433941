//! `harness loop` in miniature: it learns, and it survives being killed anywhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{harness, shown};

/// Too little data to learn from, in many short epochs.
const SMALL: &str = "
generations: 2
games: { count: 40, nodes: 30, plies: [6, 9], balance: 1000 }
keep: 2
filters: { keep: all, min_ply: 8, max_score: 1500 }
network: { hidden: 32 }
training: { blend: 1, td_lambda: 0.1, epochs: 60, batch: 64, go_on: true, validation: 0.15 }
test: { nodes: 150, elo0: -1500, elo1: -500, games: 60, max_moves: 20 }
jobs: 1
";

/// Enough to learn from.
const LARGER: &str = "
generations: 2
games: { count: 600, nodes: 30, plies: [6, 9], balance: 1000 }
keep: 2
filters: { keep: all, min_ply: 8, max_score: 1500 }
network: { hidden: 32 }
training:
  { blend: 1, epochs: 8, batch: 256, learning_rate: 0.003, final_rate: 0.0001, weight_decay: 0.1,
    validation: 0.15 }
test: { nodes: 150, elo0: -1500, elo1: -500, games: 60, max_moves: 20 }
output: nets/best
";

/// The folder of the loop's run, if it has begun.
fn run_folder(folder: &Path) -> Option<PathBuf> {
    let runs = fs::read_dir(folder.join("reports/runs")).ok()?;
    let mut loops = runs.filter_map(|run| {
        let path = run.ok()?.path();
        // The plan is in the ledger before this file is written.
        (path.to_str()?.ends_with("-loop") && path.join("run.yaml").exists()).then_some(path)
    });
    loops.next()
}

/// What a loop made: its generations without the names of its tests' runs, and its networks.
fn made(folder: &Path) -> Vec<(Value, Vec<u8>, Vec<u8>)> {
    let run = run_folder(folder).expect("a run");
    let of = |number: u32| {
        let path = run.join(format!("generation-{number:03}"));
        let read = |name: &str| fs::read(path.join(name)).expect(name);
        let mut generation: Value = serde_json::from_slice(&read("generation.json")).expect("JSON");
        assert!(generation["tested"].as_object_mut().expect("a test").remove("run").is_some());
        let cost = generation.as_object_mut().expect("an object").remove("cost").expect("a cost");
        for step in ["games", "training", "test"] {
            assert!(cost[step].as_f64().is_some_and(|seconds| seconds > 0.0), "{step}: {cost}");
        }
        (generation, read("net.nnue"), read("train.games"))
    };
    [1, 2].map(of).into()
}

#[test]
fn a_loop_learns_more_than_counting_pieces() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("loop.yaml"), LARGER).expect("written");
    let output = harness(folder.path(), ["loop", "loop.yaml", "--json"]).output().expect("ran");
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let generations = summary["generations"].as_array().expect("generations");
    assert_eq!(generations.len(), 2, "{summary}");
    let loss = |of: &str| generations[1]["trained"][of].as_f64().expect("a loss");
    let (network, material) = (loss("validation_loss"), loss("material_loss"));
    assert!(network < material, "{network} is no better than counting pieces: {material}");
    let positions = |at: usize| generations[at]["trained"]["positions"].as_u64().expect("a number");
    assert!(positions(1) > positions(0), "the data of both count: {summary}");
    // Games that short are drawn by almost any players, and the test asks for little, so that each
    // network plays the next games.
    assert_eq!(summary["best"]["generation"], 2, "{summary}");
    assert_eq!(generations[1]["against"], 1, "{summary}");
    let best = summary["best"]["eval_file"].as_str().expect("a path");
    let published = fs::read(folder.path().join("nets/best.nnue")).expect("published");
    assert_eq!(published, fs::read(best).expect("the best one"));
    assert!(folder.path().join("nets/best.json").exists());
}

#[test]
fn of_several_trainings_a_race_chooses_the_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let several = SMALL
        .replace("generations: 2", "generations: 1")
        .replace("training: { blend: 1,", "training: { trainings: 2, blend: 1,")
        .replace("games: 60,", "games: 600,");
    fs::write(folder.path().join("loop.yaml"), several).expect("written");
    let output = harness(folder.path(), ["loop", "loop.yaml", "--json"]).output().expect("ran");
    assert!([Some(0), Some(1)].contains(&output.status.code()), "{}", shown(&output));
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let tested = &summary["generations"][0]["tested"];
    let run = tested["run"].as_str().expect("a run");
    assert!(run.ends_with("-race"), "{run}");
    let report = harness(folder.path(), ["report", run, "--format", "json"]).output().expect("ran");
    let race: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(race["race"]["base"], "start", "{race}");
    let best = race["race"]["runners"][0]["name"].as_str().expect("a name");
    let files = run_folder(folder.path()).expect("a run").join("generation-001");
    let own = if best == "generation 1 (2)" { "net-2.nnue" } else { "net.nnue" };
    let read = |name: &str| fs::read(files.join(name)).expect(name);
    assert_eq!(read("net.nnue"), read(own), "{best}");
    assert!(files.join("net-2.json").exists());
}

#[test]
fn a_loop_that_is_killed_again_and_again_ends_as_if_nothing_had_been() {
    let (calm, rough) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("one"));
    for folder in [&calm, &rough] {
        fs::write(folder.path().join("loop.yaml"), SMALL).expect("written");
    }
    let output = harness(calm.path(), ["loop", "loop.yaml"]).output().expect("ran");
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let killed = kill_at(
        rough.path(),
        &[
            "generation-001/train.games",
            "generation-001/net.checkpoint",
            "generation-001/test",
            "generation-002/train.games",
            "generation-002/played.json",
        ],
    );
    assert!(killed >= 2, "killed {killed} times");
    let run = run_folder(rough.path()).expect("a run");
    let id = run.file_name().expect("a name").to_str().expect("text");
    // On a busy machine the last kill may have come too late.
    if !run.join("summary.json").exists() {
        // Unfinished, it is reported with the generations that are.
        let report =
            harness(rough.path(), ["report", id, "--format", "json"]).output().expect("ran");
        let so_far: Value = serde_json::from_slice(&report.stdout).expect("JSON");
        assert_eq!(so_far["generations"].as_array().map(Vec::len), Some(1), "{so_far}");
        let output = harness(rough.path(), ["resume", id]).output().expect("ran");
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
    assert!(made(rough.path()) == made(calm.path()), "another result");
    let page = fs::read_to_string(run.join("report.html")).expect("a page");
    assert!(page.contains("<svg") && page.contains("Elo over the start"));
    assert!(page.contains("Elo by processor hours"));
    for left in ["all-train.bin", "all-validation.bin", "start.nnue", "net.checkpoint"] {
        assert!(!run.join("generation-002").join(left).exists(), "{left} is left");
    }
}

/// Starts or goes on and kills as soon as each of the files is there; how often there was somebody
/// to kill.
fn kill_at(folder: &Path, files: &[&str]) -> u32 {
    let mut killed = 0;
    for file in files {
        let run = run_folder(folder);
        let id = run.as_ref().and_then(|run| run.file_name()).and_then(|name| name.to_str());
        let arguments = id.map_or(["loop", "loop.yaml"], |id| ["resume", id]);
        let mut child = harness(folder, arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let begun = Instant::now();
        loop {
            let there = run_folder(folder).is_some_and(|run| run.join(file).exists());
            if child.try_wait().expect("asked").is_some() {
                break;
            }
            if there {
                // Somewhere inside of the step.
                thread::sleep(Duration::from_millis(150));
                killed += 1;
                child.kill().expect("killed");
                child.wait().expect("ended");
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(300), "{file} never came");
            thread::sleep(Duration::from_millis(3));
        }
    }
    killed
}

/// What a resumed loop adds up are numbers that it wrote before it was killed.
#[test]
fn a_number_that_is_read_back_is_the_one_that_was_written() {
    let mut number: f64 = -95.487_612_299_621_1;
    for _ in 0..10_000 {
        let text = serde_json::to_string(&number).expect("a number");
        assert_eq!(serde_json::from_str::<f64>(&text).expect("a number"), number, "{text}");
        number = number.next_up() * 1.000_1;
    }
}

#[test]
fn a_loop_that_cannot_be_is_explained_with_status_2() {
    let folder = tempfile::tempdir().expect("a folder");
    for (config, says) in [
        ("generation: 3\n", "loop.yaml"),
        ("start: nowhere.nnue\n", "nowhere.nnue"),
        ("games: { count: 0 }\n", "count"),
        ("test: { openings: none.epd }\n", "none.epd"),
        ("network: { hidden: 40 }\n", "layer is 40"),
    ] {
        fs::write(folder.path().join("loop.yaml"), config).expect("written");
        let output = harness(folder.path(), ["loop", "loop.yaml"]).output().expect("ran");
        assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        assert!(shown(&output).contains(says), "{}", shown(&output));
        assert!(run_folder(folder.path()).is_none(), "a run has begun");
    }
}

#[test]
fn a_network_that_sees_who_is_to_move_learns_from_positions_of_both_sides() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = SMALL
        .replace("generations: 2", "generations: 1")
        .replace("{ hidden: 32 }", "{ architecture: two-path }")
        .replace("epochs: 60, batch: 64", "epochs: 1, batch: 256");
    fs::write(folder.path().join("loop.yaml"), config).expect("written");
    let output = harness(folder.path(), ["loop", "loop.yaml", "--json"]).output().expect("ran");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", shown(&output));
    let positions = run_folder(folder.path()).expect("a run").join("generation-001/train.marlin");
    let positions = positions.to_str().expect("UTF-8");
    let stats = harness(folder.path(), ["data", "stats", positions, "--json"]).output();
    let stats: Value = serde_json::from_slice(&stats.expect("ran").stdout).expect("JSON");
    let count = |key: &str| stats[key].as_u64().expect("a number");
    let (white, all) = (count("white_to_move"), count("positions"));
    assert!(all / 4 < white && white < all - all / 4, "{white} of {all}");
}
