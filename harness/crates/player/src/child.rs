//! A child process with its pipes: lines, deadlines, faults with their evidence, and its end.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::log::{Listeners, UciLogs};
use super::transcript::Transcript;
use super::wire::{Deadline, Stop, Wire};
use super::{EngineSpec, Fault, FaultKind, Program};
use harness_base::platform::{Group, Streams};
use harness_base::secret;
use harness_base::session::Interrupt;

/// Timeouts and the memory limit of a process.
#[derive(Clone, Debug)]
pub struct StartSettings {
    /// From the start of the process to `uciok`.
    pub handshake: Duration,
    /// From `isready` to `readyok`, and for the process to take in a command.
    pub ready: Duration,
    /// From `stop` to the `bestmove` of a search that took too long.
    pub stop: Duration,
    /// From `quit` to the end of the process, before it is killed.
    pub quit: Duration,
    /// Limit of private memory in bytes, mapped files not counted; `None`: no limit.
    pub memory: Option<u64>,
    /// Where the conversation is logged; `None`: nowhere.
    pub logs: Option<Arc<UciLogs>>,
}

impl Default for StartSettings {
    fn default() -> Self {
        StartSettings {
            handshake: Duration::from_secs(10),
            ready: Duration::from_secs(10),
            stop: Duration::from_secs(1),
            quit: Duration::from_secs(1),
            memory: None,
            logs: None,
        }
    }
}

/// Time for a process that closed its output to exit before it counts as running.
const END_AFTER_CLOSING: Duration = Duration::from_millis(500);

/// An engine's process, whatever protocol it speaks.
pub(super) struct Child {
    name: String,
    group: Group,
    wire: Wire,
    interrupt: Interrupt,
    /// Timeouts and the memory limit.
    pub(super) settings: StartSettings,
    /// It hung or closed its output: it is killed without `quit`.
    pub(super) given_up: bool,
}

impl Child {
    /// Starts the process and sends it the lines that the user wants to come first.
    ///
    /// # Errors
    /// A [`Fault`] of kind [`FaultKind::Start`].
    pub(super) fn spawn(
        spec: &EngineSpec,
        settings: &StartSettings,
        interrupt: &Interrupt,
        transcript: Option<Arc<Transcript>>,
    ) -> Result<Child, Fault> {
        let fault = |detail| Fault { player: spec.name.clone(), kind: FaultKind::Start, detail };
        let Program::Executable { path, args, init, dir, .. } = &spec.program else {
            return Err(fault("it is no process".to_owned()));
        };
        let mut command = Command::new(path);
        secret::remove_from(&mut command);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(dir) = dir {
            command.current_dir(dir);
        }
        let started = Group::spawn_engine(command, settings.memory);
        let (group, pipes) =
            started.map_err(|error| fault(why_not_started(path, dir.as_deref(), &error)))?;
        let streams = Streams::new(pipes)
            .map_err(|error| fault(format!("its pipes cannot be set up: {error}")))?;
        let log = settings.logs.as_ref().map(|logs| (logs.engine_log(&spec.name), group.id()));
        let wire = Wire::new(streams, Listeners { transcript, log });
        let mut child = Child {
            name: spec.name.clone(),
            group,
            wire,
            interrupt: interrupt.clone(),
            settings: settings.clone(),
            given_up: false,
        };
        let lines: String = init.iter().map(|line| format!("{line}\n")).collect();
        child.send(&lines).map_err(Child::not_started)?;
        Ok(child)
    }

    /// The name of the engine.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The id of the process.
    pub(super) fn pid(&self) -> u32 {
        self.group.id()
    }

    /// The next line, without its end.
    pub(super) fn line(&mut self, deadline: &mut Deadline) -> Result<&[u8], Stop> {
        self.wire.line(&mut self.group, Some(&self.interrupt), deadline)
    }

    /// Returns the next line that `wanted` accepts; others are skipped.
    pub(super) fn await_line(
        &mut self,
        wanted: impl Fn(&[u8]) -> bool,
        what: &str,
        patience: Duration,
    ) -> Result<String, Fault> {
        let mut deadline = Deadline::after(patience);
        loop {
            match self.line(&mut deadline) {
                Ok(line) if wanted(line) => return Ok(String::from_utf8_lossy(line).into_owned()),
                Ok(_) => {}
                Err(stop) => return Err(self.fault(stop, what, patience)),
            }
        }
    }

    /// Drops what was read but not yet handed out.
    pub(super) fn discard(&mut self) {
        self.wire.discard();
    }

    /// When the last bytes arrived.
    pub(super) fn read_at(&self) -> Instant {
        self.wire.read_at()
    }

    /// Lets the engine print more before it blocks, while it is not read.
    pub(super) fn enlarge_output(&mut self) {
        self.wire.enlarge_output();
    }

    /// Sends commands as they stand; the last one must end its line.
    pub(super) fn send(&mut self, commands: &str) -> Result<(), Fault> {
        let mut deadline = Deadline::after(self.settings.ready);
        self.write(commands.as_bytes(), &mut deadline, "command")
    }

    /// Sends commands; `what` is awaited afterwards, for the text of a fault.
    pub(super) fn write(
        &mut self,
        bytes: &[u8],
        deadline: &mut Deadline,
        what: &str,
    ) -> Result<(), Fault> {
        let written = self.wire.write(bytes, &mut self.group, Some(&self.interrupt), deadline);
        written.map_err(|stop| {
            let patience = self.settings.ready;
            match stop {
                Stop::Deadline => {
                    let detail = join(
                        [format!("it read no command for {} s", patience.as_secs_f64())]
                            .into_iter()
                            .chain(self.wire.evidence()),
                    );
                    self.fault_of(FaultKind::Hang, detail)
                }
                stop => self.fault(stop, what, patience),
            }
        })
    }

    /// Notes a fault after which the process is killed without `quit`.
    pub(super) fn give_up_after<T>(&mut self, answer: Result<T, Fault>) -> Result<T, Fault> {
        let is_lost = |fault: &Fault| matches!(fault.kind, FaultKind::Hang | FaultKind::Disconnect);
        self.given_up |= answer.as_ref().err().is_some_and(is_lost);
        answer
    }

    /// The fault behind a wait that failed, with the evidence there is.
    pub(super) fn fault(&mut self, stop: Stop, awaited: &str, patience: Duration) -> Fault {
        let ended = match stop {
            Stop::Interrupted => return self.fault_of(FaultKind::Interrupted, String::new()),
            Stop::Deadline => self.group.wait(Duration::ZERO),
            Stop::Closed | Stop::Ended => self.group.wait(END_AFTER_CLOSING),
        };
        let (kind, what) = match (ended, stop) {
            (Some(status), _) => (FaultKind::Crash, self.describe(status)),
            (None, Stop::Deadline) => {
                let waited = patience.as_secs_f64();
                (FaultKind::Hang, format!("no {awaited} within {waited:.3} s"))
            }
            (None, _) => (FaultKind::Disconnect, "the process is still running".to_owned()),
        };
        let detail = join([what].into_iter().chain(self.wire.evidence()));
        self.fault_of(kind, detail)
    }

    fn describe(&self, status: ExitStatus) -> String {
        let how = match status.code() {
            Some(code) => format!("exit status {code}"),
            // Names the signal.
            None => format!("killed by {status}"),
        };
        match self.settings.memory {
            Some(bytes) if !status.success() => {
                format!("{how}; its memory is limited to {} MiB", bytes >> 20)
            }
            _ => how,
        }
    }

    /// A fault of this engine.
    pub(super) fn fault_of(&self, kind: FaultKind, detail: String) -> Fault {
        Fault { player: self.name.clone(), kind, detail }
    }

    /// A fault before the engine is ready, as trouble with its start.
    pub(super) fn not_started(fault: Fault) -> Fault {
        match fault.kind {
            FaultKind::Interrupted | FaultKind::Start | FaultKind::Setting => fault,
            kind => Fault {
                kind: FaultKind::Start,
                detail: join([kind.to_string(), fault.detail]),
                player: fault.player,
            },
        }
    }

    /// Sends the farewell, closes the input, and kills what is left; false if the process had to be killed.
    pub(super) fn end(&mut self, farewell: &[u8]) -> bool {
        self.end_by(farewell, true)
    }

    /// Sends the farewell, with or without the end of the input behind it, and kills what is left; false if
    /// the process had to be killed.
    pub(super) fn end_by(&mut self, farewell: &[u8], closes_input: bool) -> bool {
        if self.given_up {
            self.group.kill();
            return false;
        }
        let mut deadline = Deadline::after(self.settings.quit);
        let mut ended = None;
        if self.wire.write(farewell, &mut self.group, None, &mut deadline).is_ok() {
            if closes_input {
                self.wire.close_input();
            }
            // Its output is read, as it may block on a full pipe.
            while self.wire.line(&mut self.group, None, &mut deadline).is_ok() {}
            ended = self.group.wait(deadline.remaining());
        }
        self.group.kill();
        ended.is_some()
    }

    /// Closes the process's input without `quit`; false if it had to be killed.
    pub(super) fn hang_up(&mut self) -> bool {
        self.end(b"")
    }

    /// Kills the process and what it started.
    pub(super) fn kill(&mut self) {
        self.group.kill();
    }

    /// Whether the process was not seen to end.
    pub(super) fn is_running(&self) -> bool {
        self.group.is_running()
    }
}

fn why_not_started(path: &Path, dir: Option<&Path>, error: &std::io::Error) -> String {
    let path = path.display();
    match (error.raw_os_error(), dir) {
        (_, Some(dir)) if !dir.is_dir() => {
            format!("its working folder {} is not there", dir.display())
        }
        // ENOEXEC, the same number on every Unix.
        (Some(8), _) => format!("{path} is neither a program for this machine nor a script"),
        _ => format!("{path}: {error}"),
    }
}

/// The parts that say something, in one line.
pub(super) fn join(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}
