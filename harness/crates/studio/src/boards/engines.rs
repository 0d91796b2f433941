//! Started engines, kept for the next search: one that restarts forgets what it knows.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use shakmaty::uci::UciMove;

use harness_base::config::Config;
use harness_base::session::{Interrupt, InterruptSetter, Session};
use harness_base::sync::lock;
use harness_player::{
    self as player, EngineSpec, Fault, FaultKind, Go, Info, Line, Player, Reply, StartSettings,
};

/// Idle engines that are kept; the one that was idle longest ends.
const MAX_IDLE: usize = 6;

/// How long an engine may take to notice that its search is no longer wanted, before it is ended.
const STOP_TIMEOUT: Duration = Duration::from_millis(400);

/// How long a search may take beyond its limit until the engine counts as hung.
const SEARCH_GRACE: Duration = Duration::from_secs(24 * 3600);

/// A started engine.
pub struct Engine {
    key: String,
    player: Box<dyn Player + Send>,
    end: InterruptSetter,
}

/// The engines that are not at work.
pub struct Engines {
    reports: PathBuf,
    idle: Mutex<Vec<Engine>>,
}

/// Ends searches, of one engine or several.
#[derive(Default)]
pub struct Cancel {
    unwanted: AtomicBool,
    /// Those at work.
    working: Mutex<Vec<(u64, InterruptSetter)>>,
}

impl Cancel {
    /// Is it no longer wanted?
    pub fn is_set(&self) -> bool {
        self.unwanted.load(Ordering::Relaxed)
    }

    /// Ends the searches; engines that do not notice it soon are ended themselves.
    pub fn set(self: &Arc<Cancel>) {
        self.unwanted.store(true, Ordering::Relaxed);
        let own = Arc::clone(self);
        thread::spawn(move || {
            thread::sleep(STOP_TIMEOUT);
            let working = lock(&own.working);
            for (_, end) in working.iter() {
                end.set();
            }
        });
    }
}

impl Engines {
    /// None are started yet.
    pub fn new(reports: PathBuf) -> Engines {
        Engines { reports, idle: Mutex::default() }
    }

    /// The folder of the ledger and of the boards.
    pub fn reports(&self) -> &Path {
        &self.reports
    }

    /// The engine of a name, as everywhere in the harness: `builtin`, a name of `harness.yaml`, a
    /// path, a revision.
    ///
    /// # Errors
    /// When there is none; in words for people.
    pub fn spec(&self, name: &str) -> Result<EngineSpec, String> {
        let (interrupt, _) = Interrupt::manual().map_err(|error| error.to_string())?;
        let session = Session {
            reports: self.reports.clone(),
            probe: false,
            quiet: true,
            on: None,
            interrupt,
        };
        let config = Config::find().map_err(|error| error.to_string())?;
        player::resolve(name, &config, &session).map_err(|error| error.to_string())
    }

    /// An engine that waits, or a new one.
    ///
    /// # Errors
    /// When it does not start; in words for people.
    pub fn take(&self, spec: &EngineSpec) -> Result<Engine, String> {
        let key = format!("{:?} {:?}", spec.program, spec.options);
        let mut idle = lock(&self.idle);
        if let Some(index) = idle.iter().rposition(|engine| engine.key == key) {
            return Ok(idle.remove(index));
        }
        drop(idle);
        let (interrupt, end) = Interrupt::manual().map_err(|error| error.to_string())?;
        let player = player::start(spec, &StartSettings::default(), &interrupt);
        let player = player.map_err(|error| error.to_string())?;
        Ok(Engine { key, player, end })
    }

    /// Keeps an engine for the next search.
    pub fn keep(&self, engine: Engine) {
        let mut idle = lock(&self.idle);
        idle.push(engine);
        let ended = (idle.len() > MAX_IDLE).then(|| idle.remove(0));
        drop(idle);
        // It may take its time to quit.
        drop(ended);
    }
}

impl Engine {
    /// Prepares a game of another kind, or a new one.
    ///
    /// # Errors
    /// As [`Player::new_game`].
    pub fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        self.player.new_game(chess960)
    }

    /// Searches several lines at once. An engine that cannot shows one.
    ///
    /// # Errors
    /// When it fails otherwise.
    pub fn show_lines(&mut self, lines: u32) -> Result<(), Fault> {
        let options = BTreeMap::from([("MultiPV".to_owned(), lines.to_string())]);
        match self.player.set_options(&options) {
            Err(fault) if fault.kind == FaultKind::Setting => Ok(()),
            set => set,
        }
    }

    /// Searches a position until its limit, or until it is cancelled.
    ///
    /// # Errors
    /// As [`Player::go`]; [`FaultKind::Interrupted`] where it had to be ended.
    pub fn search(
        &mut self,
        fen: &str,
        moves: &[UciMove],
        go: &Go,
        cancel: &Arc<Cancel>,
        observe: &mut dyn FnMut(&Info),
    ) -> Result<Reply, Fault> {
        let number = cancel.enter(&self.end);
        let line = Line { fen: Some(fen), moves };
        let reply = self.player.go(line, go, SEARCH_GRACE, &mut |info| {
            observe(info);
            if cancel.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        cancel.leave(number);
        reply
    }
}

impl Cancel {
    fn enter(&self, end: &InterruptSetter) -> u64 {
        let mut working = lock(&self.working);
        let number = working.last().map_or(0, |(last, _)| last + 1);
        working.push((number, end.clone()));
        number
    }

    fn leave(&self, number: u64) {
        let mut working = lock(&self.working);
        working.retain(|(known, _)| *known != number);
    }
}
