//! Prints the outcomes of runs; gives the exit status of each.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::kinds::Outcome;
use crate::ledger::Ledger;
use crate::outcome::MatchSummary;
use crate::outcome::bisection::{self, BisectReport};
use crate::outcome::calibration::Calibration;
use crate::outcome::gate::{self, GateReport};
use crate::outcome::loop_summary::LoopSummary;
use crate::outcome::tuned::Finding;
use crate::report::terminal::match_text;
use crate::report::{
    bisect_text, calibration_text, gate_annotations, gate_markdown, gate_text, loop_text,
    suite_text, tune_text,
};
use crate::runs::calibrate::rate;
use crate::runs::games::Finished;
use crate::runs::suite::SuiteOutcome;
use crate::runs::tune::TuneOutcome;
use crate::stats::Verdict;
use crate::suite::Catalog;

/// Prints the outcome of a run of any kind.
///
/// # Errors
/// When it cannot be printed; the same for each kind.
pub fn outcome(outcome: &Outcome, context: &Context) -> Result<Exit, Failure> {
    match outcome {
        Outcome::Games(finished) => games(finished, context),
        Outcome::Bisect(report) => bisect(report, context),
        Outcome::Suite(outcome) => suite(outcome, context),
        Outcome::Gate(report) => gate(report, context),
        Outcome::Tune(outcome) => tune(outcome, context),
        Outcome::Loop(summary) => loop_(summary, context),
    }
}

/// Prints a match, or the ratings of a calibration; the exit status is that of the test or of the
/// calibration's criterion, if there is one.
///
/// # Errors
/// When it cannot be printed.
pub fn games(finished: &Finished, context: &Context) -> Result<Exit, Failure> {
    let Finished { summary, collected, showing } = finished;
    if let Some(criterion) = showing.calibration {
        let rated = rate(&Ledger::open_to_read(&context.reports)?, &summary.run)?;
        return calibration(&rated, criterion.within, context);
    }
    // A stream ends with the summary.
    if !showing.json_stream {
        context.show(summary, || {
            let collected = collected.as_ref().map(ToString::to_string).unwrap_or_default();
            match_text(summary) + &collected
        })?;
    }
    Ok(exit(summary))
}

/// Prints a calibration; the exit status is bad if a level is further than `within` Elo off.
///
/// # Errors
/// When it cannot be printed.
pub fn calibration(
    calibration: &Calibration,
    within: Option<f64>,
    context: &Context,
) -> Result<Exit, Failure> {
    context.show(calibration, || calibration_text(calibration))?;
    let Some(within) = within else { return Ok(Exit::Good) };
    let mut exit = Exit::Good;
    for level in calibration.off_by_more_than(within) {
        context.warn(&format!("{} is more than {within} Elo off", level.name));
        exit = Exit::Bad;
    }
    Ok(exit)
}

fn bisect(report: &BisectReport, context: &Context) -> Result<Exit, Failure> {
    context.show(report, || bisect_text(report))?;
    Ok(match report.verdict {
        bisection::Verdict::Found => Exit::Good,
        bisection::Verdict::NoLoss => Exit::Bad,
        bisection::Verdict::Undecided => Exit::Undecided,
    })
}

fn suite(outcome: &SuiteOutcome, context: &Context) -> Result<Exit, Failure> {
    let comparison = outcome.comparison.as_ref();
    let catalog = Catalog::builtin();
    let faults = catalog.find(&outcome.report.first.suite);
    let faults = faults.map_or(&[][..], |entry| &entry.faults);
    context.show(outcome, || {
        let text = suite_text(&outcome.report, faults, comparison);
        format!("{text}Report: {}\n", outcome.page.display())
    })?;
    Ok(if comparison.is_some_and(|comparison| comparison.worse) { Exit::Bad } else { Exit::Good })
}

/// Prints a report, and writes it where GitHub's workflows look for it.
///
/// # Errors
/// When it cannot be printed.
pub fn gate(report: &GateReport, context: &Context) -> Result<Exit, Failure> {
    if let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") {
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let text = gate_markdown(report, None);
        if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
            tracing::warn!("cannot write {}: {error}", Path::new(&path).display());
        }
    }
    context.show(report, || {
        let in_github = std::env::var_os("GITHUB_ACTIONS").is_some();
        let annotations = if in_github { gate_annotations(report) } else { String::new() };
        let page = |run: &str| context.reports.join("runs").join(run).join("report.html");
        let checks =
            report.checks.iter().filter_map(|check| Some((&*check.name, check.run.as_ref()?)));
        let pages = checks.chain(report.run.iter().map(|run| ("Report", run)));
        let pages: String =
            pages.map(|(name, run)| format!("{name}: {}\n", page(run).display())).collect();
        annotations + &gate_text(report) + &pages
    })?;
    Ok(match report.verdict {
        gate::Verdict::Passed => Exit::Good,
        gate::Verdict::Failed => Exit::Bad,
        gate::Verdict::Undecided => Exit::Undecided,
    })
}

fn tune(outcome: &TuneOutcome, context: &Context) -> Result<Exit, Failure> {
    let TuneOutcome { summary, collected } = outcome;
    context.show(summary, || {
        let collected = collected.as_ref().map(ToString::to_string).unwrap_or_default();
        tune_text(summary) + &collected
    })?;
    // A screening tunes nothing.
    if summary.is_screening() {
        return Ok(Exit::Good);
    }
    Ok(match summary.finding() {
        Finding::Better => summary.validation.as_ref().map_or(Exit::Good, exit),
        Finding::Worse => Exit::Bad,
        Finding::Undecided | Finding::TooFew | Finding::Start => Exit::Undecided,
    })
}

fn loop_(summary: &LoopSummary, context: &Context) -> Result<Exit, Failure> {
    context.show(summary, || loop_text(summary))?;
    Ok(if summary.best.generation > 0 { Exit::Good } else { Exit::Bad })
}

/// The exit status of a match: that of its test, if it has one.
fn exit(summary: &MatchSummary) -> Exit {
    match summary.verdict {
        None | Some(Verdict::Accepted) => Exit::Good,
        Some(Verdict::Rejected) => Exit::Bad,
        Some(Verdict::Inconclusive) => Exit::Undecided,
    }
}
