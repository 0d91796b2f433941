//! The interface of a player: it searches a position and returns a move.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use shakmaty::uci::UciMove;

use super::limit::Go;
use super::options::DeclaredOption;
use super::reply::{Fault, FaultKind, Info, Reply};

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

    /// Name of the program with its version, as it says (`id name`); `None` where it says nothing.
    fn program_name(&self) -> Option<&str> {
        None
    }

    /// Starts a new game (`ucinewgame`): clears the state, and waits until the player is ready.
    ///
    /// # Errors
    /// A [`Fault`] when the player does not answer in time or has died.
    fn new_game(&mut self, chess960: bool) -> Result<(), Fault>;

    /// Plays a variant of chess from the next game on, by its name in `UCI_Variant`.
    ///
    /// # Errors
    /// A [`Fault`] of kind [`FaultKind::Setting`] from a player that does not play it; otherwise as
    /// [`Player::new_game`].
    fn play_variant(&mut self, variant: &'static str) -> Result<(), Fault> {
        let detail = format!("it plays chess and Chess960 only, not {variant}");
        Err(Fault { player: self.name().to_owned(), kind: FaultKind::Setting, detail })
    }

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

    /// The options that it declared; none of a player that declares them in another way than UCI's.
    fn declared(&self) -> &[DeclaredOption] {
        &[]
    }

    /// Lets the player think in its opponent's time from the next game on; false if it cannot.
    ///
    /// # Errors
    /// A [`Fault`] as of [`Player::new_game`].
    fn allow_pondering(&mut self) -> Result<bool, Fault> {
        Ok(false)
    }

    /// Gives the lines of each search with its reply, from now on; a player without lines gives none.
    fn keep_output(&mut self, _keeps: bool) {}

    /// Begins to search in the opponent's time. The last move of `line` is the reply that the
    /// player expects; if it is played, [`Player::ponder_hit`] follows, else [`Player::go`]. False
    /// from a player that does nothing of the kind.
    ///
    /// # Errors
    /// A [`Fault`] when the player does not take the command.
    fn ponder(&mut self, _line: Line<'_>, _go: &Go) -> Result<bool, Fault> {
        Ok(false)
    }

    /// The expected reply was played: waits for the move of the search that began before. `elapsed`
    /// counts from now on, as the player's clock does.
    ///
    /// # Errors
    /// As [`Player::go`].
    fn ponder_hit(&mut self, _patience: Duration) -> Result<Reply, Fault> {
        let player = self.name().to_owned();
        Err(Fault { player, kind: FaultKind::NoMove, detail: "it was not pondering".to_owned() })
    }

    /// Ends a search in the opponent's time whose expected reply was not played, where no
    /// [`Player::go`] follows.
    ///
    /// # Errors
    /// A [`Fault`] when the player does not end it.
    fn end_ponder(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// Takes back the memory of a reply that is no longer needed, for the next one.
    fn reuse(&mut self, _reply: Reply) {}

    /// The game is over: a search in the opponent's time ends. `result` is that of PGN, `reason`
    /// how it came.
    fn end_game(&mut self, _result: &str, _reason: &str) {}

    /// Whether the process may play another game.
    fn is_reusable(&self) -> bool {
        true
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
