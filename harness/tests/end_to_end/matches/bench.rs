//! A folder with engines in which the harness runs.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use harness::ledger::{Ledger, StoredGame};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::common;
pub use crate::common::until;

/// The variable that marks the processes of a bench with its folder.
const MARK: &str = "HARNESS_TEST_BENCH";

/// Nothing in a test takes this long.
const PATIENCE: Duration = Duration::from_secs(180);

/// A folder with engines in which the harness runs.
pub struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    /// With test engines, by name and flags.
    pub fn new(engines: &[(&str, &str)]) -> Bench {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Its own copy, so that its processes differ from those of other tests.
        let mock = folder.path().join("mock");
        std::fs::copy(env!("CARGO_BIN_EXE_mock-engine"), &mock).expect("the test engine is built");
        let engines: String = engines
            .iter()
            .map(|(name, flags)| {
                let flags: Vec<&str> = flags.split_whitespace().collect();
                format!("  {name}: {{ cmd: ./mock, args: {flags:?} }}\n")
            })
            .collect();
        let yaml = format!("engines:\n{engines}");
        std::fs::write(folder.path().join("harness.yaml"), yaml).expect("writable");
        Bench { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The harness with these words.
    pub fn harness(&self, line: &str) -> Command {
        let mut command = common::harness(self.path(), line.split_whitespace());
        // Handed down to whatever is started, by which that is found.
        command.env(MARK, self.path());
        command
    }

    /// Runs the harness to its end.
    pub fn run(&self, line: &str) -> Ended {
        self.run_beside(line, &mut || {})
    }

    /// Runs the harness to its end, which must come, and does something again and again meanwhile.
    pub fn run_beside(&self, line: &str, meanwhile: &mut dyn FnMut()) -> Ended {
        self.run_to(self.harness(line), [None, None], meanwhile)
    }

    /// Runs the harness to its end with these outputs, each a file unless given.
    pub fn run_to(
        &self,
        mut harness: Command,
        outputs: [Option<Stdio>; 2],
        meanwhile: &mut dyn FnMut(),
    ) -> Ended {
        let [stdout, stderr] = [(); 2].map(|()| tempfile::tempfile().expect("a temporary file"));
        let copy = |file: &File| Stdio::from(file.try_clone().expect("a descriptor"));
        let [other_stdout, other_stderr] = outputs;
        harness.stdout(other_stdout.unwrap_or_else(|| copy(&stdout)));
        harness.stderr(other_stderr.unwrap_or_else(|| copy(&stderr)));
        let line = format!("{harness:?}");
        let mut harness = harness.spawn().expect("the harness starts");
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = harness.try_wait().expect("it is our child") {
                break status;
            }
            if Instant::now() > deadline {
                let _ = harness.kill();
                panic!("it hangs: {line}");
            }
            meanwhile();
            std::thread::sleep(Duration::from_millis(5));
        };
        let [stdout, stderr] = [stdout, stderr].map(|mut file| {
            let mut bytes = Vec::new();
            file.rewind().and_then(|()| file.read_to_end(&mut bytes)).expect("readable");
            bytes
        });
        Ended::of(Output { status, stdout, stderr })
    }

    /// Lets the frozen processes of this bench go on.
    pub fn thaw(&self) {
        for process in self.processes() {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_pid()));
            if stat.is_ok_and(|stat| stat.contains(") T ")) {
                let _ = kill_process(process, Signal::CONT);
            }
        }
    }

    /// The processes that the harness started here, and itself.
    fn processes(&self) -> Vec<Pid> {
        let mark = format!("{MARK}={}", self.path().display());
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        entries
            .filter(|entry| {
                let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
                environment.split(|&byte| byte == 0).any(|entry| entry == mark.as_bytes())
            })
            .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
            .collect()
    }

    /// Runs it with `--json`; it must end well.
    pub fn json(&self, line: &str) -> Value {
        let ended = self.run(&format!("{line} --json"));
        assert_eq!(ended.status, 0, "{line}\n{}", ended.stderr);
        serde_json::from_str(&ended.stdout).expect("one JSON object")
    }

    pub fn ledger(&self) -> Ledger {
        Ledger::open_existing(&self.path().join("reports")).expect("there is a ledger")
    }

    /// Whether a run has kept games already.
    pub fn has_games(&self) -> bool {
        common::has_games(self.path(), 0)
    }

    /// The games of the newest run.
    pub fn games(&self) -> Vec<StoredGame> {
        self.games_of("last")
    }

    pub fn games_of(&self, run: &str) -> Vec<StoredGame> {
        self.ledger().games(run).expect("readable")
    }

    pub fn pgn(&self) -> String {
        self.pgn_of("last")
    }

    pub fn pgn_of(&self, run: &str) -> String {
        let folder = self.ledger().facts(run).expect("a run").folder;
        let path = self.path().join(folder).join("games.pgn");
        std::fs::read_to_string(path).expect("there is a PGN")
    }

    /// Ledger and PGN must hold the same games, each once, and no engine may be left.
    pub fn assert_whole(&self, pairs: u64) {
        self.assert_kept("last", pairs);
        self.assert_no_engine_left();
    }

    /// Ledger and PGN must hold the same games of a run, each once.
    pub fn assert_kept(&self, run: &str, pairs: u64) {
        let games = self.games_of(run);
        let mut numbers: Vec<(u64, u8)> = games.iter().map(|game| (game.pair, game.game)).collect();
        numbers.sort_unstable();
        let expected: Vec<(u64, u8)> = (0..pairs).flat_map(|pair| [(pair, 0), (pair, 1)]).collect();
        assert_eq!(numbers, expected);
        let stored: String = games.iter().map(|game| game.pgn.as_str()).collect();
        assert!(self.pgn_of(run) == stored, "the PGN is not what the ledger has");
    }

    /// Engines and their helpers may take a moment to end, but end they must.
    pub fn assert_no_engine_left(&self) {
        until("processes are left", || self.processes().is_empty());
    }
}

/// How a command ended.
pub struct Ended {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn of(output: Output) -> Ended {
        let (status, stdout, stderr) = common::texts(&output);
        let ended = Ended { status, stdout, stderr };
        assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
        ended
    }

    /// Fails with this status, and says each of these.
    #[track_caller]
    pub fn assert_fails(&self, status: i32, says: &[&str]) {
        assert_eq!(self.status, status, "{}", self.stderr);
        // Long lines are wrapped within a frame.
        let stderr: Vec<&str> =
            self.stderr.split_whitespace().filter(|word| *word != "│").collect();
        let stderr = stderr.join(" ");
        for text in says {
            assert!(stderr.contains(text), "`{text}` is missing in:\n{}", self.stderr);
        }
        // With --json, standard output has the error, too.
        let object = serde_json::from_str::<serde_json::Value>(&self.stdout);
        let is_error = object.is_ok_and(|object| object["error"]["status"] == status);
        assert!(self.stdout.is_empty() || is_error, "{}", self.stdout);
    }
}
