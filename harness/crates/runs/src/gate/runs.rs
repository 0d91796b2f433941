//! The runs of a gate: each is a run of its own in the ledger, with its page.

use std::path::Path;

use super::comparison::Gate;
use super::config;
use super::error::CheckError;
use crate::games::{self, GamesRun, Request};
use crate::heads::command_line;
use crate::rate;
use crate::suite::{self, SuiteOutcome, SuiteRequest, SuiteRun};
use harness_base::config::Config;
use harness_base::failure::{Failure, OrFail};
use harness_base::text::shell_words;
use harness_ledger::{Ledger, LedgerError, Resumed, RunRow, Status};
use harness_outcome::MatchSummary;
use harness_outcome::rating::RatingReport;
use harness_player::{self as player, EngineSpec, Limit, ParseLimitError, ResolveError};
use harness_stats::Sprt;
use harness_suite::read_baseline;

impl Gate<'_> {
    /// Programs by their paths, under the names by which the gate was asked for: `HEAD`, not `engine`.
    pub(super) fn resolve(&self, paths: &[String]) -> Result<Vec<EngineSpec>, ResolveError> {
        let mut engines = player::resolve_all(paths, &[], &[], &Config::default(), self.session)?;
        let named = [&self.engine, &self.base].map(|(_, named)| named.shown.as_str());
        // Of one program against itself the names differ already; `.` and a path are no names.
        if named[0] != named[1] {
            for (engine, name) in engines.iter_mut().zip(named) {
                if name != "." && !name.contains(['/', '\\']) {
                    name.clone_into(&mut engine.name);
                }
            }
        }
        Ok(engines)
    }

    /// Plays the change against its base, with a `test` until it decides. A run of the same command line that was interrupted
    /// continues.
    pub(super) fn play(
        &self,
        line: &[&str],
        sprt: &config::Sprt,
        games: u64,
        test: Option<Sprt>,
    ) -> Result<MatchSummary, CheckError> {
        let finished = match self.take_up(line)? {
            Some((ledger, Resumed { run, plan, .. })) => {
                games::resume(&ledger, &run, plan, self.session, self.games)
            }
            None => {
                let mut request = Request::new(self.resolve(&self.paths())?, limit(sprt.limit())?);
                (request.games, request.sprt) = (games, test);
                (request.conduct.restart, request.starting.restart) = (sprt.restart, sprt.restart);
                request.command_line = Some(self.command_line(line));
                GamesRun::plan(request)
                    .map(|run| run.as_part_of(self.run.as_deref()))
                    .and_then(|run| run.start(self.session, self.games))
            }
        };
        finished.map(|finished| finished.summary).map_err(|failure| failed(line, failure))
    }

    /// Rates the change, or continues a rating of the same command line that was interrupted.
    pub(super) fn rate(&self, asked: &config::Rating) -> Result<RatingReport, CheckError> {
        let [engine, _] = self.paths();
        let (flag, value) = asked.limit();
        let error = format!("--error={}", asked.error);
        let games = asked.max_games.to_string();
        let file = asked.references.as_ref().map(|file| self.folder.join(file));
        let references = file.as_ref().map(|file| format!("--references={}", file.display()));
        let list = asked.list.as_ref().map(|list| format!("--list={list}"));
        let mut line = vec!["rate", &engine, flag, &value, &error, "--max-games", &games];
        line.extend(references.iter().chain(&list).map(String::as_str));
        let run = match self.take_up(&line)? {
            Some((ledger, Resumed { run, plan, .. })) => {
                games::resume(&ledger, &run, plan, self.session, self.games)
            }
            None => {
                let limit = limit(asked.limit())?;
                let planned = self.planned_rating(&line, asked, file.as_deref(), limit);
                planned
                    .map(|run| run.as_part_of(self.run.as_deref()))
                    .and_then(|run| run.start(self.session, self.games))
            }
        };
        let run = run.map_err(|failure| failed(&line, failure))?.summary.run;
        let ledger = Ledger::open_existing(&self.session.reports)?;
        rate::rating(&ledger, &run).map_err(|failure| failed(&line, failure))
    }

    fn planned_rating(
        &self,
        line: &[&str],
        asked: &config::Rating,
        references: Option<&Path>,
        limit: Limit,
    ) -> Result<GamesRun, Failure> {
        let references = rate::read_references(references).or_usage()?;
        let references = rate::of_list(references, asked.list.as_deref()).or_usage()?;
        let config = Config::find().or_usage()?;
        let (found, _) = rate::opponents(&references, limit, &config, self.session)?;
        let engine = self.resolve(&self.paths()[..1]).or_usage()?;
        let mut request = Request::new(engine, limit);
        request.games = asked.max_games;
        request.command_line = Some(self.command_line(line));
        rate::plan(request, found, asked.error)
    }

    /// Runs a suite: with a baseline on the change alone, else on both.
    pub(super) fn search(
        &self,
        line: &[&str],
        suite: &config::Suite,
    ) -> Result<SuiteOutcome, CheckError> {
        let sink = |event: &suite::Event<'_>| {
            if let suite::Event::Searched { plan, positions, done } = event {
                let of = positions * plan.facts.engines.len();
                (self.doing)(&format!("{} of {of} positions", done.len()));
            }
        };
        let found = match self.take_up(line)? {
            Some((ledger, Resumed { run, plan, .. })) => {
                suite::resume(&ledger, &run, plan, self.session, &sink)
            }
            None => self
                .planned(line, suite)?
                .as_part_of(self.run.as_deref())
                .start(self.session, &sink),
        };
        found.map_err(|failure| failed(line, failure))
    }

    fn planned(&self, line: &[&str], suite: &config::Suite) -> Result<SuiteRun, CheckError> {
        let name = &suite.suite;
        let engines = if suite.baseline.is_none() { 2 } else { 1 };
        let engines = self.resolve(&self.paths()[..engines])?;
        let baseline = suite.baseline.as_ref().map(|path| read_baseline(&self.folder.join(path)));
        let request = SuiteRequest {
            limit: Some(limit(suite.limit())?),
            restart: suite.restart,
            baseline: baseline
                .transpose()
                .map_err(|error| CheckError::Baseline(name.clone(), error))?,
            command_line: Some(self.command_line(line)),
            ..SuiteRequest::new(engines)
        };
        let positions =
            suite.positions(self.folder).map_err(|error| CheckError::Suite(name.clone(), error))?;
        SuiteRun::plan(positions, request).map_err(|failure| failed(line, failure))
    }

    /// The command line that does the same by hand.
    fn command_line(&self, line: &[&str]) -> String {
        let reports = self.session.reports.display().to_string();
        let common = ["--json", "--quiet", "--reports", &reports];
        shell_words(["harness"].into_iter().chain(line.iter().copied()).chain(common))
    }

    /// The latest interrupted run of this command line. The programs of an engine and its base are
    /// named by commit or content, so that the same line means the same run.
    pub(super) fn left_over(&self, line: &[&str]) -> Result<Option<String>, LedgerError> {
        // A program that is tried has no ledger yet.
        let Ok(ledger) = Ledger::open_existing(&self.session.reports) else { return Ok(None) };
        let whole = self.command_line(line);
        // A rating is a match.
        let command = if line[0] == "rate" { games::MATCH } else { line[0] };
        let is_stopped = |row: &RunRow| row.command == command && row.status == Status::Interrupted;
        for row in ledger.runs()?.into_iter().rev().filter(is_stopped) {
            let facts = ledger.facts(&row.run)?;
            // Runs of earlier versions name the program by its path.
            let begun = command_line(&facts.plan);
            let words = |line: &str| line.split_once(' ').map(|(_, words)| words.to_owned());
            if begun.and_then(|begun| words(&begun)).is_some_and(|it| Some(it) == words(&whole)) {
                return Ok(Some(row.run));
            }
        }
        Ok(None)
    }

    fn take_up(&self, line: &[&str]) -> Result<Option<(Ledger, Resumed)>, LedgerError> {
        let Some(run) = self.left_over(line)? else { return Ok(None) };
        let ledger = Ledger::open_existing(&self.session.reports)?;
        let resumed = ledger.resume_run(&run)?;
        Ok(Some((ledger, resumed)))
    }
}

/// The limit of a flag and its value: `--nodes`, `5000`.
fn limit((flag, value): (&str, String)) -> Result<Limit, ParseLimitError> {
    format!("{}={value}", flag.trim_start_matches('-')).parse()
}

fn failed(line: &[&str], failure: Failure) -> CheckError {
    CheckError::Run(line.join(" "), failure)
}
