//! A bisection by a shell command, which says good or bad without noise.
//!
//! Nothing is taken for granted: the ends are tested first, and the ends and the neighbours of the
//! answer twice, so that a test that says now one thing and now the other is noticed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::posterior::Answer;
use super::run::{BisectRun, Event, Part};
use super::steps::{StepResult, Steps};
use crate::games::{interruption, of_whole};
use harness_base::failure::Failure;
use harness_base::text::{decode, fill_word, last_lines};
use harness_player::{CaptureError, Commit, EngineSpec, Program, run_to_end};

/// How often the ends and the neighbours of the answer are tested.
const TIMES: usize = 2;

/// Lines of a test's output in an error.
const LOG_LINES: usize = 5;

impl BisectRun {
    /// The commits whose tests contradict each other.
    pub(super) fn flaky(&self, steps: &Steps) -> Vec<Commit> {
        let all = std::iter::once(None).chain((0..self.commits.len()).map(Some));
        let flaky = all.filter(|&commit| {
            let tests = steps.tests(commit);
            tests.contains(&true) && tests.contains(&false)
        });
        flaky.map(|commit| self.commit(commit).clone()).collect()
    }

    /// A commit by its number; `None` is the good one.
    pub(super) fn commit(&self, number: Option<usize>) -> &Commit {
        number.map_or(&self.good, |number| &self.commits[number])
    }
}

impl Part<'_> {
    /// Tests until the answer is sure, no commit is left, or the test contradicts itself.
    pub(super) fn test_all(&mut self, command: &str) -> Result<(), Failure> {
        while let Some(commit) = self.next_test()? {
            self.check_interrupt()?;
            let (run, session) = (self.run, self.session);
            self.test(commit, command).map_err(|failure| of_whole(failure, run, session))?;
        }
        Ok(())
    }

    /// The commit to test next: the ends, then the one that halves what is left, at last the
    /// neighbours of the answer again.
    fn next_test(&self) -> Result<Option<Option<usize>>, Failure> {
        if !self.bisect.flaky(&self.steps).is_empty() {
            return Ok(None);
        }
        let last = self.bisect.commits.len() - 1;
        self.check_ends(last)?;
        let due = |commit| self.steps.tests(commit).len() < TIMES;
        if let Some(end) = [None, Some(last)].into_iter().find(|&end| due(end)) {
            return Ok(Some(end));
        }
        if self.steps.is_good(Some(last)) {
            return Ok(None);
        }
        let posterior = self.posterior();
        let Some(Answer::Found { first, last, .. }) = posterior.answer() else {
            let is_new = |&commit: &usize| self.steps.tests(Some(commit)).is_empty();
            return Ok(posterior.next().filter(is_new).map(Some));
        };
        let is_tested = |commit: &usize| !self.steps.tests(Some(*commit)).is_empty();
        let before = (0..first).rev().find(is_tested);
        Ok([before, Some(last)].into_iter().find(|&neighbour| due(neighbour)))
    }

    /// The ends have to be what they are said to be.
    fn check_ends(&self, last: usize) -> Result<(), Failure> {
        let good = &self.bisect.good;
        if self.steps.tests(None).contains(&true) {
            let log = self.log(good, 0);
            let help = format!(
                "GOOD has to pass the test: name an older revision, or correct the test; its output \
                 is in {}",
                log.display()
            );
            return Err(Failure::Usage(miette::miette!(
                help = help,
                "the test fails at {} already, which is said to be good",
                good.short()
            )));
        }
        match self.steps.skipped(last) {
            None => Ok(()),
            Some(reason) => Err(Failure::Usage(miette::miette!(
                help = "BAD has to fail the test: name an older revision as BAD",
                "{} cannot be tested, which is said to be bad: {reason}",
                self.bisect.commits[last].short()
            ))),
        }
    }

    /// Where the output of a test goes; `before` is how often the commit was tested before.
    fn log(&self, commit: &Commit, before: usize) -> PathBuf {
        let again = if before > 0 { format!("-{}", before + 1) } else { String::new() };
        self.run.folder().join(format!("test-{}{again}.log", commit.short()))
    }

    /// Builds a commit and runs the command.
    fn test(&mut self, number: Option<usize>, command: &str) -> Result<(), Failure> {
        let commit = self.bisect.commit(number);
        let before = self.steps.tests(number).len();
        (self.sink)(&Event::Test { commit, before });
        let Some(engine) = self.build(number)? else { return Ok(()) };
        let log = self.log(commit, before);
        let ended = self.execute(&engine, command, &log)?;
        // The test may have been interrupted by other means.
        if self.session.interrupt.is_set() {
            return Err(interruption(self.run, self.session));
        }
        let bad = match ended {
            Some(0) => false,
            Some(125) if number.is_some() => {
                return self.skip(number, "the test skips it".to_owned());
            }
            Some(1..=124) => true,
            other => return Err(no_result(other, commit, &log)),
        };
        self.keep(number, StepResult::Tested { bad })
    }

    /// The exit status of the command; `None`: a signal ended it. An interrupt ends it, with all that
    /// it started.
    fn execute(
        &self,
        engine: &EngineSpec,
        command: &str,
        log: &Path,
    ) -> Result<Option<i32>, Failure> {
        let Program::Executable { path, .. } = &engine.program else {
            return Err(Failure::Usage(miette::miette!("a commit is a program of its own")));
        };
        let line = fill_word(command, "{}", path.as_os_str());
        let output = File::create(log).and_then(|file| Ok((file.try_clone()?, file)));
        let (out, err) = output.map_err(|error| {
            Failure::Failed(miette::miette!("cannot write {}: {error}", log.display()))
        })?;
        let mut test = Command::new("sh");
        test.arg("-c").arg(&line).current_dir(&self.bisect.repository).stdout(out).stderr(err);
        match run_to_end(test, Duration::MAX, &self.session.interrupt, &mut |_| ()) {
            Ok(status) => Ok(status.code()),
            Err(CaptureError::Interrupted) => Err(interruption(self.run, self.session)),
            Err(error) => {
                Err(Failure::Failed(miette::miette!("cannot start `{}`: {error}", line.display())))
            }
        }
    }
}

/// The error of a test that says neither good nor bad.
fn no_result(status: Option<i32>, commit: &Commit, log: &Path) -> Failure {
    let what = match status {
        None => "was ended by a signal".to_owned(),
        Some(125) => "skips it (status 125), which is said to be good".to_owned(),
        Some(126) => "cannot be run: a program in it is not executable (status 126)".to_owned(),
        Some(127) => {
            "cannot be run: the shell does not find a program in it (status 127)".to_owned()
        }
        Some(status) => format!("ended with status {status}, as after a signal"),
    };
    let printed = std::fs::read(log).unwrap_or_default();
    let printed = last_lines(&decode(&printed), LOG_LINES);
    let printed = if printed.is_empty() { printed } else { format!("\n{printed}") };
    Failure::Failed(miette::miette!(
        help = "0 is good, 125 skips the commit, another below 126 is bad; run the command by hand, \
                in the root of the repository",
        "the test of {} {what}; its output is in {}{printed}",
        commit.short(),
        log.display()
    ))
}
