//! The bench of an engine, measured by the coordinator and checked by each worker: another number of nodes
//! means that it searches differently there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use super::ClusterError;
use super::manifest::WrongBench;
use super::sandbox::{self, Sandbox};
use harness_base::session::Interrupt;
use harness_player::bench::{self, BenchCommand, BenchError};
use harness_player::{CaptureError, EngineSpec, Program};

/// A bench that takes longer at the coordinator's is not one: some engines wait for ever.
const BENCH_TIMEOUT: Duration = Duration::from_secs(60);

/// A worker may be slower, and busy.
const WORKER_BENCH_TIMEOUT: Duration = Duration::from_secs(600);

/// Nodes of `PROGRAM bench`; an error if it has none or is interrupted.
fn nodes(program: &Path, interrupt: &Interrupt) -> Result<u64, BenchError> {
    let (path, words) = sandbox::here().around_program(program, &["bench".to_owned()]);
    let mut command = Command::new(path);
    command.args(words).current_dir(std::env::temp_dir());
    let shown = format!("{} bench", program.display());
    bench::measure(command, shown, &BenchCommand::default(), BENCH_TIMEOUT, interrupt)
        .map(|bench| bench.nodes)
}

/// The benches of those engines that were built from a revision, by the SHA-256 of the program. Each runs
/// twice: an engine without a bench, or with two different node counts, is not checked.
pub fn of_revisions(engines: &[EngineSpec], interrupt: &Interrupt) -> BTreeMap<String, u64> {
    let mut programs: BTreeMap<&str, (&str, &Path)> = BTreeMap::new();
    for EngineSpec { name, program, .. } in engines {
        if let Program::Executable { path, sha256, revision: Some(_), .. } = program {
            programs.insert(sha256, (name, path));
        }
    }
    let mut benches = BTreeMap::new();
    for (sha256, (name, path)) in programs {
        let both = thread::scope(|scope| {
            let other = scope.spawn(|| nodes(path, interrupt));
            let one = nodes(path, interrupt);
            (one, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        match both {
            (Ok(one), Ok(other)) if one == other => {
                benches.insert(sha256.to_owned(), one);
            }
            (Ok(one), Ok(other)) => tracing::warn!(
                "the bench of {name} has {one} and {other} nodes: workers do not check it"
            ),
            _ if interrupt.is_set() => {}
            (Err(error), _) | (_, Err(error)) => {
                tracing::warn!("workers do not check the bench of {name}: {error}");
            }
        }
    }
    benches
}

/// Checks the bench of a worker's program, unless it was right before.
///
/// # Errors
/// When it is another one, none, or is interrupted.
pub fn check(
    program: &Path,
    (engine, sha256): (&str, &str),
    expected: u64,
    sandbox: &Sandbox,
    interrupt: &Interrupt,
) -> Result<(), ClusterError> {
    let mark = mark(program);
    if fs::read_to_string(&mark).is_ok_and(|nodes| nodes == expected.to_string()) {
        return Ok(());
    }
    let (path, words) = sandbox.around_program(program, &["bench".to_owned()]);
    let mut command = Command::new(path);
    command.args(words).current_dir(std::env::temp_dir());
    let shown = format!("{engine} bench");
    let bench =
        bench::measure(command, shown, &BenchCommand::default(), WORKER_BENCH_TIMEOUT, interrupt);
    let found = bench.map_err(|error| match error {
        BenchError::NotRun(_, CaptureError::Interrupted) => ClusterError::Interrupted,
        error => ClusterError::NoBench { engine: engine.to_owned(), reason: error.to_string() },
    })?;
    if found.nodes != expected {
        let engine = engine.to_owned();
        let program = sha256.to_owned();
        let wrong = WrongBench { engine, program, expected, found: found.nodes };
        return Err(ClusterError::WrongBench(wrong));
    }
    fs::write(&mark, expected.to_string())
        .map_err(|source| ClusterError::file("write", &mark, source))
}

/// The file beside a program that says which bench it had.
fn mark(program: &Path) -> PathBuf {
    program.with_extension("bench")
}
