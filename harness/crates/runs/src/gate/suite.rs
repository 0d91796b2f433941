//! Test suites at a fixed limit: are fewer positions solved than before?

use super::comparison::{Both, CheckOutcome, Gate, dash};
use super::config::Suite;
use super::error::CheckError;
use crate::suite::SuiteOutcome;
use harness_outcome::gate::{Measured, Verdict};
use harness_outcome::{SuiteReport, SuiteSummary};
use harness_suite::compare;

impl Gate<'_> {
    pub(super) fn suite(&self, suite: &Suite) -> Result<CheckOutcome, CheckError> {
        let (now, comparison, before) = match &suite.baseline {
            Some(baseline) => {
                let baseline = self.folder.join(baseline).display().to_string();
                let [engine, _] = self.paths();
                let (flag, number) = suite.limit();
                let mut line =
                    vec!["suite", &suite.suite, flag, &number, "--baseline", &baseline, &engine];
                line.extend(suite.restart.then_some("--restart"));
                let SuiteOutcome { report, comparison, .. } = self.search(&line, suite)?;
                let comparison = comparison.ok_or_else(|| missing(suite, "no comparison"))?;
                (report.first, comparison, None)
            }
            None => {
                let Both { now, before } = self.both(suite)?;
                let comparison = compare(&before, &now);
                (now, comparison, Some(before))
            }
        };
        let mut detail = format!(
            "{} of {} solved, {} before; lost: {}; gained: {}; p = {:.3}",
            now.solved,
            now.positions,
            comparison.solved,
            dash(&comparison.lost.join(" ")),
            dash(&comparison.gained.join(" ")),
            comparison.p_value
        );
        if let Some(faults) = before.as_ref().and_then(faults_text) {
            detail = format!("the base {} {faults}; {detail}", self.base.1.shown);
        }
        let fails = faults(&now) > before.as_ref().map_or(0, faults);
        if let Some(faults) = faults_text(&now).filter(|_| fails) {
            detail = format!("{faults}; {detail}");
        }
        let measured = Measured::Suite {
            suite: suite.suite.clone(),
            nodes: suite.nodes.unwrap_or_default(),
            limit: now.limit.clone(),
            solved: now.solved,
            positions: now.positions,
        };
        let verdict = if comparison.worse || fails { Verdict::Failed } else { Verdict::Passed };
        Ok(CheckOutcome::new(verdict, detail).with(measured).of_run(Some(now.run)))
    }

    /// Both engines on a suite, in one run; cached, as several checks use it.
    pub(super) fn both(&self, suite: &Suite) -> Result<Both, CheckError> {
        let [engine, base] = self.paths();
        let (flag, number) = suite.limit();
        let mut line = vec!["suite", &suite.suite, flag, &number, &engine, &base];
        line.extend(suite.restart.then_some("--restart"));
        let key = line.join(" ");
        if let Some(both) = self.suites_of_both.borrow().get(&key) {
            return Ok(both.clone());
        }
        // An earlier result is not asked for: the base itself is searched.
        let suite_of_both = Suite { baseline: None, ..suite.clone() };
        let SuiteReport { first: now, others } = self.search(&line, &suite_of_both)?.report;
        let before = others.into_iter().next();
        let before = before.ok_or_else(|| missing(suite, "no result of the base"))?;
        let both = Both { now, before };
        self.suites_of_both.borrow_mut().insert(key, both.clone());
        Ok(both)
    }
}

fn missing(suite: &Suite, what: &'static str) -> CheckError {
    CheckError::Missing(suite.suite.clone(), what)
}

/// How often an engine gave no move, and the first reason; `None` if it always did.
fn faults_text(summary: &SuiteSummary) -> Option<String> {
    let fault = summary.results.iter().find_map(|result| result.fault.as_ref())?;
    Some(format!("gave no move at {} positions ({fault})", faults(summary)))
}

fn faults(summary: &SuiteSummary) -> usize {
    summary.results.iter().filter(|result| result.fault.is_some()).count()
}
