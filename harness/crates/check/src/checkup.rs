//! The engine under examination: started when needed, used as a player or line by line.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::ender::Ender;
use super::evidence::Evidence;
use super::search::{MAX_OVERRUN, MIDDLE_GAME, Violation};
use harness_base::session::Interrupt;
use harness_player::search::{RawSearch, raw_search};
use harness_player::transcript::Transcript;
use harness_player::{
    Builtin, DeclaredOption, EngineSpec, Fault, FaultKind, Go, Info, Line, Player, Program, Reply,
    StartSettings, UciProcess,
};

/// The finding of a check; an error if the engine failed it.
pub(super) type FindingResult = Result<Finding, Violation>;

/// The finding in an engine that did not fail a check.
pub(super) enum Finding {
    /// Passed; what was seen.
    Passed(String),
    /// Allowed, but likely to cause trouble.
    Warned(String),
    /// Why there is nothing to check.
    Skipped(&'static str),
}

/// Passed, without details.
pub(super) fn passed() -> FindingResult {
    Ok(Finding::Passed(String::new()))
}

/// Passed; what was seen.
pub(super) fn saw(what: impl Into<String>) -> FindingResult {
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
    option_flaws: Vec<String>,
    started_once: bool,
    wrong_setting: Option<Fault>,
    /// The conversation with the process, and its length before this check.
    transcript: Option<Arc<Transcript>>,
    mark: usize,
    /// An earlier check used the process with which this one began.
    used_before: bool,
    /// Whether it respects `go nodes`; assumed until it was seen not to.
    pub(super) counts_nodes: bool,
    /// Limit of its searches.
    pub(super) ender: Ender,
    /// Whether `go infinite` searches on; assumed until it was seen not to.
    pub(super) searches_on: bool,
    /// Waits for an answer that did not come.
    hangs: u32,
    pace: Pace,
}

/// Time that an engine takes to each depth: a slow one gets smaller tasks.
#[derive(Clone, Debug, Default)]
struct Pace {
    /// From depth 1 on, each in a new game; empty unless measured.
    depths: Vec<Duration>,
    nodes_per_second: Option<f64>,
}

/// A depth that takes longer is the last one measured.
const SLOW_DEPTH: Duration = Duration::from_millis(200);
/// Patience for the first search, to depth 1.
const FIRST_SEARCH_PATIENCE: Duration = Duration::from_secs(5);
/// Waits in vain after which patience falls: two checks, each made twice.
const MANY_HANGS: u32 = 4;
/// Patience then, at least.
const SHORT_PATIENCE: Duration = Duration::from_secs(3);
/// The deepest search of a check.
const MAX_DEPTH: u8 = 7;
/// Time of a search of a check.
const TASK_TIME: Duration = Duration::from_secs(1);

enum Subject {
    Process(Box<UciProcess>),
    Linked(Box<Builtin>),
}

impl<'a> Checkup<'a> {
    /// An engine that is not started yet.
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
            option_flaws: Vec::new(),
            started_once: false,
            wrong_setting: None,
            transcript: None,
            mark: 0,
            used_before: false,
            counts_nodes: true,
            ender: Ender::default(),
            searches_on: true,
            hangs: 0,
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

    /// The lines sent and received in this check; `None` if there are none.
    pub(super) fn evidence(&self) -> Option<Evidence> {
        let transcript = self.transcript.as_ref()?;
        Some(Evidence::new(self.spec, transcript, self.mark))
    }

    /// Ends the engine: the next check gets a fresh one.
    pub(super) fn end(&mut self) {
        self.subject = None;
    }

    /// This depth, or the deepest one that a slow engine reaches in reasonable time.
    pub(super) fn depth(&self, wanted: u8) -> u8 {
        self.depth_within(wanted, TASK_TIME)
    }

    /// This depth, or the deepest one that the engine reaches in this time; at least 1.
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
        let within =
            self.pace.nodes_per_second.map(|speed| (speed * TASK_TIME.as_secs_f64()) as u64);
        within.map_or(wanted, |within| within.clamp(100, wanted))
    }

    /// Tolerated overrun of a time limit: a slow engine polls its clock rarely.
    pub(super) fn too_late(&self) -> Duration {
        MAX_OVERRUN.max(self.pace.depths.first().map_or(Duration::ZERO, |&first| first * 4))
    }

    /// Measures the pace: searches deeper and deeper until one takes noticeably long. If that
    /// fails, the checks assume a usual engine.
    pub(super) fn measure(&mut self) {
        if self.is_linked() {
            return;
        }
        let patience = self.patience();
        let mut has_ended = false;
        let searched = self.with(|checkup| {
            let mut depths = Vec::new();
            let mut speed = None;
            for depth in 1..=MAX_DEPTH {
                let go = format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo depth {depth}\n");
                let patience =
                    if depth == 1 { patience.min(FIRST_SEARCH_PATIENCE) } else { patience };
                let found = raw_search(checkup.process()?, &go, patience)?;
                has_ended = true;
                depths.push(found.elapsed);
                if found.elapsed > SLOW_DEPTH {
                    let nodes = found.last_number("nodes");
                    speed = nodes.map(|nodes| nodes as f64 / found.elapsed.as_secs_f64());
                    break;
                }
            }
            Ok((depths, speed))
        });
        match searched {
            Ok((depths, nodes_per_second)) => self.pace = Pace { depths, nodes_per_second },
            // The checks will report what is wrong.
            Err(_) if has_ended => {}
            Err(_) => self.find_ender(),
        }
    }

    /// The name that the engine prints.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub(super) fn author(&self) -> Option<&str> {
        self.author.as_deref()
    }

    /// The options it declares.
    pub(super) fn declared(&self) -> &[DeclaredOption] {
        &self.declared
    }

    /// An option, whatever the case of its name.
    pub(super) fn option(&self, name: &str) -> Option<&DeclaredOption> {
        self.declared.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Whether it is the linked engine.
    pub(super) fn is_linked(&self) -> bool {
        self.spec.program == Program::Builtin
    }

    /// `option` lines that cannot be parsed.
    pub(super) fn unreadable_options(&self) -> &[String] {
        &self.unreadable
    }

    /// Deviations from UCI in the other lines.
    pub(super) fn option_flaws(&self) -> &[String] {
        &self.option_flaws
    }

    /// Whether it ever started; if not, no further check makes sense.
    pub(super) fn can_start(&self) -> bool {
        self.started_once
    }

    /// The fault of an option set by the user that kept the engine from starting.
    pub(super) fn wrong_setting(&mut self) -> Option<Fault> {
        self.wrong_setting.take()
    }

    /// Patience for a reply; less of it with an engine that was waited for in vain several times.
    pub(super) fn patience(&self) -> Duration {
        match self.hangs {
            0..MANY_HANGS => self.settings.ready,
            _ => (self.settings.ready / 4).max(SHORT_PATIENCE).min(self.settings.ready),
        }
    }

    /// The engine is known to leave commands without an answer.
    pub(super) fn expect_hangs(&mut self) {
        self.hangs = MANY_HANGS;
    }

    /// The engine.
    pub(super) fn spec(&self) -> &EngineSpec {
        self.spec
    }

    /// With which it is started.
    pub(super) fn settings(&self) -> &StartSettings {
        &self.settings
    }

    /// Ends a wait.
    pub(super) fn interrupt(&self) -> &Interrupt {
        self.interrupt
    }

    /// Starts it again.
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
                let settings = StartSettings { ready: self.patience(), ..self.settings.clone() };
                let noted = Some(transcript);
                let process =
                    UciProcess::start_noting(self.spec, &settings, self.interrupt, noted)?;
                self.id = process.id_name().map(str::to_owned);
                self.author = process.id_author().map(str::to_owned);
                self.declared = process.declared().to_vec();
                self.unreadable = process.unreadable_options().to_vec();
                self.option_flaws = process.option_flaws().to_vec();
                Subject::Process(Box::new(process))
            }
        });
        self.started_once = true;
        Ok(())
    }

    /// The player, started again where a check before this one ended it.
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

    /// The process, started again where a check before this one ended it.
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

    /// Uses the engine; after a fault the next check starts it again.
    pub(super) fn with<T>(
        &mut self,
        what: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Violation> {
        what(self).map_err(|fault| {
            self.hangs += u32::from(fault.kind == FaultKind::Hang);
            if let Some(Subject::Process(process)) = self.subject.take() {
                // It does not reply to `quit` either.
                process.kill();
            }
            if fault.kind == FaultKind::Setting && !self.started_once {
                self.wrong_setting = Some(fault.clone());
            }
            Violation::from(if fault.detail.is_empty() {
                fault.kind.to_string()
            } else {
                format!("{}: {}", fault.kind, fault.detail)
            })
        })
    }

    /// Searches in a new game; returns whether a score came before the move.
    pub(super) fn play(
        &mut self,
        line: Line<'_>,
        go: &Go,
        chess960: bool,
    ) -> Result<(Reply, bool), Violation> {
        let patience = self.patience();
        self.with(|checkup| {
            let player = checkup.player()?;
            player.new_game(chess960)?;
            let mut scored = false;
            let reply = player.go(line, go, patience, &mut |info: &Info| {
                scored |= info.score.is_some();
                ControlFlow::Continue(())
            })?;
            Ok((reply, scored))
        })
    }

    /// Sends commands that end with a `go`, and reads up to the move.
    pub(super) fn search(&mut self, commands: &str) -> Result<RawSearch, Violation> {
        let patience = self.patience();
        self.with(|checkup| raw_search(checkup.process()?, commands, patience))
    }
}

fn no_process(spec: &EngineSpec) -> Fault {
    let detail = "it is no process".to_owned();
    Fault { player: spec.name.clone(), kind: FaultKind::Start, detail }
}
