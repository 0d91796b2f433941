//! Overhead of the runner: a do-nothing engine plays itself, so that all time is the
//! runner's, the pipes' and the system's.
//!
//! `cargo bench -p tench-harness --bench runner [-- --games N] [--peer /path/to/fastchess]`
//!
//! With `--engine PATH --nodes N` another engine plays itself at fixed nodes, so that there are
//! search reports to read; one and two games at once.
//!
//! With `--in-process PATH`, where PATH is `tench`, the linked engine plays itself in this process
//! and then over pipes at 500, 5,000 and 50,000 nodes a move: games an hour, and the ratio.
//!
//! Each row is one run of the whole program: games and plies a second; the CPU time (user and system)
//! for 1,000 plies, of the runner's process alone and of its engines; how often a thread of the runner
//! went to sleep, and its calls of `read` and `write`, a ply; and its peak memory: all as the kernel's
//! accounting under /proc has them. With `--peer` a runner with fastchess's command line does the same
//! work in turn, and the ratios are printed. Pin everything to one CPU (`taskset -c 0`) for figures that
//! repeat: then the games a second follow from the sum of both CPU times.
//!
//! With `--count valgrind` the allocations of the runner a ply are counted instead, as the difference
//! between a few games and many.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Openings of eight plies or fewer and games cut at 100 moves, as the peers were measured.
const MAX_MOVES: u32 = 100;

#[derive(Clone)]
struct Arguments {
    games: u64,
    peer: Option<PathBuf>,
    /// Who plays itself, and to which limit.
    engine: String,
    nodes: Option<u64>,
    in_process: Option<PathBuf>,
    /// Valgrind, to count allocations with.
    count: Option<PathBuf>,
}

impl Arguments {
    fn limit(&self) -> (&'static str, String) {
        match self.nodes {
            Some(nodes) => ("nodes", nodes.to_string()),
            None => ("tc", "60+1".to_owned()),
        }
    }
}

/// One run of a runner.
struct Row {
    games: u64,
    plies: u64,
    wall: Duration,
    used: Used,
    /// CPU time of the engines.
    engines: Duration,
}

/// What a process has used.
#[derive(Default)]
struct Used {
    cpu: Duration,
    peak_kib: u64,
    /// Calls of `read` and `write`.
    transfers: u64,
    /// How often each thread has gone to sleep.
    sleeps: BTreeMap<OsString, u64>,
}

fn main() -> ExitCode {
    let done = arguments().and_then(|arguments| match (&arguments.in_process, &arguments.count) {
        (Some(tench), _) => compare_pipes(&arguments, tench),
        (None, Some(valgrind)) => count_allocations(&arguments, valgrind),
        (None, None) => measure(&arguments),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("runner: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Arguments, String> {
    let engine = env!("CARGO_BIN_EXE_mock-engine").to_owned();
    let (peer, nodes, in_process, count) = (None, None, None, None);
    let mut arguments = Arguments { games: 500, peer, engine, nodes, in_process, count };
    // Cargo adds `--bench`.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--games" => arguments.games = number(&value)?,
            "--nodes" => arguments.nodes = Some(number(&value)?),
            "--engine" => arguments.engine = value,
            "--peer" => arguments.peer = Some(PathBuf::from(value)),
            "--in-process" => arguments.in_process = Some(PathBuf::from(value)),
            "--count" => arguments.count = Some(PathBuf::from(value)),
            _ => {
                return Err(format!(
                    "cannot understand `{word}`; there are --games N, --peer PATH, --engine PATH, \
                     --nodes N, --in-process PATH and --count VALGRIND"
                ));
            }
        }
    }
    Ok(arguments)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

fn scratch() -> Result<PathBuf, String> {
    let scratch = std::env::temp_dir().join(format!("runner-bench-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    Ok(scratch)
}

/// The linked engine against itself, without and with processes.
fn compare_pipes(arguments: &Arguments, tench: &Path) -> Result<(), String> {
    let scratch = scratch()?;
    let pgn = scratch.join("games.pgn");
    let tench = tench.to_str().ok_or("the path of --in-process is not UTF-8")?;
    println!("{:>7}  {:>16} {:>16} {:>6}", "nodes", "in process", "over pipes", "ratio");
    for nodes in [500, 5_000, 50_000] {
        // About the same time for each row.
        let games = (arguments.games * 500 / nodes).max(4);
        let played = |engine: &str| {
            let arguments = Arguments {
                games,
                peer: None,
                engine: engine.to_owned(),
                nodes: Some(nodes),
                in_process: None,
                count: None,
            };
            run(ours(&arguments, &scratch, 1), &pgn)
        };
        let (linked, piped) = (played("builtin")?, played(tench)?);
        let [linked, piped] = [linked, piped].map(|row| 3600.0 * row.games_a_second());
        println!("{nodes:>7}  {linked:>9.0} games/h {piped:>9.0} games/h {:>6.2}", linked / piped);
    }
    fs::remove_dir_all(&scratch).map_err(|error| error.to_string())
}

fn measure(arguments: &Arguments) -> Result<(), String> {
    let scratch = scratch()?;
    println!(
        "{:>5}  {:<9} {:>8} {:>9} {:>16} {:>11} {:>10} {:>14} {:>9}",
        "jobs",
        "runner",
        "games/s",
        "plies/s",
        "CPU s/1000 plies",
        "its engines",
        "sleeps/ply",
        "transfers/ply",
        "peak MiB"
    );
    let all_jobs: &[u32] = if arguments.nodes.is_some() { &[1, 2] } else { &[1, 2, 8, 64] };
    for &jobs in all_jobs {
        let ours = run(ours(arguments, &scratch, jobs), &scratch.join("games.pgn"))?;
        print_row(jobs, "harness", &ours);
        if let Some(peer) = &arguments.peer {
            let theirs = run(theirs(peer, arguments, &scratch, jobs), &scratch.join("peer.pgn"))?;
            print_row(jobs, "peer", &theirs);
            println!(
                "{jobs:>5}  {:<9} {:>8.2} {:>9.2} {:>16.2} {:>11.2} {:>10.2} {:>14.2} {:>9.2}",
                "ratio",
                ours.games_a_second() / theirs.games_a_second(),
                ours.plies_a_second() / theirs.plies_a_second(),
                ours.per_1000(ours.used.cpu) / theirs.per_1000(theirs.used.cpu),
                ours.per_1000(ours.engines) / theirs.per_1000(theirs.engines),
                ours.a_ply(ours.used.sleeps()) / theirs.a_ply(theirs.used.sleeps()),
                ours.a_ply(ours.used.transfers) / theirs.a_ply(theirs.used.transfers),
                ours.used.peak_kib as f64 / theirs.used.peak_kib as f64,
            );
        }
    }
    fs::remove_dir_all(&scratch).map_err(|error| error.to_string())
}

/// Counts the allocations of our runner in a few games and in many.
fn count_allocations(arguments: &Arguments, valgrind: &Path) -> Result<(), String> {
    let scratch = scratch()?;
    let log = scratch.join("valgrind.log");
    let mut counted = Vec::new();
    for games in [arguments.games.div_ceil(10), arguments.games] {
        let few = Arguments { games, ..arguments.clone() };
        let mut command = Command::new(valgrind);
        command.arg(format!("--log-file={}", log.display())).arg(env!("CARGO_BIN_EXE_harness"));
        add_match(&mut command, &few, &scratch, 1);
        let row = run(command, &scratch.join("games.pgn"))?;
        counted.push((allocations(&log)?, row.plies));
    }
    let [(few, short), (many, long)] = counted[..] else { return Err("no two runs".to_owned()) };
    let a_ply = many.saturating_sub(few) as f64 / long.saturating_sub(short).max(1) as f64;
    println!("{a_ply:.3} allocations a ply: {few} in {short} plies, {many} in {long}");
    fs::remove_dir_all(&scratch).map_err(|error| error.to_string())
}

/// The allocations that Valgrind has counted.
fn allocations(log: &Path) -> Result<u64, String> {
    let text = fs::read_to_string(log).map_err(|error| format!("{}: {error}", log.display()))?;
    let count = text
        .lines()
        .rev()
        .find_map(|line| line.split_once("total heap usage: ")?.1.split_once(" allocs"))
        .and_then(|(count, _)| count.replace(',', "").parse().ok());
    count.ok_or_else(|| format!("valgrind counted nothing:\n{text}"))
}

fn ours(arguments: &Arguments, scratch: &Path, jobs: u32) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    add_match(&mut command, arguments, scratch, jobs);
    command
}

/// The words of a match of ours.
fn add_match(command: &mut Command, arguments: &Arguments, scratch: &Path, jobs: u32) {
    let engine = &arguments.engine;
    let (kind, limit) = arguments.limit();
    let reports = scratch.join(format!("reports-{jobs}"));
    command
        .args(["match", engine, engine, &format!("--{kind}"), &limit, "--quiet"])
        .args(["--games", &arguments.games.to_string(), "--jobs", &jobs.to_string()])
        .args(["--max-moves", &MAX_MOVES.to_string()])
        .arg("--reports")
        .arg(reports);
}

fn theirs(peer: &Path, arguments: &Arguments, scratch: &Path, jobs: u32) -> Command {
    let engine = &arguments.engine;
    let (kind, limit) = arguments.limit();
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../suites/openings.epd");
    let mut command = Command::new(peer);
    command
        .args(["-engine", &format!("cmd={engine}"), "name=a"])
        .args(["-engine", &format!("cmd={engine}"), "name=b"])
        .args(["-each", &format!("{kind}={limit}")])
        .args(["-rounds", &arguments.games.div_ceil(2).to_string(), "-games", "2", "-repeat"])
        .args(["-concurrency", &jobs.to_string(), "-force-concurrency"])
        .args(["-maxmoves", &MAX_MOVES.to_string()])
        .args(["-openings", &format!("file={}", book.display()), "format=epd", "order=random"])
        .args(["-pgnout", &format!("file={}", scratch.join("peer.pgn").display())])
        .current_dir(scratch);
    command
}

/// Runs a runner to its end, and reads what it cost and what it played.
fn run(mut command: Command, pgn: &Path) -> Result<Row, String> {
    // Games of the run before must not be counted.
    let _ = fs::remove_file(pgn);
    let (started, before) = (Instant::now(), times(Path::new("/proc/self"), ENDED_CHILDREN));
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{:?} cannot be started: {error}", command.get_program()))?;
    let used = watch(&mut child)?;
    let wall = started.elapsed();
    let both = times(Path::new("/proc/self"), ENDED_CHILDREN).zip(before);
    let engines =
        both.map_or(Duration::ZERO, |(all, before)| (all - before).saturating_sub(used.cpu));
    let text = read_games(pgn)?;
    let games = text.matches("[Result ").count() as u64;
    if games == 0 {
        return Err(format!("{:?} played no game", command.get_program()));
    }
    Ok(Row { games, plies: plies(&text), wall, used, engines })
}

/// The PGN of the run: at the given path, or in the newest run folder beside it.
fn read_games(pgn: &Path) -> Result<String, String> {
    if let Ok(text) = fs::read_to_string(pgn) {
        return Ok(text);
    }
    let scratch = pgn.parent().ok_or("no folder")?;
    let mut found = String::new();
    for entry in fs::read_dir(scratch).map_err(|error| error.to_string())?.flatten() {
        let runs = entry.path().join("runs");
        for run in fs::read_dir(&runs).into_iter().flatten().flatten() {
            if let Ok(text) = fs::read_to_string(run.path().join("games.pgn")) {
                found = text;
            }
        }
        if runs.exists() {
            fs::remove_dir_all(entry.path()).map_err(|error| error.to_string())?;
        }
    }
    Ok(found)
}

fn plies(pgn: &str) -> u64 {
    let counts = pgn.lines().filter_map(|line| line.strip_prefix("[PlyCount \""));
    counts.filter_map(|rest| rest.trim_end_matches("\"]").parse::<u64>().ok()).sum()
}

/// Follows a process to its end.
fn watch(child: &mut Child) -> Result<Used, String> {
    let folder = PathBuf::from(format!("/proc/{}", child.id()));
    let mut used = Used::default();
    loop {
        used.see(&folder);
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            return Ok(used);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

impl Used {
    /// Takes what the process has used until now. What it has no more is left as it was.
    fn see(&mut self, folder: &Path) {
        self.cpu = self.cpu.max(times(folder, OWN_THREADS).unwrap_or_default());
        self.peak_kib = self.peak_kib.max(number_in(&folder.join("status"), "VmHWM:"));
        let io = folder.join("io");
        self.transfers = self.transfers.max(number_in(&io, "syscr:") + number_in(&io, "syscw:"));
        for thread in fs::read_dir(folder.join("task")).into_iter().flatten().flatten() {
            let sleeps = number_in(&thread.path().join("status"), "voluntary_ctxt_switches:");
            let most = self.sleeps.entry(thread.file_name()).or_default();
            *most = sleeps.max(*most);
        }
    }

    fn sleeps(&self) -> u64 {
        self.sleeps.values().sum()
    }
}

/// Where `stat` has user and system time, counted from behind the name.
const OWN_THREADS: usize = 11;
const ENDED_CHILDREN: usize = 13;

/// User and system time that `stat` has from a field on, to a clock tick of 10 ms.
fn times(folder: &Path, field: usize) -> Option<Duration> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name in brackets may hold spaces: count from behind it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks =
        fields.get(field)?.parse::<u64>().ok()? + fields.get(field + 1)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}

/// The number behind a name that begins a line; 0 where there is none.
fn number_in(file: &Path, name: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(name));
    value.and_then(|value| value.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

impl Row {
    fn games_a_second(&self) -> f64 {
        self.games as f64 / self.wall.as_secs_f64()
    }

    fn plies_a_second(&self) -> f64 {
        self.plies as f64 / self.wall.as_secs_f64()
    }

    fn per_1000(&self, cpu: Duration) -> f64 {
        cpu.as_secs_f64() * 1000.0 / self.plies as f64
    }

    fn a_ply(&self, count: u64) -> f64 {
        count as f64 / self.plies as f64
    }
}

fn print_row(jobs: u32, runner: &str, row: &Row) {
    println!(
        "{jobs:>5}  {runner:<9} {:>8.1} {:>9.0} {:>16.4} {:>11.4} {:>10.2} {:>14.2} {:>9.1}",
        row.games_a_second(),
        row.plies_a_second(),
        row.per_1000(row.used.cpu),
        row.per_1000(row.engines),
        row.a_ply(row.used.sleeps()),
        row.a_ply(row.used.transfers),
        row.used.peak_kib as f64 / 1024.0,
    );
}
