//! `harness check`: whether an engine speaks UCI as a bench needs it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::ledger::write_atomically;
use crate::player::{self, DeclaredOption, OptionArg, OptionKind, StartSettings};
use crate::report::junit;

mod checks;
mod checkup;
mod endings;
mod evidence;
mod handshake;
mod searches;
mod talk;

use checks::{CHECKS, Check};
use checkup::{Checkup, Finding};
use evidence::Evidence;

/// Checks that an engine speaks UCI as a bench needs it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness check stockfish
  harness check ./my-engine --options     what can be set, with ranges
  harness check HEAD --json
  harness check ./my-engine --junit check.xml
  harness check ./my-engine --transcript check.sh      sh check.sh says the same to the engine

✓ passed   ! allowed, but it will give trouble   ✗ failed   - nothing to check
~ failed, and passed in a fresh process: it depends on what was sent before

Depths and times suit the engine's speed, which is measured first. Below a failure stands what was
sent and received, and a shell command that repeats it. The exit status is 1 when a check fails.")]
pub struct CheckArgs {
    /// A name in harness.yaml, a path, a program on PATH, a git revision or `builtin`.
    #[arg(value_name = "ENGINE")]
    engine: String,
    /// List the options that the engine offers, and check nothing else.
    #[arg(long)]
    options: bool,
    /// Set an option of the engine.
    #[arg(long, value_name = "NAME=VALUE")]
    option: Vec<OptionArg>,
    /// How long to wait for an answer before the engine counts as hung, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    patience: f64,
    /// Write the result to a file as JUnit XML too, which CI systems show.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a shell script that repeats what did not pass: what was sent and received, and the
    /// command that says it again.
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
}

/// The JSON object of `harness check --json`.
#[derive(Debug, Serialize)]
struct Output {
    engine: String,
    id: Option<String>,
    options: Vec<DeclaredOption>,
    checks: Vec<Line>,
    passed: bool,
}

/// The longest wait for a process to end.
const LONGEST_END: Duration = Duration::from_secs(2);

/// What one check found.
#[derive(Debug, Serialize)]
struct Line {
    name: &'static str,
    status: Status,
    /// Not failed.
    passed: bool,
    detail: String,
    seconds: f64,
    /// What was sent and received; of those that did not pass.
    #[serde(flatten)]
    evidence: Option<Evidence>,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Passed,
    Warning,
    Failed,
    /// Failed, and passed in a fresh process.
    OrderDependent,
    Skipped,
}

/// A check that was made.
struct Made {
    status: Status,
    detail: String,
    evidence: Option<Evidence>,
}

/// Makes a check; one that fails in a process that others have used before is made again in a
/// fresh one.
fn make(check: &Check, checkup: &mut Checkup<'_>) -> Made {
    checkup.begin();
    let first = made(check, checkup);
    if first.status != Status::Failed {
        return first;
    }
    // Whatever state it is in, the next check is not to suffer from it.
    checkup.end();
    if !checkup.used_before() {
        return first;
    }
    checkup.begin();
    let again = made(check, checkup);
    if again.status == Status::Failed {
        checkup.end();
        return again;
    }
    let detail = format!("{}; passes in a fresh process", first.detail);
    Made { status: Status::OrderDependent, detail, ..first }
}

fn made(check: &Check, checkup: &mut Checkup<'_>) -> Made {
    let (status, detail) = match (check.run)(checkup) {
        Ok(Finding::Passed(detail)) => (Status::Passed, detail),
        Ok(Finding::Warned(detail)) => (Status::Warning, detail),
        Ok(Finding::Skipped(why)) => (Status::Skipped, why.to_owned()),
        Err(detail) => (Status::Failed, detail),
    };
    let is_well = matches!(status, Status::Passed | Status::Skipped);
    let evidence = if is_well { None } else { checkup.evidence() };
    Made { status, detail, evidence }
}

/// Runs the command.
///
/// # Errors
/// When the engine cannot be found, or on interruption.
pub fn run(args: &CheckArgs, context: &Context) -> Result<Exit, Failure> {
    let config = Config::find()?;
    let engines = [args.engine.as_str()];
    let spec = player::resolve_all(&engines, &[], &args.option, &config, context)?.remove(0);
    let patience = Duration::try_from_secs_f64(args.patience).unwrap_or(Duration::MAX);
    let settings = StartSettings {
        handshake: patience,
        ready: patience,
        quit: patience.min(LONGEST_END),
        ..StartSettings::default()
    };
    let mut checkup = Checkup::new(&spec, settings, &context.interrupt);
    let mut output = Output {
        engine: spec.name.clone(),
        id: None,
        options: Vec::new(),
        checks: Vec::new(),
        passed: true,
    };
    let checks = if args.options { &CHECKS[..1] } else { &CHECKS[..] };
    let applying = checks.iter().filter(|check| check.applies_to(&spec.program));
    for (number, check) in applying.enumerate() {
        let started = Instant::now();
        let made = make(check, &mut checkup);
        if context.interrupt.is_set() {
            return Err(Failure::Interrupted("the check was not finished".to_owned()));
        }
        if let Some(fault) = checkup.wrong_setting() {
            return Err(fault.into());
        }
        let seconds = started.elapsed().as_secs_f64();
        let Made { status, detail, evidence } = made;
        let passed = status != Status::Failed;
        let line = Line { name: check.name, status, passed, detail, seconds, evidence };
        let is_shown = !args.options || !line.passed;
        if is_shown && !context.json {
            print_line(&line, context)?;
        }
        output.passed &= line.passed;
        output.checks.push(line);
        if !checkup.can_start() {
            break;
        }
        if number == 0 && !args.options {
            checkup.measure();
        }
    }
    output.id = checkup.id().map(str::to_owned);
    output.options = checkup.declared().to_vec();
    if let Some(path) = &args.junit {
        write_junit(path, &output)?;
    }
    if let Some(path) = &args.transcript {
        write_script(path, &output)?;
    }
    if context.json {
        context.print(&format!("{}\n", serde_json::json!(output)))?;
    } else if args.options && output.passed {
        context.print(&format!("{}\n", options_table(&output.options)))?;
    }
    Ok(if output.passed { Exit::Good } else { Exit::Bad })
}

fn print_line(line: &Line, context: &Context) -> Result<(), Failure> {
    let mark = match line.status {
        Status::Passed => '✓',
        Status::Warning => '!',
        Status::Failed => '✗',
        Status::OrderDependent => '~',
        Status::Skipped => '-',
    };
    // What an engine prints when it ends has several lines.
    let detail = line.detail.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = format!("{mark} {:<34} {detail}", line.name);
    let shows_why = matches!(line.status, Status::Failed | Status::OrderDependent);
    let evidence = line.evidence.as_ref().filter(|_| shows_why).map(Evidence::text);
    context.print(&format!("{}\n{}", text.trim_end(), evidence.unwrap_or_default()))
}

/// Writes a shell script that repeats what did not pass.
fn write_script(path: &Path, output: &Output) -> Result<(), Failure> {
    let mut text = format!("#!/bin/sh\n# harness check {}: what did not pass\n", output.engine);
    for line in &output.checks {
        let Some(evidence) = &line.evidence else { continue };
        let detail = line.detail.replace('\n', " ");
        text += &format!("\n# {}: {detail}\n{}", line.name, evidence.script());
    }
    write_atomically(path, text.as_bytes()).map_err(|error| {
        let path = path.display();
        Failure::Failed(miette::miette!(
            help = "--transcript FILE wants a file in a folder that is there and can be written",
            "cannot write {path}: {error}"
        ))
    })
}

fn write_junit(path: &Path, output: &Output) -> Result<(), Failure> {
    let cases = output.checks.iter().map(|line| junit::Case {
        name: line.name,
        seconds: line.seconds,
        outcome: match line.status {
            Status::Passed | Status::Warning => junit::Outcome::Passed(&line.detail),
            Status::Failed => junit::Outcome::Failed(&line.detail),
            Status::OrderDependent => junit::Outcome::Flaky(&line.detail),
            Status::Skipped => junit::Outcome::Skipped(&line.detail),
        },
    });
    let text = junit::suite(&format!("harness check {}", output.engine), cases);
    write_atomically(path, text.as_bytes()).map_err(|error| {
        let path = path.display();
        Failure::Failed(miette::miette!(
            help = "--junit FILE wants a file in a folder that is there and can be written",
            "cannot write {path}: {error}"
        ))
    })
}

fn options_table(options: &[DeclaredOption]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(100).set_header(["option", "type", "default", "values"]);
    for option in options {
        let [kind, default, values] = match &option.kind {
            OptionKind::Check { default } => ["check".into(), default.to_string(), String::new()],
            OptionKind::Spin { default, min, max } => {
                ["spin".into(), default.to_string(), format!("{min} to {max}")]
            }
            OptionKind::Combo { default, choices } => {
                ["combo".to_owned(), default.clone(), choices.join(", ")]
            }
            OptionKind::Button => ["button".to_owned(), String::new(), String::new()],
            OptionKind::String { default } => ["string".to_owned(), default.clone(), String::new()],
        };
        table.add_row([option.name.clone(), kind, default, values]);
    }
    table
}
