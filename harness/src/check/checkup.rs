//! An engine under examination: started when needed, asked in whole games or word by word.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use super::evidence::Evidence;
use super::searches::{MIDDLE_GAME, TOO_LATE};
use crate::context::Interrupt;
use crate::player::transcript::Transcript;
use crate::player::{
    Builtin, DeclaredOption, EngineSpec, Fault, FaultKind, Go, Info, Line, Player, Program, Reply,
    StartSettings, UciProcess,
};

/// What a check found; `Err` with what is wrong if the engine failed it.
pub(super) type Found = Result<Finding, String>;

/// What a check found where the engine did not fail.
pub(super) enum Finding {
    /// All is well; what was seen.
    Passed(String),
    /// Allowed, but it will give trouble.
    Warned(String),
    /// There is nothing to check; why.
    Skipped(&'static str),
}

/// All is well, and there is nothing to tell.
pub(super) fn passed() -> Found {
    Ok(Finding::Passed(String::new()))
}

/// All is well; what was seen.
pub(super) fn saw(what: impl Into<String>) -> Found {
    Ok(Finding::Passed(what.into()))
}

/// An engine under examination.
pub(super) struct Checkup<'a> {
    spec: &'a EngineSpec,
    settings: StartSettings,
    interrupt: &'a Interrupt,
    subject: Option<Subject>,
    id: Option<String>,
    author: Option<String>,
    declared: Vec<DeclaredOption>,
    unreadable: Vec<String>,
    started_once: bool,
    wrong_setting: Option<Fault>,
    /// What was said to the process, and how much of it before this check.
    transcript: Option<Arc<Transcript>>,
    mark: usize,
    /// An earlier check used the process with which this one began.
    used_before: bool,
    /// Whether it respects `go nodes`; assumed until it was seen not to.
    pub(super) counts_nodes: bool,
    pace: Pace,
}

/// How long an engine takes to each depth, so that a slow one gets smaller tasks.
#[derive(Clone, Debug, Default)]
struct Pace {
    /// From depth 1 on, each in a new game; empty before it was measured and where that failed.
    depths: Vec<Duration>,
    nodes_per_second: Option<f64>,
}

/// A depth that took longer is the last one that is measured.
const SLOW_DEPTH: Duration = Duration::from_millis(200);
/// The deepest search that a check asks for.
const DEEPEST: u8 = 7;
/// What a search of a check may take.
const TASK: Duration = Duration::from_secs(1);

enum Subject {
    Process(Box<UciProcess>),
    Linked(Box<Builtin>),
}

/// What an engine printed from `go` to `bestmove`.
pub(super) struct Search {
    /// The lines before the last, as they stand.
    pub(super) lines: Vec<String>,
    /// The move.
    pub(super) best_move: UciMove,
    /// The move that it expects next.
    pub(super) ponder: Option<UciMove>,
    /// From writing `go` to reading `bestmove`.
    pub(super) elapsed: Duration,
}

/// What kind of scores a search printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scores {
    /// None.
    None,
    /// Lower and upper bounds only.
    Bounds,
    /// Others too.
    Exact,
}

impl Search {
    /// The number behind a word in the last `info` line that has both.
    pub(super) fn last_number(&self, word: &str) -> Option<i64> {
        let infos = self.lines.iter().rev().filter(|line| line.starts_with("info "));
        infos.filter_map(|line| number_behind(line, word)).next()
    }

    /// What kind of scores came.
    pub(super) fn scores(&self) -> Scores {
        let is_score = |line: &&String| line.starts_with("info ") && line.contains(" score ");
        let is_bound = |line: &String| line.contains(" lowerbound") || line.contains(" upperbound");
        let mut scores = self.lines.iter().filter(is_score);
        match scores.next() {
            None => Scores::None,
            Some(first) if is_bound(first) && scores.all(is_bound) => Scores::Bounds,
            Some(_) => Scores::Exact,
        }
    }
}

/// The number behind a word of a line.
pub(super) fn number_behind(line: &str, word: &str) -> Option<i64> {
    let mut words = line.split_whitespace();
    words.find(|&found| found == word)?;
    words.next()?.parse().ok()
}

impl<'a> Checkup<'a> {
    /// Starts nothing yet.
    pub(super) fn new(
        spec: &'a EngineSpec,
        settings: StartSettings,
        interrupt: &'a Interrupt,
    ) -> Checkup<'a> {
        Checkup {
            spec,
            settings,
            interrupt,
            subject: None,
            id: None,
            author: None,
            declared: Vec::new(),
            unreadable: Vec::new(),
            started_once: false,
            wrong_setting: None,
            transcript: None,
            mark: 0,
            used_before: false,
            counts_nodes: true,
            pace: Pace::default(),
        }
    }

    /// Begins a check.
    pub(super) fn begin(&mut self) {
        self.used_before = self.subject.is_some();
        let transcript = self.transcript.take_if(|_| self.used_before);
        self.mark = transcript.as_ref().map_or(0, |transcript| transcript.len());
        self.transcript = transcript;
    }

    /// Whether the process with which this check began was used by others before.
    pub(super) fn used_before(&self) -> bool {
        self.used_before
    }

    /// What was sent and received in this check; `None` where nothing was.
    pub(super) fn evidence(&self) -> Option<Evidence> {
        let transcript = self.transcript.as_ref()?;
        Some(Evidence::of(self.spec, transcript, self.mark))
    }

    /// Ends the engine: the next check gets a fresh one.
    pub(super) fn end(&mut self) {
        self.subject = None;
    }

    /// This depth, or the deepest one that a slow engine comes to in reasonable time.
    pub(super) fn depth(&self, wanted: u8) -> u8 {
        self.depth_within(wanted, TASK)
    }

    /// This depth, or the deepest one that the engine comes to in this time; 1 at least.
    pub(super) fn depth_within(&self, wanted: u8, time: Duration) -> u8 {
        let depths = &self.pace.depths;
        if depths.is_empty() {
            return wanted;
        }
        let within = depths.iter().take_while(|&&took| took <= time).count();
        u8::try_from(within).unwrap_or(wanted).clamp(1, wanted)
    }

    /// This number of nodes, or as many as a slow engine visits in reasonable time.
    pub(super) fn nodes(&self, wanted: u64) -> u64 {
        let within = self.pace.nodes_per_second.map(|speed| (speed * TASK.as_secs_f64()) as u64);
        within.map_or(wanted, |within| within.clamp(100, wanted))
    }

    /// How much later than asked a search may end: a slow engine looks at its clock rarely.
    pub(super) fn too_late(&self) -> Duration {
        TOO_LATE.max(self.pace.depths.first().map_or(Duration::ZERO, |&first| first * 4))
    }

    /// Measures the pace: searches ever deeper until it takes noticeably long. Where that fails nothing is
    /// known, and the checks ask for what they would ask of any engine.
    pub(super) fn measure(&mut self) {
        if self.is_linked() {
            return;
        }
        let patience = self.patience();
        let searched = self.with(|checkup| {
            let (mut depths, mut speed) = (Vec::new(), None);
            for depth in 1..=DEEPEST {
                let go = format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo depth {depth}\n");
                let found = search(checkup.process()?, &go, patience)?;
                depths.push(found.elapsed);
                if found.elapsed > SLOW_DEPTH {
                    let nodes = found.last_number("nodes");
                    speed = nodes.map(|nodes| nodes as f64 / found.elapsed.as_secs_f64());
                    break;
                }
            }
            Ok((depths, speed))
        });
        // What is wrong is for the checks to find.
        if let Ok((depths, nodes_per_second)) = searched {
            self.pace = Pace { depths, nodes_per_second };
        }
    }

    /// What the engine calls itself.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Who wrote it.
    pub(super) fn author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// The options it offers.
    pub(super) fn declared(&self) -> &[DeclaredOption] {
        &self.declared
    }

    /// An option, however it is spelt.
    pub(super) fn option(&self, name: &str) -> Option<&DeclaredOption> {
        self.declared.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Whether it is the engine that is linked in.
    pub(super) fn is_linked(&self) -> bool {
        self.spec.program == Program::Builtin
    }

    /// `option` lines from which none can be read.
    pub(super) fn unreadable_options(&self) -> &[String] {
        &self.unreadable
    }

    /// Whether it ever started; if not, no further check makes sense.
    pub(super) fn can_start(&self) -> bool {
        self.started_once
    }

    /// The user's mistake, if an option that he set kept the engine from starting.
    pub(super) fn wrong_setting(&mut self) -> Option<Fault> {
        self.wrong_setting.take()
    }

    /// How long to wait for an answer.
    pub(super) fn patience(&self) -> Duration {
        self.settings.ready
    }

    /// Starts it anew.
    pub(super) fn start(&mut self) -> Result<(), Fault> {
        self.subject = None;
        self.subject = Some(match self.spec.program {
            Program::Builtin => {
                self.id = Some(format!("Tench {}, linked", env!("CARGO_PKG_VERSION")));
                self.declared = Builtin::declared();
                Subject::Linked(Box::new(Builtin::start(self.spec, self.interrupt)?))
            }
            Program::Executable { .. } => {
                let transcript = Arc::new(Transcript::default());
                self.transcript = Some(Arc::clone(&transcript));
                self.mark = 0;
                let (settings, noted) = (&self.settings, Some(transcript));
                let process = UciProcess::start_noting(self.spec, settings, self.interrupt, noted)?;
                self.id = process.id_name().map(str::to_owned);
                self.author = process.id_author().map(str::to_owned);
                self.declared = process.declared().to_vec();
                self.unreadable = process.unreadable_options().to_vec();
                Subject::Process(Box::new(process))
            }
        });
        self.started_once = true;
        Ok(())
    }

    /// The player, started anew where a check before this one ended it.
    pub(super) fn player(&mut self) -> Result<&mut (dyn Player + Send), Fault> {
        if self.subject.is_none() {
            self.start()?;
        }
        match &mut self.subject {
            Some(Subject::Process(process)) => Ok(process.as_mut()),
            Some(Subject::Linked(player)) => Ok(player.as_mut()),
            None => Err(no_process(self.spec)),
        }
    }

    /// The process, started anew where a check before this one ended it.
    pub(super) fn process(&mut self) -> Result<&mut UciProcess, Fault> {
        if self.subject.is_none() {
            self.start()?;
        }
        match &mut self.subject {
            Some(Subject::Process(process)) => Ok(process),
            _ => Err(no_process(self.spec)),
        }
    }

    /// The process, to be ended by the check.
    pub(super) fn take_process(&mut self) -> Result<UciProcess, Fault> {
        self.process()?;
        match self.subject.take() {
            Some(Subject::Process(process)) => Ok(*process),
            _ => Err(no_process(self.spec)),
        }
    }

    /// Does something with the engine; after a fault the next check starts it anew.
    pub(super) fn with<T>(
        &mut self,
        what: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, String> {
        what(self).map_err(|fault| {
            if let Some(Subject::Process(process)) = self.subject.take() {
                // It did not answer: no use in asking it to end.
                process.kill();
            }
            if fault.kind == FaultKind::Setting && !self.started_once {
                self.wrong_setting = Some(fault.clone());
            }
            match fault.detail.is_empty() {
                true => fault.kind.to_string(),
                false => format!("{}: {}", fault.kind, fault.detail),
            }
        })
    }

    /// Asks for a move in a new game; tells whether a score came before it.
    pub(super) fn ask(
        &mut self,
        line: Line<'_>,
        go: &Go,
        chess960: bool,
    ) -> Result<(Reply, bool), String> {
        let patience = self.settings.ready;
        self.with(|checkup| {
            let player = checkup.player()?;
            player.new_game(chess960)?;
            let mut scored = false;
            let reply = player.go(line, go, patience, &mut |_: &Info| {
                scored = true;
                ControlFlow::Continue(())
            })?;
            Ok((reply, scored))
        })
    }

    /// Sends commands that end with a `go`, and reads up to the move.
    pub(super) fn search(&mut self, commands: &str) -> Result<Search, String> {
        let patience = self.patience();
        self.with(|checkup| search(checkup.process()?, commands, patience))
    }
}

/// Sends commands, the last of which is answered by a move, and reads up to it.
pub(super) fn search(
    process: &mut UciProcess,
    commands: &str,
    patience: Duration,
) -> Result<Search, Fault> {
    process.send(commands)?;
    let asked = Instant::now();
    let lines = RefCell::new(Vec::new());
    let is_last = |line: &[u8]| {
        let last = is_best_move(line);
        if !last {
            lines.borrow_mut().push(String::from_utf8_lossy(line).into_owned());
        }
        last
    };
    let answer = process.await_line(is_last, "bestmove", patience)?;
    let elapsed = asked.elapsed();
    let words: Vec<&str> = answer.split_whitespace().collect();
    let read = |word: &&str| word.parse::<UciMove>().ok().filter(|best| best.is_normal());
    let Some(best_move) = words.get(1).and_then(read) else {
        let player = process.name().to_owned();
        return Err(Fault { player, kind: FaultKind::NoMove, detail: format!("`{answer}`") });
    };
    let ponder = (words.get(2) == Some(&"ponder")).then(|| words.get(3).and_then(read)).flatten();
    Ok(Search { lines: lines.into_inner(), best_move, ponder, elapsed })
}

/// Whether a line is the answer to `go`.
pub(super) fn is_best_move(line: &[u8]) -> bool {
    line == b"bestmove" || line.starts_with(b"bestmove ")
}

fn no_process(spec: &EngineSpec) -> Fault {
    let detail = "it is no process".to_owned();
    Fault { player: spec.name.clone(), kind: FaultKind::Start, detail }
}

/// A position as the player wants it.
pub(super) fn of_fen(fen: &str) -> Line<'_> {
    Line { fen: Some(fen), moves: &[] }
}

/// A position of a check's own text.
pub(super) fn position(fen: &str, chess960: bool) -> Chess {
    let mode = CastlingMode::from_chess960(chess960);
    let position = fen.parse::<Fen>().ok().and_then(|fen| fen.into_position::<Chess>(mode).ok());
    position.expect("the positions of the checks are legal")
}

/// The position after moves of a check's own text, and the moves.
pub(super) fn after(start: Chess, text: &str) -> (Chess, Vec<UciMove>) {
    let mut position = start;
    let mut moves = Vec::new();
    for word in text.split_whitespace() {
        let played: UciMove = word.parse().expect("these are moves");
        position.play_unchecked(played.to_move(&position).expect("these moves are legal"));
        moves.push(played);
    }
    (position, moves)
}

/// Whether a move is legal.
pub(super) fn legal(position: &Chess, best: UciMove) -> Result<(), String> {
    let illegal =
        |_| format!("{best} is illegal in {}", Fen::from_position(position, EnPassantMode::Legal));
    best.to_move(position).map(drop).map_err(illegal)
}
