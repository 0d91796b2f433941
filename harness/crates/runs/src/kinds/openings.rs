//! The rating of opening books as a kind of run.

use serde_json::{Value, json};

use super::event::{Begun, RunEvent, RunSink};
use super::kind::{Kind, Resume};
use super::outcome::Outcome;
use crate::notices::Ending;
use crate::openings::{self, BookRating, Event};
use crate::report::{self, Format, Rendered, ReportError};
use harness_base::failure::{Exit, Failure};
use harness_base::session::Session;
use harness_base::text::counted;
use harness_ledger::{Ledger, LedgerError, RunFacts};
use harness_outcome::book::BookReport;
use harness_report::book_text;
use harness_report::html::{Page, book_page};

/// The rating of opening books.
pub const KIND: Kind = Kind {
    key: openings::COMMAND,
    words: "openings rate",
    title: |plan| BookRating::title(plan).0,
    limit: |plan| BookRating::title(plan).1,
    result_line,
    resume: Resume::By(|ledger, run, plan, session, sink| {
        outcome(&openings::resume(ledger, run, plan, session, &|event| show(event, sink))?)
    }),
    so_far: |ledger, run| Ok(json!(so_far(ledger, run)?)),
    page,
    report: markdown,
    plays_elsewhere: true,
    in_progress: "pairs of games",
    ..Kind::PLAIN
};

/// Starts a run.
///
/// # Errors
/// As [`BookRating::start`].
pub fn start(
    rating: &BookRating,
    session: &Session,
    sink: &RunSink<'_>,
) -> Result<BookReport, Failure> {
    rating.start(session, &|event| show(event, sink))
}

/// The end of a run for hooks.
pub fn ending(report: &BookReport) -> Ending {
    Ending { summary: Some(json!(report)), exit: Some(Exit::Good) }
}

/// The facts of a run; of `last` those of the newest rating, whose matches are newer runs.
///
/// # Errors
/// When there is no such run, or the ledger cannot be read.
pub fn facts(ledger: &Ledger, run: &str) -> Result<RunFacts, LedgerError> {
    let newest = match run {
        "last" => {
            let runs = ledger.runs()?.into_iter().rev();
            runs.filter(|row| row.command == openings::COMMAND).map(|row| row.run).next()
        }
        _ => None,
    };
    ledger.facts(newest.as_deref().unwrap_or(run))
}

/// The result as it is shown.
///
/// # Errors
/// When it has no JSON form.
pub fn outcome(report: &BookReport) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::new(report, book_text(report), Exit::Good)?;
    outcome.warnings.clone_from(&report.warnings);
    Ok(outcome)
}

/// The result of the games so far.
///
/// # Errors
/// When the ledger or a book cannot be read, or nothing was played.
pub fn so_far(ledger: &Ledger, run: &RunFacts) -> Result<BookReport, ReportError> {
    report::summary_or(run, || {
        let rating: BookRating = report::read(run, "plan", &run.plan)?;
        let nothing = |_: Failure| ReportError::NoSummary(run.id.clone());
        rating.report(ledger, &run.id).map_err(nothing)
    })
}

fn page(ledger: &Ledger, run: &RunFacts) -> Result<Page, ReportError> {
    Ok(book_page(&so_far(ledger, run)?))
}

fn markdown(ledger: &Ledger, run: &RunFacts, format: Format) -> Rendered {
    let report = so_far(ledger, run)?;
    Ok((format == Format::Markdown).then(|| format!("```\n{}```\n", book_text(&report))))
}

fn result_line(summary: &Value) -> String {
    let games = summary.get("games").and_then(Value::as_u64).unwrap_or_default();
    let books = summary.get("books").and_then(Value::as_array).map_or(0, Vec::len);
    format!("{}, {}", counted(books as u64, "book", "books"), counted(games, "game", "games"))
}

/// Tells an event in the words of all kinds.
fn show(event: &Event<'_>, sink: &RunSink<'_>) {
    match event {
        Event::Started { run, matches } => {
            let of = Some(*matches as u64);
            let (key, title, unit) = (openings::COMMAND, String::new(), "matches");
            sink(&RunEvent::Begun(Begun { run, key, title, done: 0, of, unit }));
        }
        Event::Begins { number, of, book } => {
            sink(&RunEvent::Done(*number as u64 - 1));
            sink(&RunEvent::Doing(book));
            sink(&RunEvent::Line(&format!("{book} ({number} of {of})")));
        }
        Event::Games(event) => sink(&RunEvent::Part(event)),
    }
}
