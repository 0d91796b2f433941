//! What the tests of several commands share.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use harness::ledger::Ledger;
use serde_json::Value;

/// The test engine.
pub const MOCK: &str = env!("CARGO_BIN_EXE_mock-engine");

/// A command that hangs fails its test after this time.
const PATIENCE: Duration = Duration::from_secs(120);

/// The harness with these arguments, in a folder.
pub fn harness<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    command.current_dir(folder).args(args).stdin(Stdio::null());
    // Tests run side by side, and count games at a time.
    command.env("TENCH_SHARE_CORES", "no");
    command
}

/// Runs the harness with the words of a line.
pub fn run(folder: &Path, line: &str) -> Output {
    harness(folder, line.split_whitespace()).output().expect("the harness starts")
}

/// Exit status, standard output and standard error.
pub fn texts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// All of an output, for the message of a failed assertion.
pub fn shown(output: &Output) -> String {
    let (_, stdout, stderr) = texts(output);
    format!("{:?}\n{stdout}\n{stderr}", output.status)
}

/// The JSON object of a command that succeeds.
pub fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", shown(output));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// Runs a Python program of the folder of tests.
pub fn python(python: &Path, program: &str, arguments: &[&OsStr]) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(program);
    let output = Command::new(python).arg(file).args(arguments).output().expect("it starts");
    assert!(output.status.success(), "{}", shown(&output));
    String::from_utf8(output.stdout).expect("text")
}

/// Runs git in a folder.
pub fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
    let result = harness::git::git(folder, identity.iter().chain(arguments));
    assert!(result.is_ok(), "git {arguments:?}: {result:?}");
}

/// Writes an executable file.
pub fn write_program(path: &Path, text: &str) {
    std::fs::write(path, text).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("executable");
}

/// An engine that always plays this move.
pub fn engine_that_plays(name: &str, played: &str) -> String {
    format!(
        r#"#!/bin/sh
while read -r line; do
  case "$line" in
    uci) echo "id name {name}"; echo uciok ;;
    isready) echo readyok ;;
    go*) echo "info depth 3 nodes 42 score cp 10 pv {played}"; echo "bestmove {played}" ;;
    quit) exit 0 ;;
  esac
done
"#
    )
}

/// Waits until a condition holds.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a run in a folder has more games than this.
pub fn has_games(folder: &Path, more_than: u64) -> bool {
    let ledger = Ledger::open_existing(&folder.join("reports"));
    let runs = ledger.and_then(|ledger| ledger.runs());
    runs.is_ok_and(|runs| runs.iter().any(|run| run.games > more_than))
}
