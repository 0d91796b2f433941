//! Shows the events of a run: progress on standard error, a stream on standard output.

use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use super::{hooks, print};
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds::{Begun, Moment, Outcome, RunEvent, RunSink};
use crate::live::{LiveGames, Publisher};
use crate::output::{self, OutputError};
use crate::report::terminal::match_text;
use crate::report::{Machine, MatchProgress, Progress};
use crate::runs::games::{self, crowding, stream};
use crate::runs::notices::{Ending, Notifier};
use crate::runs::recorder::Recorder;
use crate::sync::{lock, unpoisoned};

/// Executes `run` with a sink that shows what happens, and prints its outcome.
///
/// # Errors
/// Those of `run`; and when the outcome cannot be written.
pub fn shown(
    context: &Context,
    run: impl FnOnce(&RunSink<'_>) -> Result<Outcome, Failure>,
) -> Result<Exit, Failure> {
    print::outcome(&watched(context, run, ending_of)?, context)
}

/// What hooks get of a result.
pub fn ending_of(outcome: &Outcome) -> Ending {
    Ending { summary: Some(outcome.json.clone()), exit: Some(outcome.exit) }
}

/// Executes `run` with a sink that shows what happens, and notifies hooks; `ending` is what they get of
/// its result.
///
/// # Errors
/// Those of `run`; and when a line of the stream could not be written.
pub fn watched<T>(
    context: &Context,
    run: impl FnOnce(&RunSink<'_>) -> Result<T, Failure>,
    ending: impl FnOnce(&T) -> Ending,
) -> Result<T, Failure> {
    let watcher = Watcher { context, state: Mutex::default() };
    let ended = published(
        context,
        |publish| {
            run(&|event| {
                publish(event);
                watcher.show(event);
            })
        },
        ending,
    )?;
    let state = unpoisoned(watcher.state.into_inner());
    state.unwritten.map_or(Ok(ended), Err).or_failed()
}

/// Executes `run` with a sink by which other processes, the studio's among them, follow it, and notifies
/// hooks; `ending` is what they get of its result.
///
/// # Errors
/// Those of `run`.
pub fn published<T>(
    context: &Context,
    run: impl FnOnce(&RunSink<'_>) -> Result<T, Failure>,
    ending: impl FnOnce(&T) -> Ending,
) -> Result<T, Failure> {
    hooks::add_those_of_file(context);
    let notifier = Notifier::new(&context.hooks);
    // A folder that holds no sockets is no reason not to play.
    let publisher = Publisher::start(&context.reports, &context.interrupt)
        .inspect_err(|error| tracing::debug!("the studio will not see this run live: {error}"))
        .ok();
    let live_games = LiveGames::new(&context.reports);
    let recorder = Recorder::new(&context.reports);
    let ended = run(&|event| {
        recorder.pass(event, &|event| {
            publisher.iter().for_each(|publisher| publisher.event(event));
            if let RunEvent::Games(event) = event {
                live_games.event(event);
            }
            notifier.event(event);
        });
    });
    let ended = ended.map(|ended| (ending(&ended), ended));
    // In the ledger before hooks run.
    let of = ended.as_ref().map(|(ending, _)| ending);
    recorder.end(of);
    notifier.end(of);
    ended.map(|(_, ended)| ended)
}

/// Begins work that writes a file: it becomes a run of the ledger under the file's name.
pub fn begin_work(
    sink: &RunSink<'_>,
    key: &'static str,
    path: &Path,
    of: Option<u64>,
    unit: &'static str,
) {
    let title = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    sink(&RunEvent::Begun(Begun { run: key, key, title, done: 0, of, unit }));
    sink(&RunEvent::Writes(path));
}

struct Watcher<'a> {
    context: &'a Context,
    state: Mutex<State>,
}

/// Progress lines, and the facts of the run from its first event.
#[derive(Default)]
struct State {
    progress: Option<MatchProgress>,
    /// Of trials, positions, games of self-play or the steps of a training.
    bar: Option<Bar>,
    names: Vec<String>,
    streams: bool,
    stream: stream::Pace,
    report_every: Option<u64>,
    /// Games of the latest report.
    reported: u64,
    /// Why a line of the stream could not be written. Games continue then: the run keeps its
    /// results elsewhere.
    unwritten: Option<OutputError>,
}

/// A progress line.
struct Bar {
    progress: Progress,
    /// The machine whose load it watches.
    machine: Option<Machine>,
}

impl Bar {
    fn show(&mut self, done: u64, text: &dyn Fn(&Moment<'_>) -> String) {
        let Bar { progress, machine } = self;
        progress.show(done, |pace| {
            let warning = machine.as_mut().and_then(Machine::warning);
            text(&Moment { pace, warning: warning.as_deref() })
        });
    }
}

impl State {
    /// Prints the lines of an event, if they are asked for.
    fn stream(&mut self, event: &games::Event<'_>) {
        if !self.streams {
            return;
        }
        for line in self.stream.lines(event, &self.names) {
            if self.unwritten.is_none() {
                self.unwritten = output::result(&format!("{line}\n")).err();
            }
        }
    }
}

impl Watcher<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn show(&self, event: &RunEvent<'_>) {
        match event {
            RunEvent::Games(event) | RunEvent::Part(event) => self.games(event),
            RunEvent::Line(text) => self.context.say(text),
            RunEvent::Warning(text) => self.context.warn(text),
            RunEvent::Bar { done, of, watches_load } => {
                self.state().bar = Some(self.bar(*done, *of, *watches_load));
            }
            RunEvent::BarMoved { done, of, text } => {
                let mut state = self.state();
                if state.bar.is_none() {
                    state.bar = of.map(|of| self.bar(0, of, false));
                }
                state.bar.iter_mut().for_each(|bar| bar.show(*done, *text));
            }
            RunEvent::BarEnded => self.state().bar = None,
            // For pages and programs.
            RunEvent::Begun(_)
            | RunEvent::Extent { .. }
            | RunEvent::Done(_)
            | RunEvent::OneMore
            | RunEvent::Doing(_)
            | RunEvent::Path(_)
            | RunEvent::Losses(_)
            | RunEvent::Writes(_)
            | RunEvent::Configured(_)
            | RunEvent::Ended { .. }
            | RunEvent::Record { .. } => {}
        }
    }

    fn bar(&self, done: u64, of: u64, watches_load: bool) -> Bar {
        let watches_load = watches_load && self.context.on.is_none();
        Bar {
            progress: Progress::start(Some(of), done, self.context.quiet),
            machine: watches_load.then(|| Machine::new(None)),
        }
    }

    fn games(&self, event: &games::Event<'_>) {
        use games::Event;
        // Moves come by the thousand, from every thread.
        let mut state = self.state();
        if let Event::Started { plan, showing, .. } = event {
            state.streams = showing.json_stream;
            state.names = plan.engines.iter().map(|engine| engine.name.clone()).collect();
        }
        state.stream(event);
        match event {
            Event::Started { facts, plan, done, showing, .. } => {
                let crowding =
                    crowding(plan.jobs, &plan.engines, &plan.limits, plan.conduct.ponder);
                let machine = self.context.on.is_none().then(|| Machine::new(crowding));
                let progress = MatchProgress::start(facts, *done, machine, self.context.quiet);
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
            Event::Race(event) => self.note(&state, &event.text()),
            Event::Counted(tally) => state.progress.iter_mut().for_each(|line| line.show(tally)),
            Event::Statistics { games, summary } => {
                if state.report_every.is_some_and(|every| games / every > state.reported / every) {
                    state.reported = *games;
                    self.note(&state, &match_text(&summary()));
                }
            }
            Event::Finished(_) => state.progress = None,
            Event::Game(_) | Event::Kept(_) => {}
        }
    }

    /// Prints a line that stays, above the progress once there is one.
    fn note(&self, state: &State, text: &str) {
        match &state.progress {
            Some(progress) => progress.note(text),
            None => self.context.say(text),
        }
    }
}
