//! Reports of a run, finished or not, from what the ledger has of it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use miette::Diagnostic;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;

use crate::games::{RaceSoFar, counted, race_so_far};
use crate::stored::{shown_games, worker_shares};
use crate::tune::ReplayError;
use harness_arena::{OpeningError, pgn};
use harness_base::failure::Failure;
use harness_base::files::Unwritable;
use harness_base::hint::reports_command;
use harness_data::StateError;
use harness_ledger::{Ledger, LedgerError, RunFacts, Status};
use harness_outcome::{
    Counter, CurvePoint, MatchFacts, MatchSummary, SuiteFacts, SuiteReport, SuiteResult,
};
use harness_report::html::{Page, boards_page, match_page, suite_page};
use harness_report::{csv, match_markdown, suite_markdown};
use harness_stats::{GameScore, Verdict};

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Format {
    /// A page with charts and diagrams.
    #[default]
    Html,
    /// For pull requests and notes.
    Markdown,
    /// For spreadsheets.
    Csv,
    /// The summary, as `--json` printed it.
    Json,
    /// The games.
    Pgn,
    /// The games without what the players said of their moves.
    PgnMoves,
    /// The final position of each game.
    Epd,
}

/// A run that cannot be reported.
#[derive(Debug, Error, Diagnostic)]
pub enum ReportError {
    /// A part of the run is not what this version expects.
    #[error("the {0} of run `{1}` is not what a report needs: {2}")]
    #[diagnostic(help(
        "another version of the harness wrote it; `--format json` shows a finished run as it is"
    ))]
    Unreadable(&'static str, String, serde_json::Error),
    /// This kind of run has no report in this form.
    #[error("there is no {0} report of a `{1}` run")]
    #[diagnostic(help("`--format json` gives the summary of any finished run"))]
    NoSuchReport(String, String),
    /// This kind of run has no curves.
    #[error("a `{0}` run has no curves")]
    #[diagnostic(help(
        "matches, SPRTs, tuning runs and loops have; the losses of a training are `epochs` of `harness \
         train --json`"
    ))]
    NoCurves(String),
    /// Only the summary could be reported, and there is none yet.
    #[error("run `{0}` is not finished and has no summary yet")]
    #[diagnostic(help("{} continues it", reports_command("resume", _0)))]
    NoSummary(String),
    /// A game in the ledger is broken.
    #[error("a stored game of round {0} cannot be read: {1}")]
    #[diagnostic(help("the ledger was changed by another program"))]
    Damaged(u64, OpeningError),
    /// A tuning run cannot be replayed.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Replay(#[from] ReplayError),
    /// The file cannot be written.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Unwritable(#[from] Unwritable),
    /// A file in the folder of the run cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    State(#[from] StateError),
    /// The stream cannot be written.
    #[error("cannot write the report: {0}")]
    Output(#[from] io::Error),
    /// The ledger cannot be read, or has no such run.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Failure {
        match error {
            ReportError::NoSuchReport(..)
            | ReportError::NoCurves(_)
            | ReportError::NoSummary(_) => Failure::Usage(error.into()),
            ReportError::Ledger(error) => error.into(),
            error => Failure::Failed(error.into()),
        }
    }
}

/// A report; `None` where a kind of run has none in this form.
pub type Rendered = Result<Option<String>, ReportError>;

/// Reads a part of what the ledger has of a run.
///
/// # Errors
/// When another version wrote it in another way.
pub fn read<T: DeserializeOwned>(
    run: &RunFacts,
    what: &'static str,
    value: &Value,
) -> Result<T, ReportError> {
    let unreadable = |reason| ReportError::Unreadable(what, run.id.clone(), reason);
    T::deserialize(value).map_err(unreadable)
}

/// The facts in the plan of a match or a suite.
///
/// # Errors
/// When the plan has none of this kind.
pub fn facts<T: DeserializeOwned>(run: &RunFacts) -> Result<T, ReportError> {
    /// The part of a plan for reports.
    #[derive(Deserialize)]
    struct Facts<T> {
        facts: T,
    }
    read(run, "plan", &run.plan).map(|Facts { facts }| facts)
}

/// The summary of a finished run.
///
/// # Errors
/// When the run is not finished, or another version wrote it.
pub fn summary<T: DeserializeOwned>(run: &RunFacts) -> Result<T, ReportError> {
    match &run.summary {
        Some(summary) => read(run, "summary", summary),
        None => Err(ReportError::NoSummary(run.id.clone())),
    }
}

/// The summary of a finished run, the result so far of another.
///
/// # Errors
/// When another version wrote it, or as `so_far`.
pub fn summary_or<T: DeserializeOwned>(
    run: &RunFacts,
    so_far: impl FnOnce() -> Result<T, ReportError>,
) -> Result<T, ReportError> {
    if run.summary.is_some() { summary(run) } else { so_far() }
}

/// The report of a match or an SPRT.
///
/// # Errors
/// When the ledger does not have what a run of this version has.
pub fn of_match(ledger: &Ledger, run: &RunFacts, format: Format) -> Rendered {
    Ok(match format {
        Format::Markdown => {
            let (summary, curve) = match_so_far(ledger, run)?;
            Some(match_markdown(&summary, &curve))
        }
        _ => None,
    })
}

/// The page of the games that were played on boards: results by players.
///
/// # Errors
/// When the ledger cannot be read.
pub fn page_of_boards(ledger: &Ledger, run: &RunFacts) -> Result<Page, ReportError> {
    page_of_players(ledger, run, "Games on boards")
}

/// The page of a bot's games on Lichess: results by opponents.
///
/// # Errors
/// When the ledger cannot be read.
pub fn page_of_lichess(ledger: &Ledger, run: &RunFacts) -> Result<Page, ReportError> {
    page_of_players(ledger, run, "Games on Lichess")
}

fn page_of_players(ledger: &Ledger, run: &RunFacts, title: &str) -> Result<Page, ReportError> {
    Ok(boards_page(title, &results_by_players(ledger, run)?))
}

/// The games of a run by its players so far: wins, draws and losses of the first of two.
///
/// # Errors
/// When the ledger cannot be read.
pub fn players_so_far(ledger: &Ledger, run: &RunFacts) -> Result<Value, ReportError> {
    let row = |([first, second], [wins, draws, losses]): ([String; 2], [u64; 3])| {
        json!({
            "first": first, "second": second, "wins": wins, "draws": draws, "losses": losses,
        })
    };
    let rows: Vec<Value> = results_by_players(ledger, run)?.into_iter().map(row).collect();
    Ok(json!({ "run": run.id, "players": rows }))
}

/// Wins, draws and losses by pairs of players.
type ByPlayers = BTreeMap<[String; 2], [u64; 3]>;

fn results_by_players(ledger: &Ledger, run: &RunFacts) -> Result<ByPlayers, ReportError> {
    let mut results = ByPlayers::new();
    ledger.each_game(&run.id, |game| {
        let column = usize::from(2 - game.first_half_points.min(2));
        let players = [game.first().to_owned(), game.second().to_owned()];
        results.entry(players).or_default()[column] += 1;
        Ok::<(), LedgerError>(())
    })?;
    Ok(results)
}

/// The page of a match or an SPRT.
///
/// # Errors
/// When the ledger does not have what a run of this version has.
pub fn page_of_match(ledger: &Ledger, run: &RunFacts) -> Result<Page, ReportError> {
    let (summary, curve) = match_so_far(ledger, run)?;
    Ok(match_page(&summary, &curve, &shown_games(ledger, &run.id)?))
}

/// The result of a match, an SPRT or a race so far, and its curve: of a race that of its final.
///
/// # Errors
/// When the ledger does not have what a run of this version has.
pub fn match_so_far(
    ledger: &Ledger,
    run: &RunFacts,
) -> Result<(MatchSummary, Vec<CurvePoint>), ReportError> {
    if let Some(RaceSoFar { mut summary, final_games }) = race_so_far(ledger, run)? {
        if run.summary.is_none() {
            summary.workers = worker_shares(ledger, &run.id)?;
            note_unfinished(&mut summary, run);
        }
        let curve = final_games.curve(summary.facts.sprt.as_ref());
        return Ok((summary, curve));
    }
    let finished = run.summary.as_ref().map(|summary| read(run, "summary", summary));
    let finished: Option<MatchSummary> = finished.transpose()?;
    let facts: MatchFacts = match &finished {
        Some(summary) => summary.facts.clone(),
        None => facts(run)?,
    };
    let (counter, milliseconds) = count_games(ledger, run, &facts)?;
    let workers = worker_shares(ledger, &run.id)?;
    let tally = counter.tally();
    let curve = tally.curve(facts.sprt.as_ref());
    let summary = finished.unwrap_or_else(|| {
        // The wall time of an unfinished run is not kept; games side by side share it.
        let seconds = milliseconds as f64 / 1000.0 / facts.jobs.max(1) as f64;
        let mut summary = tally.summary(&run.id, &facts, seconds);
        summary.workers = workers;
        note_unfinished(&mut summary, run);
        summary
    });
    Ok((summary, curve))
}

/// Says that a run is not finished. Its test has not ended undecided: it has not ended.
fn note_unfinished(summary: &mut MatchSummary, run: &RunFacts) {
    summary.warnings.insert(0, not_finished(run.status));
    summary.verdict = summary.verdict.filter(|verdict| *verdict != Verdict::Inconclusive);
}

/// A sentence of a run without a result.
pub(crate) fn not_finished(status: Status) -> String {
    match status {
        Status::Running => "the run is still running: these are its results so far".to_owned(),
        status => format!("the run is {status}, not finished"),
    }
}

/// A sentence of a run without a result; `None` of a finished one.
pub fn unfinished(run: &RunFacts) -> Option<String> {
    run.summary.is_none().then(|| not_finished(run.status))
}

/// Counts the games of a match or an SPRT; gives the time that they took, too, in milliseconds.
pub(crate) fn count_games(
    ledger: &Ledger,
    run: &RunFacts,
    facts: &MatchFacts,
) -> Result<(Counter, u64), ReportError> {
    let mut counter = Counter::new(facts);
    let mut milliseconds = 0;
    ledger.each_result(&run.id, |game| {
        milliseconds += game.milliseconds;
        // The ledger refuses anything above 2.
        counter.add(counted(&game, game.score().unwrap_or(GameScore::Win)));
        Ok::<_, ReportError>(())
    })?;
    Ok((counter, milliseconds))
}

/// The report of a test suite.
///
/// # Errors
/// When the ledger does not have what a run of this version has.
pub fn of_suite(ledger: &Ledger, run: &RunFacts, format: Format) -> Rendered {
    let report = suite_report(ledger, run)?;
    Ok(match format {
        Format::Markdown => Some(suite_markdown(&report)),
        Format::Csv => Some(csv::suite(&report)),
        _ => None,
    })
}

/// The page of a test suite.
///
/// # Errors
/// When the ledger does not have what a run of this version has.
pub fn page_of_suite(ledger: &Ledger, run: &RunFacts) -> Result<Page, ReportError> {
    Ok(suite_page(&suite_report(ledger, run)?))
}

/// The results of a test suite so far.
///
/// # Errors
/// When the ledger does not have what a run of this version has.
pub fn suite_report(ledger: &Ledger, run: &RunFacts) -> Result<SuiteReport, ReportError> {
    match run.summary {
        Some(_) => summary(run),
        None => suite_so_far(ledger, run),
    }
}

fn suite_so_far(ledger: &Ledger, run: &RunFacts) -> Result<SuiteReport, ReportError> {
    let facts: SuiteFacts = facts(run)?;
    let mut results: Vec<Vec<SuiteResult>> = vec![Vec::new(); facts.engines.len().max(1)];
    for solution in ledger.solutions(&run.id)? {
        if let Some(results) = results.get_mut(solution.engine as usize) {
            results.push(read(run, "results", &solution.payload)?);
        }
    }
    let mut summaries = results.into_iter().enumerate().map(|(engine, results)| {
        let seconds = results.iter().map(|result| result.time_ms as f64 / 1000.0).sum();
        let mut summary = facts.summary(&run.id, engine, results, seconds);
        summary.warnings.push(not_finished(run.status));
        summary
    });
    let first = summaries.next().ok_or_else(|| ReportError::NoSummary(run.id.clone()))?;
    Ok(SuiteReport { first, others: summaries.collect() })
}

/// The results of a suite that is running, each engine with the number of all positions instead of those searched so far.
///
/// # Errors
/// When the ledger cannot be read.
pub fn running_suite(ledger: &Ledger, run: &RunFacts) -> Result<SuiteReport, ReportError> {
    let facts: SuiteFacts = facts(run)?;
    let mut report = suite_so_far(ledger, run)?;
    for summary in std::iter::once(&mut report.first).chain(&mut report.others) {
        summary.positions = facts.positions;
    }
    Ok(report)
}

/// Writes the games of a run one after the other; `false` if the format is none of games.
///
/// # Errors
/// When the ledger cannot be read, a game is broken, or `out` cannot be written.
pub fn write_games(
    ledger: &Ledger,
    run: &str,
    format: Format,
    out: &mut dyn Write,
) -> Result<bool, ReportError> {
    match format {
        Format::Csv => write_csv(ledger, run, out)?,
        Format::Pgn => {
            ledger.each_game(run, |game| write_pgn(out, &game.pgn))?;
        }
        Format::PgnMoves => {
            ledger.each_game(run, |game| write_pgn(out, &pgn::without_comments(&game.pgn)))?;
        }
        Format::Epd => ledger.each_game(run, |game| {
            let damaged = |error| ReportError::Damaged(game.pair + 1, error);
            let epd = pgn::final_position(&game.pgn).map_err(damaged)?;
            Ok::<_, ReportError>(writeln!(
                out,
                "{epd} id \"{}.{}\";",
                game.pair + 1,
                game.game + 1
            )?)
        })?,
        Format::Html | Format::Markdown | Format::Json => return Ok(false),
    }
    Ok(true)
}

fn write_pgn(out: &mut dyn Write, pgn: &str) -> Result<(), ReportError> {
    Ok(writeln!(out, "{}\n", pgn.trim_end())?)
}

fn write_csv(ledger: &Ledger, run: &str, out: &mut dyn Write) -> Result<(), ReportError> {
    let header = "pair,game,white,black,result,first,first_points,termination,plies,milliseconds";
    writeln!(out, "{header}")?;
    ledger.each_game(run, |game| {
        let white_half_points = match game.first_is_white {
            true => game.first_half_points,
            false => 2_u8.saturating_sub(game.first_half_points),
        };
        let result = ["0-1", "1/2-1/2", "1-0"][usize::from(white_half_points.min(2))];
        let fields = [
            game.pair.to_string(),
            game.game.to_string(),
            game.white.clone(),
            game.black.clone(),
            result.to_owned(),
            game.first().to_owned(),
            (f64::from(game.first_half_points) / 2.0).to_string(),
            game.termination.clone(),
            game.plies.to_string(),
            game.milliseconds.to_string(),
        ];
        Ok(out.write_all(csv::line(fields).as_bytes())?)
    })
}
