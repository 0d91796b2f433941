//! A UCI engine as a child process.

mod handshake;

use std::collections::BTreeMap;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;

use super::group::Group;
use super::options::{self, DeclaredOption};
use super::transcript::Transcript;
use super::uci::{self, Message, PositionCommand};
use super::wire::{Deadline, Stop, Wire};
use super::{EngineSpec, Fault, FaultKind, Go, Info, Line, Observer, Player, Reply};
use crate::session::Interrupt;

/// Timeouts and the memory limit of a process.
#[derive(Clone, Copy, Debug)]
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
}

impl Default for StartSettings {
    fn default() -> Self {
        StartSettings {
            handshake: Duration::from_secs(10),
            ready: Duration::from_secs(10),
            stop: Duration::from_secs(1),
            quit: Duration::from_secs(1),
            memory: None,
        }
    }
}

/// Time for a process that closed its output to exit before it counts as running.
const END_AFTER_CLOSING: Duration = Duration::from_millis(500);

/// A UCI engine as a child process. Ended, with whatever it started, when dropped.
pub struct UciProcess {
    name: String,
    group: Group,
    wire: Wire,
    interrupt: Interrupt,
    settings: StartSettings,
    id_name: Option<String>,
    id_author: Option<String>,
    declared: Vec<DeclaredOption>,
    /// `option` lines that cannot be parsed.
    unreadable: Vec<String>,
    chess960: bool,
    /// A `go` was written and its `bestmove` not yet read.
    searching: bool,
    /// It hung or closed its output: it is killed without `quit`.
    given_up: bool,
    position: PositionCommand,
    command: Vec<u8>,
    info: Info,
}

impl UciProcess {
    /// Starts the process, does the handshake and sets the options.
    ///
    /// # Errors
    /// A [`Fault`] of kind [`FaultKind::Start`], [`FaultKind::Setting`] or
    /// [`FaultKind::Interrupted`].
    pub fn start(
        spec: &EngineSpec,
        settings: &StartSettings,
        interrupt: &Interrupt,
    ) -> Result<UciProcess, Fault> {
        UciProcess::start_noting(spec, settings, interrupt, None)
    }

    /// As [`UciProcess::start`]; records the conversation in the transcript.
    ///
    /// # Errors
    /// As [`UciProcess::start`].
    pub(crate) fn start_noting(
        spec: &EngineSpec,
        settings: &StartSettings,
        interrupt: &Interrupt,
        transcript: Option<Arc<Transcript>>,
    ) -> Result<UciProcess, Fault> {
        let mut process = UciProcess::spawn(spec, settings, interrupt, transcript)?;
        let started = process.handshake();
        let started =
            process.give_up_after(started).and_then(|()| process.set_options(&spec.options));
        started.map_err(|fault| match fault.kind {
            FaultKind::Interrupted | FaultKind::Start | FaultKind::Setting => fault,
            kind => Fault {
                kind: FaultKind::Start,
                detail: join([kind.to_string(), fault.detail]),
                player: fault.player,
            },
        })?;
        Ok(process)
    }

    /// Its name (`id name`).
    pub fn id_name(&self) -> Option<&str> {
        self.id_name.as_deref()
    }

    /// Its author (`id author`).
    pub(crate) fn id_author(&self) -> Option<&str> {
        self.id_author.as_deref()
    }

    /// `option` lines that cannot be parsed.
    pub(crate) fn unreadable_options(&self) -> &[String] {
        &self.unreadable
    }

    /// The id of the process.
    pub(crate) fn pid(&self) -> i32 {
        self.group.id().as_raw_pid()
    }

    /// The options it declared.
    pub fn declared(&self) -> &[DeclaredOption] {
        &self.declared
    }

    /// Sends `quit`; false if the process had to be killed.
    pub(crate) fn quit(mut self) -> bool {
        self.end()
    }

    /// Closes the process's input without `quit`; false if it had to be killed.
    pub(crate) fn hang_up(mut self) -> bool {
        let mut deadline = Deadline::after(self.settings.quit);
        self.wire.close_input();
        while self.wire.line(&self.group, None, &mut deadline).is_ok() {}
        let ended = self.group.wait(deadline.remaining()).is_some();
        self.group.kill();
        ended
    }

    /// Kills the process.
    pub(crate) fn kill(mut self) {
        self.group.kill();
    }

    /// Ends the process, and kills what is left of its group.
    fn end(&mut self) -> bool {
        if self.given_up {
            self.group.kill();
            return false;
        }
        let mut deadline = Deadline::after(self.settings.quit);
        let farewell: &[u8] = if self.searching { b"stop\nquit\n" } else { b"quit\n" };
        let mut ended = None;
        if self.wire.write(farewell, &self.group, None, &mut deadline).is_ok() {
            self.wire.close_input();
            // Its output is read, as it may block on a full pipe.
            while self.wire.line(&self.group, None, &mut deadline).is_ok() {}
            ended = self.group.wait(deadline.remaining());
        }
        self.group.kill();
        ended.is_some()
    }

    /// Sends commands and waits until they are done.
    pub(crate) fn synchronise(&mut self, commands: &str) -> Result<(), Fault> {
        let mut deadline = Deadline::after(self.settings.ready);
        self.write(format!("{commands}isready\n").as_bytes(), &mut deadline, "readyok")?;
        let ready = self.await_line(|line| line == b"readyok", "readyok", self.settings.ready);
        self.give_up_after(ready).map(drop)
    }

    fn give_up_after<T>(&mut self, answer: Result<T, Fault>) -> Result<T, Fault> {
        let is_lost = |fault: &Fault| matches!(fault.kind, FaultKind::Hang | FaultKind::Disconnect);
        self.given_up |= answer.as_ref().err().is_some_and(is_lost);
        answer
    }

    /// Sends a command as it stands, which must end its line.
    pub(crate) fn send(&mut self, command: &str) -> Result<(), Fault> {
        let mut deadline = Deadline::after(self.settings.ready);
        self.write(command.as_bytes(), &mut deadline, "command")
    }

    /// Returns the next line that `wanted` accepts; others are skipped.
    pub(crate) fn await_line(
        &mut self,
        wanted: impl Fn(&[u8]) -> bool,
        what: &str,
        patience: Duration,
    ) -> Result<String, Fault> {
        let mut deadline = Deadline::after(patience);
        loop {
            match self.wire.line(&self.group, Some(&self.interrupt), &mut deadline) {
                Ok(line) if wanted(line) => return Ok(String::from_utf8_lossy(line).into_owned()),
                Ok(_) => {}
                Err(stop) => return Err(self.fault(stop, what, patience)),
            }
        }
    }

    /// Ends a search that timed out, so that its late `bestmove` is not taken for the next one. Kills
    /// an engine that does not answer `stop`.
    fn end_search(&mut self) -> Result<(), Fault> {
        if !self.searching {
            return Ok(());
        }
        let patience = self.settings.stop;
        let is_answer = |line: &[u8]| matches!(uci::parse_message(line), Message::BestMove(_));
        let ended = self
            .send("stop\n")
            .and_then(|()| self.await_line(is_answer, "bestmove after `stop`", patience));
        match ended {
            Ok(_) => {
                self.searching = false;
                self.given_up = false;
                Ok(())
            }
            Err(fault) => {
                if fault.kind != FaultKind::Interrupted {
                    self.group.kill();
                }
                Err(fault)
            }
        }
    }

    /// Waits for `bestmove`, showing scored infos to `observe`; returns its move.
    fn await_best_move(
        &mut self,
        written: Instant,
        patience: Duration,
        observe: &mut Observer<'_>,
    ) -> Result<Reply, Fault> {
        let mut deadline = Deadline::starting(written, patience);
        let mut info = std::mem::take(&mut self.info);
        info = Info { pv: std::mem::take(&mut info.pv), ..Info::default() };
        info.pv.clear();
        let mut further = Info::default();
        let mut broken_off = false;
        loop {
            let line = match self.wire.line(&self.group, Some(&self.interrupt), &mut deadline) {
                Ok(line) => line,
                Err(stop) => return Err(self.fault(stop, "bestmove", patience)),
            };
            match uci::parse_message(line) {
                Message::Info(text) => {
                    let Some(seen) = uci::read_info(text, &mut info, &mut further) else {
                        continue;
                    };
                    let seen = if seen { &info } else { &further };
                    if observe(seen).is_break() && !broken_off {
                        broken_off = true;
                        let mut soon = Deadline::after(self.settings.ready);
                        self.write(b"stop\n", &mut soon, "stop")?;
                    }
                }
                Message::BestMove(word) => {
                    self.searching = false;
                    let Some(best_move) = uci::best_move(word) else {
                        let detail =
                            format!("it printed `{}`", line[..line.len().min(160)].escape_ascii());
                        return Err(self.fault_of(FaultKind::NoMove, detail));
                    };
                    let elapsed = self.wire.read_at().saturating_duration_since(written);
                    return Ok(Reply { best_move, info, elapsed });
                }
                Message::Other => {}
            }
        }
    }

    fn write(&mut self, bytes: &[u8], deadline: &mut Deadline, what: &str) -> Result<(), Fault> {
        let written = self.wire.write(bytes, &self.group, Some(&self.interrupt), deadline);
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

    /// The fault behind a wait that failed, with the evidence there is.
    fn fault(&mut self, stop: Stop, awaited: &str, patience: Duration) -> Fault {
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

    fn fault_of(&self, kind: FaultKind, detail: String) -> Fault {
        Fault { player: self.name.clone(), kind, detail }
    }
}

impl Player for UciProcess {
    fn name(&self) -> &str {
        &self.name
    }

    fn default_of(&self, option: &str) -> Option<i64> {
        options::default_of(&self.declared, option)
    }

    fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        self.end_search()?;
        let mut commands = String::new();
        if chess960 != self.chess960 {
            let value = if chess960 { "true" } else { "false" };
            match options::set_option_command(&self.declared, "UCI_Chess960", value) {
                Ok(command) => commands.push_str(&command),
                Err(_) => {
                    let detail = "it offers no `UCI_Chess960`, so it cannot play Chess960";
                    return Err(self.fault_of(FaultKind::Setting, detail.to_owned()));
                }
            }
        }
        commands.push_str("ucinewgame\n");
        self.synchronise(&commands)?;
        self.chess960 = chess960;
        Ok(())
    }

    fn set_options(&mut self, options: &BTreeMap<String, String>) -> Result<(), Fault> {
        self.end_search()?;
        let mut commands = String::new();
        for (name, value) in options {
            match options::set_option_command(&self.declared, name, value) {
                Ok(command) => commands.push_str(&command),
                Err(error) => return Err(self.fault_of(FaultKind::Setting, error.to_string())),
            }
        }
        self.synchronise(&commands)
    }

    fn go_among(
        &mut self,
        line: Line<'_>,
        moves: &[UciMove],
        go: &Go,
        patience: Duration,
        observe: &mut Observer<'_>,
    ) -> Result<Reply, Fault> {
        self.end_search()?;
        self.wire.discard();
        // One write and one reply: each further round trip costs a switch of processes.
        let mut command = std::mem::take(&mut self.command);
        command.clear();
        command.extend_from_slice(self.position.of(line));
        command.push(b'\n');
        uci::write_go(&mut command, go, moves);
        let mut deadline = Deadline::after(self.settings.ready);
        let written = self.write(&command, &mut deadline, "bestmove");
        self.command = command;
        written?;
        self.searching = true;
        let reply = self.await_best_move(Instant::now(), patience, observe);
        self.give_up_after(reply)
    }
}

impl Drop for UciProcess {
    fn drop(&mut self) {
        if self.group.is_running() {
            self.end();
        }
    }
}

fn join(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}
