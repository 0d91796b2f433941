//! `harness gate`: may this change go in?

mod init;
mod output;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::init::InitArgs;
use self::output::Files;
use super::play::watched;
use crate::config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::gate::{
    CheckResult, Config, FILE_NAME, Gate, Named, Report, Verdict, bench, gate_page, verdict,
};
use crate::ledger::{Ledger, LedgerError, Resumed, Run, Status, write_atomically};
use crate::player::{self, EngineSpec, NamedFiles, Program};

/// Checks whether a change may go in: bench, speed, conformance, suites, strength.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  harness gate init                        # tries the engine, writes gate.yaml
  harness gate                             # HEAD against where it left main
  harness gate --base v1.2 --junit gate.xml
  harness gate --engine .                  # the working tree

Works in any engine's repository. Exit status: 0 passed, 1 failed, 3 undecided, 130 interrupted:
finished checks are kept, and the same command goes on with those that are missing. In a GitHub
workflow it writes the step's summary and annotates failures. `harness docs gate` tells what each
check means and how often it is wrong."
)]
pub struct GateArgs {
    #[command(subcommand)]
    command: Option<GateCommand>,
    /// What is checked.
    #[arg(value_name = "FILE", default_value = FILE_NAME)]
    file: PathBuf,
    /// The revision to be checked; `.` is the working tree.
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    engine: String,
    /// What it is compared with [default: where it left main].
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    #[command(flatten)]
    files: Files,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    Init(InitArgs),
}

/// What the ledger keeps to go on with.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The revision that is checked, for people.
    engine: String,
    /// What it is compared with, for people.
    base: String,
    /// The engine and its base.
    engines: [EngineSpec; 2],
    /// The node count that the change declares.
    declared: Option<u64>,
    /// Folder of the configuration.
    folder: PathBuf,
    /// What is checked.
    checks: Config,
}

/// Runs the command.
///
/// # Errors
/// When the configuration makes no sense, a revision does not build, or the user interrupts.
pub fn run(args: &GateArgs, context: &Context) -> Result<Exit, Failure> {
    if let Some(GateCommand::Init(args)) = &args.command {
        return init::run(args, context);
    }
    let kept = plan(args, context)?;
    let ledger = Ledger::open(&context.reports).or_failed()?;
    let plan = json!(kept);
    let run = match unfinished(&ledger, &plan).or_failed()? {
        Some(run) => {
            context.say(&format!("going on with {}", run.id()));
            run
        }
        None => ledger.start_run("gate", &plan).or_failed()?,
    };
    go_on(&ledger, &run, &kept, &args.files, context)
}

/// Goes on with a gate that ended early.
///
/// # Errors
/// As [`run`]; and when an engine is not what it was.
pub fn resume(ledger: &Ledger, run: &Run, plan: Value, context: &Context) -> Result<Exit, Failure> {
    let kept: Kept = serde_json::from_value(plan).map_err(|error| {
        Failure::Failed(miette::miette!("the plan of run `{}` cannot be read: {error}", run.id()))
    })?;
    player::check_unchanged(&kept.engines, &NamedFiles::default()).or_usage()?;
    go_on(ledger, run, &kept, &Files::default(), context)
}

/// Everything resolved and built, no check begun.
fn plan(args: &GateArgs, context: &Context) -> Result<Kept, Failure> {
    let checks = Config::read(&args.file).or_usage()?;
    let config = config::Config::find().or_usage()?;
    let base = match args.base.as_ref().or(checks.base.as_ref()) {
        Some(base) => base.clone(),
        None => left_main(&args.engine)?,
    };
    let revisions = [args.engine.as_str(), base.as_str()];
    let engines = player::resolve_all(&revisions, &[], &[], &config, context).or_usage()?;
    let engines: [EngineSpec; 2] = engines.try_into().map_err(|engines: Vec<EngineSpec>| {
        Failure::Usage(miette::miette!("a gate has two engines, not {}", engines.len()))
    })?;
    for (engine, revision) in engines.iter().zip(revisions) {
        program(engine, revision)?;
    }
    let message = if args.engine == "." {
        None
    } else {
        git(&["log", "--reverse", "--format=%B", &format!("{base}..{}", args.engine)])
    };
    let absolute = std::path::absolute(&args.file).unwrap_or_else(|_| args.file.clone());
    Ok(Kept {
        engine: short(&args.engine),
        base: short(&base),
        engines,
        declared: message.as_deref().and_then(bench::declared),
        folder: absolute.parent().unwrap_or(Path::new(".")).to_owned(),
        checks,
    })
}

/// The latest gate of the same programs and the same configuration that ended early.
fn unfinished(ledger: &Ledger, plan: &Value) -> Result<Option<Run>, LedgerError> {
    let runs = ledger.runs()?;
    let stopped =
        |row: &&crate::ledger::RunRow| row.command == "gate" && row.status == Status::Interrupted;
    for row in runs.iter().rev().filter(stopped) {
        if ledger.facts(&row.run)?.plan != *plan {
            continue;
        }
        match ledger.resume_run(&row.run) {
            Ok(Resumed { run, .. }) => return Ok(Some(run)),
            // Another process was quicker.
            Err(LedgerError::RunningNow { .. } | LedgerError::AlreadyFinished { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Runs the checks that are missing, and reports them all.
fn go_on(
    ledger: &Ledger,
    run: &Run,
    kept: &Kept,
    files: &Files,
    context: &Context,
) -> Result<Exit, Failure> {
    let named = |engine: &EngineSpec, shown: &str| match &engine.program {
        Program::Executable { path, sha256, .. } => {
            Ok((path.clone(), Named { shown: shown.to_owned(), sha256: sha256.clone() }))
        }
        Program::Builtin => Err(no_program(shown)),
    };
    let [engine, base] = &kept.engines;
    let (engine, base) = (named(engine, &kept.engine)?, named(base, &kept.base)?);
    let commit = match &kept.engines[0].program {
        Program::Executable { revision: Some(revision), .. } => revision.commit.clone(),
        _ => None,
    };
    let done = finished_checks(ledger, run)?;
    let mut keeper = Keeper { ledger, run, context, done: done.len() };
    let report = watched(context, |games| {
        let mut gate = Gate::new(&kept.checks, &kept.folder, context, engine, base);
        (gate.games, gate.declared, gate.commit) = (games, kept.declared, commit);
        gate.run(done, &mut keeper).or_failed()
    })?;
    let Some(mut report) = report else {
        return Err(Failure::Interrupted(format!(
            "{} of {} checks are kept; the same `harness gate`, or `harness resume {}`, goes on",
            keeper.done,
            kept.checks.count(),
            run.id()
        )));
    };
    report.run = Some(run.id().to_owned());
    ledger.finish(run, &json!(report)).or_failed()?;
    write(&run.folder().join("report.html"), &gate_page(&report))?;
    output::tell(files, &report, context)?;
    Ok(exit(&report))
}

fn exit(report: &Report) -> Exit {
    match report.verdict {
        Verdict::Passed => Exit::Good,
        Verdict::Failed => Exit::Bad,
        Verdict::Undecided => Exit::Undecided,
    }
}

fn finished_checks(ledger: &Ledger, run: &Run) -> Result<BTreeMap<u32, CheckResult>, Failure> {
    let unreadable = |number: u32, error: serde_json::Error| {
        Failure::Failed(miette::miette!("check {number} of run `{}`: {error}", run.id()))
    };
    let read = |(number, payload)| {
        let result = serde_json::from_value(payload).map_err(|error| unreadable(number, error))?;
        Ok((number, result))
    };
    ledger.checks(run.id()).or_failed()?.into_iter().map(read).collect()
}

/// Puts each finished check into the ledger, and says how it goes.
struct Keeper<'a> {
    ledger: &'a Ledger,
    run: &'a Run,
    context: &'a Context,
    done: usize,
}

impl crate::gate::Watcher for Keeper<'_> {
    type Error = LedgerError;

    fn begins(&mut self, name: &str) {
        self.context.say(&format!("{name} ..."));
    }

    fn ended(&mut self, number: u32, result: &CheckResult) -> Result<(), LedgerError> {
        self.ledger.record_check(self.run, number, &json!(result))?;
        self.done += 1;
        self.context.say(&format!("{}: {}", result.name, verdict(result)));
        Ok(())
    }
}

/// The file of an engine.
fn program<'a>(engine: &'a EngineSpec, shown: &str) -> Result<&'a Path, Failure> {
    engine.program_path().ok_or_else(|| no_program(shown))
}

fn no_program(shown: &str) -> Failure {
    Failure::Usage(miette::miette!(
        help = "name a revision or an executable",
        "`{shown}` is no program that a gate can check"
    ))
}

/// A full hash is no reading for people.
fn short(revision: &str) -> String {
    let is_hash = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { revision[..10].to_owned() } else { revision.to_owned() }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_atomically(path, text.as_bytes()).map_err(|error| {
        Failure::Failed(miette::miette!("cannot write {}: {error}", path.display()))
    })
}

/// Where a revision left main; on main itself, the commit before it.
fn left_main(revision: &str) -> Result<String, Failure> {
    let revision = if revision == "." { "HEAD" } else { revision };
    let head = git(&["rev-parse", "--verify", revision]);
    for main in ["origin/main", "main", "origin/master", "master"] {
        if let Some(base) = git(&["merge-base", revision, main])
            && Some(&base) != head.as_ref()
        {
            return Ok(base);
        }
    }
    git(&["rev-parse", "--verify", &format!("{revision}~1")]).ok_or_else(|| {
        Failure::Usage(miette::miette!(
            help = "name the revision to compare with: --base REV (a shallow clone has only one: \
                    fetch-depth: 0)",
            "`{revision}` has no commit before it"
        ))
    })
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
