//! A gate as a run: planned from a configuration, executed with events, resumed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::Diagnostic as _;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::checks::Watcher;
use super::comparison::{Gate, Named};
use super::config::{Config, FILE_NAME};
use crate::{games, read_plan, write_page};
use harness_base::config;
use harness_base::failure::{Failure, OrFail};
use harness_base::hint::reports_command;
use harness_base::session::Session;
use harness_ledger::{Ledger, LedgerError, Resumed, Run, RunRow, Status};
use harness_outcome::gate::{CheckResult, GateReport, Verdict};
use harness_player::bench;
use harness_player::{self as player, EngineSpec, NamedFiles, Program};
use harness_report::html::{Shown, gate_page};

/// The command under which the ledger has the runs.
pub const COMMAND: &str = "gate";

/// Plain description of a gate.
#[derive(Clone, Debug)]
pub struct GateRequest {
    /// The configuration.
    pub file: PathBuf,
    /// The revision to be checked; `.` is the working tree.
    pub engine: String,
    /// The base of the comparison; `None`: as the file says, or where it left main.
    pub base: Option<String>,
}

impl Default for GateRequest {
    fn default() -> GateRequest {
        GateRequest { file: PathBuf::from(FILE_NAME), engine: "HEAD".to_owned(), base: None }
    }
}

/// Something that happened in a gate.
pub enum Event<'a> {
    /// The run begins or continues.
    Started {
        /// Its id.
        run: &'a str,
        /// The revision that is checked, for people.
        engine: &'a str,
        /// The base of the comparison, for people.
        base: &'a str,
        /// Checks that are done.
        done: u64,
        /// Checks of the gate.
        of: u64,
    },
    /// A gate of the same programs and configuration that ended early continues.
    GoesOn {
        /// Its run.
        run: &'a str,
    },
    /// A check begins.
    Begins {
        /// Its name.
        check: &'a str,
    },
    /// How far a check is that plays no games.
    Doing {
        /// Its name.
        check: &'a str,
        /// `3 of at most 10 runs`.
        step: &'a str,
    },
    /// A check ended, and is kept.
    Ended(&'a CheckResult),
    /// Something happened in its SPRT.
    Games(&'a games::Event<'a>),
}

/// Takes every event; those of games from several threads at once.
pub type Sink<'a> = dyn Fn(&Event<'_>) + Sync + 'a;

/// A planned gate: both engines are built, no check has begun.
#[derive(Serialize, Deserialize)]
pub struct GateRun {
    /// The revision that is checked, for people.
    engine: String,
    /// The base of the comparison, for people.
    base: String,
    /// The engine and its base.
    engines: [EngineSpec; 2],
    /// The node count that the change declares.
    declared: Option<u64>,
    /// Folder of the configuration.
    #[serde(with = "harness_base::text::path")]
    folder: PathBuf,
    /// The checks.
    checks: Config,
}

/// The checks of a configuration, and its folder.
///
/// # Errors
/// When it makes no sense, or names a file that cannot be read.
pub(super) fn read_checks(file: &Path) -> Result<(Config, PathBuf), Failure> {
    let checks = Config::read(file).or_usage()?;
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = absolute.parent().unwrap_or(Path::new(".")).to_owned();
    checks.check_files(&folder).or_usage()?;
    Ok((checks, folder))
}

impl GateRun {
    /// Reads the configuration, finds and builds the engines.
    ///
    /// # Errors
    /// When the configuration makes no sense, or a revision does not build.
    pub fn plan(request: &GateRequest, session: &Session) -> Result<GateRun, Failure> {
        let (checks, folder) = read_checks(&request.file)?;
        let config = config::Config::find().or_usage()?;
        let base = match request.base.as_ref().or(checks.base.as_ref()) {
            Some(base) => base.clone(),
            None => left_main(&request.engine)?,
        };
        let revisions = [request.engine.as_str(), base.as_str()];
        let engines = player::resolve_all(&revisions, &[], &[], &config, session)?;
        let engines: [EngineSpec; 2] = engines.try_into().map_err(|engines: Vec<EngineSpec>| {
            Failure::Usage(miette::miette!("a gate has two engines, not {}", engines.len()))
        })?;
        for (engine, revision) in engines.iter().zip(revisions) {
            program(engine, revision)?;
        }
        let message = if request.engine == "." {
            None
        } else {
            player::git_here(&[
                "log",
                "--reverse",
                "--format=%B",
                &format!("{base}..{}", request.engine),
            ])
        };
        Ok(GateRun {
            engine: short(&request.engine),
            base: short(&base),
            engines,
            declared: message.as_deref().and_then(bench::declared),
            folder,
            checks,
        })
    }

    /// Runs the checks; those that an interrupted gate of the same programs and configuration has
    /// finished are kept.
    ///
    /// # Errors
    /// When a check cannot be kept, or the user interrupts.
    pub fn start(&self, session: &Session, sink: &Sink<'_>) -> Result<GateReport, Failure> {
        let ledger = Ledger::open(&session.reports).or_failed()?;
        let plan = json!(self);
        let run = match unfinished(&ledger, &plan).or_failed()? {
            Some(run) => {
                sink(&Event::GoesOn { run: run.id() });
                run
            }
            None => ledger.start_run(COMMAND, &plan).or_failed()?,
        };
        self.run_checks(&ledger, &run, session, sink)
    }

    /// Runs the checks that are missing, and reports them all.
    fn run_checks(
        &self,
        ledger: &Ledger,
        run: &Run,
        session: &Session,
        sink: &Sink<'_>,
    ) -> Result<GateReport, Failure> {
        let named = |engine: &EngineSpec, shown: &str| match &engine.program {
            Program::Executable { path, sha256, .. } => {
                Ok((path.clone(), Named { shown: shown.to_owned(), sha256: sha256.clone() }))
            }
            Program::Builtin => Err(no_program(shown)),
        };
        let [engine, base] = &self.engines;
        let (engine, base) = (named(engine, &self.engine)?, named(base, &self.base)?);
        let done = finished_checks(ledger, run)?;
        sink(&Event::Started {
            run: run.id(),
            engine: &self.engine,
            base: &self.base,
            done: done.len() as u64,
            of: self.checks.count() as u64,
        });
        let games = |event: &games::Event<'_>| sink(&Event::Games(event));
        let mut gate = Gate::new(&self.checks, &self.folder, session, engine, base);
        let check = RefCell::new(String::new());
        let doing = |step: &str| sink(&Event::Doing { check: &check.borrow(), step });
        (gate.games, gate.doing, gate.declared) = (&games, &doing, self.declared);
        gate.run = Some(run.id().to_owned());
        gate.commit = match &self.engines[0].program {
            Program::Executable { revision: Some(revision), .. } => revision.commit.clone(),
            _ => None,
        };
        let mut keeper = Keeper { ledger, run, sink, check: &check, done: done.len() };
        let Some(mut report) = gate.run(done, &mut keeper).or_failed()? else {
            return Err(Failure::Interrupted(format!(
                "{} of {} checks are kept; the same `harness gate`, or {}, continues",
                keeper.done,
                self.checks.count(),
                reports_command("resume", run.id())
            )));
        };
        report.run = Some(run.id().to_owned());
        ledger.finish(run, &json!(report)).or_failed()?;
        write_page(run, &gate_page(&report, Shown::Finished))?;
        Ok(report)
    }
}

/// Resumes a gate that ended early.
///
/// # Errors
/// As [`GateRun::start`]; and when an engine is not what it was.
pub fn resume(
    ledger: &Ledger,
    run: &Run,
    plan: Value,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<GateReport, Failure> {
    let gate: GateRun = read_plan(run, plan)?;
    player::check_unchanged(&gate.engines, &NamedFiles::default()).or_usage()?;
    gate.run_checks(ledger, run, session, sink)
}

/// The latest gate of the same programs and the same configuration that ended early.
fn unfinished(ledger: &Ledger, plan: &Value) -> Result<Option<Run>, LedgerError> {
    let runs = ledger.runs()?;
    let stopped = |row: &&RunRow| row.command == COMMAND && row.status == Status::Interrupted;
    for row in runs.iter().rev().filter(stopped) {
        if ledger.facts(&row.run)?.plan != *plan {
            continue;
        }
        match ledger.resume_run(&row.run) {
            Ok(Resumed { run, .. }) => return Ok(Some(run)),
            // Another process was quicker.
            Err(LedgerError::RunningNow(..) | LedgerError::AlreadyFinished(..)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// The report of a gate that is not finished: the checks that are. `revision` and `base` are those of
/// its plan.
///
/// # Errors
/// When the ledger cannot be read. A check that an older version wrote otherwise is left out.
pub fn report_so_far(
    ledger: &Ledger,
    run: &str,
    revision: String,
    base: String,
) -> Result<GateReport, LedgerError> {
    let checks = ledger.checks(run)?.into_iter();
    let checks: Vec<CheckResult> =
        checks.filter_map(|(_, payload)| serde_json::from_value(payload).ok()).collect();
    let failed = checks.iter().any(|check| check.verdict == Verdict::Failed);
    Ok(GateReport {
        run: Some(run.to_owned()),
        commit: None,
        verdict: if failed { Verdict::Failed } else { Verdict::Undecided },
        revision,
        base,
        checks,
    })
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

/// Puts each finished check into the ledger.
struct Keeper<'a> {
    ledger: &'a Ledger,
    run: &'a Run,
    sink: &'a Sink<'a>,
    /// The name of the present check.
    check: &'a RefCell<String>,
    done: usize,
}

impl Watcher for Keeper<'_> {
    type Error = LedgerError;

    fn begins(&mut self, name: &str) {
        name.clone_into(&mut self.check.borrow_mut());
        (self.sink)(&Event::Begins { check: name });
    }

    fn ended(&mut self, number: u32, result: &CheckResult) -> Result<(), LedgerError> {
        self.ledger.record_check(self.run, number, &json!(result))?;
        self.done += 1;
        (self.sink)(&Event::Ended(result));
        Ok(())
    }
}

/// The file of an engine, shown as `shown`.
///
/// # Errors
/// When it has none.
pub fn program<'a>(engine: &'a EngineSpec, shown: &str) -> Result<&'a Path, Failure> {
    engine.program_path().ok_or_else(|| no_program(shown))
}

fn no_program(shown: &str) -> Failure {
    Failure::Usage(miette::miette!(
        help = "name a revision or an executable",
        "`{shown}` is no program that a gate can check"
    ))
}

/// A revision for people: a full hash is shortened to ten digits.
pub fn short(revision: &str) -> String {
    let is_hash = revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { revision[..10].to_owned() } else { revision.to_owned() }
}

/// Where a revision left main; on main itself, the commit before it.
///
/// # Errors
/// When there is no commit before it, or it is no revision.
pub fn left_main(revision: &str) -> Result<String, Failure> {
    let revision = if revision == "." { "HEAD" } else { revision };
    let head = player::commit_of(revision).map_err(|error| {
        let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
        Failure::Usage(miette::miette!(
            help = format!("name it by --base REV{help}"),
            "it is not known what to compare `{revision}` with: {error}"
        ))
    })?;
    for main in ["origin/main", "main", "origin/master", "master"] {
        if let Some(base) = player::git_here(&["merge-base", &head.hash, main])
            && base != head.hash
        {
            return Ok(base);
        }
    }
    Ok(player::commit_before(revision).or_usage()?.hash)
}
