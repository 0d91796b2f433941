//! Shows the events of a match or an SPRT: progress on standard error, a stream on standard output.

use std::sync::{Mutex, PoisonError};

use crate::context::Context;
use crate::failure::{Failure, OrFail};
use crate::output::{self, OutputError};
use crate::report::MatchProgress;
use crate::report::terminal::match_text;
use crate::runs::games::{Event, Sink, crowding, stream};

/// Runs `play` with a sink that shows what happens.
///
/// # Errors
/// Those of `play`; and when a line of the stream could not be written.
pub fn watched<T>(
    context: &Context,
    play: impl FnOnce(&Sink<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let watcher = Watcher { context, state: Mutex::default(), stream: Stream::default() };
    let played = play(&|event| watcher.see(event))?;
    watcher.stream.end().or_failed()?;
    Ok(played)
}

struct Watcher<'a> {
    context: &'a Context,
    state: Mutex<State>,
    stream: Stream,
}

/// What the run said when it began.
#[derive(Default)]
struct State {
    progress: Option<MatchProgress>,
    names: Vec<String>,
    streams: bool,
    report_every: Option<u64>,
    /// Games of the latest report.
    reported: u64,
}

impl Watcher<'_> {
    fn see(&self, event: &Event<'_>) {
        // Moves come by the thousand, from every thread.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Event::Started { plan, showing, .. } = event {
            state.streams = showing.json_stream;
            state.names = plan.engines.iter().map(|engine| engine.name.clone()).collect();
        }
        if state.streams
            && let Some(line) = stream::line(event, &state.names)
        {
            self.stream.line(&line);
        }
        match event {
            Event::Started { facts, plan, done, showing, .. } => {
                let crowding = crowding(plan.jobs, &plan.engines);
                let progress = MatchProgress::start(facts, *done, crowding, self.context.quiet);
                state.progress = Some(progress);
                state.report_every = showing.report_every;
                state.reported = *done;
            }
            Event::Warning(text) => self.note(&state, &format!("warning: {text}")),
            Event::Broken { engine, games } => {
                let text =
                    format!("{engine} lost {games} games in a row by crashes or other faults");
                self.note(&state, &text);
            }
            Event::Counted(tally) => {
                if let Some(progress) = &mut state.progress {
                    progress.show(tally);
                }
            }
            Event::Statistics { games, summary } => {
                if state.report_every.is_some_and(|every| games / every > state.reported / every) {
                    state.reported = *games;
                    self.note(&state, &match_text(&summary()));
                }
            }
            Event::Finished(_) => state.progress = None,
            Event::Game(_) => {}
        }
    }

    /// Says something that stays, above the progress once there is one.
    fn note(&self, state: &State, text: &str) {
        match &state.progress {
            Some(progress) => progress.note(text),
            None => self.context.say(text),
        }
    }
}

/// Where the lines of the stream go. Games go on when one cannot be written: the run keeps its
/// results elsewhere.
#[derive(Debug, Default)]
struct Stream {
    failed: Mutex<Option<OutputError>>,
}

impl Stream {
    /// Writes a line. After one that could not be written there is none any more.
    fn line(&self, value: &serde_json::Value) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_none() {
            *failed = output::result(&format!("{value}\n")).err();
        }
    }

    /// The reason why some line could not be written.
    fn end(self) -> Result<(), OutputError> {
        self.failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}
