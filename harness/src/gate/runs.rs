//! The runs of a gate: each stands in the ledger by itself, can be looked at and repeated.

use serde_json::Value;

use super::checks::Gate;
use super::config;
use crate::config::Config;
use crate::failure::Failure;
use crate::ledger::{Ledger, LedgerError, Resumed, RunRow, Status};
use crate::outcome::MatchSummary;
use crate::player::{self, EngineSpec, Limit};
use crate::runs::games::{self, GamesRun, Request};
use crate::runs::suite::{self, SuiteOutcome, SuiteRequest, SuiteRun};
use crate::stats;
use crate::suite::{Suite, read_baseline};
use crate::text::shell_words;

impl Gate<'_> {
    /// The engine of the change and, if asked for, its base.
    fn engines(&self, both: bool) -> Result<Vec<EngineSpec>, String> {
        let (new, old) = (self.engine.0.display().to_string(), self.base.0.display().to_string());
        let texts: Vec<String> = if both { vec![new, old] } else { vec![new] };
        player::resolve_all(&texts, &[], &[], &Config::default(), self.session)
            .map_err(|error| error.to_string())
    }

    /// Plays an SPRT of the change against its base, or goes on with one of the same command line
    /// that was interrupted.
    pub(super) fn play(&self, line: &[&str], sprt: &config::Sprt) -> Result<MatchSummary, String> {
        let finished = match self.take_up(line)? {
            Some((ledger, Resumed { run, plan, .. })) => {
                games::resume(&ledger, &run, plan, self.session, self.games)
            }
            None => {
                let (model, rate) = (stats::Model::default(), 0.05);
                let test = stats::Sprt::new(model, sprt.elo0, sprt.elo1, rate, rate)
                    .map_err(|error| error.to_string())?;
                let mut request = Request::new(self.engines(true)?, limit(sprt.limit())?);
                (request.games, request.sprt) = (sprt.max_games, Some(test));
                (request.conduct.restart, request.starting.restart) = (sprt.restart, sprt.restart);
                request.command_line = Some(self.command_line(line));
                GamesRun::plan(request).and_then(|run| run.start(self.session, self.games))
            }
        };
        finished.map(|finished| finished.summary).map_err(|failure| said(line, &failure))
    }

    /// Runs a suite: with a baseline on the change alone, else on both.
    pub(super) fn search(
        &self,
        line: &[&str],
        suite: &config::Suite,
    ) -> Result<SuiteOutcome, String> {
        let found = match self.take_up(line)? {
            Some((ledger, Resumed { run, plan, .. })) => {
                suite::resume(&ledger, &run, plan, self.session, &|_| ())
            }
            None => self.planned(line, suite)?.start(self.session, &|_| ()),
        };
        found.map_err(|failure| said(line, &failure))
    }

    fn planned(&self, line: &[&str], suite: &config::Suite) -> Result<SuiteRun, String> {
        let name = &suite.suite;
        let engines = self.engines(suite.baseline.is_none())?;
        let baseline = suite.baseline.as_ref().map(|path| read_baseline(&self.folder.join(path)));
        let request = SuiteRequest {
            limit: Some(limit(suite.limit())?),
            restart: suite.restart,
            baseline: baseline.transpose().map_err(|error| format!("suite {name}: {error}"))?,
            command_line: Some(self.command_line(line)),
            ..SuiteRequest::new(engines)
        };
        let file = self.folder.join(name);
        let place = if file.is_file() { file.display().to_string() } else { name.clone() };
        let positions = Suite::load(&place).map_err(|error| format!("suite {name}: {error}"))?;
        SuiteRun::plan(positions, request).map_err(|failure| said(line, &failure))
    }

    /// The command line that does the same by hand.
    fn command_line(&self, line: &[&str]) -> String {
        let reports = self.session.reports.display().to_string();
        let common = ["--json", "--quiet", "--reports", &reports];
        shell_words(["harness"].into_iter().chain(line.iter().copied()).chain(common))
    }

    /// The latest interrupted run of this command line. The programs of an engine and its base are
    /// named by commit or content, so that the same line means the same run.
    pub(super) fn left_over(&self, line: &[&str]) -> Result<Option<String>, String> {
        let ledger = match Ledger::open_existing(&self.session.reports) {
            // A program that is tried has no ledger yet.
            Err(_) => return Ok(None),
            Ok(ledger) => ledger,
        };
        self.left_over_in(&ledger, line).map_err(|error| error.to_string())
    }

    fn left_over_in(&self, ledger: &Ledger, line: &[&str]) -> Result<Option<String>, LedgerError> {
        let whole = self.command_line(line);
        let is_stopped = |row: &RunRow| row.command == line[0] && row.status == Status::Interrupted;
        for row in ledger.runs()?.into_iter().rev().filter(is_stopped) {
            let facts = ledger.facts(&row.run)?;
            // Runs of earlier versions name the program by its path.
            let is_it = |begun: &Value| {
                let words = begun.as_str().and_then(|begun| begun.split_once(' '));
                words
                    .is_some_and(|(_, words)| whole.split_once(' ').is_some_and(|it| it.1 == words))
            };
            if is_it(&facts.plan["facts"]["command_line"]) {
                return Ok(Some(row.run));
            }
        }
        Ok(None)
    }

    fn take_up(&self, line: &[&str]) -> Result<Option<(Ledger, Resumed)>, String> {
        let Some(run) = self.left_over(line)? else { return Ok(None) };
        let failed = |error: LedgerError| error.to_string();
        let ledger = Ledger::open_existing(&self.session.reports).map_err(failed)?;
        let resumed = ledger.resume_run(&run).map_err(failed)?;
        Ok(Some((ledger, resumed)))
    }
}

/// The limit that a flag of ours and its value name: `--nodes`, `5000`.
fn limit((flag, value): (&str, String)) -> Result<Limit, String> {
    let text = format!("{}={value}", flag.trim_start_matches('-'));
    text.parse().map_err(|error| format!("{error}"))
}

fn said(line: &[&str], failure: &Failure) -> String {
    format!("`harness {}`: {failure}", line.join(" "))
}
