//! UCI conformance.
//!
//! [`check`] makes the checks one after the other and returns a [`Report`]; an observer sees each
//! result as it comes. Start reading at `checks.rs`, the list of all checks in their order;
//! `checkup.rs` is the engine under examination, `ender.rs` and `limits.rs` what ends its searches, `evidence.rs` the
//! conversation with it. Knows the
//! players, and of [`report`](harness_report) the JUnit format.

use std::time::{Duration, Instant};

use serde::Serialize;

use harness_base::failure::Failure;
use harness_base::session::Interrupt;
use harness_player::{DeclaredOption, EngineSpec, StartSettings};
use harness_report::junit;

mod checks;
mod checkup;
mod ender;
mod endings;
mod evidence;
mod handshake;
mod limits;
mod search;
mod searches;
mod talk;

use checks::{CHECKS, Check};
use checkup::{Checkup, Finding};
pub use evidence::Evidence;

/// The longest wait for a process to end.
const MAX_QUIT_TIME: Duration = Duration::from_secs(2);

/// The extent of the checks, and the patience for a reply.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Only the start, which lists the options.
    pub options_only: bool,
    /// Time without a reply after which the engine counts as hung.
    pub patience: Duration,
}

impl Default for Settings {
    /// Every check, and ten seconds.
    fn default() -> Settings {
        Settings { options_only: false, patience: Duration::from_secs(10) }
    }
}

/// The results of the checks of an engine; as JSON, the object of `harness check --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Its name in the report.
    pub engine: String,
    /// The name that it prints.
    pub id: Option<String>,
    /// The options that it declares.
    pub options: Vec<DeclaredOption>,
    /// The checks that were made, in their order.
    pub checks: Vec<CheckResult>,
    /// No check failed.
    pub passed: bool,
}

/// The result of a check.
#[derive(Clone, Debug, Serialize)]
pub struct CheckResult {
    /// Its name.
    pub name: &'static str,
    /// How it ended.
    pub status: Status,
    /// Not failed.
    pub passed: bool,
    /// The observation, or the fault.
    pub detail: String,
    /// How long it took.
    pub seconds: f64,
    /// The lines sent and received, of a check that did not pass.
    #[serde(flatten)]
    pub evidence: Option<Evidence>,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No fault.
    Passed,
    /// Allowed, but likely to cause trouble.
    Warning,
    /// A fault of the engine.
    Failed,
    /// Failed, and passed in a fresh process.
    OrderDependent,
    /// Nothing to check.
    Skipped,
}

/// Checks an engine; `observer` sees each result as it comes, and its error ends the checks.
///
/// # Errors
/// When an option that is to be set is refused, on interruption, and as `observer`.
pub fn check(
    spec: &EngineSpec,
    settings: Settings,
    interrupt: &Interrupt,
    mut observer: impl FnMut(&CheckResult) -> Result<(), Failure>,
) -> Result<Report, Failure> {
    let Settings { options_only, patience } = settings;
    let start = StartSettings {
        handshake: patience,
        ready: patience,
        quit: patience.min(MAX_QUIT_TIME),
        ..StartSettings::default()
    };
    let mut checkup = Checkup::new(spec, start, interrupt);
    let mut results = Vec::new();
    let checks = if options_only { &CHECKS[..1] } else { &CHECKS[..] };
    let applying = checks.iter().filter(|check| check.applies_to(&spec.program));
    for (number, check) in applying.enumerate() {
        let result = time_check(check, &mut checkup);
        if interrupt.is_set() {
            return Err(Failure::Interrupted("the check was not finished".to_owned()));
        }
        if let Some(fault) = checkup.wrong_setting() {
            return Err(fault.into());
        }
        observer(&result)?;
        results.push(result);
        if !checkup.can_start() {
            break;
        }
        if number == 0 && !options_only {
            checkup.measure();
        }
    }
    Ok(Report {
        engine: spec.name.clone(),
        id: checkup.id().map(str::to_owned),
        options: checkup.declared().to_vec(),
        passed: results.iter().all(|result| result.passed),
        checks: results,
    })
}

/// Makes a check; one that fails in a process that others used before is repeated in a fresh one.
fn time_check(check: &Check, checkup: &mut Checkup<'_>) -> CheckResult {
    let started = Instant::now();
    let mut result = first_or_again(check, checkup);
    result.seconds = started.elapsed().as_secs_f64();
    result
}

fn first_or_again(check: &Check, checkup: &mut Checkup<'_>) -> CheckResult {
    checkup.begin();
    let first = run_check(check, checkup);
    if first.status != Status::Failed {
        return first;
    }
    // The next check gets a fresh process.
    checkup.end();
    if !checkup.used_before() {
        return first;
    }
    checkup.begin();
    let again = run_check(check, checkup);
    if again.status == Status::Failed {
        checkup.end();
        return again;
    }
    let detail = format!("{}; passes in a fresh process", first.detail);
    CheckResult { status: Status::OrderDependent, passed: true, detail, ..first }
}

/// Makes a check once, untimed.
fn run_check(check: &Check, checkup: &mut Checkup<'_>) -> CheckResult {
    let (status, detail) = match (check.run)(checkup) {
        Ok(Finding::Passed(detail)) => (Status::Passed, detail),
        Ok(Finding::Warned(detail)) => (Status::Warning, detail),
        Ok(Finding::Skipped(why)) => (Status::Skipped, why.to_owned()),
        Err(wrong) => (Status::Failed, wrong.to_string()),
    };
    let is_well = matches!(status, Status::Passed | Status::Skipped);
    let evidence = if is_well { None } else { checkup.evidence() };
    let passed = status != Status::Failed;
    CheckResult { name: check.name, status, passed, detail, seconds: 0.0, evidence }
}

impl Report {
    /// A shell script that repeats what did not pass.
    pub fn script(&self) -> String {
        let mut text = format!("#!/bin/sh\n# harness check {}: what did not pass\n", self.engine);
        for check in &self.checks {
            let Some(evidence) = &check.evidence else { continue };
            let detail = check.detail.replace('\n', " ");
            text += &format!("\n# {}: {detail}\n{}", check.name, evidence.script());
        }
        text
    }

    /// As JUnit XML.
    pub fn junit(&self) -> String {
        let cases = self.checks.iter().map(|check| junit::Case {
            name: check.name,
            seconds: check.seconds,
            outcome: match check.status {
                Status::Passed | Status::Warning => junit::Outcome::Passed(&check.detail),
                Status::Failed => junit::Outcome::Failed(&check.detail),
                Status::OrderDependent => junit::Outcome::Flaky(&check.detail),
                Status::Skipped => junit::Outcome::Skipped(&check.detail),
            },
        });
        junit::suite(&format!("harness check {}", self.engine), cases)
    }
}
