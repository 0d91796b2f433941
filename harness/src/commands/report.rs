//! `harness report`: a run again, from what the ledger has.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use miette::Diagnostic;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;

use super::tune::{ReplayError, replay};
use crate::arena::{OpeningError, pgn};
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::gate::{self, gate_page, markdown};
use crate::ledger::{Ledger, LedgerError, RunFacts, StoredGame, write_atomically};
use crate::outcome::loop_summary::LoopSummary;
use crate::outcome::{
    CurvePoint, MatchFacts, MatchSummary, Outcome, SuiteFacts, SuiteReport, SuiteResult, Tally,
    TuneReport,
};
use crate::output;
use crate::report::html::{loop_page, match_page, suite_page, tune_page};
use crate::report::{csv, match_markdown, suite_markdown};
use crate::stats::GameScore;

/// Shows a run again, finished or not, from what the ledger has.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness report                                   writes report.html of the newest run
  harness report 20261121-14 --format markdown
  harness report last --format csv -o games.csv    a line a game, or a position of a suite
  harness report last --format pgn | less

Without -o, HTML is written into the folder of the run, and anything else is printed.")]
pub struct ReportArgs {
    /// An id, a beginning that only one has, or `last`.
    #[arg(value_name = "RUN", default_value = "last")]
    run: String,
    /// What to make of it; with --json the same as `--format json`.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Where to write it; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
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

/// A run that cannot be shown.
#[derive(Debug, Error, Diagnostic)]
enum ReportError {
    #[error("the {what} of run `{run}` is not what a report needs: {reason}")]
    #[diagnostic(help(
        "another version of the harness wrote it; `--format json` shows a finished run as it is"
    ))]
    Unreadable { what: &'static str, run: String, reason: serde_json::Error },
    #[error("there is no {format} report of a `{command}` run")]
    #[diagnostic(help("`--format json` gives the summary of any finished run"))]
    NoSuchReport { command: String, format: String },
    #[error("run `{run}` is not finished and has no summary yet")]
    #[diagnostic(help("`harness resume {run}` goes on with it"))]
    NoSummary { run: String },
    #[error("cannot write {}: {reason}", path.display())]
    #[diagnostic(help("name a file that can be written with `-o FILE`"))]
    Unwritable { path: PathBuf, reason: io::Error },
    #[error("a stored game of round {pair} cannot be read: {error}")]
    #[diagnostic(help("the ledger was changed by another program"))]
    Damaged { pair: u64, error: OpeningError },
    #[error(transparent)]
    #[diagnostic(transparent)]
    Replay(#[from] ReplayError),
    #[error("cannot write the report: {0}")]
    Output(#[from] io::Error),
    #[error(transparent)]
    #[diagnostic(transparent)]
    Ledger(#[from] LedgerError),
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Failure {
        match error {
            ReportError::NoSuchReport { .. } | ReportError::NoSummary { .. } => {
                Failure::Usage(error.into())
            }
            ReportError::Ledger(error) => error.into(),
            error => Failure::Failed(error.into()),
        }
    }
}

/// What a run came to, with all that a report shows.
enum Content {
    Match(Box<MatchSummary>, Vec<CurvePoint>),
    Suite(Box<SuiteReport>),
    Gate(Box<gate::Report>),
    Loop(Box<LoopSummary>),
    Tune(Box<TuneReport>),
    /// Of a command that has no report of its own: its summary.
    Other(Value),
}

/// Runs the command.
///
/// # Errors
/// When there is no such run, it has no such report, or the output cannot be written.
pub fn run(args: &ReportArgs, context: &Context) -> Result<Exit, Failure> {
    let format = if context.json { Format::Json } else { args.format };
    let ledger = Ledger::open_to_read(&context.reports).map_err(ReportError::from)?;
    let run = ledger.facts(&args.run).map_err(ReportError::from)?;
    match (format, args.output.as_deref()) {
        (Format::Html, None) => {
            let path = write_page(&ledger, &run.id)?;
            context.print(&format!("{}\n", path.display()))?;
        }
        (_, Some(path)) if path != "-" => {
            let mut text = Vec::new();
            render(&ledger, &run, format, &mut text)?;
            write(path, &text)?;
        }
        _ => print(&ledger, &run, format)?,
    }
    Ok(Exit::Good)
}

/// Writes `report.html` into the folder of a run, and says where that is. Commands call it when
/// a run is finished.
///
/// # Errors
/// When there is no such run, it has no page, or the folder cannot be written.
pub fn write_page(ledger: &Ledger, run: &str) -> Result<PathBuf, Failure> {
    let run = ledger.facts(run).map_err(ReportError::from)?;
    let mut text = Vec::new();
    render(ledger, &run, Format::Html, &mut text)?;
    let path = run.folder.join("report.html");
    write(&path, &text)?;
    Ok(path)
}

fn write(path: &Path, text: &[u8]) -> Result<(), ReportError> {
    write_atomically(path, text)
        .map_err(|reason| ReportError::Unwritable { path: path.to_owned(), reason })
}

fn print(ledger: &Ledger, run: &RunFacts, format: Format) -> Result<(), ReportError> {
    let mut out = io::BufWriter::new(output::results());
    render(ledger, run, format, &mut out)?;
    Ok(out.flush()?)
}

fn render(
    ledger: &Ledger,
    run: &RunFacts,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    if let (Format::Json, Some(summary)) = (format, &run.summary) {
        return Ok(writeln!(out, "{summary}")?);
    }
    let text = match (format, content(ledger, run)?) {
        (Format::Html, Content::Match(summary, curve)) => match_page(&summary, &curve),
        (Format::Html, Content::Suite(report)) => suite_page(&report),
        (Format::Html, Content::Gate(report)) => gate_page(&report),
        (Format::Markdown, Content::Gate(report)) => markdown(&report, None),
        (Format::Html, Content::Loop(summary)) => loop_page(&summary),
        (Format::Html, Content::Tune(report)) => tune_page(&report),
        (Format::Markdown, Content::Match(summary, _)) => match_markdown(&summary),
        (Format::Markdown, Content::Suite(report)) => suite_markdown(&report),
        (Format::Csv, Content::Suite(report)) => csv::suite(&report),
        (Format::Csv, Content::Match(..) | Content::Tune(_) | Content::Other(_)) => {
            return games_csv(ledger, &run.id, out);
        }
        (Format::Json, Content::Match(summary, _)) => format!("{}\n", json!(summary)),
        (Format::Json, Content::Gate(report)) => format!("{}\n", json!(report)),
        (Format::Json, Content::Suite(report)) => format!("{}\n", json!(report)),
        (Format::Json, Content::Tune(report)) => format!("{}\n", json!(report.summary)),
        (Format::Json, Content::Loop(summary)) => format!("{}\n", json!(summary)),
        (Format::Json, Content::Other(summary)) => format!("{summary}\n"),
        (Format::Pgn, Content::Match(..) | Content::Tune(_) | Content::Other(_)) => {
            return ledger
                .each_game(&run.id, |game| Ok(writeln!(out, "{}\n", game.pgn.trim_end())?));
        }
        (Format::PgnMoves, Content::Match(..) | Content::Tune(_) | Content::Other(_)) => {
            return ledger.each_game(&run.id, |game| {
                Ok(writeln!(out, "{}\n", pgn::without_comments(&game.pgn).trim_end())?)
            });
        }
        (Format::Epd, Content::Match(..) | Content::Tune(_) | Content::Other(_)) => {
            return ledger.each_game(&run.id, |game| {
                let damaged = |error| ReportError::Damaged { pair: game.pair + 1, error };
                let epd = pgn::final_position(&game.pgn).map_err(damaged)?;
                Ok(writeln!(out, "{epd} id \"{}.{}\";", game.pair + 1, game.game + 1)?)
            });
        }
        (Format::Pgn | Format::PgnMoves | Format::Epd, Content::Suite(_) | Content::Gate(_))
        | (Format::Csv, Content::Gate(_))
        | (Format::Markdown, Content::Tune(_))
        | (_, Content::Loop(_) | Content::Other(_)) => {
            let format = format.to_possible_value().map(|value| value.get_name().to_owned());
            let (command, format) = (run.command.clone(), format.unwrap_or_default());
            return Err(ReportError::NoSuchReport { command, format });
        }
    };
    Ok(out.write_all(text.as_bytes())?)
}

fn content(ledger: &Ledger, run: &RunFacts) -> Result<Content, ReportError> {
    match run.command.as_str() {
        "match" | "sprt" => match_content(ledger, run),
        "suite" => suite_content(ledger, run),
        "gate" => match &run.summary {
            Some(summary) => Ok(Content::Gate(Box::new(read(run, "summary", summary)?))),
            None => Err(ReportError::NoSummary { run: run.id.clone() }),
        },
        "loop" => match &run.summary {
            Some(summary) => Ok(Content::Loop(Box::new(read(run, "summary", summary)?))),
            None => Err(ReportError::NoSummary { run: run.id.clone() }),
        },
        "tune" => Ok(Content::Tune(Box::new(replay(ledger, run)?))),
        _ => match &run.summary {
            Some(summary) => Ok(Content::Other(summary.clone())),
            None => Err(ReportError::NoSummary { run: run.id.clone() }),
        },
    }
}

fn read<T: DeserializeOwned>(
    run: &RunFacts,
    what: &'static str,
    value: &Value,
) -> Result<T, ReportError> {
    T::deserialize(value).map_err(|reason| ReportError::Unreadable {
        what,
        run: run.id.clone(),
        reason,
    })
}

fn match_content(ledger: &Ledger, run: &RunFacts) -> Result<Content, ReportError> {
    let finished: Option<MatchSummary> =
        run.summary.as_ref().map(|summary| read(run, "summary", summary)).transpose()?;
    let facts: MatchFacts = match &finished {
        Some(summary) => summary.facts.clone(),
        None => read(run, "plan", &run.plan["facts"])?,
    };
    let head = facts.engines.first().map_or("", |engine| engine.name.as_str());
    let mut tally = Tally::new(head);
    let mut milliseconds = 0;
    ledger.each_game(&run.id, |game| {
        milliseconds += game.milliseconds;
        tally.add(&outcome(game));
        Ok::<_, ReportError>(())
    })?;
    let curve = tally.curve(facts.sprt.as_ref());
    let summary = finished.unwrap_or_else(|| {
        // Nobody has noted how long it took; games side by side share the time.
        let seconds = milliseconds as f64 / 1000.0 / facts.jobs.max(1) as f64;
        let mut summary = tally.summary(&run.id, &facts, seconds);
        summary.warnings.insert(0, format!("the run is {}, not finished", run.status));
        summary
    });
    Ok(Content::Match(Box::new(summary), curve))
}

fn outcome(game: StoredGame) -> Outcome {
    // The ledger refuses anything above 2.
    let score = game.score().unwrap_or(GameScore::Win);
    let (first, second) =
        if game.first_is_white { (game.white, game.black) } else { (game.black, game.white) };
    Outcome { pair: game.pair, first, second, score, termination: game.termination }
}

fn suite_content(ledger: &Ledger, run: &RunFacts) -> Result<Content, ReportError> {
    if let Some(summary) = &run.summary {
        return Ok(Content::Suite(Box::new(read(run, "summary", summary)?)));
    }
    let facts: SuiteFacts = read(run, "plan", &run.plan["facts"])?;
    let mut results: Vec<Vec<SuiteResult>> = vec![Vec::new(); facts.engines.len().max(1)];
    for solution in ledger.solutions(&run.id)? {
        if let Some(results) = results.get_mut(solution.engine as usize) {
            results.push(read(run, "results", &solution.payload)?);
        }
    }
    let mut summaries = results.into_iter().enumerate().map(|(engine, results)| {
        let seconds = results.iter().map(|result| result.time_ms as f64 / 1000.0).sum();
        let mut summary = facts.summary(&run.id, engine, results, seconds);
        summary.warnings.push(format!("the run is {}, not finished", run.status));
        summary
    });
    match summaries.next() {
        Some(first) => {
            let others = summaries.collect();
            Ok(Content::Suite(Box::new(SuiteReport { first, others })))
        }
        None => Err(ReportError::NoSummary { run: run.id.clone() }),
    }
}

fn games_csv(ledger: &Ledger, run: &str, out: &mut dyn Write) -> Result<(), ReportError> {
    let header = [
        "pair",
        "game",
        "white",
        "black",
        "result",
        "first",
        "first_points",
        "termination",
        "plies",
        "milliseconds",
    ];
    out.write_all(csv::line(header).as_bytes())?;
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
