//! A bisection as a kind of run.

use serde::Deserialize;
use serde_json::{Value, json};

use super::event::{Begun, RunEvent, RunSink};
use super::kind::{Kind, Resume};
use super::outcome::Outcome;
use super::running::Running;
use crate::bisect::run::{self as bisect, BisectRun, Event};
use crate::heads::{lenient, read_head};
use crate::report::{self, Format, Rendered, ReportError, unfinished};
use harness_base::failure::{Exit, Failure};
use harness_base::session::Session;
use harness_base::text::counted;
use harness_ledger::{Ledger, RunFacts};
use harness_outcome::Commit;
use harness_outcome::bisection::{BisectReport, Verdict};
use harness_player::Limit;
use harness_report::bisect_text;
use harness_report::html::{Page, Shown, bisect_page};

/// A bisection.
pub const KIND: Kind = Kind {
    key: bisect::COMMAND,
    title,
    limit,
    result_line,
    resume: Resume::By(|ledger, run, plan, session, sink| {
        outcome(&bisect::resume(ledger, run, plan, session, &|event| show(event, sink))?)
    }),
    unfinished_line: |folder| {
        let steps = bisect::finished_steps(folder);
        let begun = bisect::open_games(folder).map_or("", |_| ", another one begun");
        match (steps, begun) {
            (0, "") => String::new(),
            _ => counted(steps as u64, "step", "steps") + begun,
        }
    },
    so_far: |_, run| Ok(json!(so_far(run)?)),
    page,
    running: Running::Page(|_, run, _| Ok(bisect_page(&so_far(run)?, Shown::Running).content)),
    report: markdown,
    ..Kind::PLAIN
};

/// The parts of a plan that a title has.
#[derive(Default, Deserialize)]
#[serde(default)]
struct PlanHead {
    #[serde(deserialize_with = "lenient")]
    good: Option<Commit>,
    #[serde(deserialize_with = "lenient")]
    commits: Option<Vec<Commit>>,
}

fn title(plan: &Value) -> String {
    let PlanHead { good, commits } = read_head(plan);
    good.zip(commits).map_or_else(String::new, |(good, commits)| title_of(&good, &commits))
}

fn title_of(good: &Commit, commits: &[Commit]) -> String {
    let last = commits.last().map(|last| format!("{} to {}", good.short(), last.short()));
    last.unwrap_or_default()
}

/// The limit of its games; empty of a bisection by a test.
fn limit(plan: &Value) -> String {
    let limit = plan.pointer("/measure/games/plan/limits/0").map(Limit::deserialize);
    limit.and_then(Result::ok).map_or_else(String::new, |limit| limit.to_string())
}

fn result_line(summary: &Value) -> String {
    let Ok(report) = BisectReport::deserialize(summary) else { return String::new() };
    match (report.verdict, &report.found[..]) {
        (Verdict::Found, [commit]) => format!("{} {}", commit.short(), commit.subject),
        (Verdict::Found, commits) => format!("one of {} commits", commits.len()),
        (Verdict::NoLoss, _) => "no loss".to_owned(),
        (Verdict::Undecided, _) => "undecided".to_owned(),
    }
}

/// Starts a run.
///
/// # Errors
/// As [`BisectRun::start`].
pub fn start(run: &BisectRun, session: &Session, sink: &RunSink<'_>) -> Result<Outcome, Failure> {
    outcome(&run.start(session, &|event| show(event, sink))?)
}

fn outcome(report: &BisectReport) -> Result<Outcome, Failure> {
    let exit = match report.verdict {
        Verdict::Found => Exit::Good,
        Verdict::NoLoss => Exit::Bad,
        Verdict::Undecided => Exit::Undecided,
    };
    Outcome::new(report, bisect_text(report), exit)
}

fn page(ledger: &Ledger, run: &RunFacts) -> Result<Page, ReportError> {
    let unfinished = unfinished(run).map(|sentence| {
        let open = bisect::open_games(&run.folder).map(|open| {
            let games = ledger.count_games(&open).unwrap_or_default();
            let games = counted(games, "game", "games");
            format!("; {games} of the step that had begun count once it ends: run {open}")
        });
        sentence + &open.unwrap_or_default()
    });
    Ok(bisect_page(&so_far(run)?, Shown::of(unfinished.as_deref())))
}

/// The result; of an unfinished bisection that of its steps so far.
fn so_far(run: &RunFacts) -> Result<BisectReport, ReportError> {
    report::summary_or(run, || bisect::so_far(run))
}

fn markdown(_: &Ledger, run: &RunFacts, format: Format) -> Rendered {
    let report: BisectReport = report::summary(run)?;
    Ok((format == Format::Markdown).then(|| format!("```\n{}```\n", bisect_text(&report))))
}

/// Tells an event in the words of all kinds.
fn show(event: &Event<'_>, sink: &RunSink<'_>) {
    match event {
        Event::Started { run, good, commits, done, of, unit } => {
            let (key, title) = (bisect::COMMAND, title_of(good, commits));
            sink(&RunEvent::Begun(Begun { run, key, title, done: *done, of: *of, unit }));
            let commits = counted(commits.len() as u64, "commit", "commits");
            sink(&RunEvent::Line(&format!("{commits} may have brought the loss")));
        }
        Event::Step { commit, number, of, suspect, probability, no_loss } => {
            let step = format!("{} ({number} of {of})", commit.short());
            sink(&RunEvent::Doing(&format!("{step}: {}", commit.subject)));
            sink(&RunEvent::Line(&format!(
                "{step}; most suspect: {} {:.0} %, no loss {:.0} %",
                suspect.short(),
                100.0 * probability,
                100.0 * no_loss
            )));
        }
        Event::Test { commit, before } => {
            let (commit, subject) = (commit.short(), &commit.subject);
            let again = if *before > 0 { ", again" } else { "" };
            sink(&RunEvent::Doing(&format!("{commit}: {subject}")));
            sink(&RunEvent::Line(&format!("{commit}{again}: {subject}")));
        }
        Event::Kept(done) => sink(&RunEvent::Done(*done)),
        Event::Skipped { commit, reason } => {
            sink(&RunEvent::Warning(&format!("{} is skipped: {reason}", commit.short())));
        }
        Event::Games(event) => sink(&RunEvent::Part(event)),
    }
}
