//! A training as a kind of run; its checkpoint is the run.

use super::event::{Begun, Moment, RunEvent, RunSink};
use super::figures;
use super::kind::{Form, Kind, Resume};
use super::outcome::Outcome;
use super::recorded;
use crate::train::{Event, TrainRun};
use harness_base::failure::{Exit, Failure};
use harness_base::session::Session;
use harness_report::training_text;

/// The command that starts it.
const COMMAND: &str = "train";

/// A training.
pub const KIND: Kind = Kind {
    key: COMMAND,
    resume: Resume::FromFiles { reason: "a training is continued from its checkpoint" },
    figures: figures::TRAINED,
    form: Some(Form { place: 7, command: COMMAND, yaml: "arguments: [train.yaml]\n" }),
    // It has no games in progress.
    finishes_at_once: true,
    ..recorded::KIND
};

/// Starts a training.
///
/// # Errors
/// As [`TrainRun::start`].
pub fn start(run: &TrainRun, session: &Session, sink: &RunSink<'_>) -> Result<Outcome, Failure> {
    let id = format!("{COMMAND}-{}", std::process::id());
    let (key, title, unit) = (COMMAND, format!("training of {}", run.name()), "steps");
    sink(&RunEvent::Begun(Begun { run: &id, key, title, done: 0, of: None, unit }));
    sink(&RunEvent::Configured(run.text()));
    run.files().iter().for_each(|path| sink(&RunEvent::Writes(path)));
    let outcome = run.start(session, &|event| show(event, sink))?;
    Outcome::new(&outcome, training_text(&run.summary(&outcome)), Exit::Good)
}

/// Tells an event in the words of all kinds.
fn show(event: &Event<'_>, sink: &RunSink<'_>) {
    match event {
        Event::Reading { done, bytes } => {
            let percent = 100 * done / (*bytes).max(1);
            sink(&RunEvent::Doing(&format!("data {percent} % read")));
        }
        Event::Started { done, steps } => {
            sink(&RunEvent::Extent { done: *done, of: *steps, unit: "steps" });
        }
        Event::Step { done, epochs, of } => {
            let epoch = (epochs.len() as u32 + 1).min(*of);
            sink(&RunEvent::Doing(&format!("epoch {epoch} of {of}")));
            sink(&RunEvent::Done(*done));
            sink(&RunEvent::Losses(epochs));
        }
    }
    show_bar(event, sink);
}

/// The progress line of an event, also of a training that is a part of another run.
pub(super) fn show_bar(event: &Event<'_>, sink: &RunSink<'_>) {
    match *event {
        Event::Reading { done, bytes } => {
            let text = |_: &Moment<'_>| read_so_far(done, bytes);
            sink(&RunEvent::BarMoved { done, of: Some(bytes), text: &text });
        }
        Event::Started { done, steps } => {
            sink(&RunEvent::Bar { done, of: steps, watches_load: false });
        }
        Event::Step { done, epochs, of } => {
            let text = |_: &Moment<'_>| {
                let epoch = (epochs.len() as u32 + 1).min(of);
                let losses = epochs.last().map(|epoch| {
                    let (train, validation) = (epoch.train, epoch.validation);
                    format!("  training loss {train:.6}  validation loss {validation:.6}")
                });
                format!("epoch {epoch}/{of}{}", losses.unwrap_or_default())
            };
            sink(&RunEvent::BarMoved { done, of: None, text: &text });
        }
    }
}

/// The share of the data that is read.
pub fn read_so_far(done: u64, bytes: u64) -> String {
    format!("data {:.0} % read", 100.0 * done as f64 / bytes.max(1) as f64)
}
