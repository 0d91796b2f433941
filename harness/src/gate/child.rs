//! The harness's own commands as processes of their own, each a run in the ledger.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::checks::Gate;
use crate::player::{OnInterrupt, capture};

/// A command has a budget of its own; this is no bound on it.
const ENDLESS: Duration = Duration::from_secs(365 * 24 * 3600);

/// What a command came to.
pub(super) struct Told {
    /// What it printed with `--json`.
    pub(super) json: Value,
}

impl Gate<'_> {
    /// Runs one of our own commands.
    pub(super) fn harness(&self, line: &[&str]) -> Result<Told, String> {
        let words = self.words(line);
        let mut command = Command::new(this_program()?);
        command.args(&words).current_dir(self.folder);
        let done = capture(command, ENDLESS, &self.session.interrupt, OnInterrupt::Forward)
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
        Ok(Told { json })
    }

    /// A command with the flags that all have.
    fn words(&self, line: &[&str]) -> Vec<String> {
        let reports = self.session.reports.display().to_string();
        let common = ["--json", "--quiet", "--reports", &reports];
        line.iter().copied().chain(common).map(str::to_owned).collect()
    }
}

fn this_program() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|error| format!("the harness does not find itself: {error}"))
}
