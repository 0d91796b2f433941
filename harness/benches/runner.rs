//! Overhead of the runner: a do-nothing engine plays itself, so that all time is the
//! runner's, the pipes' and the system's.
//!
//! `cargo bench -p harness --bench runner [-- --games N] [--peer /path/to/fastchess]`
//!
//! With `--engine PATH --nodes N` another engine plays itself at fixed nodes, so that there are
//! search reports to read; one and two games at once.
//!
//! With `--in-process PATH`, where PATH is `tench`, the linked engine plays itself in this process
//! and then over pipes at 500, 5,000 and 50,000 nodes a move: games an hour, and the ratio.
//!
//! Each row is one run of the whole program: games and plies a second, the CPU time (user and
//! system) of the runner's process alone for 1,000 plies, and its peak memory, as the kernel's
//! accounting under /proc has them. With `--peer` a runner with fastchess's command line does the
//! same work in turn, and the ratios are printed. Pin everything to one CPU (`taskset -c 0`) for
//! figures that repeat.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Openings of eight plies or fewer and games cut at 100 moves, as the peers were measured.
const MAX_MOVES: u32 = 100;

struct Arguments {
    games: u64,
    peer: Option<PathBuf>,
    /// Who plays itself, and to which limit.
    engine: String,
    nodes: Option<u64>,
    in_process: Option<PathBuf>,
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
    cpu: Duration,
    peak_kib: u64,
}

fn main() -> ExitCode {
    let done = arguments().and_then(|arguments| match &arguments.in_process {
        Some(tench) => compare_pipes(&arguments, tench),
        None => measure(&arguments),
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
    let mut arguments = Arguments { games: 500, peer: None, engine, nodes: None, in_process: None };
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
            _ => {
                return Err(format!(
                    "cannot understand `{word}`; there are --games N, --peer PATH, --engine PATH, \
                     --nodes N and --in-process PATH"
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
        "{:>5}  {:<9} {:>8} {:>10} {:>15} {:>9}",
        "jobs", "runner", "games/s", "plies/s", "CPU s/1000 plies", "peak MiB"
    );
    let all_jobs: &[u32] = if arguments.nodes.is_some() { &[1, 2] } else { &[1, 2, 8, 64] };
    for &jobs in all_jobs {
        let ours = run(ours(arguments, &scratch, jobs), &scratch.join("games.pgn"))?;
        print_row(jobs, "harness", &ours);
        if let Some(peer) = &arguments.peer {
            let theirs = run(theirs(peer, arguments, &scratch, jobs), &scratch.join("peer.pgn"))?;
            print_row(jobs, "peer", &theirs);
            println!(
                "{jobs:>5}  {:<9} {:>8.2} {:>10.2} {:>15.2}x {:>8.2}",
                "ratio",
                ours.games_a_second() / theirs.games_a_second(),
                ours.plies_a_second() / theirs.plies_a_second(),
                ours.cpu_per_1000() / theirs.cpu_per_1000(),
                ours.peak_kib as f64 / theirs.peak_kib as f64,
            );
        }
    }
    fs::remove_dir_all(&scratch).map_err(|error| error.to_string())
}

fn ours(arguments: &Arguments, scratch: &Path, jobs: u32) -> Command {
    let engine = &arguments.engine;
    let (kind, limit) = arguments.limit();
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    let reports = scratch.join(format!("reports-{jobs}"));
    command
        .args(["match", engine, engine, &format!("--{kind}"), &limit, "--quiet"])
        .args(["--games", &arguments.games.to_string(), "--jobs", &jobs.to_string()])
        .args(["--max-moves", &MAX_MOVES.to_string()])
        .arg("--reports")
        .arg(reports);
    command
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
    let started = Instant::now();
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("{:?} cannot be started: {error}", command.get_program()))?;
    let (cpu, peak_kib) = watch(&mut child)?;
    let wall = started.elapsed();
    let text = read_games(pgn)?;
    let games = text.matches("[Result ").count() as u64;
    if games == 0 {
        return Err(format!("{:?} played no game", command.get_program()));
    }
    Ok(Row { games, plies: plies(&text), wall, cpu, peak_kib })
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

/// Follows a process to its end: CPU time of its own threads, and peak memory.
fn watch(child: &mut Child) -> Result<(Duration, u64), String> {
    let folder = PathBuf::from(format!("/proc/{}", child.id()));
    let (mut cpu, mut peak) = (Duration::ZERO, 0);
    loop {
        if let Some(now) = cpu_time(&folder) {
            cpu = cpu.max(now);
        }
        peak = peak.max(peak_memory(&folder).unwrap_or(0));
        if child.try_wait().map_err(|error| error.to_string())?.is_some() {
            return Ok((cpu, peak));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// User and system time of a process without its children, to a clock tick of 10 ms.
fn cpu_time(folder: &Path) -> Option<Duration> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // The name in brackets may hold spaces: count from behind it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(10 * ticks))
}

fn peak_memory(folder: &Path) -> Option<u64> {
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

impl Row {
    fn games_a_second(&self) -> f64 {
        self.games as f64 / self.wall.as_secs_f64()
    }

    fn plies_a_second(&self) -> f64 {
        self.plies as f64 / self.wall.as_secs_f64()
    }

    fn cpu_per_1000(&self) -> f64 {
        self.cpu.as_secs_f64() * 1000.0 / self.plies as f64
    }
}

fn print_row(jobs: u32, runner: &str, row: &Row) {
    println!(
        "{jobs:>5}  {runner:<9} {:>8.1} {:>10.0} {:>16.4} {:>8.1}",
        row.games_a_second(),
        row.plies_a_second(),
        row.cpu_per_1000(),
        row.peak_kib as f64 / 1024.0,
    );
}
