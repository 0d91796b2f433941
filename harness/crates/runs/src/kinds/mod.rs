//! The kinds of runs, each described in one file.
//!
//! A [`Kind`] is a table of everything that differs by kind: what lists, pages, the terminal and other
//! programs show of a run, and how it is resumed. [`KINDS`] is the registry. A new kind is a file here,
//! with its `KIND`, and its line in the registry; what it leaves out is that of [`Kind::PLAIN`].
//!
//! Events are told in the words of [`RunEvent`], the same for all kinds: who shows runs matches these
//! alone. A result is shown as an [`Outcome`].

pub mod bisect;
pub mod boards;
mod comparison;
mod event;
pub mod games;
pub mod gate;
pub mod generate;
mod head;
pub mod lichess;
pub mod loop_;
mod outcome;
mod render;
mod running;
pub mod suite;
pub mod train;
pub mod tune;

use serde_json::Value;

pub use self::comparison::{Comparison, Curve, SolvedPositions};
pub use self::event::{Begun, Moment, RunEvent, RunSink};
pub use self::outcome::{Outcome, Workflow};
pub use self::render::{page, render, result, write, write_page};
pub use self::running::{LiveState, Running, losses};

use self::head::{PlanHead, read_head};
use crate::gate::Commits;
use crate::report::{self, Format, Rendered, ReportError};
use harness_base::failure::Failure;
use harness_base::session::Session;
use harness_base::text::grouped;
use harness_ledger::{Ledger, ListedRun, Resumed, Run, RunFacts};
use harness_report::html::Page;

/// All kinds of runs.
pub static KINDS: &[&Kind] = &[
    &bisect::KIND,
    &generate::KIND,
    &gate::KIND,
    &lichess::KIND,
    &loop_::KIND,
    &games::MATCH,
    &games::SPRT,
    &boards::KIND,
    &suite::KIND,
    &train::KIND,
    &tune::KIND,
];

/// A kind of run.
pub struct Kind {
    /// The command that starts it, as the ledger keeps it.
    pub key: &'static str,
    /// A run in a few words, by its plan; may be empty.
    pub title: fn(&Value) -> String,
    /// What ends its searches, by its plan; may be empty.
    pub limit: fn(&Value) -> String,
    /// The result of a finished run in a line, by its summary; may be empty.
    pub result_line: fn(&Value) -> String,
    /// How a run that ended early is resumed.
    resume: Resume,
    /// Its result so far, while it is not finished, in the form that `--json` prints.
    so_far: fn(&Ledger, &RunFacts) -> Result<Value, ReportError>,
    /// Its page.
    page: fn(&Ledger, &RunFacts) -> Result<Page, ReportError>,
    /// Its report in a format other than HTML and JSON.
    report: fn(&Ledger, &RunFacts, Format) -> Rendered,
    /// The content of its page while it runs.
    pub running: Running,
    /// The parts of its result that are compared with those of other runs.
    pub comparison: fn(&Ledger, &RunFacts) -> Result<Comparison, ReportError>,
    /// How its results are added to the history of commits.
    pub(crate) history: Option<Measured>,
    /// Its games in the ledger.
    pub games: Games,
    /// Whether workers on other machines may do its work.
    pub plays_elsewhere: bool,
    /// Whether it is in the ledger; otherwise a file that it writes is the run.
    pub is_in_ledger: bool,
    /// A request to finish ends it at once, as no games are in progress.
    pub finishes_at_once: bool,
    /// The beginning of a form that starts a run; `None`: no page starts it.
    pub form: Option<Form>,
}

/// Continues a run of one kind.
type ResumeRun = fn(&Ledger, &Run, Value, &Session, &RunSink<'_>) -> Result<Outcome, Failure>;

/// How a run that ended early is resumed.
enum Resume {
    /// By its plan.
    By(ResumeRun),
    /// Not at all: it has no plan.
    Refused {
        /// Why.
        reason: &'static str,
        /// What to do instead.
        help: &'static str,
    },
}

/// The games of a kind of run in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Games {
    /// It has none of its own.
    None,
    /// They are stored as they come, of people and of accounts.
    Stored,
    /// Its result is counted from them: pages show their boards while it runs, and counting many takes
    /// seconds.
    Counted,
}

/// How results of a kind of run are added to the history of commits.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    /// Adds a result.
    pub(crate) add: fn(&mut Commits, &RunFacts),
    /// A run that is not finished counts with its games so far.
    pub(crate) counts_unfinished: bool,
}

/// The beginning of a form that starts a run.
pub struct Form {
    /// Its place in the list of forms.
    pub place: u8,
    /// The words of the command.
    pub command: &'static str,
    /// Arguments and flags as YAML.
    pub yaml: &'static str,
}

impl Kind {
    /// A kind of run that shows as little as possible.
    pub const PLAIN: Kind = Kind {
        key: "",
        title: |_| String::new(),
        limit: |plan| read_head::<PlanHead>(plan).facts.limit.unwrap_or_default(),
        result_line: |_| String::new(),
        resume: Resume::Refused {
            reason: "a run of this kind is not resumed",
            help: "start it again",
        },
        so_far: |_, run| report::summary(run),
        page: |_, run| Err(no_page(run)),
        report: |_, _, _| Ok(None),
        running: Running::Page(|_, _, live| Ok(losses(live.losses))),
        comparison: |_, _| Ok(Comparison::default()),
        history: None,
        games: Games::None,
        plays_elsewhere: false,
        is_in_ledger: true,
        finishes_at_once: false,
        form: None,
    };

    /// The kind that a command starts; `None` if this version does not know it.
    pub fn by_key(command: &str) -> Option<&'static Kind> {
        KINDS.iter().find(|kind| kind.key == command).copied()
    }

    /// Whether its games are in the ledger, so that they can be written.
    pub fn has_games(&self) -> bool {
        self.games != Games::None
    }

    /// Whether it was planned, so that it can be resumed and repeated with changes.
    pub fn is_planned(&self) -> bool {
        matches!(self.resume, Resume::By(_))
    }
}

/// The kinds that a page may start, in the order of their forms.
pub fn with_forms() -> Vec<(&'static Kind, &'static Form)> {
    let mut forms: Vec<_> =
        KINDS.iter().filter_map(|kind| Some((*kind, kind.form.as_ref()?))).collect();
    forms.sort_by_key(|(_, form)| form.place);
    forms
}

fn no_page(run: &RunFacts) -> ReportError {
    ReportError::NoSuchReport("html".to_owned(), run.command.clone())
}

/// A run in a few words: the engines of a match, the suite and its engines, what is tuned. May be empty.
pub fn title(command: &str, plan: &Value) -> String {
    Kind::by_key(command).map(|kind| (kind.title)(plan)).unwrap_or_default()
}

/// What ends the searches of a run; may be empty.
pub fn limit(command: &str, plan: &Value) -> String {
    (Kind::by_key(command).unwrap_or(&Kind::PLAIN).limit)(plan)
}

/// The result of a run in a line, or how much of it there is.
pub fn result_line(run: &ListedRun) -> String {
    let Some(summary) = &run.summary else {
        return match (run.games, run.positions) {
            (0, 0) => String::new(),
            (0, positions) => format!("{} positions", grouped(positions)),
            (games, _) => format!("{} games", grouped(games)),
        };
    };
    Kind::by_key(&run.command).map(|kind| (kind.result_line)(summary)).unwrap_or_default()
}

/// The command that starts a run again, if its plan has it.
pub fn command_line(plan: &Value) -> Option<String> {
    let PlanHead { facts, command_line, .. } = read_head(plan);
    facts.command_line.or(command_line)
}

/// Tasks that a run does at the same time; 1 if its plan does not say.
pub fn jobs(plan: &Value) -> u64 {
    read_head::<PlanHead>(plan).jobs.unwrap_or(1)
}

/// Resumes a run that ended early; `resumed` holds its lock.
///
/// # Errors
/// When this version does not know how, and as the command that started it.
pub fn resume(
    ledger: &Ledger,
    resumed: Resumed,
    session: &Session,
    sink: &RunSink<'_>,
) -> Result<Outcome, Failure> {
    let Resumed { run, command, plan } = resumed;
    let refused = |help: &'static str, reason: String| {
        Failure::Usage(miette::miette!(help = help, "{reason}"))
    };
    let Some(kind) = Kind::by_key(&command) else {
        let reason = format!("a run of `{command}` cannot be resumed");
        return Err(refused("a newer harness may know how", reason));
    };
    if session.on.is_some() && !kind.plays_elsewhere {
        tracing::warn!("a run of `{command}` goes on here, without workers");
    }
    match kind.resume {
        Resume::By(resume) => resume(ledger, &run, plan, session, sink),
        Resume::Refused { reason, help } => Err(refused(help, reason.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_has_a_key_and_its_form_a_place_of_its_own() {
        let keys: BTreeSet<&str> = KINDS.iter().map(|kind| kind.key).collect();
        assert_eq!(keys.len(), KINDS.len());
        let forms = with_forms();
        for ((kind, form), place) in forms.iter().zip(1..) {
            assert_eq!(form.place, place, "{}", kind.key);
            assert_eq!(form.command.split(' ').next(), Some(kind.key));
        }
        assert_eq!(forms.len(), 8);
    }

    #[test]
    fn a_run_of_an_unknown_kind_shows_what_its_plan_has() {
        let plan = serde_json::json!({
            "facts": { "limit": "nodes=5", "engines": ["a"] }, "command_line": "harness new",
        });
        assert_eq!((title("new", &plan), limit("new", &plan)), (String::new(), "nodes=5".into()));
        assert_eq!((command_line(&plan), jobs(&plan)), (Some("harness new".to_owned()), 1));
    }
}
