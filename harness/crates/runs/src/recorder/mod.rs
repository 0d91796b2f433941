//! Work without a plan of its own as a run of the ledger: data, trainings, books, suites, audits.
//!
//! A match is planned, and its run in the ledger is what is resumed. Work that writes files is continued from
//! these; its run says what was started, how far it came, what it wrote and how it ended.

mod store;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::json;

pub use self::store::{RecordedEnd, RecordedPlan, RecordedProgress, losses_of, progress_of};

use crate::kinds::{Begun, Kind, RunEvent};
use crate::notices::Ending;
use harness_base::failure::{ErrorObject, Exit, Failure};
use harness_base::sync::lock;
use harness_base::text::{self, shell_words};
use harness_ledger::{Ledger, LedgerError, Run};

/// How often progress is stored that is worth no file of its own: a process may be killed.
const STORE_INTERVAL: Duration = Duration::from_secs(5);

/// Records the work of a command, if it is of a kind that has no run of its own.
pub struct Recorder {
    reports: PathBuf,
    recording: Mutex<Option<Recording>>,
}

/// Work that has begun.
struct Recording {
    ledger: Ledger,
    run: Run,
    progress: RecordedProgress,
    begun: Instant,
    stored: Instant,
}

impl Recorder {
    /// Records into the ledger of a reports folder; nothing is written before work begins.
    pub fn new(reports: &Path) -> Recorder {
        Recorder { reports: reports.to_owned(), recording: Mutex::default() }
    }

    /// Passes an event on to `sink`. Work that begins gets the id of its run in the ledger. A ledger that
    /// cannot be written is a warning: the work itself continues.
    pub fn pass(&self, event: &RunEvent<'_>, sink: &dyn Fn(&RunEvent<'_>)) {
        let RunEvent::Begun(begun) = event else {
            self.note(event);
            return sink(event);
        };
        if !Kind::by_key(begun.key).is_some_and(|kind| kind.is_recorded) {
            return sink(event);
        }
        match self.begin(begun) {
            Ok(id) => {
                let title = begun.title.clone();
                sink(&RunEvent::Begun(Begun { run: &id, title, ..*begun }));
            }
            Err(error) => {
                tracing::warn!("this work is not in the list of runs: {error}");
                sink(event);
            }
        }
    }

    fn recording(&self) -> MutexGuard<'_, Option<Recording>> {
        lock(&self.recording)
    }

    fn begin(&self, begun: &Begun<'_>) -> Result<String, LedgerError> {
        let mut recording = self.recording();
        if let Some(known) = &*recording {
            return Ok(known.run.id().to_owned());
        }
        let ledger = Ledger::open(&self.reports)?;
        let plan = RecordedPlan {
            recorded: true,
            title: begun.title.clone(),
            command_line: Some(shell_words(text::arguments())),
        };
        let run = ledger.start_run(begun.key, &json!(plan))?;
        let progress = RecordedProgress {
            done: begun.done,
            of: begun.of,
            unit: begun.unit.to_owned(),
            ..RecordedProgress::default()
        };
        let id = run.id().to_owned();
        let now = Instant::now();
        let mut new = Recording { ledger, run, progress, begun: now, stored: now };
        new.store();
        *recording = Some(new);
        Ok(id)
    }

    fn note(&self, event: &RunEvent<'_>) {
        // Work of other kinds has many events, from every thread.
        if !matches!(
            event,
            RunEvent::Extent { .. }
                | RunEvent::Done(_)
                | RunEvent::OneMore
                | RunEvent::Losses(_)
                | RunEvent::Writes(_)
                | RunEvent::Configured(_)
        ) {
            return;
        }
        if let Some(recording) = &mut *self.recording()
            && (recording.progress.note(event) || recording.stored.elapsed() >= STORE_INTERVAL)
        {
            recording.store();
        }
    }

    /// The command ended; `ended` has its result. What was interrupted stays unfinished.
    pub fn end(&self, ended: Result<&Ending, &Failure>) {
        let Some(mut recording) = self.recording().take() else { return };
        recording.store();
        let seconds = recording.begun.elapsed().as_secs_f64();
        let progress = recording.progress.clone();
        let end = match ended {
            Ok(Ending { summary, exit }) => RecordedEnd {
                exit: exit.unwrap_or(Exit::Good).code(),
                error: None,
                help: None,
                result: summary.clone(),
                seconds,
                progress,
            },
            Err(Failure::Interrupted(_)) => return,
            Err(failure) => RecordedEnd {
                exit: failure.code(),
                error: Some(failure.to_string()),
                help: ErrorObject::from_failure(failure).help,
                result: None,
                seconds,
                progress,
            },
        };
        if let Err(error) = recording.ledger.finish(&recording.run, &json!(end)) {
            tracing::warn!("the end of run `{}` is not recorded: {error}", recording.run.id());
        }
    }
}

impl Recording {
    fn store(&mut self) {
        self.stored = Instant::now();
        if let Err(error) = self.progress.store(self.run.folder()) {
            tracing::warn!("{}: {error}", self.run.folder().display());
        }
    }
}

#[cfg(test)]
mod tests {
    use harness_training::trainer::Epoch;

    use super::*;

    fn epoch(number: u32) -> Epoch {
        Epoch { number, train: 0.5, validation: 0.25, scores: f64::from(number) / 8.0, rate: 0.1 }
    }

    /// Records a training of two epochs with this end; gives its run.
    fn recorded(ended: Result<&Ending, &Failure>) -> (tempfile::TempDir, harness_ledger::RunFacts) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let recorder = Recorder::new(folder.path());
        let ids = Mutex::new(Vec::new());
        let sink = |event: &RunEvent<'_>| {
            if let RunEvent::Begun(begun) = event {
                lock(&ids).push(begun.run.to_owned());
            }
        };
        let begun = |key| Begun {
            run: "x-1",
            key,
            title: "a net".to_owned(),
            done: 0,
            of: None,
            unit: "steps",
        };
        // A match has a run of its own.
        recorder.pass(&RunEvent::Begun(begun("match")), &sink);
        recorder.pass(&RunEvent::Begun(begun("train")), &sink);
        recorder.pass(&RunEvent::Writes(Path::new("net.nnue")), &sink);
        recorder.pass(&RunEvent::Extent { done: 0, of: 20, unit: "steps" }, &sink);
        recorder.pass(&RunEvent::Losses(&[epoch(1), epoch(2)]), &sink);
        recorder.pass(&RunEvent::Done(20), &sink);
        recorder.end(ended);
        let ledger = Ledger::open_to_read(folder.path()).expect("it is there");
        let ids = lock(&ids).clone();
        assert_eq!((ids.len(), ids[0].as_str()), (2, "x-1"));
        let facts = ledger.facts(&ids[1]).expect("a run");
        assert_eq!(ledger.runs().expect("readable").len(), 1);
        (folder, facts)
    }

    #[test]
    fn work_is_a_run_with_files_losses_and_exit_status_however_it_ends() {
        let done = Ending { summary: Some(json!({ "loss": 0.25 })), exit: Some(Exit::Good) };
        let failed = Failure::Failed(miette::miette!(help = "make room", "the disk is full"));
        for (ended, exit, error) in
            [(Ok(&done), 0, None), (Err(&failed), 4, Some("the disk is full"))]
        {
            let (_folder, facts) = recorded(ended);
            assert_eq!((facts.command.as_str(), &facts.plan["title"]), ("train", &json!("a net")));
            let end: RecordedEnd =
                serde_json::from_value(facts.summary.expect("finished")).expect("reads");
            assert_eq!((end.exit, end.error.as_deref()), (exit, error));
            assert_eq!(end.help.as_deref(), error.map(|_| "make room"));
            // Of the second epoch the loss by scores alone is that of its labels.
            let losses = serde_json::to_value(&end.progress.losses).expect("numbers");
            assert_eq!(losses, json!([[0.5, 0.25, 0.125], [0.5, 0.25]]));
            assert_eq!((end.progress.done, end.progress.of), (20, Some(20)));
            assert_eq!(end.progress.files.len(), 1);
            assert!(end.progress.files[0].is_absolute());
        }
    }

    #[test]
    fn what_was_interrupted_keeps_how_far_it_came() {
        let stopped = Failure::Interrupted(String::new());
        let (folder, facts) = recorded(Err(&stopped));
        assert!(facts.summary.is_none());
        let run = folder.path().join("runs").join(&facts.id);
        let progress = progress_of(&run).expect("it is stored");
        assert_eq!((progress.losses.len(), progress.done), (2, 20));
    }
}
