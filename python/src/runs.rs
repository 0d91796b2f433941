//! Runs in the ledger: how one is executed under Python, resumed, and read again.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use harness::budget;
use harness::context::{Context, Interrupt, Session};
use harness::failure::{Failure, OrFail};
use harness::hooks::Hooks;
use harness::kinds::{self, RunEvent, RunSink, render};
use harness::ledger::{Ledger, RunFacts};
use harness::live::{LiveGames, Publisher};
use harness::platform::warden;
use harness::runs::games::{self, stream};
use harness::session::{Place, Remote, Scaling};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pythonize::pythonize;
use serde_json::{Value, json};

use crate::failure::{Interrupted, exception};
use harness::sync::{lock, unpoisoned};
use harness::text::path::encode_path;

/// How often signals are looked for while no event comes.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How a run is executed; a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings<'py> {
    /// Folder of the ledger.
    pub reports: PathBuf,
    /// Probe engines first.
    pub probe: bool,
    /// Called with each event, a dictionary.
    pub on_event: Option<Bound<'py, PyAny>>,
    /// Names of the events that it is called with; `None`: all.
    pub events: Option<Vec<String>>,
    /// Address of a server whose workers play; `None`: this process does.
    pub on: Option<String>,
}

/// The workers of a server, with what the flags of a command have by default.
fn remote(on: &str) -> Result<Option<Remote>, Failure> {
    let place: Place = on.parse().map_err(|error| {
        Failure::Usage(miette::miette!(help = "write on=\"nats://HOST\"", "on={on:?}: {error}"))
    })?;
    let Place::Server(address) = place else { return Ok(None) };
    Ok(Some(Remote {
        address: address.into(),
        priority: 1.0,
        scaling: Scaling::Here,
        sources: false,
        verify: VERIFIED_SHARE,
        starts_here: true,
    }))
}

/// Share of the workers' pairs that are played again, as `--verify` has it.
const VERIFIED_SHARE: f64 = 0.02;

/// Executes `work` in a thread of its own, without the interpreter lock; meanwhile this thread passes
/// events on and looks for signals.
///
/// After the first Ctrl-C, or an exception of `on_event`, no game is begun; the second one ends the
/// games under way, too.
pub fn watched<T: Send>(
    py: Python<'_>,
    settings: Settings<'_>,
    work: impl FnOnce(&Context, &RunSink<'_>) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let Settings { reports, probe, on_event, events, on } = settings;
    let (interrupt, setter) = Interrupt::manual()?;
    let on = on.as_deref().map(remote).transpose().map_err(exception)?.flatten();
    let session = Session { reports, probe, quiet: true, on, interrupt: interrupt.clone() };
    let context = Context { session, json: false, hooks: Arc::new(Hooks::default()) };
    let watcher = Watcher { is_heard: on_event.is_some(), events, ..Watcher::default() };
    let (sender, receiver) = mpsc::channel();
    let receiver = Mutex::new(receiver);
    let (result, raised) = std::thread::scope(|scope| {
        let playing = scope.spawn(|| {
            let publisher = Publishing::start(&context);
            let live_games = LiveGames::new(&context.reports);
            // The channel closes with this thread, which ends the loop below.
            let sender = sender;
            work(&context, &|event| {
                publisher.iter().for_each(|publisher| publisher.event(event));
                if let RunEvent::Games(event) = event {
                    live_games.event(event);
                }
                if let Some(event) = watcher.note(event) {
                    // The receiver lives as long as this thread.
                    let _ = sender.send(event);
                }
            })
        });
        let mut raised: Option<PyErr> = None;
        loop {
            let next = py.detach(|| {
                let receiver = lock(&receiver);
                receiver.recv_timeout(LOOK_EVERY)
            });
            let event = match next {
                Ok(event) => Some(event),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let call = event.as_ref().zip(on_event.as_ref().filter(|_| raised.is_none()));
            let called = call.map_or(Ok(()), |(event, callback)| {
                callback.call1((pythonize(py, event)?,)).map(drop)
            });
            if let Err(error) = called.and_then(|()| py.check_signals()) {
                // Only games that have begun can be played to their end.
                if raised.is_some() || !watcher.plays() {
                    setter.set();
                } else {
                    interrupt.finish();
                }
                raised.get_or_insert(error);
            }
        }
        let result = py.detach(|| playing.join());
        // Another run of this process may begin much later.
        budget::give_back();
        (result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)), raised)
    });
    let run = unpoisoned(watcher.run.into_inner());
    match (result, raised) {
        (Ok(result), None) => Ok(result),
        (_, Some(error)) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error),
        (Ok(_), Some(_)) => Err(interrupted(py, "the run had come to its end", run)),
        (Err(Failure::Interrupted(text)), _) => Err(interrupted(py, &text, run)),
        (Err(failure), _) => Err(exception(failure)),
    }
}

/// The exception of an interrupt; it names the run, if one had begun.
fn interrupted(py: Python<'_>, text: &str, run: Option<String>) -> PyErr {
    let error = Interrupted::new_err(text.to_owned());
    match error.value(py).setattr("run", run) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// Turns events into plain data, and remembers what concerns the run.
#[derive(Default)]
struct Watcher {
    /// Somebody is called with events.
    is_heard: bool,
    /// Names of these events; `None`: all.
    events: Option<Vec<String>>,
    run: Mutex<Option<String>>,
    names: OnceLock<Vec<String>>,
    plays: AtomicBool,
}

impl Watcher {
    /// Whether games are under way.
    fn plays(&self) -> bool {
        self.plays.load(Ordering::Relaxed)
    }

    /// Whether there is a callback for events of this name. Asked first: most events are moves,
    /// and few want them.
    fn wants(&self, event: &str) -> bool {
        self.is_heard
            && self.events.as_ref().is_none_or(|names| names.iter().any(|name| name == event))
    }

    fn begin(&self, run: &str) {
        *lock(&self.run) = Some(run.to_owned());
    }

    /// The event as `on_event` gets it; `None` for one without a callback.
    fn note(&self, event: &RunEvent<'_>) -> Option<Value> {
        match event {
            RunEvent::Begun(begun) => self.begin(begun.run),
            RunEvent::Games(event) => return self.of_games(event),
            RunEvent::Record { name, value } if self.wants(name) => {
                let mut record = value();
                record["event"] = json!(name);
                return Some(record);
            }
            // For terminals and pages.
            _ => {}
        }
        None
    }

    fn of_games(&self, event: &games::Event<'_>) -> Option<Value> {
        if let games::Event::Started { run, plan, .. } = event {
            self.begin(run);
            let names = plan.engines.iter().map(|engine| engine.name.clone()).collect();
            // There is one run a watcher.
            let _ = self.names.set(names);
            self.plays.store(true, Ordering::Relaxed);
        }
        let name = match event {
            games::Event::Warning(_) => "warning",
            games::Event::Broken { .. } => "broken",
            event => stream::name(event)?,
        };
        if !self.wants(name) {
            return None;
        }
        match event {
            games::Event::Warning(text) => Some(json!({ "event": name, "text": text })),
            games::Event::Broken { engine, games } => {
                Some(json!({ "event": name, "engine": engine, "games": games }))
            }
            event => stream::line(event, self.names.get()?),
        }
    }
}

/// The publisher for the studio. A process has one socket: of runs side by side, the first has it.
struct Publishing(Option<Publisher>);

static PUBLISHES: AtomicBool = AtomicBool::new(false);

impl Publishing {
    fn start(context: &Context) -> Option<Publishing> {
        if PUBLISHES.swap(true, Ordering::AcqRel) {
            return None;
        }
        let publisher = Publisher::start(&context.reports, &context.interrupt).ok();
        if publisher.is_none() {
            PUBLISHES.store(false, Ordering::Release);
        }
        publisher.map(|publisher| Publishing(Some(publisher)))
    }

    fn event(&self, event: &RunEvent<'_>) {
        self.0.iter().for_each(|publisher| publisher.event(event));
    }
}

impl Drop for Publishing {
    fn drop(&mut self) {
        // The socket is closed before another run may open it.
        drop(self.0.take());
        PUBLISHES.store(false, Ordering::Release);
    }
}

/// Goes on with a run that ended early: its command and its result.
#[pyfunction]
fn resume<'py>(
    py: Python<'py>,
    run: String,
    settings: Settings<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let outcome = watched(py, settings, |context, sink| {
        let ledger = Ledger::open_existing(&context.reports)?;
        let resumed = ledger.resume_run(&run)?;
        let id = resumed.run.id().to_owned();
        kinds::resume(&ledger, resumed, context, sink)?;
        let facts = ledger.facts(&id)?;
        let summary = render::result(&ledger, &facts)?;
        Ok(json!({ "command": facts.command, "summary": summary }))
    })?;
    Ok(pythonize(py, &outcome)?)
}

/// What the ledger says of a run, and its result so far.
#[pyfunction]
fn load<'py>(py: Python<'py>, run: &str, reports: PathBuf) -> PyResult<Bound<'py, PyAny>> {
    let read = py.detach(|| read(run, &reports)).map_err(exception)?;
    Ok(pythonize(py, &read)?)
}

fn read(run: &str, reports: &Path) -> Result<Value, Failure> {
    let ledger = Ledger::open_to_read(reports)?;
    let facts = ledger.facts(run)?;
    let summary = render::result(&ledger, &facts)?;
    let RunFacts { id, command, started, started_by, finished, status, folder, .. } = facts;
    Ok(json!({
        "run": id, "command": command, "started": started, "started_by": started_by, "finished": finished,
        "status": status.to_string(), "folder": encode_path(&folder), "summary": summary,
    }))
}

/// The games of a run, in the order in which they were stored.
#[pyfunction]
fn games_of<'py>(py: Python<'py>, run: &str, reports: PathBuf) -> PyResult<Bound<'py, PyAny>> {
    let games = py.detach(|| {
        let ledger = Ledger::open_to_read(&reports)?;
        let run = ledger.facts(run)?;
        ledger.games(&run.id).or_failed()
    });
    Ok(pythonize(py, &games.map_err(exception)?)?)
}

/// All runs of a folder, as `harness runs --json` has them.
#[pyfunction]
fn runs(py: Python<'_>, reports: PathBuf) -> PyResult<Py<PyAny>> {
    let rows = py
        .detach(|| harness::commands::runs::all(&reports))
        .map_err(|error| exception(error.into()))?;
    Ok(pythonize(py, &rows)?.unbind())
}

/// Names the command that ends the engines of this process if it is killed; see [`serve_warden`].
#[pyfunction]
fn use_warden(program: PathBuf, arguments: Vec<String>) {
    warden::use_command(program, arguments.into_iter().map(Into::into).collect());
}

/// Serves as the warden of a process.
#[pyfunction]
fn serve_warden(harness: &str) {
    warden::serve(harness);
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(resume, module)?)?;
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(games_of, module)?)?;
    module.add_function(wrap_pyfunction!(runs, module)?)?;
    module.add_function(wrap_pyfunction!(use_warden, module)?)?;
    module.add_function(wrap_pyfunction!(serve_warden, module)?)
}
