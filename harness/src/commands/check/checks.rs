//! The checks themselves, in the order in which they are made.

use std::time::Duration;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use crate::context::Interrupt;
use crate::player::{
    Builtin, DeclaredOption, EngineSpec, Fault, FaultKind, Go, Info, Line, Player, Program, Reply,
    StartSettings, UciProcess,
};

/// How much later than asked a search may end before it fails the check.
const TOO_LATE: Duration = Duration::from_secs(1);
/// How long an endless search is left alone.
const MEANWHILE: Duration = Duration::from_millis(100);

/// White just castled and Black is to move, with many pieces on the board.
const MIDDLE_GAME: &str = "r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 b kq - 1 6";
const ONE_MOVE: &str = "7k/8/5QK1/8/8/8/8/8 b - - 0 1";
const PROMOTION: &str = "8/7P/8/8/8/2n5/2k5/K7 w - - 0 1";
const CHESS960: &str = "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBgb - 0 1";
const MATE: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";
const STALEMATE: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

/// One check.
pub(super) struct Check {
    /// What is checked, for people and for programs.
    pub(super) name: &'static str,
    /// Whether it is about the pipe, which the linked engine has not.
    of_process: bool,
    /// Makes it: what was seen if the engine passed, what is wrong if it did not.
    pub(super) run: fn(&mut Checkup<'_>) -> Result<String, String>,
}

impl Check {
    /// Whether there is something to check.
    pub(super) fn applies_to(&self, program: &Program) -> bool {
        !self.of_process || *program != Program::Builtin
    }
}

/// All checks; the first is the start.
pub(super) const CHECKS: [Check; 16] = [
    Check { name: "starts, answers `uci`", of_process: false, run: start },
    Check { name: "new game, `isready`", of_process: false, run: new_game },
    Check { name: "`go depth`", of_process: false, run: |c| c.asks(&Go::Depth(4)) },
    Check { name: "`go nodes`", of_process: false, run: |c| c.asks(&Go::Nodes(2000)) },
    Check { name: "`go movetime`", of_process: false, run: move_time },
    Check { name: "`go` with clocks", of_process: false, run: clock },
    Check { name: "plays on from a list of moves", of_process: false, run: moves },
    Check { name: "only one legal move", of_process: false, run: |c| c.plays(ONE_MOVE, false) },
    Check { name: "promotion", of_process: false, run: |c| c.plays(PROMOTION, false) },
    Check { name: "Chess960", of_process: false, run: chess960 },
    Check { name: "mate on the board", of_process: false, run: |c| c.has_no_move(MATE) },
    Check { name: "stalemate on the board", of_process: false, run: |c| c.has_no_move(STALEMATE) },
    Check { name: "unknown commands are passed over", of_process: true, run: unknown_commands },
    Check { name: "`isready` during a search", of_process: true, run: ready_during_search },
    Check { name: "`stop` ends a search", of_process: true, run: stop },
    Check { name: "`quit` ends the process", of_process: true, run: quit },
];

/// An engine under examination.
pub(super) struct Checkup<'a> {
    spec: &'a EngineSpec,
    settings: StartSettings,
    interrupt: &'a Interrupt,
    subject: Option<Subject>,
    id: Option<String>,
    declared: Vec<DeclaredOption>,
    started_once: bool,
}

enum Subject {
    Process(Box<UciProcess>),
    Linked(Box<Builtin>),
}

impl<'a> Checkup<'a> {
    /// Starts nothing yet.
    pub(super) fn new(
        spec: &'a EngineSpec,
        settings: StartSettings,
        interrupt: &'a Interrupt,
    ) -> Checkup<'a> {
        let (id, declared) = (None, Vec::new());
        Checkup { spec, settings, interrupt, subject: None, id, declared, started_once: false }
    }

    /// What the engine calls itself.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The options it offers.
    pub(super) fn declared(&self) -> &[DeclaredOption] {
        &self.declared
    }

    /// Whether it ever started; if not, no further check makes sense.
    pub(super) fn can_start(&self) -> bool {
        self.started_once
    }

    fn start(&mut self) -> Result<(), Fault> {
        self.subject = None;
        self.subject = Some(match self.spec.program {
            Program::Builtin => {
                self.id = Some(format!("Tench {}, linked", env!("CARGO_PKG_VERSION")));
                self.declared = Builtin::declared();
                Subject::Linked(Box::new(Builtin::start(self.spec, self.interrupt)?))
            }
            Program::Executable { .. } => {
                let process = UciProcess::start(self.spec, &self.settings, self.interrupt)?;
                self.id = process.id_name().map(str::to_owned);
                self.declared = process.declared().to_vec();
                Subject::Process(Box::new(process))
            }
        });
        self.started_once = true;
        Ok(())
    }

    /// The player, started anew where a check before this one ended it.
    fn player(&mut self) -> Result<&mut (dyn Player + Send), Fault> {
        if self.subject.is_none() {
            self.start()?;
        }
        match &mut self.subject {
            Some(Subject::Process(process)) => Ok(process.as_mut()),
            Some(Subject::Linked(player)) => Ok(player.as_mut()),
            None => Err(no_process(self.spec)),
        }
    }

    fn process(&mut self) -> Result<&mut UciProcess, Fault> {
        if self.subject.is_none() {
            self.start()?;
        }
        match &mut self.subject {
            Some(Subject::Process(process)) => Ok(process),
            _ => Err(no_process(self.spec)),
        }
    }

    /// Does something with the engine; after a fault the next check starts it anew.
    fn with<T>(&mut self, what: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, String> {
        what(self).map_err(|fault| {
            self.subject = None;
            match fault.detail.is_empty() {
                true => fault.kind.to_string(),
                false => format!("{}: {}", fault.kind, fault.detail),
            }
        })
    }

    fn ask(&mut self, line: Line<'_>, go: &Go, chess960: bool) -> Result<(Reply, bool), String> {
        let patience = self.settings.ready;
        self.with(|checkup| {
            let player = checkup.player()?;
            player.new_game(chess960)?;
            let mut scored = false;
            let reply = player.go(line, go, patience, &mut |_: &Info| scored = true)?;
            Ok((reply, scored))
        })
    }

    /// A legal move, with a score before it, in a middle game.
    fn asks(&mut self, go: &Go) -> Result<String, String> {
        let (reply, scored) = self.ask(of_fen(MIDDLE_GAME), go, false)?;
        legal(MIDDLE_GAME, &reply, false)?;
        if !scored {
            return Err(format!("{} came without any `info ... score`", reply.best_move));
        }
        let said = reply.info;
        let depth = said.depth.map(|depth| format!(", depth {depth}")).unwrap_or_default();
        let nodes = said.nodes.map(|nodes| format!(", {nodes} nodes")).unwrap_or_default();
        let elapsed = reply.elapsed.as_millis();
        Ok(format!("{}{depth}{nodes}, {elapsed} ms", reply.best_move))
    }

    /// A legal move in a position.
    fn plays(&mut self, fen: &str, chess960: bool) -> Result<String, String> {
        let (reply, _) = self.ask(of_fen(fen), &Go::Depth(2), chess960)?;
        legal(fen, &reply, chess960)?;
        Ok(reply.best_move.to_string())
    }

    /// An answer without a move where there is none, and a living engine after it.
    fn has_no_move(&mut self, fen: &str) -> Result<String, String> {
        let patience = self.settings.ready;
        self.with(|checkup| {
            let player = checkup.player()?;
            player.new_game(false)?;
            let answer = player.go(of_fen(fen), &Go::Depth(1), patience, &mut |_| {});
            player.new_game(false)?;
            match answer {
                Err(fault) if fault.kind == FaultKind::NoMove => Ok(Ok(fault.detail)),
                Err(fault) => Err(fault),
                Ok(reply) => {
                    Ok(Err(format!("{} is no legal move: there is none", reply.best_move)))
                }
            }
        })?
    }
}

fn no_process(spec: &EngineSpec) -> Fault {
    let detail = "it is no process".to_owned();
    Fault { player: spec.name.clone(), kind: FaultKind::Start, detail }
}

fn of_fen(fen: &str) -> Line<'_> {
    Line { fen: Some(fen), moves: &[] }
}

/// Whether the answer is legal in a position of this file.
fn legal(fen: &str, reply: &Reply, chess960: bool) -> Result<(), String> {
    let mode = CastlingMode::from_chess960(chess960);
    let position = fen.parse::<Fen>().ok().and_then(|fen| fen.into_position::<Chess>(mode).ok());
    legal_in(&position.expect("the positions of the checks are legal"), reply)
}

fn legal_in(position: &Chess, reply: &Reply) -> Result<(), String> {
    let best = reply.best_move;
    let illegal =
        |_| format!("{best} is illegal in {}", Fen::from_position(position, EnPassantMode::Legal));
    best.to_move(position).map(drop).map_err(illegal)
}

fn start(checkup: &mut Checkup<'_>) -> Result<String, String> {
    checkup.with(Checkup::start)?;
    let id = checkup.id().unwrap_or("no `id name`").to_owned();
    Ok(match checkup.declared().len() {
        0 => id,
        options => format!("{id}, {options} options"),
    })
}

fn new_game(checkup: &mut Checkup<'_>) -> Result<String, String> {
    checkup.with(|checkup| checkup.player()?.new_game(false)).map(|()| String::new())
}

fn move_time(checkup: &mut Checkup<'_>) -> Result<String, String> {
    in_time(checkup, Duration::from_millis(100), &Go::MoveTime(Duration::from_millis(100)))
}

fn clock(checkup: &mut Checkup<'_>) -> Result<String, String> {
    let time = Duration::from_secs(1);
    let increment = Duration::from_millis(10);
    let go = Go::Clock {
        white: time,
        black: time,
        white_increment: increment,
        black_increment: increment,
        moves_to_go: None,
    };
    in_time(checkup, time, &go)
}

fn in_time(checkup: &mut Checkup<'_>, time: Duration, go: &Go) -> Result<String, String> {
    let (reply, _) = checkup.ask(of_fen(MIDDLE_GAME), go, false)?;
    legal(MIDDLE_GAME, &reply, false)?;
    let took = format!("{} after {} ms", reply.best_move, reply.elapsed.as_millis());
    if reply.elapsed > time + TOO_LATE {
        return Err(format!("{took} of {} ms", time.as_millis()));
    }
    Ok(took)
}

fn moves(checkup: &mut Checkup<'_>) -> Result<String, String> {
    // With an en passant capture and castling on the way.
    let text = "e2e4 a7a6 e4e5 g7g6 g1f3 b8c6 f1e2 d7d5 e5d6 f7f6 e1g1";
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for word in text.split(' ') {
        let played: UciMove = word.parse().expect("these are moves");
        position.play_unchecked(played.to_move(&position).expect("these moves are legal"));
        moves.push(played);
    }
    let (reply, _) = checkup.ask(Line { fen: None, moves: &moves }, &Go::Depth(3), false)?;
    legal_in(&position, &reply)?;
    Ok(reply.best_move.to_string())
}

fn chess960(checkup: &mut Checkup<'_>) -> Result<String, String> {
    if !matches!(checkup.subject, Some(Subject::Linked(_)))
        && !checkup.declared().iter().any(|option| option.name == "UCI_Chess960")
    {
        return Ok("not offered".to_owned());
    }
    checkup.plays(CHESS960, true)
}

fn unknown_commands(checkup: &mut Checkup<'_>) -> Result<String, String> {
    checkup
        .with(|checkup| checkup.process()?.synchronise("\n   \nxyzzy\njoho debug on\n"))
        .map(|()| String::new())
}

/// Starts an endless search, lets it run for a moment, and does something with it.
fn during_search<T>(
    checkup: &mut Checkup<'_>,
    what: impl FnOnce(&mut UciProcess) -> Result<T, Fault>,
) -> Result<T, String> {
    checkup.with(|checkup| {
        let process = checkup.process()?;
        process.synchronise("ucinewgame\n")?;
        process.send(&format!("position fen {MIDDLE_GAME}\ngo infinite\n"))?;
        let early = process.await_line(is_best_move, "bestmove", MEANWHILE);
        match early {
            Err(fault) if fault.kind == FaultKind::Hang => what(process),
            Err(fault) => Err(fault),
            Ok(line) => Err(Fault {
                player: process.name().to_owned(),
                kind: FaultKind::NoMove,
                detail: format!("`go infinite` ended before `stop`: `{line}`"),
            }),
        }
    })
}

fn is_best_move(line: &[u8]) -> bool {
    line.starts_with(b"bestmove")
}

fn ready_during_search(checkup: &mut Checkup<'_>) -> Result<String, String> {
    let patience = checkup.settings.ready;
    during_search(checkup, |process| {
        process.synchronise("")?;
        process.send("stop\n")?;
        process.await_line(is_best_move, "bestmove after `stop`", patience)
    })
    .map(|_| String::new())
}

fn stop(checkup: &mut Checkup<'_>) -> Result<String, String> {
    let patience = checkup.settings.ready;
    let latency = during_search(checkup, |process| {
        let asked = std::time::Instant::now();
        process.send("stop\n")?;
        process.await_line(is_best_move, "bestmove after `stop`", patience)?;
        Ok(asked.elapsed())
    })?;
    let took = format!("after {:.1} ms", latency.as_secs_f64() * 1e3);
    if latency > TOO_LATE { Err(took) } else { Ok(took) }
}

fn quit(checkup: &mut Checkup<'_>) -> Result<String, String> {
    checkup.with(|checkup| checkup.process().map(drop))?;
    let ended = match checkup.subject.take() {
        Some(Subject::Process(process)) => process.quit(),
        _ => true,
    };
    if ended { Ok(String::new()) } else { Err("it had to be killed".to_owned()) }
}
