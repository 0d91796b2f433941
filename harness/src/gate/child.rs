//! The harness's own commands as processes of their own, each a run in the ledger.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::checks::Gate;
use crate::ledger::{Ledger, LedgerError, RunRow, Status};
use crate::player::{OnInterrupt, capture};
use crate::report::shell_words;

/// A command has a budget of its own; this is no bound on it.
const ENDLESS: Duration = Duration::from_secs(365 * 24 * 3600);

/// What a command came to.
pub(super) struct Told {
    /// Its exit status: 0, 1 or 3.
    pub(super) status: i32,
    /// What it printed with `--json`.
    pub(super) json: Value,
}

impl Told {
    /// The run in the ledger.
    pub(super) fn run(&self) -> Option<String> {
        self.json["run"].as_str().map(str::to_owned)
    }
}

impl Gate<'_> {
    /// Runs one of our own commands, or goes on with a run of the same command line that was
    /// interrupted.
    pub(super) fn harness(&self, line: &[&str]) -> Result<Told, String> {
        let words = match self.left_over(line)? {
            Some(run) => self.words(&["resume", &run]),
            None => self.words(line),
        };
        let mut command = Command::new(this_program()?);
        command.args(&words).current_dir(self.folder);
        let done = capture(command, ENDLESS, self.interrupt, OnInterrupt::Forward)
            .map_err(|error| format!("`harness {}`: {error}", words.join(" ")))?;
        let status = done.status.code().unwrap_or(-1);
        if !matches!(status, 0 | 1 | 3) {
            let said = done.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
            return Err(format!(
                "`harness {}` ended with status {status}: {said}",
                words.join(" ")
            ));
        }
        let json = serde_json::from_str(&done.stdout)
            .map_err(|error| format!("`harness {}`: {error}", words.join(" ")))?;
        Ok(Told { status, json })
    }

    /// A command with the flags that all have.
    fn words(&self, line: &[&str]) -> Vec<String> {
        let reports = self.reports.display().to_string();
        let common = ["--json", "--quiet", "--reports", &reports];
        line.iter().copied().chain(common).map(str::to_owned).collect()
    }

    /// The latest interrupted run of this command line. The programs of an engine and its base are
    /// named by commit or content, so that the same line means the same run.
    pub(super) fn left_over(&self, line: &[&str]) -> Result<Option<String>, String> {
        let program = this_program()?.display().to_string();
        let whole = shell_words([program].into_iter().chain(self.words(line)));
        let failed = |error: LedgerError| error.to_string();
        let ledger = match Ledger::open_existing(self.reports) {
            // A program that is tried has no ledger yet.
            Err(_) => return Ok(None),
            Ok(ledger) => ledger,
        };
        let is_stopped = |row: &RunRow| row.command == line[0] && row.status == Status::Interrupted;
        for row in ledger.runs().map_err(failed)?.into_iter().rev().filter(is_stopped) {
            let facts = ledger.facts(&row.run).map_err(failed)?;
            if facts.plan["facts"]["command_line"] == whole.as_str() {
                return Ok(Some(row.run));
            }
        }
        Ok(None)
    }
}

fn this_program() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|error| format!("the harness does not find itself: {error}"))
}
