//! A kind of run: a table of everything that differs by kind.

use std::num::NonZeroUsize;
use std::path::Path;

use serde_json::Value;

use super::comparison::Comparison;
use super::event::RunSink;
use super::figures::Figure;
use super::outcome::Outcome;
use super::running::{Running, losses};
use crate::gate::Commits;
use crate::heads::{PlanHead, read_head};
use crate::report::{self, Format, Rendered, ReportError};
use harness_base::failure::Failure;
use harness_base::session::Session;
use harness_ledger::{Ledger, Run, RunFacts};
use harness_report::html::Page;

/// A kind of run.
pub struct Kind {
    /// The command that starts it, as the ledger keeps it.
    pub key: &'static str,
    /// The words of that command, where the key is not what is typed.
    pub(super) words: &'static str,
    /// A run in a few words, by its plan; may be empty.
    pub title: fn(&Value) -> String,
    /// The limit of its searches, by its plan; may be empty.
    pub limit: fn(&Value) -> String,
    /// The result of a finished run in a line, by its summary; may be empty.
    pub result_line: fn(&Value) -> String,
    /// How far a run came that is not finished, in a line, by the files of its folder; empty of one whose games or
    /// positions are in the ledger.
    pub(super) unfinished_line: fn(&Path) -> String,
    /// How a run that ended early is resumed.
    pub(super) resume: Resume,
    /// Its result so far, while it is not finished, in the form that `--json` prints.
    pub(super) so_far: fn(&Ledger, &RunFacts) -> Result<Value, ReportError>,
    /// Its page.
    pub(super) page: fn(&Ledger, &RunFacts) -> Result<Page, ReportError>,
    /// Its report in a format other than HTML and JSON.
    pub(super) report: fn(&Ledger, &RunFacts, Format) -> Rendered,
    /// Its curves as comma-separated values, a line a point: each Nth of them, and the last.
    pub(super) curves: fn(&Ledger, &RunFacts, NonZeroUsize) -> Rendered,
    /// The content of its page while it runs.
    pub running: Running,
    /// The parts of its result that are compared with those of other runs.
    pub comparison: fn(&Ledger, &RunFacts) -> Result<Comparison, ReportError>,
    /// How its results are added to the history of commits.
    pub(crate) history: Option<Measured>,
    /// The figures of its result that a page of recorded work shows.
    pub(super) figures: &'static [Figure],
    /// Its games in the ledger.
    pub games: Games,
    /// Whether workers on other machines may do its work.
    pub plays_elsewhere: bool,
    /// Whether its run is recorded around it by the [`Recorder`](crate::recorder::Recorder): it has no plan, and
    /// files that it writes are what is continued.
    pub is_recorded: bool,
    /// A request to finish ends it at once, as no games are in progress.
    pub finishes_at_once: bool,
    /// Its work that a stop waits for, in the plural.
    pub in_progress: &'static str,
    /// A name of what it has written in a format of training data.
    pub written: &'static str,
    /// The beginning of a form that starts a run; `None`: no page starts it.
    pub form: Option<Form>,
}

/// Continues a run of one kind.
pub(super) type ResumeRun =
    fn(&Ledger, &Run, Value, &Session, &RunSink<'_>) -> Result<Outcome, Failure>;

/// How a run that ended early is resumed.
pub(super) enum Resume {
    /// By its plan.
    By(ResumeRun),
    /// By its command line with `--resume`, which continues from its files.
    FromFiles {
        /// Why not otherwise.
        reason: &'static str,
    },
    /// Not at all: it has no plan.
    Refused {
        /// Why.
        reason: &'static str,
        /// Advice.
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
        words: "",
        title: |_| String::new(),
        limit: |plan| read_head::<PlanHead>(plan).facts.limit.unwrap_or_default(),
        result_line: |_| String::new(),
        unfinished_line: |_| String::new(),
        resume: Resume::Refused {
            reason: "a run of this kind is not resumed",
            help: "start it again",
        },
        so_far: |_, run| report::summary(run),
        page: |_, run| Err(no_page(run)),
        report: |_, _, _| Ok(None),
        curves: |_, _, _| Ok(None),
        running: Running::Page(|_, _, live| Ok(losses(live.losses))),
        comparison: |_, _| Ok(Comparison::default()),
        history: None,
        figures: &[],
        games: Games::None,
        plays_elsewhere: false,
        is_recorded: false,
        finishes_at_once: false,
        in_progress: "games",
        written: "Training data",
        form: None,
    };

    /// The command as it is typed: `tune texel`.
    pub fn command(&self) -> &'static str {
        if self.words.is_empty() { self.key } else { self.words }
    }

    /// Whether its games are in the ledger, so that they can be written.
    pub fn has_games(&self) -> bool {
        self.games != Games::None
    }

    /// Whether its process sends the positions of the games that are played.
    pub fn sends_boards(&self) -> bool {
        matches!(self.running, Running::Match)
    }

    /// Whether it was planned, so that it can be resumed and repeated with changes.
    pub fn is_planned(&self) -> bool {
        matches!(self.resume, Resume::By(_))
    }
}

pub(super) fn no_page(run: &RunFacts) -> ReportError {
    ReportError::NoSuchReport("html".to_owned(), run.command.clone())
}
