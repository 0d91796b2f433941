//! Stored form of recorded work: its plan, its progress, its end.

use std::path::{Path, PathBuf, absolute};
use std::{fs, io};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::kinds::RunEvent;
use harness_base::files::write_atomically;
use harness_outcome::training::Losses;
use harness_training::trainer::Epoch;

/// The file in the folder of a run that holds its progress.
const FILE: &str = "progress.json";

/// The plan of recorded work.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedPlan {
    /// True: the ledger's `last` is a run that was planned.
    pub recorded: bool,
    /// The work in a few words.
    pub title: String,
    /// The command that starts it again.
    pub command_line: Option<String>,
}

/// How far recorded work is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedProgress {
    /// Units done.
    pub done: u64,
    /// All units, if that is known.
    pub of: Option<u64>,
    /// The unit: `games`, `positions`, `steps`.
    pub unit: String,
    /// The files that it writes.
    #[serde(with = "harness_base::text::path")]
    pub files: Vec<PathBuf>,
    /// Losses of each epoch.
    pub losses: Vec<Losses>,
    /// The text of the configuration file, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
}

/// The end of recorded work.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedEnd {
    /// The exit status of the command.
    pub exit: u8,
    /// Why it failed.
    pub error: Option<String>,
    /// Advice on that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The JSON object of `--json`.
    pub result: Option<Value>,
    /// Seconds that it took.
    pub seconds: f64,
    /// How far it came.
    pub progress: RecordedProgress,
}

impl RecordedProgress {
    /// Notes an event; true if it is worth a file: another file of the work, another epoch.
    pub(super) fn note(&mut self, event: &RunEvent<'_>) -> bool {
        match event {
            RunEvent::Extent { done, of, unit } => {
                (self.done, self.of, self.unit) = (*done, Some(*of), (*unit).to_owned());
                false
            }
            RunEvent::Done(done) => {
                self.done = *done;
                false
            }
            RunEvent::OneMore => {
                self.done += 1;
                false
            }
            RunEvent::Losses(epochs) if epochs.len() != self.losses.len() => {
                self.losses = epochs.iter().map(losses_of).collect();
                true
            }
            RunEvent::Writes(path) => {
                // The page may be read from elsewhere.
                self.files.push(absolute(path).unwrap_or_else(|_| (*path).to_owned()));
                true
            }
            RunEvent::Configured(text) => {
                self.config = Some((*text).to_owned());
                true
            }
            _ => false,
        }
    }

    /// Writes it into the folder of the run.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn store(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        write_atomically(&folder.join(FILE), &text)
    }
}

/// The losses of an epoch: those of scores alone differ where labels have more parts.
pub fn losses_of(epoch: &Epoch) -> Losses {
    let Epoch { train, validation, scores, .. } = *epoch;
    Losses { train, validation, scores: (scores != validation).then_some(scores) }
}

/// How far a run of a folder is; `None` if that is not stored.
pub fn progress_of(folder: &Path) -> Option<RecordedProgress> {
    serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()
}
