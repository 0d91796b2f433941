//! What a player does: searches a position and returns a move.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use shakmaty::uci::UciMove;

use super::limit::Go;
use super::reply::{Fault, Info, Reply};

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

    /// The default of a spin option; `None` without such an option.
    fn default_of(&self, _option: &str) -> Option<i64> {
        None
    }

    /// Searches a position and returns the move.
    ///
    /// `elapsed` of the reply is the time from writing `go` to reading the move. After `patience`
    /// the player counts as hung; the caller derives it from the clock, or from a watchdog where
    /// there is no clock. `observe` receives every `info` with a score, of further lines too
    /// ([`Info::line`]); when it breaks, the search is stopped and its move of that moment is the
    /// reply.
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
    /// Otherwise as [`Player::go`]. The caller checks whether the reply is one of them: some
    /// engines ignore the restriction.
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
