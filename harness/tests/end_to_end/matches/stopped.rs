//! Ctrl-C, changed engines, and folders that cannot be written.

use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::has_games;
use crate::matches::bench::{Bench, Ended, until};
use crate::needs;

/// Starts a match that never ends by itself and stops it once games are kept.
fn interrupt_a_match(bench: &Bench, line: &str, signal: Signal) -> Ended {
    let harness = bench
        .harness(line)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the harness starts");
    until("games are kept", || has_games(bench.path(), 2));
    let pid = Pid::from_raw(i32::try_from(harness.id()).expect("a process id")).expect("not 0");
    kill_process(pid, signal).expect("it runs");
    Ended::of(harness.wait_with_output().expect("it ends"))
}

#[test]
fn an_interrupted_match_keeps_its_games_and_says_how_to_go_on() {
    for signal in [Signal::INT, Signal::TERM] {
        let bench = Bench::new(&[("a", "--delay 2"), ("b", "--delay 2 --seed 2")]);
        let ended =
            interrupt_a_match(&bench, "match a b --nodes 1 --max-moves 10 --games 60", signal);
        let run = bench.ledger().facts("last").unwrap().id;
        ended.assert_fails(130, &["of 60 games are kept", &format!("harness resume {run}")]);
        let kept = bench.games();
        assert!(kept.len() > 2 && kept.len() < 60);
        bench.assert_no_engine_left();
        let summary = bench.json(&format!("resume {run}"));
        assert_eq!(summary["games"], 60);
        bench.assert_whole(30);
        assert_eq!(bench.games()[..kept.len()], kept, "what was kept stays as it was");
    }
}

#[test]
fn an_engine_that_thinks_is_interrupted_at_once() {
    let bench = Bench::new(&[("a", ""), ("b", "--hang go --on 20")]);
    // It hangs in the fourth game.
    let line = "match a b --nodes 1 --max-moves 5 --jobs 1 --watchdog 1000s";
    interrupt_a_match(&bench, line, Signal::INT).assert_fails(130, &["resume"]);
    bench.assert_no_engine_left();
}

#[test]
fn a_run_with_another_engine_or_book_is_not_resumed() {
    let bench = Bench::new(&[("a", "--delay 2"), ("b", "--delay 2 --seed 2")]);
    let book = bench.path().join("book.epd");
    let lines = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n";
    std::fs::write(&book, lines).unwrap();
    let line = "match a b --nodes 1 --max-moves 10 --games 400 --openings book.epd";
    interrupt_a_match(&bench, line, Signal::INT);
    std::fs::write(&book, format!("{lines}\n")).unwrap();
    bench.run("resume last").assert_fails(2, &["book.epd has changed"]);
    std::fs::write(&book, lines).unwrap();
    std::fs::write(bench.path().join("mock"), "#!/bin/sh\n").unwrap();
    bench.run("resume last").assert_fails(2, &["engine `a` has changed"]);
}

#[test]
fn an_engine_that_is_replaced_during_a_run_ends_it() {
    let bench = Bench::new(&[("a", "--delay 2"), ("b", "--delay 2 --seed 2")]);
    let line = "match a b --nodes 1 --max-moves 10 --games 4000 --jobs 1 --restart";
    let mut command = bench.harness(line);
    let harness = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("games are kept", || has_games(bench.path(), 2));
    // As a build does it: a new file in the place of the old one.
    let [mock, other] = ["mock", "other"].map(|name| bench.path().join(name));
    std::fs::write(&other, "#!/bin/sh\n").unwrap();
    std::fs::rename(&other, &mock).unwrap();
    let ended = Ended::of(harness.wait_with_output().unwrap());
    ended.assert_fails(4, &["was replaced", "has changed since the run was started", "/mock"]);
    assert!(bench.games().len() < 4000);
}

#[test]
fn a_signal_that_is_ignored_from_the_start_ends_nothing() {
    let bench = Bench::new(&[("a", "--delay 2"), ("b", "--delay 2 --seed 2")]);
    let line = "match a b --nodes 1 --max-moves 10 --games 60";
    let harness = Command::new("nohup")
        .arg(env!("CARGO_BIN_EXE_harness"))
        .args(line.split(' '))
        .current_dir(bench.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("nohup starts");
    until("games are kept", || has_games(bench.path(), 2));
    let pid = Pid::from_raw(i32::try_from(harness.id()).expect("a process id")).expect("not 0");
    kill_process(pid, Signal::HUP).expect("it runs");
    let ended = Ended::of(harness.wait_with_output().expect("it ends"));
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    assert_eq!(bench.games().len(), 60);
}

#[test]
fn a_limit_of_the_size_of_files_is_an_error_that_says_how_to_continue() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let harness = env!("CARGO_BIN_EXE_harness");
    let script = format!("ulimit -f 200; exec {harness} match a b --nodes 1 --games 2000");
    let output =
        Command::new("bash").args(["-c", &script]).current_dir(bench.path()).output().unwrap();
    Ended::of(output).assert_fails(4, &["resume"]);
    assert!(!bench.games().is_empty());
}

#[test]
fn a_run_with_another_network_is_not_resumed() {
    let bench = Bench::new(&[("a", "--delay 2"), ("b", "--delay 2 --seed 2")]);
    let net = bench.path().join("a.nnue");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/nets/default.nnue");
    std::fs::copy(shipped, &net).unwrap();
    let line = "match a builtin --nodes 50 --max-moves 10 --games 400 \
                --option builtin.EvalFile=a.nnue";
    interrupt_a_match(&bench, line, Signal::INT);
    std::fs::write(&net, "another one").unwrap();
    bench.run("resume last").assert_fails(2, &["a.nnue has changed", "option"]);
    std::fs::remove_file(&net).unwrap();
    bench.run("resume last").assert_fails(2, &["a.nnue cannot be read any more"]);
    std::fs::copy(shipped, &net).unwrap();
    let summary = bench.json("resume last");
    assert_eq!(summary["games"], 400);
}

#[test]
fn a_reports_folder_that_cannot_be_written_is_an_error_that_names_it() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    std::fs::write(bench.path().join("file"), "").unwrap();
    for folder in ["file/reports", "/proc/reports"] {
        let ended = bench.run(&format!("match a b --nodes 1 --games 2 --reports {folder}"));
        ended.assert_fails(4, &["cannot write", "--reports DIR"]);
    }
}

#[test]
fn a_full_disk_ends_the_run_and_what_was_counted_can_be_resumed() {
    let bench = Bench::new(&[("a", ""), ("b", "--seed 2")]);
    let harness = env!("CARGO_BIN_EXE_harness");
    // A small disk that only this process sees, copied away before it goes.
    let script = format!(
        "mkdir small && mount -t tmpfs -o size=400k small small || exit 77; \
         {harness} --reports small match a b --nodes 1 --games 400; status=$?; \
         cp -r small reports; exit $status"
    );
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", &script])
        .current_dir(bench.path())
        .output();
    let Some(output) = output.ok().filter(|output| {
        output.status.code() != Some(77) && !output.stderr.starts_with(b"unshare:")
    }) else {
        needs::skip_forbidden("mount a small disk");
        return;
    };
    Ended::of(output).assert_fails(4, &["space", "resume"]);
    let kept = bench.games();
    assert!(!kept.is_empty() && kept.len() < 400, "{}", kept.len());
    bench.assert_no_engine_left();
    let summary = bench.json("resume last");
    assert_eq!(summary["games"], 400);
    bench.assert_whole(200);
}
