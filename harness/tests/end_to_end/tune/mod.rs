//! Tuning runs: real games, real kills.

mod ends;
mod experiments;
mod output_layer;
mod results;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{self, run, texts};
use crate::needs::debian_engine;

const EXPERIMENT: &str = "\
engine: builtin
options: { Hash: 1 }
limit: nodes=60
games: 240
batch: 8
max_moves: 40
parameters:
  rfp_margin: { start: 150 }
  lmr_base:
validation: { games: 0 }
";

fn harness(folder: &Path, line: &str) -> Command {
    common::harness(folder, line.split_whitespace())
}

fn output(folder: &Path, line: &str) -> (i32, String, String) {
    texts(&run(folder, line))
}

/// A tuning run came to its end: its exit status is that of the verdict, which few games seldom make
/// good.
fn assert_played(status: i32, stderr: &str) {
    assert!([0, 1, 3].contains(&status), "{status}: {stderr}");
}

/// A message without the line breaks and margins of the terminal.
fn flat(text: &str) -> String {
    text.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn folder_with(experiment: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    std::fs::write(folder.path().join("try.yaml"), experiment).expect("written");
    folder
}

/// The folder of the only run in a folder.
fn run_folder(folder: &Path) -> Option<PathBuf> {
    let runs = std::fs::read_dir(folder.join("reports/runs")).ok()?;
    runs.flatten().next().map(|run| run.path())
}

/// The path of the recommendation, of the only run in a folder.
fn steps(folder: &Path) -> String {
    let run = run_folder(folder).expect("a run");
    std::fs::read_to_string(run.join("steps.csv")).expect("steps")
}

/// Whether the only run in a folder came to its end.
fn is_finished(folder: &Path) -> bool {
    let (_, stdout, stderr) = output(folder, "runs --json");
    let runs: serde_json::Value = serde_json::from_str(&stdout).expect(&stderr);
    runs[0]["status"] == "finished"
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_as_an_undisturbed_one() {
    let undisturbed = folder_with(EXPERIMENT);
    let line = "tune screened try.yaml --jobs 1 --json";
    let (status, stdout, stderr) = output(undisturbed.path(), line);
    assert_played(status, &stderr);
    let summary: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert_eq!(summary["games"], 240);
    let left = summary["left"].as_f64().expect("what more games can gain");
    let gain = summary["gain_of_twice"].as_f64().expect("what as many games again would gain");
    assert!(0.0 <= gain && gain <= left, "{summary}");
    assert!(stderr.contains("240 games can show a difference of about "), "{stderr}");

    let killed = folder_with(EXPERIMENT);
    let mut command = "tune screened try.yaml --jobs 2 --quiet";
    let mut kills = 0;
    // Short lives first, longer ones later, so that it comes to an end on any machine.
    for life in (1..60).map(|attempt| Duration::from_millis(60 + 40 * attempt)) {
        let mut child = harness(killed.path(), command)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the harness starts");
        thread::sleep(life);
        if let Some(status) = child.try_wait().expect("waited") {
            // The kill before may have come after the last trial: nothing is left to go on with.
            let verdicts = [0, 1, 3].map(Some);
            assert!(verdicts.contains(&status.code()) || is_finished(killed.path()), "{status}");
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("gone");
        kills += 1;
        match run_folder(killed.path()) {
            Some(run) if run.join("run.yaml").exists() => command = "resume last --quiet",
            // Killed before the run began: there is nothing to go on with.
            Some(_) => std::fs::remove_dir_all(killed.path().join("reports")).expect("removed"),
            None => {}
        }
    }
    assert!(kills > 0, "too fast to be killed");
    assert_eq!(steps(killed.path()), steps(undisturbed.path()), "after {kills} kills");
}

#[test]
fn a_method_is_a_command_and_plays_what_the_experiment_would_with_it() {
    let brief = EXPERIMENT.replace("games: 240", "games: 60");
    let [one, other] =
        ["", "method: nelder-mead\n"].map(|head| folder_with(&format!("{head}{brief}")));
    for (folder, line) in [(&one, "tune nelder-mead try.yaml"), (&other, "tune run try.yaml")] {
        let (status, stdout, stderr) = output(folder.path(), &format!("{line} --quiet --json"));
        assert_played(status, &stderr);
        let summary: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
        assert_eq!(summary["method"], "nelder-mead");
    }
    assert_eq!(steps(one.path()), steps(other.path()));
}

#[test]
fn a_tuner_that_fails_on_a_landscape_keeps_the_rows_before_it() {
    let folder = tempfile::tempdir().expect("temporary folder");
    // It knows the first landscape built in, and no more parameters than two.
    let script = "read task\ncase \"$task\" in *name*name*name*) exit 3;; esac\n\
                  echo '{\"best\":[300,50]}'\n";
    std::fs::write(folder.path().join("two.sh"), script).expect("written");
    let words = ["tune", "bench", "--method", "none", "--external", "sh two.sh", "--seeds", "1"];
    let words = words.into_iter().chain(["--games", "100", "--quiet"]);
    let ended = common::harness(folder.path(), words).output().expect("it runs");
    let (status, stdout, stderr) = texts(&ended);
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("ended without a result"), "{stderr}");
    assert_eq!(stdout.lines().filter(|line| line.contains("two ")).count(), 1, "{stdout}");
}
