//! Events of runs in the words of those who show them: a terminal, a page, a program.

use std::path::Path;

use serde_json::Value;

use crate::games;
use harness_base::failure::Exit;
use harness_outcome::PathPoint;
use harness_report::Pace;
use harness_training::trainer::Epoch;

/// Something that happened in a run of any kind.
pub enum RunEvent<'a> {
    /// The run begins, or continues.
    Begun(Begun<'a>),
    /// The extent of a run that has begun is known.
    Extent {
        /// Units done by an earlier process.
        done: u64,
        /// All units.
        of: u64,
        /// The unit: `steps`.
        unit: &'static str,
    },
    /// Units done so far.
    Done(u64),
    /// One more unit is done.
    OneMore,
    /// The present step of the run, for pages.
    Doing(&'a str),
    /// A line that stays, for terminals.
    Line(&'a str),
    /// A reason to trust the result less.
    Warning(&'a str),
    /// A progress line begins, for terminals.
    Bar {
        /// Units done.
        done: u64,
        /// All units.
        of: u64,
        /// It warns of a load of this machine by others, if this machine does the work.
        watches_load: bool,
    },
    /// The progress line changes.
    BarMoved {
        /// Units done.
        done: u64,
        /// All units, for a line to begin if there is none.
        of: Option<u64>,
        /// Its text.
        text: &'a dyn Fn(&Moment<'_>) -> String,
    },
    /// The progress line ends.
    BarEnded,
    /// The recommendations of a tuner, from the first one on.
    Path(&'a [PathPoint]),
    /// The epochs of a training, from the first one on.
    Losses(&'a [Epoch]),
    /// The run writes this file.
    Writes(&'a Path),
    /// The run follows a configuration file with this text.
    Configured(&'a str),
    /// Something happened in a match or an SPRT that is the run.
    Games(&'a games::Event<'a>),
    /// Something happened in a match or an SPRT that is a part of the run.
    Part(&'a games::Event<'a>),
    /// The run has its result, and this process goes on with another run.
    Ended {
        /// The result.
        summary: &'a Value,
        /// The exit status of a command that is this run alone.
        exit: Exit,
    },
    /// An object for programs.
    Record {
        /// Its name.
        name: &'static str,
        /// Its keys, without the name.
        value: &'a dyn Fn() -> Value,
    },
}

/// Takes every event; those of games from several threads at once.
pub type RunSink<'a> = dyn Fn(&RunEvent<'_>) + Sync + 'a;

/// A run that begins, or continues.
pub struct Begun<'a> {
    /// Its id in the ledger; of work that is recorded around it, the command and the process.
    pub run: &'a str,
    /// The key of its kind.
    pub key: &'static str,
    /// The run in a few words; may be empty.
    pub title: String,
    /// Units done by an earlier process.
    pub done: u64,
    /// All units; `None`: unknown.
    pub of: Option<u64>,
    /// The unit: `games`, `positions`, `steps`.
    pub unit: &'static str,
}

/// Facts for the text of a progress line, beside the progress.
pub struct Moment<'a> {
    /// The pace.
    pub pace: Pace,
    /// A warning of the machine's load.
    pub warning: Option<&'a str>,
}
