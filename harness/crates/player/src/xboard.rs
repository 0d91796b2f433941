//! An engine that speaks the Chess Engine Communication Protocol of xboard, version 2, as a child
//! process.
//!
//! Source: Tim Mann and H. G. Muller, "Chess Engine Communication Protocol", version 2.
//!
//! The engine is kept in step move by move: `usermove` of the opponent's move is what makes it think.
//! Only where a position does not continue the one that it has, it is set up again in force mode.

mod features;
mod lines;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use shakmaty::Color;
use shakmaty::uci::UciMove;

use super::child::Child;
use super::wire::{Deadline, Stop};
use super::{
    Clocks, EngineSpec, Fault, FaultKind, Go, Info, Line, Observer, Player, Reply, StartSettings,
    Timed,
};
use features::Features;
use harness_base::session::Interrupt;
use lines::Message;

/// Why a limit in nodes is refused.
pub const NO_NODE_LIMIT: &str =
    "xboard engines know no limit in nodes; use --tc, --movetime or --depth";

/// Time for a move after the engine claimed a result that is not its loss.
const AFTER_CLAIM: Duration = Duration::from_secs(2);

/// An xboard engine as a child process. Ended, with whatever it started, when dropped.
pub struct XboardProcess {
    child: Child,
    features: Features,
    /// The position that the engine has; `None`: it must be set up.
    known: Option<(Option<String>, Vec<UciMove>)>,
    /// It replies to the opponent's moves by itself: it is not in force mode.
    plays: bool,
    /// The time control that it has.
    level: String,
    /// It was asked for a move that it has not given.
    searching: bool,
    may_ponder: bool,
    pings: u32,
}

impl XboardProcess {
    /// Starts the process, reads its features and sets the options.
    ///
    /// # Errors
    /// A [`Fault`] of kind [`FaultKind::Start`], [`FaultKind::Setting`] or
    /// [`FaultKind::Interrupted`].
    pub fn start(
        spec: &EngineSpec,
        settings: &StartSettings,
        interrupt: &Interrupt,
    ) -> Result<XboardProcess, Fault> {
        let mut process = XboardProcess {
            child: Child::spawn(spec, settings, interrupt, None)?,
            features: Features::default(),
            known: None,
            plays: false,
            level: String::new(),
            searching: false,
            may_ponder: false,
            pings: 0,
        };
        let started = process.handshake();
        let started =
            process.child.give_up_after(started).and_then(|()| process.set_options(&spec.options));
        started.map_err(Child::not_started)?;
        Ok(process)
    }

    /// Asks for the features, and takes or rejects each, until `done=1`.
    fn handshake(&mut self) -> Result<(), Fault> {
        const AWAITED: &str = "feature done=1";
        let patience = self.child.settings.handshake;
        let mut deadline = Deadline::after(patience);
        self.child.write(b"xboard\nprotover 2\n", &mut deadline, AWAITED)?;
        while !self.features.done {
            let line = match self.child.line(&mut deadline) {
                Ok(line) => String::from_utf8_lossy(line).into_owned(),
                Err(stop) => return Err(self.child.fault(stop, AWAITED, patience)),
            };
            if let Some(text) = line.strip_prefix("feature ") {
                let answers = self.features.take(text);
                self.child.write(answers.as_bytes(), &mut deadline, AWAITED)?;
            }
        }
        Ok(())
    }

    /// Waits until the engine has handled all commands, if it offers `ping`.
    fn synchronise(&mut self) -> Result<(), Fault> {
        if !self.features.ping {
            return Ok(());
        }
        self.pings += 1;
        let ping = format!("ping {}\n", self.pings);
        let pong = format!("pong {}", self.pings);
        self.child.send(&ping)?;
        let patience = self.child.settings.ready;
        let answered = self.child.await_line(|line| line == pong.as_bytes(), &pong, patience);
        self.child.give_up_after(answered).map(drop)
    }

    /// Ends a search that continues, so that its move is not taken for that of the next one.
    fn end_search(&mut self) -> Result<(), Fault> {
        if !std::mem::take(&mut self.searching) {
            return Ok(());
        }
        let is_move = |line: &[u8]| matches!(lines::parse(line), Message::Move(_));
        let patience = self.child.settings.stop;
        let ended = self
            .child
            .send("?\n")
            .and_then(|()| self.child.await_line(is_move, "move after `?`", patience));
        self.known = None;
        match ended {
            Ok(_) => {
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

    /// The commands that make the engine think about a position.
    fn commands(&mut self, line: Line<'_>, go: &Go) -> Result<String, Fault> {
        let mut commands = String::new();
        let rest = self.known.take().and_then(|(fen, moves)| {
            let continues = fen.as_deref() == line.fen && line.moves.starts_with(&moves);
            continues.then(|| &line.moves[moves.len()..])
        });
        let is_answer = self.plays && rest.is_some_and(|rest| rest.len() == 1);
        if !is_answer {
            commands.push_str("force\n");
        }
        let moves = match rest {
            Some(rest) => rest,
            None => {
                commands.push_str(&self.set_up(line.fen)?);
                line.moves
            }
        };
        let (last, before) = match moves.split_last() {
            Some((last, before)) if is_answer => (Some(last), before),
            _ => (None, moves),
        };
        before.iter().for_each(|played| self.push_move(&mut commands, *played));
        self.push_limit(&mut commands, line, go)?;
        match last {
            Some(last) => self.push_move(&mut commands, *last),
            None => commands.push_str("go\n"),
        }
        self.known = Some((line.fen.map(str::to_owned), line.moves.to_vec()));
        Ok(commands)
    }

    fn push_move(&self, commands: &mut String, played: UciMove) {
        let prefix = if self.features.usermove { "usermove " } else { "" };
        // Writing to a `String` cannot fail.
        let _ = writeln!(commands, "{prefix}{played}");
    }

    /// The commands that set a position up, in force mode.
    fn set_up(&mut self, fen: Option<&str>) -> Result<String, Fault> {
        self.level.clear();
        let position = match fen {
            None => String::new(),
            Some(fen) if self.features.setboard => format!("setboard {fen}\n"),
            Some(fen) => lines::edit(fen).ok_or_else(|| {
                self.child.fault_of(FaultKind::Setting, format!("`{fen}` cannot be set up"))
            })?,
        };
        Ok(format!("{}{position}", self.new_game_commands()))
    }

    fn new_game_commands(&self) -> String {
        let pondering = if self.may_ponder { "hard" } else { "easy" };
        format!("new\nforce\n{pondering}\npost\n")
    }

    /// The commands for the time that is left, and for the other limits.
    fn push_limit(&mut self, commands: &mut String, line: Line<'_>, go: &Go) -> Result<(), Fault> {
        let (time, nodes, depth) = go.parts();
        if nodes.is_some() {
            return Err(self.child.fault_of(FaultKind::Setting, NO_NODE_LIMIT.to_owned()));
        }
        let turn = lines::turn(line);
        let mut level = match time {
            Some(Timed::Clock(clocks)) => lines::level(&clocks, turn, self.level.is_empty()),
            Some(Timed::MoveTime(time)) => Some(format!("st {}\n", time.as_secs_f64())),
            // A time that no search takes.
            None => Some("st 86400\n".to_owned()),
        };
        if let (Some(level), Some(depth)) = (&mut level, depth) {
            level.push_str(&format!("sd {depth}\n"));
        }
        if let Some(level) = level.filter(|level| *level != self.level) {
            commands.push_str(&level);
            self.level = level;
        }
        if let (Some(Timed::Clock(clocks)), true) = (time, self.features.time) {
            let Clocks { white, black, .. } = clocks;
            let (own, other) = turn.fold_wb((white, black), (black, white));
            // Writing to a `String` cannot fail.
            let _ = write!(
                commands,
                "time {}\notim {}\n",
                own.as_millis() / 10,
                other.as_millis() / 10
            );
        }
        Ok(())
    }

    /// Waits for the engine's move, showing what it thinks to `observe`.
    fn await_move(
        &mut self,
        turn: Color,
        written: Instant,
        patience: Duration,
        observe: &mut Observer<'_>,
    ) -> Result<Reply, Fault> {
        let mut deadline = Deadline::starting(written, patience);
        let mut info = Info::default();
        let mut claim = None;
        let mut broken_off = false;
        loop {
            let line = match self.child.line(&mut deadline) {
                Ok(line) => line,
                Err(Stop::Deadline) if claim.is_some() => {
                    let detail = format!("it claims `{}`", claim.unwrap_or_default());
                    return Err(self.child.fault_of(FaultKind::NoMove, detail));
                }
                Err(stop) => return Err(self.child.fault(stop, "move", patience)),
            };
            let printed = || String::from_utf8_lossy(&line[..line.len().min(160)]).into_owned();
            match lines::parse(line) {
                Message::Move(text) => {
                    self.searching = false;
                    let Some(best_move) = lines::read_answer(text, turn) else {
                        let detail = format!("it printed `{}`", printed().escape_debug());
                        return Err(self.child.fault_of(FaultKind::NoMove, detail));
                    };
                    let elapsed = self.child.read_at().saturating_duration_since(written);
                    return Ok(Reply { best_move, ponder: None, info, elapsed });
                }
                Message::Resignation => {
                    self.searching = false;
                    return Err(self.child.fault_of(FaultKind::Resigned, String::new()));
                }
                Message::Result(winner) if winner == Some(!turn) => {
                    self.searching = false;
                    let detail = printed();
                    return Err(self.child.fault_of(FaultKind::Resigned, detail));
                }
                // Rules are the referee's: the engine may still move.
                Message::Result(_) => {
                    claim = Some(printed());
                    deadline = Deadline::after(AFTER_CLAIM.min(deadline.remaining()));
                }
                Message::Refusal => {
                    let detail = format!("it refuses a legal move: `{}`", printed());
                    self.searching = false;
                    return Err(self.child.fault_of(FaultKind::NoMove, detail));
                }
                Message::Complaint => {
                    let complaint = printed();
                    tracing::warn!("{}: {complaint}", self.child.name());
                }
                Message::Thinking(thought) => {
                    info = thought;
                    if observe(&info).is_break() && !std::mem::replace(&mut broken_off, true) {
                        self.child.send("?\n")?;
                    }
                }
                Message::Other => {}
            }
        }
    }
}

impl Player for XboardProcess {
    fn name(&self) -> &str {
        self.child.name()
    }

    fn program_name(&self) -> Option<&str> {
        self.features.myname.as_deref()
    }

    fn default_of(&self, option: &str) -> Option<i64> {
        self.features.default_of(option)
    }

    fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        if chess960 {
            let detail = "xboard engines play chess here, not Chess960";
            return Err(self.child.fault_of(FaultKind::Setting, detail.to_owned()));
        }
        self.end_search()?;
        self.child.send(&self.new_game_commands())?;
        self.known = Some((None, Vec::new()));
        (self.plays, self.level) = (false, String::new());
        self.synchronise()
    }

    fn play_variant(&mut self, variant: &'static str) -> Result<(), Fault> {
        let detail = format!("variants ({variant}) are played by UCI engines only");
        Err(self.child.fault_of(FaultKind::Setting, detail))
    }

    fn set_options(&mut self, options: &BTreeMap<String, String>) -> Result<(), Fault> {
        self.end_search()?;
        let command = |(name, value): (&String, &String)| self.features.option_command(name, value);
        let commands: Result<String, _> = options.iter().map(command).collect();
        let commands =
            commands.map_err(|detail| self.child.fault_of(FaultKind::Setting, detail))?;
        self.child.send(&commands)?;
        self.synchronise()
    }

    fn allow_pondering(&mut self) -> Result<bool, Fault> {
        if !self.may_ponder {
            self.child.enlarge_output();
            self.may_ponder = true;
        }
        Ok(true)
    }

    fn is_reusable(&self) -> bool {
        self.features.reuse
    }

    fn end_game(&mut self, result: &str, reason: &str) {
        // What goes wrong here is found when the next game begins.
        if !self.child.given_up && self.child.is_running() {
            let reason = reason.replace(['{', '}', '\n', '\r'], " ");
            let _ = self.child.send(&format!("force\nresult {result} {{{reason}}}\n"));
            (self.plays, self.searching, self.known) = (false, false, None);
        }
    }

    fn go_among(
        &mut self,
        line: Line<'_>,
        _moves: &[UciMove],
        go: &Go,
        patience: Duration,
        observe: &mut Observer<'_>,
    ) -> Result<Reply, Fault> {
        self.end_search()?;
        self.child.discard();
        let commands = self.commands(line, go)?;
        self.child.send(&commands)?;
        self.searching = true;
        let turn = lines::turn(line);
        let reply = self.await_move(turn, Instant::now(), patience, observe);
        let reply = self.child.give_up_after(reply);
        if let (Ok(reply), Some((_, moves))) = (&reply, &mut self.known) {
            moves.push(reply.best_move);
            self.plays = true;
        }
        reply
    }
}

impl Drop for XboardProcess {
    fn drop(&mut self) {
        if self.child.is_running() {
            self.child.end(if self.searching { b"force\nquit\n" } else { b"quit\n" });
        }
    }
}
