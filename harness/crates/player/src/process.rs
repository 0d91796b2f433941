//! A UCI engine as a child process.

mod handshake;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakmaty::uci::UciMove;

use super::child::{Child, StartSettings};
use super::info::OddInfos;
use super::options::{self, DeclaredOption, OptionKind};
use super::transcript::Transcript;
use super::uci::{self, Message, PositionCommand};
use super::wire::Deadline;
use super::{EngineSpec, Fault, FaultKind, Go, Info, Line, Observer, Player, Reply, unobserved};
use harness_base::session::Interrupt;

/// A UCI engine as a child process. Ended, with whatever it started, when dropped.
pub struct UciProcess {
    child: Child,
    id_name: Option<String>,
    id_author: Option<String>,
    declared: Vec<DeclaredOption>,
    /// `option` lines that cannot be parsed.
    unreadable: Vec<String>,
    /// Deviations from UCI in the other lines.
    option_flaws: Vec<String>,
    /// Parts of `info` lines that are not as UCI has it.
    odd_infos: OddInfos,
    chess960: bool,
    /// The value of `UCI_Variant`.
    variant: &'static str,
    /// A `go` was written and its `bestmove` not yet read.
    searching: bool,
    /// The lines of searches are given with their replies.
    keeps_output: bool,
    /// It has its `Ponder` option on.
    may_ponder: bool,
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
    pub fn start_noting(
        spec: &EngineSpec,
        settings: &StartSettings,
        interrupt: &Interrupt,
        transcript: Option<Arc<Transcript>>,
    ) -> Result<UciProcess, Fault> {
        if !spec.is_uci() {
            return Err(Fault {
                player: spec.name.clone(),
                kind: FaultKind::Setting,
                detail: "it speaks xboard's protocol, and this needs an engine that speaks UCI"
                    .to_owned(),
            });
        }
        let mut process = UciProcess {
            child: Child::spawn(spec, settings, interrupt, transcript)?,
            id_name: None,
            id_author: None,
            declared: Vec::new(),
            unreadable: Vec::new(),
            option_flaws: Vec::new(),
            odd_infos: OddInfos::default(),
            chess960: false,
            variant: "chess",
            searching: false,
            keeps_output: false,
            may_ponder: false,
            position: PositionCommand::default(),
            command: Vec::new(),
            info: Info::default(),
        };
        let started = process.handshake();
        let started =
            process.child.give_up_after(started).and_then(|()| process.set_options(&spec.options));
        started.map_err(Child::not_started)?;
        Ok(process)
    }

    /// Its name (`id name`).
    pub fn id_name(&self) -> Option<&str> {
        self.id_name.as_deref()
    }

    /// Its author (`id author`).
    pub fn id_author(&self) -> Option<&str> {
        self.id_author.as_deref()
    }

    /// `option` lines that cannot be parsed.
    pub fn unreadable_options(&self) -> &[String] {
        &self.unreadable
    }

    /// Deviations from UCI in the `option` lines that are read.
    pub fn option_flaws(&self) -> &[String] {
        &self.option_flaws
    }

    /// The id of the process.
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// The options it declared.
    pub fn declared(&self) -> &[DeclaredOption] {
        &self.declared
    }

    /// Sends `quit`; false if the process had to be killed.
    pub fn quit(mut self) -> bool {
        self.end()
    }

    /// Sends `quit` alone: the input stays open, whose end would stop most programs as well. False if the
    /// process had to be killed.
    pub fn quit_by_word(mut self) -> bool {
        self.child.end_by(b"quit\n", false)
    }

    /// Closes the process's input without `quit`; false if it had to be killed.
    pub fn hang_up(mut self) -> bool {
        self.child.hang_up()
    }

    /// Kills the process.
    pub fn kill(mut self) {
        self.child.kill();
    }

    /// Ends the process, and kills what is left of its group.
    fn end(&mut self) -> bool {
        self.child.end(if self.searching { b"stop\nquit\n" } else { b"quit\n" })
    }

    /// Sends commands and waits until they are done.
    pub fn synchronise(&mut self, commands: &str) -> Result<(), Fault> {
        self.child.send(&format!("{commands}isready\n"))?;
        let patience = self.child.settings.ready;
        let ready = self.child.await_line(|line| line == b"readyok", "readyok", patience);
        self.child.give_up_after(ready).map(drop)
    }

    /// Sends a command as it stands, which must end its line.
    pub fn send(&mut self, command: &str) -> Result<(), Fault> {
        self.child.send(command)
    }

    /// Returns the next line that `wanted` accepts; others are skipped.
    pub fn await_line(
        &mut self,
        wanted: impl Fn(&[u8]) -> bool,
        what: &str,
        patience: Duration,
    ) -> Result<String, Fault> {
        self.child.await_line(wanted, what, patience)
    }

    /// Ends a search that timed out, so that its late `bestmove` is not taken for the next one. Kills
    /// an engine that does not answer `stop`.
    fn end_search(&mut self) -> Result<(), Fault> {
        if !self.searching {
            return Ok(());
        }
        let patience = self.child.settings.stop;
        let is_answer = |line: &[u8]| matches!(uci::parse_message(line), Message::BestMove(..));
        let ended = self
            .send("stop\n")
            .and_then(|()| self.await_line(is_answer, "bestmove after `stop`", patience));
        match ended {
            Ok(_) => {
                self.searching = false;
                self.child.given_up = false;
                Ok(())
            }
            Err(fault) => {
                if fault.kind != FaultKind::Interrupted {
                    self.child.kill();
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
        let mut lines = std::mem::take(&mut info.lines);
        lines.clear();
        info = Info { pv: std::mem::take(&mut info.pv), ..Info::default() };
        info.pv.clear();
        let mut further = Info::default();
        let mut broken_off = false;
        loop {
            let line = match self.child.line(&mut deadline) {
                Ok(line) => line,
                Err(stop) => return Err(self.child.fault(stop, "bestmove", patience)),
            };
            let message = uci::parse_message(line);
            if self.keeps_output && !matches!(message, Message::BestMove(..)) {
                lines.extend_from_slice(line);
                lines.push(b'\n');
            }
            match message {
                Message::Info(text) => {
                    let read = uci::read_info(text, &mut info, &mut further);
                    if let Some(odd) = read.odd {
                        self.odd_infos.note(odd);
                    }
                    let Some(is_best) = read.is_best else { continue };
                    let seen = if is_best { &info } else { &further };
                    if observe(seen).is_break() && !broken_off {
                        broken_off = true;
                        let mut soon = Deadline::after(self.child.settings.ready);
                        self.child.write(b"stop\n", &mut soon, "stop")?;
                    }
                }
                Message::BestMove(word, ponder) => {
                    self.searching = false;
                    let Some(best_move) = uci::best_move(word) else {
                        let detail =
                            format!("it printed `{}`", line[..line.len().min(160)].escape_ascii());
                        return Err(self.child.fault_of(FaultKind::NoMove, detail));
                    };
                    let ponder = uci::best_move(ponder);
                    let elapsed = self.child.read_at().saturating_duration_since(written);
                    self.odd_infos.tell(self.child.name());
                    info.lines = lines;
                    return Ok(Reply { best_move, ponder, info, elapsed });
                }
                Message::Other => {}
            }
        }
    }
}

impl UciProcess {
    /// Writes a position and the command that begins a search of it: one write, since each further
    /// round trip costs a switch of processes.
    fn write_search(
        &mut self,
        line: Line<'_>,
        awaited: &'static str,
        go: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), Fault> {
        self.child.discard();
        let mut command = std::mem::take(&mut self.command);
        command.clear();
        command.extend_from_slice(self.position.write(line));
        command.push(b'\n');
        go(&mut command);
        let mut deadline = Deadline::after(self.child.settings.ready);
        let written = self.child.write(&command, &mut deadline, awaited);
        self.command = command;
        written
    }
}

impl Player for UciProcess {
    fn name(&self) -> &str {
        self.child.name()
    }

    fn program_name(&self) -> Option<&str> {
        self.id_name()
    }

    fn default_of(&self, option: &str) -> Option<i64> {
        options::default_of(&self.declared, option)
    }

    fn declared(&self) -> &[DeclaredOption] {
        &self.declared
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
                    return Err(self.child.fault_of(FaultKind::Setting, detail.to_owned()));
                }
            }
        }
        commands.push_str("ucinewgame\n");
        self.synchronise(&commands)?;
        self.chess960 = chess960;
        Ok(())
    }

    fn play_variant(&mut self, variant: &'static str) -> Result<(), Fault> {
        if variant == self.variant {
            return Ok(());
        }
        self.end_search()?;
        let Ok(command) = options::set_option_command(&self.declared, "UCI_Variant", variant)
        else {
            let detail = format!("it offers no `UCI_Variant` with the value `{variant}`");
            return Err(self.child.fault_of(FaultKind::Setting, detail));
        };
        self.synchronise(&command)?;
        self.variant = variant;
        Ok(())
    }

    fn set_options(&mut self, options: &BTreeMap<String, String>) -> Result<(), Fault> {
        self.end_search()?;
        let command = |(name, value): (&String, &String)| {
            options::set_option_command(&self.declared, name, value)
        };
        // Buttons and numbers of threads come first: a button may set others back, and a table is best cleared by all threads.
        let is_button = |name: &str| {
            let mut declared = self.declared.iter();
            declared.any(|option| {
                option.name.eq_ignore_ascii_case(name) && matches!(option.kind, OptionKind::Button)
            })
        };
        let mut options: Vec<(&String, &String)> = options.iter().collect();
        options.sort_by_key(|(name, _)| (!is_button(name), !name.eq_ignore_ascii_case("Threads")));
        let commands: Result<String, _> = options.into_iter().map(command).collect();
        let commands =
            commands.map_err(|error| self.child.fault_of(FaultKind::Setting, error.to_string()))?;
        self.synchronise(&commands)
    }

    fn allow_pondering(&mut self) -> Result<bool, Fault> {
        if !self.may_ponder
            && let Ok(command) = options::set_option_command(&self.declared, "Ponder", "true")
        {
            self.synchronise(&command)?;
            self.child.enlarge_output();
            self.may_ponder = true;
        }
        Ok(self.may_ponder)
    }

    fn keep_output(&mut self, keeps: bool) {
        self.keeps_output = keeps;
    }

    fn ponder(&mut self, line: Line<'_>, go: &Go) -> Result<bool, Fault> {
        if !self.may_ponder {
            return Ok(false);
        }
        let written = self.write_search(line, "command", |command| uci::write_ponder(command, go));
        self.searching = true;
        self.child.give_up_after(written).map(|()| true)
    }

    fn ponder_hit(&mut self, patience: Duration) -> Result<Reply, Fault> {
        let mut deadline = Deadline::after(self.child.settings.ready);
        self.child.write(b"ponderhit\n", &mut deadline, "bestmove")?;
        let reply = self.await_best_move(Instant::now(), patience, &mut unobserved);
        self.child.give_up_after(reply)
    }

    fn end_ponder(&mut self) -> Result<(), Fault> {
        self.end_search()
    }

    fn reuse(&mut self, reply: Reply) {
        self.info = reply.info;
    }

    fn end_game(&mut self, _result: &str, _reason: &str) {
        // What goes wrong here is found when the next game begins.
        if self.may_ponder && !self.child.given_up {
            let _ = self.end_search();
        }
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
        self.write_search(line, "bestmove", |command| uci::write_go(command, go, moves))?;
        self.searching = true;
        let reply = self.await_best_move(Instant::now(), patience, observe);
        self.child.give_up_after(reply)
    }
}

impl Drop for UciProcess {
    fn drop(&mut self) {
        if self.child.is_running() {
            self.end();
        }
    }
}
