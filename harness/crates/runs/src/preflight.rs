//! The probe of each engine before a run: warnings, or a refusal with the next step.

use miette::Diagnostic;
use thiserror::Error;

use harness_base::failure::{Failure, OrFail};
use harness_base::session::Session;
use harness_cluster::sandbox;
use harness_player::StartAgain;
use harness_player::probe::{Finding, Probe, probe_started};
use harness_player::{
    self as player, EngineSpec, Fault, FaultKind, Limit, Player, Program, StartSettings,
};

/// Engines of which a run cannot make sense.
#[derive(Debug, Error, Diagnostic)]
#[error("{what}")]
#[diagnostic(help("{advice}; --no-probe continues all the same"))]
struct Refused {
    what: String,
    advice: String,
}

/// An engine that cannot be started.
#[derive(Debug, Error, Diagnostic)]
#[error("{0}")]
#[diagnostic(help("`harness check ENGINE` shows what it prints; nothing was done"))]
struct CannotStart(Fault);

/// Results of the probes of a run's engines.
#[derive(Default)]
pub struct Preflight {
    warnings: Vec<Vec<String>>,
    refused: Vec<Finding>,
    /// Whether the command has no limit but that one, so that no other can be advised.
    has_one_limit: bool,
}

impl Preflight {
    /// Probes the next engine, with a player of it that was just started.
    ///
    /// # Errors
    /// A [`Fault`] when it cannot be started again, or the user interrupts.
    pub fn probe(
        &mut self,
        player: Box<dyn Player + Send>,
        engine: &EngineSpec,
        asked: &Probe,
        start: &StartAgain<'_>,
    ) -> Result<(), Fault> {
        let is_builtin = engine.program == Program::Builtin;
        let findings = probe_started(player, is_builtin, asked, start)?;
        let (refused, others): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(Finding::is_refusal);
        let text = |finding: &Finding| format!("{finding}: {}", self.advice(finding));
        self.warnings.push(others.iter().map(text).collect());
        self.refused.extend(refused);
        Ok(())
    }

    /// As [`probe_all`].
    fn probe_each<'a>(
        mut self,
        engines: impl IntoIterator<Item = (&'a EngineSpec, Probe)>,
        session: &Session,
        warn: &dyn Fn(&str),
    ) -> Result<Vec<Vec<String>>, Failure> {
        let settings = StartSettings::default();
        for (engine, asked) in engines {
            // The linked engine is known, but not whether its options have these ranges.
            let is_known = engine.program == Program::Builtin && asked.ranges.is_empty();
            if !session.probe || is_known || !engine.is_uci() || !may_start(session) {
                self.warnings.push(Vec::new());
                continue;
            }
            let start = || start(engine, &settings, session);
            let probed = start().and_then(|player| self.probe(player, engine, &asked, &start));
            match probed {
                Ok(()) => {}
                Err(fault) if fault.kind == FaultKind::Interrupted => {
                    return Err(Failure::Interrupted("nothing was done".to_owned()));
                }
                Err(fault) if fault.kind == FaultKind::Setting => {
                    return Err(CannotStart(fault)).or_usage();
                }
                Err(fault) => return Err(CannotStart(fault)).or_failed(),
            }
        }
        self.finish(warn)
    }

    fn advice(&self, finding: &Finding) -> String {
        match finding {
            Finding::Limit { .. } if self.has_one_limit => {
                "this command searches at fixed nodes: take an engine that respects them".to_owned()
            }
            finding => finding.advice(),
        }
    }

    /// Emits each warning once, and returns those of each engine.
    ///
    /// # Errors
    /// When an engine makes no sense in this run: wrong usage.
    pub fn finish(self, warn: &dyn Fn(&str)) -> Result<Vec<Vec<String>>, Failure> {
        let mut seen = Vec::new();
        for warning in self.warnings.iter().flatten() {
            // The same program may play under two names.
            if !seen.contains(&warning) {
                warn(warning);
                seen.push(warning);
            }
        }
        if self.refused.is_empty() {
            return Ok(self.warnings);
        }
        let lines = |of: &dyn Fn(&Finding) -> String, between: &str| {
            let mut lines: Vec<String> = self.refused.iter().map(of).collect();
            lines.dedup();
            lines.join(between)
        };
        let what = lines(&Finding::to_string, "\n");
        let advice = lines(&|finding| self.advice(finding), "; ");
        Err(Refused { what, advice }).or_usage()
    }
}

/// Whether engines may be started on this machine before a run.
pub fn may_start(session: &Session) -> bool {
    session.on.as_ref().is_none_or(|remote| remote.starts_here)
}

/// Starts an engine before a run: in a sandbox, if there is one, where workers on other machines play.
///
/// # Errors
/// When it cannot be started.
pub fn start(
    engine: &EngineSpec,
    settings: &StartSettings,
    session: &Session,
) -> Result<Box<dyn Player + Send>, Fault> {
    match session.on {
        Some(_) => sandbox::start_here(engine, settings, &session.interrupt),
        None => player::start(engine, settings, &session.interrupt),
    }
}

/// Starts and probes engines, unless `--no-probe`. Returns the warnings of each; `warn` is called
/// once for each.
///
/// # Errors
/// When one cannot be started or makes no sense in this run, or the user interrupts.
pub fn probe_all<'a>(
    engines: impl IntoIterator<Item = (&'a EngineSpec, Probe)>,
    session: &Session,
    warn: &dyn Fn(&str),
) -> Result<Vec<Vec<String>>, Failure> {
    Preflight::default().probe_each(engines, session, warn)
}

/// As [`probe_one`], for a command that searches at fixed nodes and has no other limit.
///
/// # Errors
/// As [`probe_all`].
pub fn probe_nodes(
    engine: &EngineSpec,
    nodes: u64,
    session: &Session,
    warn: &dyn Fn(&str),
) -> Result<(), Failure> {
    let preflight = Preflight { has_one_limit: true, ..Preflight::default() };
    let asked = Probe::new(Limit::Nodes(nodes));
    preflight.probe_each([(engine, asked)], session, warn).map(drop)
}

/// As [`probe_all`], for one engine and a limit.
///
/// # Errors
/// As [`probe_all`].
pub fn probe_one(
    engine: &EngineSpec,
    limit: Limit,
    session: &Session,
    warn: &dyn Fn(&str),
) -> Result<(), Failure> {
    probe_all([(engine, Probe::new(limit))], session, warn).map(drop)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use harness_player::probe::Compliance;
    use harness_player::search::SearchResult;

    use super::*;

    #[test]
    fn a_command_with_one_limit_advises_no_other() {
        let finding = Finding::Limit {
            player: "a".to_owned(),
            limit: Limit::Nodes(5),
            seen: SearchResult {
                best_move: None,
                depth: None,
                nodes: None,
                score: None,
                elapsed: Duration::ZERO,
                stopped: true,
            },
            compliance: Compliance::NeverStops,
            other: None,
            respects: vec![Limit::MoveTime(Duration::from_secs(1))],
        };
        for has_one_limit in [false, true] {
            let preflight = Preflight { has_one_limit, ..Preflight::default() };
            let advice = preflight.advice(&finding);
            assert_eq!(advice.contains("--movetime"), !has_one_limit, "{advice}");
        }
    }
}
