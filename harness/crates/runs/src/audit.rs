//! The audit of a suite: what is wrong with the suite itself.

use std::time::Instant;

use super::search::failure;
use super::{Event, Sink, preflight};
use harness_base::context::Session;
use harness_base::failure::Failure;
use harness_outcome::audit::{Audit, Counts};
use harness_player::pool::start_with;
use harness_player::{EngineSpec, StartSettings};
use harness_suite::audit::{self, AuditStopped, Read};
use harness_suite::{SuiteError, SuiteFile};

/// A suite that was read, to be audited.
#[derive(Debug)]
pub struct AuditRun {
    /// The name of the suite, or the file.
    pub name: String,
    read: Read,
}

impl AuditRun {
    /// Reads a suite: a name of the catalogue, or a file.
    ///
    /// # Errors
    /// When it is not there, or has no line.
    pub fn plan(suite: &str) -> Result<AuditRun, SuiteError> {
        let file = SuiteFile::open(suite)?;
        let read = audit::read(&file);
        if read.positions.is_empty() && read.findings.is_empty() {
            return Err(SuiteError::Empty { name: file.name });
        }
        Ok(AuditRun { name: file.name, read })
    }

    /// Positions to be searched.
    pub fn positions(&self) -> usize {
        self.read.positions.len()
    }

    /// Probes an engine, and has it search each position with `nodes` nodes, `jobs` at a time. The
    /// sink sees the number of findings after each position.
    ///
    /// # Errors
    /// When the engine fails, or the user interrupts.
    pub fn start(
        self,
        engine: &EngineSpec,
        nodes: u64,
        jobs: usize,
        session: &Session,
        sink: &Sink<'_, usize>,
    ) -> Result<Audit, Failure> {
        let begun = Instant::now();
        let warn = |text: &str| sink(Event::Warning(text));
        preflight::probe_nodes(engine, nodes, session, &warn)?;
        let (start, interrupt) = (start_with(StartSettings::default()), &session.interrupt);
        let mut step = |found| sink(Event::Progress(found));
        let searched =
            audit::search_all(&self.read, nodes, jobs, engine, &start, interrupt, &mut step);
        let searched = searched.map_err(|stopped| match stopped {
            AuditStopped::Interrupted => Failure::Interrupted("nothing was kept".to_owned()),
            AuditStopped::Failed { ref fault, .. } => failure(fault.kind, stopped),
        })?;
        let positions = self.positions();
        let mut findings = self.read.findings;
        findings.extend(searched);
        findings.sort_by_key(|finding| (finding.line, finding.kind));
        Ok(Audit {
            suite: self.name,
            engine: engine.name.clone(),
            nodes,
            positions,
            counts: Counts::count(&findings),
            findings,
            seconds: begun.elapsed().as_secs_f64(),
        })
    }
}
