//! Running the checks, one after the other.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::bench::{self, Bench};
use super::config::{self, Config, Conformance, SameBench, Speed, Sprt, Suite, Undecided};
use super::report::{Measured, Report, Result, Verdict, overall};
use super::suite::Both;
use crate::context::Session;
use crate::player::capture;
use crate::runs::games;

/// A build of `same_bench` that takes longer counts as hung.
const LONGEST_BUILD: Duration = Duration::from_secs(3600);

/// An engine of a gate, for people and as a file.
#[derive(Clone, Debug)]
pub struct Named {
    /// The revision or the program, as people should read it.
    pub shown: String,
    /// SHA-256 of the program.
    pub sha256: String,
}

/// What the checks need to know.
pub struct Gate<'a> {
    /// What is checked.
    pub config: &'a Config,
    /// Folder of the configuration: commands run there.
    pub folder: &'a Path,
    /// Folder of the ledger, and what else its runs need.
    pub session: &'a Session,
    /// Sees the games of its SPRT.
    pub games: &'a games::Sink<'a>,
    /// The commit of the change, if it is one.
    pub commit: Option<String>,
    /// The engine of the change.
    pub engine: (PathBuf, Named),
    /// The engine of the base.
    pub base: (PathBuf, Named),
    /// The node count that the newest commit message of the change declares.
    pub declared: Option<u64>,
    /// Benches that ran.
    pub(super) benches: RefCell<HashMap<PathBuf, Bench>>,
    /// Suites that both engines were run on, by command line.
    pub(super) suites_of_both: RefCell<HashMap<String, Both>>,
}

/// A verdict with what was seen.
pub(super) struct Seen {
    verdict: Verdict,
    counts_as: Option<Verdict>,
    detail: String,
    measured: Option<Measured>,
    run: Option<String>,
}

impl Seen {
    pub(super) fn new(verdict: Verdict, detail: String) -> Seen {
        Seen { verdict, counts_as: None, detail, measured: None, run: None }
    }

    pub(super) fn with(self, measured: Measured) -> Seen {
        Seen { measured: Some(measured), ..self }
    }

    pub(super) fn of_run(self, run: Option<String>) -> Seen {
        Seen { run, ..self }
    }

    /// Says what no decision counts as.
    pub(super) fn counting(self, undecided: Undecided) -> Seen {
        let counts_as = match undecided {
            Undecided::Pass => Verdict::Passed,
            Undecided::Fail => Verdict::Failed,
            Undecided::Undecided => Verdict::Undecided,
        };
        Seen { counts_as: (self.verdict == Verdict::Undecided).then_some(counts_as), ..self }
    }
}

/// One of the checks that a configuration asks for.
enum Check<'a> {
    Bench,
    SameBench(&'a SameBench),
    Speed(&'a Speed),
    Conformance(&'a Conformance),
    Suite(&'a Suite),
    Sprt(&'a Sprt),
}

impl Check<'_> {
    fn name(&self) -> String {
        match self {
            Check::Bench => "bench".to_owned(),
            Check::SameBench(build) => format!("bench of {}", build.name),
            Check::Speed(_) => "speed".to_owned(),
            Check::Conformance(_) => "conformance".to_owned(),
            Check::Suite(suite) => format!("suite {}", suite.suite),
            Check::Sprt(_) => "sprt".to_owned(),
        }
    }
}

impl Config {
    /// The checks, in their order.
    fn checks(&self) -> Vec<Check<'_>> {
        let mut checks = Vec::new();
        checks.extend(self.bench.is_some().then_some(Check::Bench));
        checks.extend(self.same_bench.iter().map(Check::SameBench));
        checks.extend(self.speed.as_ref().map(Check::Speed));
        checks.extend(self.conformance.as_ref().map(Check::Conformance));
        checks.extend(self.suites.iter().map(Check::Suite));
        checks.extend(self.sprt.as_ref().map(Check::Sprt));
        checks
    }

    /// How many checks there are.
    pub fn count(&self) -> usize {
        self.checks().len()
    }
}

/// Sees the checks begin and end; an error stops the gate.
pub trait Watcher {
    /// What it may fail with.
    type Error;

    /// A check begins.
    fn begins(&mut self, name: &str);

    /// The check of this number ended; it is to be kept.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn ended(&mut self, number: u32, result: &Result) -> std::result::Result<(), Self::Error>;
}

impl<'a> Gate<'a> {
    /// A gate of `engine` against `base`, before any check.
    pub fn new(
        config: &'a Config,
        folder: &'a Path,
        session: &'a Session,
        engine: (PathBuf, Named),
        base: (PathBuf, Named),
    ) -> Gate<'a> {
        Gate {
            config,
            folder,
            session,
            games: &|_| (),
            commit: None,
            engine,
            base,
            declared: None,
            benches: RefCell::default(),
            suites_of_both: RefCell::default(),
        }
    }

    /// Runs every check that is not among `done`; `None` when interrupted.
    ///
    /// # Errors
    /// The watcher's.
    pub fn run<W: Watcher>(
        &self,
        mut done: BTreeMap<u32, Result>,
        watcher: &mut W,
    ) -> std::result::Result<Option<Report>, W::Error> {
        for (number, check) in (0..).zip(self.config.checks()) {
            if done.contains_key(&number) {
                continue;
            }
            if self.session.interrupt.is_set() {
                return Ok(None);
            }
            let name = check.name();
            watcher.begins(&name);
            let begun = Instant::now();
            let seen = match check {
                Check::Bench => self.signature(),
                Check::SameBench(build) => self.same_bench(build),
                Check::Speed(speed) => self.speed(speed),
                Check::Conformance(conformance) => self.conformance(conformance),
                Check::Suite(suite) => self.suite(suite),
                Check::Sprt(sprt) => self.sprt(sprt),
            };
            // What an interrupted check saw is not what it would have seen.
            if self.session.interrupt.is_set() {
                return Ok(None);
            }
            // What cannot be checked is not in order.
            let seen = seen.unwrap_or_else(|error| Seen::new(Verdict::Failed, error));
            let Seen { verdict, counts_as, detail, measured, run } = seen;
            let seconds = begun.elapsed().as_secs_f64();
            let result = Result { name, verdict, counts_as, detail, measured, run, seconds };
            watcher.ended(number, &result)?;
            done.insert(number, result);
        }
        let checks: Vec<Result> = done.into_values().collect();
        let (revision, base) = (self.engine.1.shown.clone(), self.base.1.shown.clone());
        let (verdict, commit) = (overall(&checks), self.commit.clone());
        Ok(Some(Report { run: None, commit, verdict, revision, base, checks }))
    }

    fn signature(&self) -> std::result::Result<Seen, String> {
        let now = self.bench(&self.engine.0)?.nodes;
        if let Some(declared) = self.declared {
            let verdict = if now == declared { Verdict::Passed } else { Verdict::Failed };
            let detail = format!("{now} nodes; the commit message says {declared}");
            return Ok(Seen::new(verdict, detail).with(Measured::Bench { nodes: now }));
        }
        let before = self.bench(&self.base.0)?.nodes;
        let seen = if now == before {
            Seen::new(Verdict::Passed, format!("{now} nodes, as before"))
        } else {
            let detail = format!(
                "{now} nodes instead of {before}; if that is meant, say `Bench: {now}` in the \
                 commit message"
            );
            Seen::new(Verdict::Failed, detail)
        };
        Ok(seen.with(Measured::Bench { nodes: now }))
    }

    fn same_bench(&self, build: &SameBench) -> std::result::Result<Seen, String> {
        let mut command = Command::new("sh");
        command.args(["-c", &build.build]).current_dir(self.folder);
        let done = capture(command, LONGEST_BUILD, &self.session.interrupt)
            .map_err(|error| format!("`{}`: {error}", build.build))?;
        if !done.status.success() {
            let lines: Vec<&str> = done.stderr.lines().collect();
            let last = lines[lines.len().saturating_sub(5)..].join(" ");
            return Err(format!("`{}` failed ({}): {last}", build.build, done.status));
        }
        let (now, other) =
            (self.bench(&self.engine.0)?, self.bench(&self.folder.join(&build.binary))?);
        let verdict = if now.nodes == other.nodes { Verdict::Passed } else { Verdict::Failed };
        Ok(Seen::new(verdict, format!("{} nodes; the engine itself {}", other.nodes, now.nodes)))
    }

    /// The bench of a program, run once.
    pub(super) fn bench(&self, program: &Path) -> std::result::Result<Bench, String> {
        if let Some(bench) = self.benches.borrow().get(program) {
            return Ok(*bench);
        }
        self.measure(program)
    }

    /// The bench of a program, run again.
    pub(super) fn measure(&self, program: &Path) -> std::result::Result<Bench, String> {
        let usual = config::Bench::default();
        let how = self.config.bench.as_ref().unwrap_or(&usual);
        let bench = bench::run(program, how, self.folder, bench::PATIENCE, &self.session.interrupt)
            .map_err(|error| error.to_string())?;
        self.benches.borrow_mut().insert(program.to_owned(), bench);
        Ok(bench)
    }
}

pub(super) fn dash(text: &str) -> &str {
    if text.is_empty() { "–" } else { text }
}
