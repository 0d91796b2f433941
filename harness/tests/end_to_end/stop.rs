//! Runs of other processes: told live, and asked to end.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use harness::live::{Connection, Message, running};
use rustix::process::{Pid, Signal, kill_process};

use crate::common::{harness, has_games, json, run, shown, texts, until};

/// A match of many games at few nodes, which is the same however often it is stopped. A small table, as a new game
/// clears it.
const LINE: &str = "match builtin builtin --option Hash=1 --nodes 400 --games 60 --jobs 2 --quiet";

fn start(folder: &Path, line: &str) -> Child {
    let mut command = harness(folder, line.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the harness starts")
}

#[test]
fn a_run_that_is_asked_to_stop_ends_after_its_pairs_and_goes_on_as_if_it_had_never_stopped() {
    stops_and_goes_on("stop last", |games| games.is_multiple_of(2));
}

#[test]
fn a_run_that_is_asked_to_stop_now_goes_on_as_if_it_had_never_stopped() {
    stops_and_goes_on("stop last --now", |_| true);
}

#[test]
fn the_last_run_to_stop_is_the_newest_that_is_running() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let child = start(folder.path(), LINE);
    until("games", || has_games(folder.path(), 2));
    let later = run(folder.path(), "match builtin builtin --nodes 20 --games 2 --quiet");
    assert_eq!(later.status.code(), Some(0), "{}", shown(&later));
    let asked = run(folder.path(), "stop last");
    assert_eq!(asked.status.code(), Some(0), "{}", shown(&asked));
    let (status, _, stderr) = texts(&child.wait_with_output().expect("it ends"));
    assert_eq!(status, 130, "{stderr}");
}

/// Stops a match with this command; a number of kept games `may_be` right.
fn stops_and_goes_on(command: &str, may_be: fn(u64) -> bool) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (stopped, whole) = (folder.path().join("stopped"), folder.path().join("whole"));
    for folder in [&stopped, &whole] {
        std::fs::create_dir(folder).expect("made");
    }
    let child = start(&stopped, LINE);
    until("games", || has_games(&stopped, 4));
    let asked = run(&stopped, command);
    assert_eq!(asked.status.code(), Some(0), "{}", shown(&asked));
    let ended = child.wait_with_output().expect("it ends");
    let (status, _, stderr) = texts(&ended);
    assert_eq!(status, 130, "{stderr}");
    assert!(stderr.contains("of 60 games are kept"), "{stderr}");
    let runs = json(&run(&stopped, "runs --json"));
    let games = runs[0]["games"].as_u64().expect("a number");
    assert!(may_be(games) && (4..60).contains(&games), "{runs}");
    // Nothing is left that could be asked.
    assert!(running(&stopped.join("reports")).is_empty());
    let (status, _, stderr) = texts(&run(&stopped, "stop last"));
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("is interrupted, not running"), "{stderr}");
    let resumed = run(&stopped, "resume last --quiet");
    assert_eq!(resumed.status.code(), Some(0), "{}", shown(&resumed));
    run(&whole, LINE);
    let result = |folder: &Path| {
        let mut result = json(&run(folder, "report last --format json -o -"));
        for key in ["run", "seconds", "openbench", "command_line"] {
            result[key].take();
        }
        result
    };
    assert_eq!(result(&stopped), result(&whole));
}

#[test]
fn a_listener_hears_of_the_games_and_a_killed_process_leaves_only_its_socket() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let reports = folder.path().join("reports");
    let mut child = start(folder.path(), LINE);
    until("a socket", || !running(&reports).is_empty());
    let path = running(&reports).remove(0);
    let mut connection = Connection::open(&path).expect("connects");
    connection.set_patience(Duration::from_secs(60)).expect("a timeout");
    let (mut moves, mut results, mut title) = (0, 0, String::new());
    while moves < 20 || results < 3 {
        match connection.receive().expect("it runs") {
            Message::Hello { pid } => assert_eq!(pid, child.id()),
            Message::Run { title: told, command, .. } => {
                assert_eq!(command, "match");
                title = told;
            }
            Message::Boards { boards, .. } => {
                moves += boards.iter().filter(|board| board.last.is_some()).count();
                let fens = boards.iter().map(|board| &board.fen);
                fens.for_each(|fen| {
                    fen.parse::<shakmaty::fen::Fen>().expect("a position");
                });
            }
            Message::Result { summary, .. } => {
                assert_eq!(summary.games, summary.wins + summary.draws + summary.losses);
                results += 1;
            }
            _ => {}
        }
    }
    assert_eq!(title, "builtin vs builtin#2");
    let pid = Pid::from_raw(child.id().cast_signed()).expect("a process");
    kill_process(pid, Signal::KILL).expect("killed");
    child.wait().expect("it ended");
    while connection.receive().is_some() {}
    assert!(path.exists() && Connection::open(&path).is_err());
    assert!(!path.exists(), "who finds that nobody listens removes the socket");
}
