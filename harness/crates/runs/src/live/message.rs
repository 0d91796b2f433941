//! Messages at the socket of a process: JSON, a message a line.

use serde::{Deserialize, Serialize};

use super::board::Board;
use harness_outcome::training::Losses;
use harness_outcome::{MatchSummary, PathPoint};

/// A message of a process about its runs.
///
/// A listener first gets `Hello`, then of each run `Run` and what is known of it now, then what
/// changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    /// Who speaks.
    Hello {
        /// The process.
        pid: u32,
    },
    /// A run begins or continues.
    Run {
        /// Its id in the ledger; of what the ledger does not know (self-play, a training), the name
        /// of the command and of the process.
        run: String,
        /// The command.
        command: String,
        /// Its title, for people.
        title: String,
        /// The run of which it is a part, as the SPRT of a gate is; `None` of one that stands alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part_of: Option<String>,
    },
    /// Boards that changed.
    Boards {
        /// The run.
        run: String,
        /// At most [`MAX_BOARDS`](super::board::MAX_BOARDS).
        boards: Vec<Board>,
    },
    /// The result of a match or an SPRT so far.
    Result {
        /// The run.
        run: String,
        /// The result.
        summary: Box<MatchSummary>,
    },
    /// Recommendations of a tuner that are new.
    Path {
        /// The run.
        run: String,
        /// In their order.
        points: Vec<PathPoint>,
    },
    /// How far a run is.
    Progress {
        /// The run.
        run: String,
        /// How far.
        #[serde(flatten)]
        progress: Progress,
    },
    /// Losses of a training, an epoch each.
    Losses {
        /// The run.
        run: String,
        /// From the first epoch on.
        epochs: Vec<Losses>,
    },
    /// The run is over.
    Finished {
        /// The run.
        run: String,
    },
}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// All units; `None`: unknown.
    pub of: Option<u64>,
    /// The unit: `games`, `positions`, `steps`.
    pub unit: String,
    /// The present step, for people; may be empty.
    pub text: String,
}

/// Request of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
pub enum Request {
    /// End after the games in progress.
    Finish,
    /// End now; games in progress are abandoned.
    Stop,
}
