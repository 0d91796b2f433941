//! Shows the events of a run: progress on standard error, a stream on standard output.

use std::sync::{Mutex, MutexGuard};

use super::print;
use crate::bisect::run as bisect;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::gate::{run as gate, verdict};
use crate::kinds::{Event, Outcome, Sink};
use crate::live::Publisher;
use crate::outcome::loop_summary::generation_name;
use crate::output::{self, OutputError};
use crate::report::terminal::match_text;
use crate::report::text::{duration, grouped};
use crate::report::{Machine, MatchProgress, Progress, SuiteProgress, generation_line};
use crate::runs::games::{self, crowding, stream};
use crate::runs::{generate, loop_, suite, train, tune};
use crate::sync::{lock, unpoisoned};
use crate::tuning::progress;

/// Executes `run` with a sink that shows what happens, and prints its outcome.
///
/// # Errors
/// Those of `run`; and when the outcome cannot be written.
pub fn shown(
    context: &Context,
    run: impl FnOnce(&Sink<'_>) -> Result<Outcome, Failure>,
) -> Result<Exit, Failure> {
    print::outcome(&watched(context, run)?, context)
}

/// Executes `run` with a sink that shows what happens.
///
/// # Errors
/// Those of `run`; and when a line of the stream could not be written.
pub fn watched<T>(
    context: &Context,
    run: impl FnOnce(&Sink<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let watcher = Watcher { context, state: Mutex::default() };
    // A folder that holds no sockets is no reason not to play.
    let publisher = Publisher::start(&context.reports, &context.interrupt)
        .inspect_err(|error| tracing::debug!("the studio will not see this run live: {error}"))
        .ok();
    let ended = run(&|event| {
        publisher.iter().for_each(|publisher| publisher.event(event));
        match event {
            Event::Games(event) => watcher.games(event),
            Event::Suite(event) => watcher.suite(event),
            Event::Bisect(event) => watcher.bisect(event),
            Event::Gate(event) => watcher.gate(event),
            Event::Tune(event) => watcher.tune(event),
            Event::Generate(event) => watcher.generate(event),
            Event::Train(event) => watcher.train(event),
            Event::Loop(event) => watcher.loop_(event),
        }
    })?;
    let state = unpoisoned(watcher.state.into_inner());
    state.unwritten.map_or(Ok(ended), Err).or_failed()
}

struct Watcher<'a> {
    context: &'a Context,
    state: Mutex<State>,
}

/// Progress lines, and the facts of the run from its first event.
#[derive(Default)]
struct State {
    progress: Option<MatchProgress>,
    suite: Option<SuiteProgress>,
    /// Of trials, games of self-play or the steps of a training.
    line: Option<Progress>,
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

    fn line(&self, total: u64, done: u64) -> Option<Progress> {
        Some(Progress::start(Some(total), done, self.context.quiet))
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
            Event::Counted(tally) => state.progress.iter_mut().for_each(|line| line.show(tally)),
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

    fn suite(&self, event: &suite::Event<'_>) {
        let mut state = self.state();
        match event {
            suite::Event::Warning(text) => self.context.warn(text),
            suite::Event::Started { plan, positions, done, .. } => {
                let engines = plan.engines.iter().map(|engine| engine.name.clone()).collect();
                let suite = plan.facts.suite.clone();
                let quiet = self.context.quiet;
                let machine = self.context.on.is_none().then(|| Machine::new(None));
                let progress =
                    SuiteProgress::start(suite, engines, *positions, done, machine, quiet);
                state.suite = Some(progress);
            }
            suite::Event::Searched(done) => state.suite.iter_mut().for_each(|line| line.show(done)),
        }
    }

    fn bisect(&self, event: &bisect::Event<'_>) {
        use bisect::Event;
        match event {
            Event::Started { commits, .. } => {
                let noun = if *commits == 1 { "commit" } else { "commits" };
                self.context.say(&format!("{commits} {noun} may have brought the loss"));
            }
            Event::Step { commit, number, of, suspect, probability, no_loss } => {
                self.context.say(&format!(
                    "{} ({number} of {of}); most suspect: {} {:.0} %, no loss {:.0} %",
                    commit.short(),
                    suspect.short(),
                    100.0 * probability,
                    100.0 * no_loss
                ));
            }
            Event::Test { commit, before } => {
                let again = if *before > 0 { ", again" } else { "" };
                self.context.say(&format!("{}{again}: {}", commit.short(), commit.subject));
            }
            Event::Skipped { commit, reason } => {
                self.context.warn(&format!("{} is skipped: {reason}", commit.short()));
            }
            Event::Games(event) => self.games(event),
        }
    }

    fn gate(&self, event: &gate::Event<'_>) {
        use gate::Event;
        let context = self.context;
        match event {
            Event::Started { .. } => {}
            Event::GoesOn { run } => context.say(&format!("going on with {run}")),
            Event::Begins { check } => context.say(&format!("{check} ...")),
            Event::Ended(check) => {
                context.say(&format!("{}: {}", check.name, verdict(check)));
            }
            Event::Games(event) => self.games(event),
        }
    }

    fn tune(&self, event: &tune::Event<'_>) {
        use tune::Event;
        match event {
            Event::Warning(text) => self.context.warn(text),
            Event::Started { plan, done, .. } => self.state().line = self.line(plan.games, *done),
            Event::Played { plan, games, path } => {
                let all = plan.space.parameters();
                let lines = |pace| progress::lines(all, path, *games, plan.games, pace);
                self.state().line.iter_mut().for_each(|line| line.show(*games, lines));
            }
            Event::Tuned(_) => self.state().line = None,
            Event::Validation(event) => self.games(event),
        }
    }

    fn generate(&self, event: &generate::Event<'_>) {
        use generate::Event;
        match event {
            Event::Warning(text) => self.context.warn(text),
            Event::Started { card, games } => self.state().line = self.line(*games, card.games),
            Event::Added { card, games, speed } => {
                let mut state = self.state();
                let Some(line) = &mut state.line else { return };
                line.show(card.games, |pace| {
                    let left = pace.seconds_left.map(|left| format!(", {} left", duration(left)));
                    let [games, of, moves, speed] =
                        [card.games, *games, card.moves, *speed].map(grouped);
                    let left = left.unwrap_or_default();
                    format!("{games} of {of} games, {moves} positions, {speed} an hour{left}")
                });
            }
        }
    }

    fn train(&self, event: &train::Event<'_>) {
        use train::Event;
        let mut state = self.state();
        match *event {
            Event::Reading { done, bytes } => {
                if state.line.is_none() {
                    state.line = self.line(bytes, 0);
                }
                state.line.iter_mut().for_each(|line| line.show(done, |_| read(done, bytes)));
            }
            Event::Started { done, steps } => state.line = self.line(steps, done),
            Event::Step { done, epochs, of } => {
                let Some(line) = &mut state.line else { return };
                line.show(done, |_| {
                    let epoch = (epochs.len() as u32 + 1).min(of);
                    let losses = epochs.last().map(|epoch| {
                        let train = epoch.train;
                        let validation = epoch.validation;
                        format!("  training loss {train:.6}  validation loss {validation:.6}")
                    });
                    format!("epoch {epoch}/{of}{}", losses.unwrap_or_default())
                });
            }
        }
    }

    fn loop_(&self, event: &loop_::Event<'_>) {
        use loop_::{Event, Step};
        let say = |text: &str| {
            self.state().line = None;
            self.context.say(text);
        };
        match event {
            Event::Started { .. } => {}
            Event::Generate(event) => self.generate(event),
            Event::Train(event) => self.train(event),
            Event::Games(event) => self.games(event),
            Event::Step { generation, of, step } => {
                let step = match *step {
                    Step::Games(player) => format!("games of {}", generation_name(player)),
                    Step::Training => "training".to_owned(),
                    Step::Test(best) => format!("test against {}", generation_name(best)),
                };
                say(&format!("generation {generation} of {of}: {step}"));
            }
            Event::Done { generation, of } => say(&generation_line(generation, *of)),
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

/// How much of the data is read.
pub fn read(done: u64, bytes: u64) -> String {
    format!("data {:.0} % read", 100.0 * done as f64 / bytes.max(1) as f64)
}
