//! The checks of a gate, one after the other.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

use super::comparison::{CheckOutcome, Gate};
use super::config::{Config, Conformance, FILE_NAME, Rating, SameBench, Speed, Sprt, Suite};
use super::error::CheckError;
use harness_outcome::gate::{CheckResult, GateReport, Measured, Verdict, overall};
use harness_player::capture;

/// A build of `same_bench` that takes longer counts as hung.
const BUILD_TIMEOUT: Duration = Duration::from_secs(3600);

/// One of the checks that a configuration asks for.
enum Check<'a> {
    Bench,
    SameBench(&'a SameBench),
    Speed(&'a Speed),
    Conformance(&'a Conformance),
    Suite(&'a Suite),
    Sprt(&'a Sprt),
    Rating(&'a Rating),
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
            Check::Rating(_) => "rating".to_owned(),
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
        checks.extend(self.rating.as_ref().map(Check::Rating));
        checks
    }

    /// How many checks there are.
    pub fn count(&self) -> usize {
        self.checks().len()
    }
}

/// Is called as checks begin and end; an error stops the gate.
pub trait Watcher {
    /// Why it failed.
    type Error;

    /// A check begins.
    fn begins(&mut self, name: &str);

    /// The check of this number ended.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn ended(&mut self, number: u32, result: &CheckResult) -> Result<(), Self::Error>;
}

impl Gate<'_> {
    /// Runs every check that is not among `done`; `None` when interrupted.
    ///
    /// # Errors
    /// The watcher's.
    pub fn run<W: Watcher>(
        &self,
        mut done: BTreeMap<u32, CheckResult>,
        watcher: &mut W,
    ) -> Result<Option<GateReport>, W::Error> {
        for (number, check) in (0..).zip(self.config.checks()) {
            if done.contains_key(&number) {
                continue;
            }
            if self.session.interrupt.is_finishing() {
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
                Check::Rating(rating) => self.rating(rating),
            };
            // An interrupted check has no verdict.
            let is_stopped = seen.as_ref().is_err_and(CheckError::is_interrupted);
            if is_stopped || self.session.interrupt.is_set() {
                return Ok(None);
            }
            // A check that cannot be made fails.
            let seen =
                seen.unwrap_or_else(|error| CheckOutcome::new(Verdict::Failed, error.to_string()));
            let CheckOutcome { verdict, counts_as, detail, measured, run } = seen;
            let seconds = begun.elapsed().as_secs_f64();
            let result = CheckResult { name, verdict, counts_as, detail, measured, run, seconds };
            watcher.ended(number, &result)?;
            done.insert(number, result);
        }
        let checks: Vec<CheckResult> = done.into_values().collect();
        let (revision, base) = (self.engine.1.shown.clone(), self.base.1.shown.clone());
        let (verdict, commit) = (overall(&checks), self.commit.clone());
        Ok(Some(GateReport { run: None, commit, verdict, revision, base, checks }))
    }

    fn signature(&self) -> Result<CheckOutcome, CheckError> {
        let now = self.bench(&self.engine.0)?.nodes;
        let (wanted, text) = match self.declared {
            Some(declared) => {
                (declared, format!("{now} nodes; the commit message says {declared}"))
            }
            None => {
                let before = self.of_base(self.bench(&self.base.0))?.nodes;
                let text = match now == before {
                    true => format!("{now} nodes, as before"),
                    false => format!(
                        "{now} nodes instead of {before}; if that is meant, say `Bench: {now}` in \
                         the commit message"
                    ),
                };
                (before, text)
            }
        };
        let seen = match now == wanted {
            true => CheckOutcome::new(Verdict::Passed, text),
            false => CheckOutcome::new(Verdict::Failed, self.unless_it_varies(now, text)?),
        };
        Ok(seen.with(Measured::Bench { nodes: now }))
    }

    /// The fault of a node count of the engine, unless a second run gives yet another one.
    fn unless_it_varies(&self, now: u64, text: String) -> Result<String, CheckError> {
        let again = self.measure(&self.engine.0)?.nodes;
        Ok(match again == now {
            true => text,
            false => format!(
                "the bench does not repeat: {now} nodes, then {again}. It is no signature before it \
                 does (one thread, an empty hash table, no clock); without `bench:` in {FILE_NAME} \
                 it is not compared"
            ),
        })
    }

    fn same_bench(&self, build: &SameBench) -> Result<CheckOutcome, CheckError> {
        let mut command = Command::new("sh");
        command.args(["-c", &build.build]).current_dir(self.folder);
        let done = capture(command, BUILD_TIMEOUT, &self.session.interrupt, &mut |_| ())
            .map_err(|error| CheckError::BuildNotRun(build.build.clone(), error))?;
        if !done.status.success() {
            let lines: Vec<&str> = done.stderr.lines().collect();
            let last = lines[lines.len().saturating_sub(5)..].join(" ");
            let status = done.status.to_string();
            return Err(CheckError::BuildFailed(build.build.clone(), status, last));
        }
        let (now, other) =
            (self.bench(&self.engine.0)?, self.bench(&self.folder.join(&build.binary))?);
        let text = format!("{} nodes; the engine itself {}", other.nodes, now.nodes);
        Ok(match now.nodes == other.nodes {
            true => CheckOutcome::new(Verdict::Passed, text),
            false => CheckOutcome::new(Verdict::Failed, self.unless_it_varies(now.nodes, text)?),
        })
    }
}
