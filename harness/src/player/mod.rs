//! Players: UCI engines and the linked engine.

mod build;
mod builtin;
mod capture;
mod cmake;
mod escaped;
mod git;
mod group;
mod hash;
mod limit;
mod options;
pub mod pool;
mod printed;
pub mod probe;
mod process;
mod recipe;
mod reply;
mod resolve;
mod revision;
mod spawner;
mod spec;
pub mod transcript;
pub mod uci;
mod unchanged;
pub mod warden;
mod wire;

pub use build::BuildError;
pub use builtin::Builtin;
pub use capture::{CaptureError, Captured, capture};
pub use hash::sha256;
pub use limit::{Clocks, Go, Limit, ParseLimitError, TimeControl, Timed, parse_movetime, respects};
pub use options::{DeclaredOption, OptionKind};
pub use printed::printed;
pub use process::{StartSettings, UciProcess};
pub use recipe::detected_build;
pub use reply::{Fault, FaultKind, Info, Reply, Score};
pub use resolve::{OptionArg, ResolveError, resolve, resolve_all};
pub use spec::{EngineSpec, Program, Revision};
pub use unchanged::{FileChanged, NamedFiles, check_unchanged};

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use shakmaty::uci::UciMove;

use crate::context::Interrupt;

/// The position to search: a start position and the moves played since.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// FEN of the start; `None` is the usual start position.
    pub fen: Option<&'a str>,
    /// Moves played since, in the notation of the game's castling mode.
    pub moves: &'a [UciMove],
}

/// Receives each `info` of a search, and may stop the search.
pub type Observer<'a> = dyn FnMut(&Info) -> ControlFlow<()> + 'a;

/// The observer that ignores every `info`.
pub fn unobserved(_: &Info) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A player that searches positions: a UCI process, or the linked engine in this process.
pub trait Player {
    /// The name under which results are reported.
    fn name(&self) -> &str;

    /// Starts a new game (`ucinewgame`): clears the state, and waits until the player is ready.
    ///
    /// # Errors
    /// A [`Fault`] when the player does not answer in time or has died.
    fn new_game(&mut self, chess960: bool) -> Result<(), Fault>;

    /// Sets options between two games; others keep their values.
    ///
    /// # Errors
    /// A [`Fault`] of kind [`FaultKind::Setting`] for an option that the player does not have or a
    /// value that it does not take; otherwise as [`Player::new_game`].
    fn set_options(&mut self, options: &BTreeMap<String, String>) -> Result<(), Fault>;

    /// The value that a number among its options has unless it is set; `None` where it has no such
    /// option, or has no options.
    fn default_of(&self, _option: &str) -> Option<i64> {
        None
    }

    /// Searches a position and returns the move.
    ///
    /// The answer's `elapsed` is measured from the moment `go` was written to the moment the
    /// move was read. `patience` is how long to wait at most before the player counts as hung;
    /// the caller derives it from the clock, or from a watchdog where there is no clock.
    /// `observe` sees every `info` that carries a score, of further lines too ([`Info::line`]);
    /// when it breaks off, the search is stopped and the move of that moment is the answer.
    ///
    /// # Errors
    /// A [`Fault`] when no usable move came: late beyond patience, crashed, or garbage.
    fn go(
        &mut self,
        line: Line<'_>,
        go: &Go,
        patience: Duration,
        observe: &mut Observer<'_>,
    ) -> Result<Reply, Fault> {
        self.go_among(line, &[], go, patience, observe)
    }

    /// Searches only some of the legal moves (UCI's `searchmoves`); none means all.
    ///
    /// Otherwise as [`Player::go`]. Whether the answer is one of them is the caller's to check:
    /// there are engines that overlook the restriction.
    ///
    /// # Errors
    /// As [`Player::go`].
    fn go_among(
        &mut self,
        line: Line<'_>,
        moves: &[UciMove],
        go: &Go,
        patience: Duration,
        observe: &mut Observer<'_>,
    ) -> Result<Reply, Fault>;
}

/// Starts a player: a process with handshake and options, or the linked engine.
///
/// The player is ended when it is dropped, and by the warden if this process is killed.
///
/// # Errors
/// A [`Fault`] of kind [`FaultKind::Start`], of kind [`FaultKind::Setting`] for an option that the
/// engine does not offer or a value that it does not take, or [`FaultKind::Interrupted`].
pub fn start(
    spec: &EngineSpec,
    settings: &StartSettings,
    interrupt: &Interrupt,
) -> Result<Box<dyn Player + Send>, Fault> {
    Ok(match &spec.program {
        Program::Builtin => Box::new(Builtin::start(spec, interrupt)?),
        Program::Executable { .. } => Box::new(UciProcess::start(spec, settings, interrupt)?),
    })
}
