//! Events of runs for hooks: what began, how far it is, and how it ended.

use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::games::{self, stream};
use crate::kinds::games::title_of;
use crate::kinds::{Begun, RunEvent};
use harness_base::config::HookEvent;
use harness_base::failure::{ErrorObject, Exit, Failure};
use harness_base::hooks::{Hooks, Notice};
use harness_base::sync::lock;

/// The result of a run, for hooks.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    /// Output of `--json`.
    pub summary: Option<Value>,
    /// The exit status.
    pub exit: Option<Exit>,
}

/// Turns the events of a command's runs into those of hooks. Dropped before [`end`](Self::end), as after a
/// fault of the harness, it says that the run failed.
pub struct Notifier<'a> {
    hooks: &'a Hooks,
    /// There are hooks.
    is_heard: bool,
    run: Mutex<Option<CurrentRun>>,
}

/// The run that hooks are notified of: the one that is no part of another.
struct CurrentRun {
    id: String,
    command: String,
    title: String,
    done: u64,
    of: Option<u64>,
    unit: String,
    begun: Instant,
    /// It is a match or an SPRT.
    has_games: bool,
    /// Hooks know of its end.
    has_ended: bool,
}

impl Notifier<'_> {
    /// Notifies these hooks.
    pub fn new(hooks: &Hooks) -> Notifier<'_> {
        Notifier { hooks, is_heard: !hooks.is_empty(), run: Mutex::default() }
    }

    /// Something happened; by several threads at once.
    pub fn event(&self, event: &RunEvent<'_>) {
        if !self.is_heard {
            return;
        }
        match event {
            RunEvent::Games(event) => self.games(event),
            RunEvent::Begun(begun) => self.begin(CurrentRun::of(begun)),
            RunEvent::Ended { summary, exit } => {
                let ending = Ending { summary: Some((*summary).clone()), exit: Some(*exit) };
                self.finish(ending);
            }
            RunEvent::Extent { done, of, unit } => {
                if let Some(run) = &mut *self.run() {
                    (run.done, run.of, run.unit) = (*done, Some(*of), (*unit).to_owned());
                }
            }
            RunEvent::Done(done) => self.progress(|_| *done, &Value::default),
            RunEvent::OneMore => self.progress(|before| before + 1, &Value::default),
            _ => {}
        }
    }

    /// The command ended.
    pub fn end(&self, ended: Result<&Ending, &Failure>) {
        if !self.is_heard {
            return;
        }
        match ended {
            Ok(ending) => self.finish(ending.clone()),
            Err(failure) => self.fail(
                ErrorObject::from_failure(failure),
                match failure {
                    Failure::Interrupted(_) => HookEvent::Interrupted,
                    Failure::Usage(_) | Failure::Failed(_) => HookEvent::Failed,
                },
            ),
        }
    }

    fn run(&self) -> MutexGuard<'_, Option<CurrentRun>> {
        lock(&self.run)
    }

    fn games(&self, event: &games::Event<'_>) {
        use games::Event;
        match event {
            Event::Started { run, facts, done, .. } => {
                let names: Vec<&str> = facts.engines.iter().map(|one| one.name.as_str()).collect();
                self.begin(CurrentRun {
                    id: (*run).to_owned(),
                    command: facts.command.clone(),
                    title: title_of(&facts.command, &names),
                    done: *done,
                    of: facts.games_asked,
                    unit: "games".to_owned(),
                    begun: Instant::now(),
                    has_games: true,
                    has_ended: false,
                });
            }
            Event::Statistics { games, summary } => {
                self.progress(|_| *games, &|| stream::statistics_line(&summary()));
            }
            _ => {}
        }
    }

    fn begin(&self, new: CurrentRun) {
        let mut run = self.run();
        // A part of it, or the same again: a run that goes on without some results.
        if run.as_ref().is_some_and(|run| !run.has_ended) {
            return;
        }
        self.hooks.tell(&new.notice(HookEvent::Started, json!({})));
        *run = Some(new);
    }

    fn progress(&self, done: impl FnOnce(u64) -> u64, result: &dyn Fn() -> Value) {
        let mut run = self.run();
        let Some(run) = run.as_mut().filter(|run| !run.has_ended) else { return };
        let before = run.done;
        run.done = done(before);
        if !self.hooks.want_progress(before, run.done) {
            return;
        }
        let result = if run.has_games { json!({ "result": result() }) } else { json!({}) };
        self.hooks.tell_progress(&run.notice(HookEvent::Progress, result), before, run.done);
    }

    fn finish(&self, ending: Ending) {
        let Ending { summary, exit } = ending;
        let mut run = self.run();
        let Some(run) = run.as_mut().filter(|run| !run.has_ended) else { return };
        run.has_ended = true;
        let status = exit.map(Exit::code);
        let more = json!({ "summary": summary, "status": status });
        self.hooks.tell(&run.notice(HookEvent::Finished, more));
    }

    fn fail(&self, error: ErrorObject, event: HookEvent) {
        let mut run = self.run();
        if run.as_ref().is_some_and(|run| run.has_ended) {
            return;
        }
        let status = error.status;
        let more = json!({ "error": error, "status": status });
        // One that failed before it began: an engine that does not start.
        let run = run.get_or_insert_with(CurrentRun::not_begun);
        run.has_ended = true;
        self.hooks.tell(&run.notice(event, more));
    }
}

impl Drop for Notifier<'_> {
    fn drop(&mut self) {
        let is_running = self.run().as_ref().is_some_and(|run| !run.has_ended);
        if self.is_heard && is_running {
            let text = "a fault of the harness, or an end that left no result";
            self.fail(ErrorObject::new(text.to_owned(), FAILED), HookEvent::Failed);
        }
    }
}

/// The exit status of a command that failed.
const FAILED: u8 = 4;

impl CurrentRun {
    fn of(begun: &Begun<'_>) -> CurrentRun {
        let Begun { run, key, title, done, of, unit } = begun;
        CurrentRun {
            id: (*run).to_owned(),
            command: (*key).to_owned(),
            title: title.clone(),
            done: *done,
            of: *of,
            unit: (*unit).to_owned(),
            begun: Instant::now(),
            has_games: false,
            has_ended: false,
        }
    }

    fn not_begun() -> CurrentRun {
        CurrentRun {
            id: String::new(),
            command: String::new(),
            title: String::new(),
            done: 0,
            of: None,
            unit: String::new(),
            begun: Instant::now(),
            has_games: false,
            has_ended: false,
        }
    }

    /// The object of an event, with the keys of `more`.
    fn notice(&self, event: HookEvent, more: Value) -> Notice {
        let or_null = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let mut object = json!({
            "event": event, "time": Timestamp::now().to_string(),
            "run": or_null(&self.id), "command": or_null(&self.command), "title": self.title,
            "done": self.done, "of": self.of, "unit": or_null(&self.unit),
            "seconds": self.begun.elapsed().as_secs_f64(),
        });
        if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
            object.extend(more);
        }
        Notice { event, run: self.id.clone(), line: format!("{object}\n") }
    }
}
