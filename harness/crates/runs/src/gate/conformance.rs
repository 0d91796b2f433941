//! UCI conformance beside the base: a fault of both is no reason to refuse a change.

use std::collections::BTreeSet;
use std::path::Path;

use super::comparison::{CheckOutcome, Gate};
use super::config::Conformance;
use super::error::CheckError;
use harness_check as check;
use harness_outcome::gate::Verdict;

/// Findings of `harness check` in one engine.
#[derive(Debug)]
pub struct Faults {
    /// How many checks were made.
    pub checks: usize,
    /// Name and detail of each check that failed.
    pub failed: Vec<(String, String)>,
}

impl Faults {
    fn names(&self) -> BTreeSet<&str> {
        self.failed.iter().map(|(name, _)| name.as_str()).collect()
    }
}

impl Gate<'_> {
    pub(super) fn conformance(&self, config: &Conformance) -> Result<CheckOutcome, CheckError> {
        let now = self.faults(&self.engine.0)?;
        let checks = format!("{} checks", now.checks);
        if now.failed.is_empty() {
            return Ok(CheckOutcome::new(Verdict::Passed, checks));
        }
        if config.strict {
            let detail = now.failed.iter().map(shown).collect::<Vec<_>>().join("; ");
            return Ok(CheckOutcome::new(Verdict::Failed, detail));
        }
        let before = self.of_base(self.faults(&self.base.0))?;
        let known = before.names();
        let (old, new): (Vec<_>, Vec<_>) =
            now.failed.iter().partition(|(name, _)| known.contains(name.as_str()));
        // A loaded machine makes an engine late; a fault of its own is there again.
        let again = if new.is_empty() { None } else { Some(self.faults(&self.engine.0)?) };
        let again = again.as_ref().map(Faults::names).unwrap_or_default();
        let (faults, once): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|(name, _)| again.contains(name.as_str()));
        let mut parts: Vec<String> = faults.iter().map(|fault| shown(fault)).collect();
        let names = |faults: &[&(String, String)]| {
            faults.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        };
        if !old.is_empty() {
            parts.push(format!("{} known, for the base has them too: {}", old.len(), names(&old)));
        }
        if !once.is_empty() {
            parts.push(format!("{} in one run of two only: {}", once.len(), names(&once)));
        }
        let verdict = if faults.is_empty() { Verdict::Passed } else { Verdict::Failed };
        Ok(CheckOutcome::new(verdict, format!("{checks}; {}", parts.join("; "))))
    }

    pub(super) fn faults(&self, engine: &Path) -> Result<Faults, CheckError> {
        let spec = self.resolve(&[engine.display().to_string()])?.remove(0);
        let settings = check::Settings::default();
        let report = check::check(&spec, settings, &self.session.interrupt, |_| Ok(()))
            .map_err(CheckError::Conformance)?;
        let failed = report.checks.iter().filter(|check| !check.passed);
        let failed = failed.map(|check| (check.name.to_owned(), check.detail.clone())).collect();
        Ok(Faults { checks: report.checks.len(), failed })
    }
}

fn shown((name, detail): &(String, String)) -> String {
    format!("{name} ({detail})")
}
