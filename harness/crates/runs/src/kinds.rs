//! The kinds of runs: how each is resumed, and what its report is.
//!
//! [`KINDS`] is the registry: `harness resume` and `harness report` find a kind of run there by the
//! command that the ledger keeps with each run. Start reading at [`resume`], [`result`] and [`render`].

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::bisect::report::{BisectReport, bisect_text};
use crate::bisect::run as bisect;
use crate::gate::{self, gate_page, markdown};
use crate::report::{self, Format, Rendered, ReportError};
use crate::{games, generate, loop_, stored, suite, train, tune};
use harness_base::context::Session;
use harness_base::failure::Failure;
use harness_base::files::write_file;
use harness_ledger::{Ledger, Resumed, Run, RunFacts};
use harness_lichess as lichess;
use harness_outcome::loop_summary::LoopSummary;
use harness_report::html::{Page, loop_page, tune_page};

/// Something that happened in a run of any kind.
pub enum Event<'a> {
    /// In a match or an SPRT.
    Games(&'a games::Event<'a>),
    /// In a run of a suite.
    Suite(&'a suite::Event<'a>),
    /// In a bisection.
    Bisect(&'a bisect::Event<'a>),
    /// In a gate.
    Gate(&'a gate::run::Event<'a>),
    /// In a tuning run.
    Tune(&'a tune::Event<'a>),
    /// In a loop.
    Loop(&'a loop_::Event<'a>),
    /// While games of self-play are generated; their file is the run.
    Generate(&'a generate::Event<'a>),
    /// In a training; its checkpoint is the run.
    Train(&'a train::Event<'a>),
}

/// Takes every event, from several threads at once.
pub type Sink<'a> = dyn Fn(&Event<'_>) + Sync + 'a;

/// The result of a run of any kind.
pub enum Outcome {
    /// Of a match or an SPRT.
    Games(Box<games::Finished>),
    /// Of a suite.
    Suite(Box<suite::SuiteOutcome>),
    /// Of a bisection.
    Bisect(Box<BisectReport>),
    /// Of a gate.
    Gate(Box<gate::Report>),
    /// Of a tuning run.
    Tune(Box<tune::TuneOutcome>),
    /// Of a loop.
    Loop(Box<LoopSummary>),
}

/// Goes on with a run of one kind.
type Resume = fn(&Ledger, &Run, Value, &Session, &Sink<'_>) -> Result<Outcome, Failure>;

/// A kind of run.
pub struct Kind {
    /// The command that starts it, as the ledger keeps it.
    pub key: &'static str,
    /// Goes on with a run.
    resume: Resume,
    /// Its result so far, while it is not finished, in the form that `--json` prints.
    so_far: fn(&Ledger, &RunFacts) -> Result<Value, ReportError>,
    /// Its page.
    page: fn(&Ledger, &RunFacts) -> Result<Page, ReportError>,
    /// Its report in a format other than HTML and JSON.
    report: fn(&Ledger, &RunFacts, Format) -> Rendered,
    /// Whether its games are in the ledger, so that they can be written.
    has_games: bool,
}

/// Makes the [`Resume`] of a kind from the function of its module.
macro_rules! resume {
    ($kind:ident, $resume:path) => {
        |ledger, run, plan, session, sink| {
            let outcome = $resume(ledger, run, plan, session, &|event| sink(&Event::$kind(event)))?;
            Ok(Outcome::$kind(Box::new(outcome)))
        }
    };
}

/// An SPRT; a match differs in its key alone.
const GAMES: Kind = Kind {
    key: "sprt",
    resume: resume!(Games, games::resume),
    so_far: |ledger, run| Ok(json!(report::match_so_far(ledger, run)?.0)),
    page: report::page_of_match,
    report: report::of_match,
    has_games: true,
};

/// All kinds of runs.
pub static KINDS: [Kind; 9] = [
    Kind {
        key: "bisect",
        resume: resume!(Bisect, bisect::resume),
        so_far: |_, run| report::summary(run),
        page: |_, run| Err(ReportError::NoSuchReport("html".to_owned(), run.command.clone())),
        report: |_, run, format| {
            let report: BisectReport = report::summary(run)?;
            Ok((format == Format::Markdown).then(|| format!("```\n{}```\n", bisect_text(&report))))
        },
        has_games: false,
    },
    Kind {
        key: "gate",
        resume: resume!(Gate, gate::run::resume),
        so_far: |ledger, run| Ok(json!(gate_so_far(ledger, run)?)),
        page: |ledger, run| Ok(gate_page(&gate_so_far(ledger, run)?)),
        report: gate_report,
        has_games: false,
    },
    Kind {
        key: lichess::COMMAND,
        resume: |_, _, _, _, _| {
            Err(Failure::Usage(miette::miette!(
                help = "start `harness lichess` again: games that are still on go on",
                "a bot's run is not resumed"
            )))
        },
        so_far: report::players_so_far,
        page: report::page_of_lichess,
        report: |_, run, format| {
            let summary = || report::summary::<lichess::Summary>(run);
            Ok(match format {
                Format::Markdown => Some(format!("```\n{}```\n", summary()?.text())),
                _ => None,
            })
        },
        has_games: true,
    },
    Kind {
        key: "loop",
        resume: resume!(Loop, loop_::resume),
        so_far: |_, run| report::summary(run),
        page: |_, run| Ok(loop_page(&report::summary(run)?)),
        report: |_, _, _| Ok(None),
        has_games: false,
    },
    Kind { key: "match", ..GAMES },
    GAMES,
    Kind {
        key: "play",
        resume: |_, _, _, _, _| {
            Err(Failure::Usage(miette::miette!(
                help = "`harness studio` has the boards",
                "games on boards go on in the studio"
            )))
        },
        so_far: report::players_so_far,
        page: report::page_of_boards,
        report: |_, _, _| Ok(None),
        has_games: true,
    },
    Kind {
        key: "suite",
        resume: resume!(Suite, suite::resume),
        so_far: |ledger, run| Ok(json!(report::suite_report(ledger, run)?)),
        page: report::page_of_suite,
        report: report::of_suite,
        has_games: false,
    },
    Kind {
        key: "tune",
        resume: resume!(Tune, tune::resume),
        so_far: |ledger, run| Ok(json!(tune::replay(ledger, run)?.summary)),
        page: |ledger, run| {
            let games = stored::shown_games(ledger, &run.id)?;
            Ok(tune_page(&tune::replay(ledger, run)?, &games))
        },
        report: |_, _, _| Ok(None),
        has_games: true,
    },
];

impl Kind {
    /// The kind that a command starts; `None` if this version does not know it.
    pub fn of(command: &str) -> Option<&'static Kind> {
        KINDS.iter().find(|kind| kind.key == command)
    }
}

/// Goes on with a run that ended early; `resumed` holds its lock.
///
/// # Errors
/// When this version does not know how, and as the command that started it.
pub fn resume(
    ledger: &Ledger,
    resumed: Resumed,
    session: &Session,
    sink: &Sink<'_>,
) -> Result<Outcome, Failure> {
    let Resumed { run, command, plan } = resumed;
    let Some(resume) = Kind::of(&command).map(|kind| kind.resume) else {
        return Err(Failure::Usage(miette::miette!(
            help = "a newer harness may know how",
            "a run of `{command}` cannot be resumed"
        )));
    };
    let known = ["match", "sprt", "tune", "suite", "loop"];
    if session.on.is_some() && !known.contains(&command.as_str()) {
        tracing::warn!("a run of `{command}` goes on here, without workers");
    }
    resume(ledger, &run, plan, session, sink)
}

/// The result of a run in the form that `--json` prints: what a finished run printed, whatever version
/// wrote it, or the result so far.
///
/// # Errors
/// When its kind has a result only when it is finished, or the ledger cannot be read.
pub fn result(ledger: &Ledger, run: &RunFacts) -> Result<Value, ReportError> {
    match (&run.summary, Kind::of(&run.command)) {
        (Some(summary), _) => Ok(summary.clone()),
        (None, Some(kind)) => (kind.so_far)(ledger, run),
        (None, None) => report::summary(run),
    }
}

/// Writes a run's report in a format.
///
/// # Errors
/// When the run has no such report, or `out` cannot be written.
pub fn render(
    ledger: &Ledger,
    run: &RunFacts,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    if format == Format::Json {
        return Ok(writeln!(out, "{}", result(ledger, run)?)?);
    }
    let kind = Kind::of(&run.command);
    let rendered = match kind {
        Some(_) if format == Format::Html => Some(page(ledger, run)?.file()),
        Some(kind) => (kind.report)(ledger, run, format)?,
        // Of a kind that this version does not know, the games may be there.
        None => report::summary::<Value>(run).map(|_| None)?,
    };
    if let Some(text) = rendered {
        return Ok(out.write_all(text.as_bytes())?);
    }
    if kind.is_none_or(|kind| kind.has_games) && report::write_games(ledger, &run.id, format, out)?
    {
        return Ok(());
    }
    Err(ReportError::NoSuchReport(format.to_string(), run.command.clone()))
}

/// The page of a run, finished or not.
///
/// # Errors
/// When the run has no page (yet), or this version does not know its kind.
pub fn page(ledger: &Ledger, run: &RunFacts) -> Result<Page, ReportError> {
    match Kind::of(&run.command) {
        Some(kind) => (kind.page)(ledger, run),
        None => Err(ReportError::NoSuchReport("html".to_owned(), run.command.clone())),
    }
}

/// Writes a run's report in a format to a file.
///
/// # Errors
/// When the run has no such report, or the file cannot be written.
pub fn write(
    ledger: &Ledger,
    run: &RunFacts,
    format: Format,
    path: &Path,
) -> Result<(), ReportError> {
    let mut text = Vec::new();
    render(ledger, run, format, &mut text)?;
    Ok(write_file(path, &text, Some("name a file that can be written with `-o FILE`"))?)
}

/// Writes `report.html` into the folder of a run; gives its path.
///
/// # Errors
/// When there is no such run, it has no page, or the folder cannot be written.
pub fn write_page(ledger: &Ledger, run: &str) -> Result<PathBuf, ReportError> {
    let run = ledger.facts(run)?;
    let path = run.folder.join("report.html");
    write(ledger, &run, Format::Html, &path)?;
    Ok(path)
}

/// The report of a gate, of an unfinished one with the checks that are.
fn gate_so_far(ledger: &Ledger, run: &RunFacts) -> Result<gate::Report, ReportError> {
    match run.summary {
        Some(_) => report::summary(run),
        None => Ok(gate::run::report_so_far(ledger, &run.id, &run.plan)?),
    }
}

fn gate_report(_: &Ledger, run: &RunFacts, format: Format) -> Rendered {
    let report: gate::Report = report::summary(run)?;
    Ok(match format {
        Format::Markdown => Some(markdown(&report, None)),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_run_has_a_result_or_says_that_it_has_none_yet() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::open(folder.path()).expect("a ledger");
        let has_result = ["gate", lichess::COMMAND, "play"];
        for command in has_result.into_iter().chain(["bisect", "loop", "unknown"]) {
            let run = ledger.start_run(command, &json!({})).expect("started");
            let facts = ledger.facts(run.id()).expect("there");
            match result(&ledger, &facts) {
                Ok(result) => {
                    assert_eq!(result["run"], run.id());
                    assert!(has_result.contains(&command), "{command}");
                }
                Err(error) => {
                    assert!(matches!(error, ReportError::NoSummary(_)), "{command}: {error}");
                    assert!(!has_result.contains(&command), "{command}");
                }
            }
            ledger.finish(&run, &json!({ "run": run.id(), "of": command })).expect("finished");
            let facts = ledger.facts(run.id()).expect("there");
            let mut printed = Vec::new();
            render(&ledger, &facts, Format::Json, &mut printed).expect("printed");
            let printed: Value = serde_json::from_slice(&printed).expect("JSON");
            assert_eq!(printed["of"], command);
        }
    }
}
