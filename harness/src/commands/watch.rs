//! Shows the events of a run: progress on standard error, a stream on standard output; and prints
//! its outcome.

use std::sync::{Mutex, PoisonError};

use super::data::GenerateShown;
use super::train::Shown as TrainShown;
use super::{gate, loop_, sprt, tune};
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds::{Event, Outcome, Sink};
use crate::outcome::loop_summary::generation_name;
use crate::output::{self, OutputError};
use crate::report::terminal::match_text;
use crate::report::{MatchProgress, Progress, SuiteProgress, generation_line};
use crate::runs::games::{self, Finished, crowding, stream};
use crate::runs::loop_::Step;
use crate::runs::suite::{self, SuiteOutcome};
use crate::suite::text as suite_text;
use crate::tuning::progress;

/// Executes `run` with a sink that shows what happens, and prints its outcome.
///
/// # Errors
/// Those of `run`; and when the outcome cannot be written.
pub fn shown(
    context: &Context,
    run: impl FnOnce(&Sink<'_>) -> Result<Outcome, Failure>,
) -> Result<Exit, Failure> {
    match watched(context, run)? {
        Outcome::Games(finished) => print_match(&finished, context),
        Outcome::Suite(outcome) => print_suite(&outcome, context),
        Outcome::Gate(report) => gate::print(&report, context),
        Outcome::Loop(summary) => loop_::print(&summary, context),
        Outcome::Tune(outcome) => tune::print(&outcome, context),
    }
}

/// Executes `run` with a sink that shows what happens.
///
/// # Errors
/// Those of `run`; and when a line of the stream could not be written.
pub fn watched<T>(
    context: &Context,
    run: impl FnOnce(&Sink<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let watcher = Watcher {
        context,
        state: Mutex::default(),
        generated: GenerateShown::new(context),
        trained: TrainShown::new(context),
        tuned: Mutex::default(),
    };
    let ended = run(&|event| match event {
        Event::Games(event) => watcher.games(event),
        Event::Suite(event) => watcher.suite(event),
        Event::Gate(event) => watcher.gate(event),
        Event::Loop(event) => watcher.steps(event),
        Event::Tune(event) => watcher.tune(event),
    })?;
    let state = watcher.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.unwritten.map_or(Ok(ended), Err).or_failed()
}

/// Prints a match; the exit status is that of its test, if it has one.
///
/// # Errors
/// When it cannot be written.
pub fn print_match(finished: &Finished, context: &Context) -> Result<Exit, Failure> {
    let Finished { summary, collected, streamed } = finished;
    if !streamed {
        context.show(summary, || {
            let collected = collected.as_ref().map(ToString::to_string).unwrap_or_default();
            match_text(summary) + &collected
        })?;
    }
    Ok(sprt::exit(summary))
}

fn print_suite(outcome: &SuiteOutcome, context: &Context) -> Result<Exit, Failure> {
    let comparison = outcome.comparison.as_ref();
    context.show(outcome, || {
        let text = suite_text(&outcome.report, comparison);
        format!("{text}Report: {}\n", outcome.page.display())
    })?;
    Ok(if comparison.is_some_and(|comparison| comparison.worse) { Exit::Bad } else { Exit::Good })
}

struct Watcher<'a> {
    context: &'a Context,
    state: Mutex<State>,
    generated: GenerateShown<'a>,
    trained: TrainShown<'a>,
    tuned: Mutex<Option<Progress>>,
}

/// What is shown, and what the first event said of the run.
#[derive(Default)]
struct State {
    progress: Option<MatchProgress>,
    suite: Option<SuiteProgress>,
    names: Vec<String>,
    streams: bool,
    report_every: Option<u64>,
    /// Games of the latest report.
    reported: u64,
    /// Why a line of the stream could not be written. Games go on then: the run keeps its
    /// results elsewhere.
    unwritten: Option<OutputError>,
}

impl Watcher<'_> {
    fn games(&self, event: &games::Event<'_>) {
        use games::Event;
        // Moves come by the thousand, from every thread.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Event::Started { plan, showing, .. } = event {
            state.streams = showing.json_stream;
            state.names = plan.engines.iter().map(|engine| engine.name.clone()).collect();
        }
        if state.streams
            && state.unwritten.is_none()
            && let Some(line) = stream::line(event, &state.names)
        {
            state.unwritten = output::result(&format!("{line}\n")).err();
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
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            suite::Event::Warning(text) => self.context.warn(text),
            suite::Event::Started { plan, positions, done } => {
                let engines = plan.engines.iter().map(|engine| engine.name.clone()).collect();
                let (suite, quiet) = (plan.facts.suite.clone(), self.context.quiet);
                let progress = SuiteProgress::start(suite, engines, *positions, done, quiet);
                state.suite = Some(progress);
            }
            suite::Event::Searched(done) => state.suite.iter_mut().for_each(|line| line.show(done)),
        }
    }

    fn gate(&self, event: &crate::gate::run::Event<'_>) {
        use crate::gate::run::Event;
        let context = self.context;
        match event {
            Event::GoesOn { run } => context.say(&format!("going on with {run}")),
            Event::Begins { check } => context.say(&format!("{check} ...")),
            Event::Ended(check) => {
                context.say(&format!("{}: {}", check.name, crate::gate::verdict(check)));
            }
            Event::Games(event) => self.games(event),
        }
    }

    fn steps(&self, event: &crate::runs::loop_::Event<'_>) {
        use crate::runs::loop_::Event;
        let say = |text: &str| {
            self.generated.end();
            self.trained.end();
            self.context.say(text);
        };
        match event {
            Event::Generate(event) => self.generated.see(event),
            Event::Train(event) => self.trained.see(event),
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

    fn tune(&self, event: &crate::runs::tune::Event<'_>) {
        use crate::runs::tune::Event;
        let mut line = self.tuned.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Warning(text) => self.context.warn(text),
            Event::Started { plan, done } => {
                *line = Some(Progress::start(Some(plan.games), *done, self.context.quiet));
            }
            Event::Played { plan, games, path } => {
                let all = plan.space.parameters();
                let text = |pace| progress::lines(all, path, *games, plan.games, pace);
                line.iter_mut().for_each(|line| line.show(*games, text));
            }
            Event::Tuned(_) => *line = None,
            Event::Validation(event) => self.games(event),
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
