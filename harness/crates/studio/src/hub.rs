//! The running processes of a reports folder, and what they tell.
//!
//! A thread looks for their sockets and another one reads each of them. What they tell is kept here,
//! so that a page that is opened later has all of it, and passed on to the pages that are open.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use harness_base::sync::{lock, unpoisoned};
use harness_outcome::training::Losses;
use harness_outcome::{CurvePoint, MatchSummary, PathPoint};
use harness_runs::live::{Board, Connection, Handle, Message, Progress, Request, running};

/// How often sockets are looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Points of a curve that are kept; beyond, every other one is dropped.
const MAX_POINTS: usize = 1000;

/// Takes the boards of a run that changed, at once.
pub type BoardSink = dyn Fn(&str, &[Board]) + Send + Sync;

/// A running run.
#[derive(Clone, Debug)]
pub struct LiveRun {
    /// The command.
    pub command: String,
    /// Title for people.
    pub title: String,
    /// Its process.
    pub pid: u32,
    /// The run of which it is a part.
    pub part_of: Option<String>,
    /// Games in progress, by the number of the pair and of the game.
    pub boards: BTreeMap<(u64, u8), Board>,
    /// The result so far.
    pub summary: Option<Arc<MatchSummary>>,
    /// The curve since it is watched.
    pub curve: Vec<CurvePoint>,
    /// The recommendations of the tuner.
    pub path: Vec<PathPoint>,
    /// Losses of a training.
    pub losses: Vec<Losses>,
    /// How far it is.
    pub progress: Progress,
    /// It was asked from here to end after what is in progress.
    pub is_ending: bool,
    /// When it was first seen, and what was done then.
    pub since: (Instant, u64),
    /// Another number after each change, those of boards not counted.
    pub version: u64,
}

/// The running processes.
pub struct Hub {
    reports: PathBuf,
    state: Mutex<State>,
    boards: RwLock<Option<Box<BoardSink>>>,
    closed: AtomicBool,
}

#[derive(Default)]
struct State {
    /// Processes by their sockets.
    processes: HashMap<PathBuf, Process>,
    runs: HashMap<String, LiveRun>,
    versions: u64,
}

struct Process {
    handle: Handle,
    pid: u32,
    runs: HashSet<String>,
}

impl Hub {
    /// Watches the processes of a reports folder.
    pub fn start(reports: &Path) -> Arc<Hub> {
        let hub = Arc::new(Hub {
            reports: reports.to_owned(),
            state: Mutex::default(),
            boards: RwLock::default(),
            closed: AtomicBool::new(false),
        });
        let watcher = Arc::clone(&hub);
        thread::spawn(move || {
            while !watcher.closed.load(Ordering::Relaxed) {
                watcher.look();
                thread::sleep(POLL_INTERVAL);
            }
        });
        hub
    }

    /// Boards go to `sink` as they change.
    pub fn send_boards_to(&self, sink: Box<BoardSink>) {
        *unpoisoned(self.boards.write()) = Some(sink);
    }

    /// Ends all connections.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.state().processes.values().for_each(|process| process.handle.close());
    }

    /// A running run.
    pub fn run(&self, id: &str) -> Option<LiveRun> {
        self.state().runs.get(id).cloned()
    }

    /// The version of a running run.
    pub fn version_of(&self, id: &str) -> Option<u64> {
        self.state().runs.get(id).map(|run| run.version)
    }

    /// The parts of a run that are running, with their ids: the SPRT of a gate.
    pub fn parts_of(&self, id: &str) -> Vec<(String, LiveRun)> {
        let is_part = |run: &LiveRun| run.part_of.as_deref() == Some(id);
        self.runs().into_iter().filter(|(_, run)| is_part(run)).collect()
    }

    /// All running runs with their ids.
    pub fn runs(&self) -> Vec<(String, LiveRun)> {
        let state = self.state();
        let mut runs: Vec<_> =
            state.runs.iter().map(|(id, run)| (id.clone(), run.clone())).collect();
        runs.sort_by(|a, b| b.0.cmp(&a.0));
        runs
    }

    /// A number that is another one after each change of any run.
    pub fn version(&self) -> u64 {
        self.state().versions
    }

    /// The first run of a process.
    pub fn run_of(&self, pid: u32) -> Option<String> {
        let state = self.state();
        let mut runs: Vec<&String> =
            state.runs.iter().filter(|(_, run)| run.pid == pid).map(|(id, _)| id).collect();
        runs.sort();
        runs.first().map(|id| (*id).clone())
    }

    /// Asks the process of a run for something; `false` if none is there.
    pub fn ask(&self, run: &str, request: Request) -> bool {
        let mut state = self.state();
        let mut processes = state.processes.values();
        let process = processes.find(|process| process.runs.contains(run));
        let is_asked = process.is_some_and(|process| process.handle.ask(request).is_ok());
        if is_asked && request == Request::Finish {
            state.versions += 1;
            let State { runs, versions, .. } = &mut *state;
            edit(runs, run, *versions, |live| live.is_ending = true);
        }
        is_asked
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Connects to processes that are new.
    fn look(self: &Arc<Hub>) {
        for path in running(&self.reports) {
            if self.state().processes.contains_key(&path) {
                continue;
            }
            let Ok(connection) = Connection::open(&path) else { continue };
            let Ok(handle) = connection.handle() else { continue };
            let process = Process { handle, pid: 0, runs: HashSet::new() };
            self.state().processes.insert(path.clone(), process);
            let hub = Arc::clone(self);
            thread::spawn(move || hub.read(connection, &path));
        }
    }

    /// Takes what a process tells, until it has ended.
    fn read(&self, mut connection: Connection, path: &Path) {
        while let Some(message) = connection.receive() {
            self.take(path, message);
        }
        let mut state = self.state();
        state.versions += 1;
        if let Some(process) = state.processes.remove(path) {
            state.runs.retain(|id, _| !process.runs.contains(id));
        }
    }

    fn take(&self, path: &Path, message: Message) {
        if let Message::Boards { run, boards } = &message {
            self.keep_boards(run, boards);
            let sink = unpoisoned(self.boards.read());
            sink.iter().for_each(|sink| sink(run, boards));
            return;
        }
        let mut state = self.state();
        state.versions += 1;
        let version = state.versions;
        let State { processes, runs, .. } = &mut *state;
        let Some(process) = processes.get_mut(path) else { return };
        match message {
            Message::Hello { pid } => process.pid = pid,
            Message::Run { run, command, title, part_of } => {
                process.runs.insert(run.clone());
                let live = LiveRun { part_of, ..LiveRun::new(command, title, process.pid) };
                runs.insert(run.clone(), live);
                edit(runs, &run, version, |_| ());
            }
            Message::Finished { run } => {
                process.runs.remove(&run);
                let whole = runs.remove(&run).and_then(|part| part.part_of);
                whole.into_iter().for_each(|whole| edit(runs, &whole, version, |_| ()));
            }
            Message::Result { run, summary } => {
                edit(runs, &run, version, |live| live.add_result(*summary));
            }
            Message::Path { run, points } => {
                edit(runs, &run, version, |live| live.path.extend(points));
            }
            Message::Progress { run, progress } => {
                edit(runs, &run, version, |live| live.advance(progress));
            }
            Message::Losses { run, epochs } => {
                edit(runs, &run, version, |live| live.losses = epochs);
            }
            Message::Boards { .. } => {}
        }
    }

    fn keep_boards(&self, run: &str, boards: &[Board]) {
        let mut state = self.state();
        let Some(live) = state.runs.get_mut(run) else { return };
        for board in boards {
            let Some(key) = number(&board.key) else { continue };
            match board.ended {
                Some(_) => live.boards.remove(&key),
                None => live.boards.insert(key, board.clone()),
            };
        }
    }
}

fn edit(
    runs: &mut HashMap<String, LiveRun>,
    id: &str,
    version: u64,
    edit: impl FnOnce(&mut LiveRun),
) {
    let Some(run) = runs.get_mut(id) else { return };
    edit(run);
    run.version = version;
    // The page of the whole shows its part.
    if let Some(whole) = run.part_of.clone().and_then(|whole| runs.get_mut(&whole)) {
        whole.version = version;
    }
}

/// `12.1`: the numbers of a pair and of a game.
fn number(key: &str) -> Option<(u64, u8)> {
    let (pair, game) = key.split_once('.')?;
    Some((pair.parse().ok()?, game.parse().ok()?))
}

impl LiveRun {
    fn new(command: String, title: String, pid: u32) -> LiveRun {
        LiveRun {
            command,
            title,
            pid,
            part_of: None,
            boards: BTreeMap::new(),
            summary: None,
            curve: Vec::new(),
            path: Vec::new(),
            losses: Vec::new(),
            progress: Progress::default(),
            is_ending: false,
            since: (Instant::now(), 0),
            version: 0,
        }
    }

    fn add_result(&mut self, summary: MatchSummary) {
        if self.curve.last().is_none_or(|point| point.games < summary.games) {
            let games = summary.games;
            let elo = summary.elo;
            let llr = summary.llr;
            let bounds = summary.bounds;
            self.curve.push(CurvePoint { games, elo, llr, bounds });
        }
        if self.curve.len() > MAX_POINTS {
            let mut place = 0;
            self.curve.retain(|_| {
                place += 1;
                place % 2 == 0
            });
        }
        self.summary = Some(Arc::new(summary));
    }

    fn advance(&mut self, progress: Progress) {
        if self.progress == Progress::default() || progress.unit != self.progress.unit {
            self.since = (Instant::now(), progress.done);
        }
        self.progress = progress;
    }

    /// Whether it may end before it has played all of its games.
    pub fn is_test(&self) -> bool {
        let is_test = |summary: &MatchSummary| summary.facts.sprt.is_some();
        ["sprt", "bisect", "race"].contains(&self.command.as_str())
            || self.summary.as_deref().is_some_and(is_test)
    }

    /// Units a second since it is watched; `None` while that says little.
    pub fn rate(&self) -> Option<f64> {
        let (begun, done) = self.since;
        let seconds = begun.elapsed().as_secs_f64();
        let more = self.progress.done.saturating_sub(done);
        (more > 0 && seconds > 1.0).then(|| more as f64 / seconds)
    }
}
