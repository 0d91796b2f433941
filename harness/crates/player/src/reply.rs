//! A player's reply to `go`, and its faults.

use std::fmt;
use std::time::Duration;

use miette::{Diagnostic, Report};
use serde::{Deserialize, Serialize};
use shakmaty::Color;
use shakmaty::uci::UciMove;
use thiserror::Error;

use harness_base::failure::Failure;

/// A score for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Moves to mate; negative when being mated.
    Mate(i32),
}

impl Score {
    /// A mate by its plies, as comments in PGN count: mate in 3 moves has 5 plies, being mated in 2
    /// (`loses`) has 4. `None` if they are negative or too many.
    pub fn mate_in_plies(plies: i64, loses: bool) -> Option<Score> {
        let plies = (plies >= 0).then_some(plies)?;
        let moves = if loses { -(plies / 2) } else { plies.checked_add(1)? / 2 };
        i32::try_from(moves).ok().map(Score::Mate)
    }

    /// The same score for the other side.
    #[inline]
    pub fn negated(self) -> Score {
        match self {
            Score::Centipawns(value) => Score::Centipawns(value.saturating_neg()),
            Score::Mate(moves) => Score::Mate(moves.saturating_neg()),
        }
    }

    /// Converts a score between the side `mover` and White.
    #[inline]
    pub fn for_white(self, mover: Color) -> Score {
        mover.fold_wb(self, self.negated())
    }
}

/// The last `info` of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info {
    /// Depth of the iteration in plies.
    pub depth: Option<u32>,
    /// Deepest ply reached.
    pub seldepth: Option<u32>,
    /// Score for the side to move; see [`is_bound`](Self::is_bound).
    pub score: Option<Score>,
    /// Whether the score is only a bound (`lowerbound`, `upperbound`): so after a search that printed no exact
    /// score of its best line, as one that stops within its first iteration. As in fastchess, its last bound
    /// then counts as its score.
    pub is_bound: bool,
    /// Chances of win, draw and loss for the side to move, in thousandths, by the player's own model.
    pub wdl: Option<[u16; 3]>,
    /// Nodes visited.
    pub nodes: Option<u64>,
    /// Nodes a second, as the player reports them.
    pub nps: Option<u64>,
    /// Fill of the transposition table, in thousandths.
    pub hashfull: Option<u32>,
    /// Positions found in tablebases.
    pub tbhits: Option<u64>,
    /// Time as the player measured it.
    pub time: Option<Duration>,
    /// Place of the line among several (`multipv`), from 1; 0: no info yet.
    pub line: u32,
    /// Principal variation, unchecked.
    pub pv: Vec<UciMove>,
    /// All lines of the search before its move, each with its end, of a player that keeps them
    /// ([`Player::keep_output`](crate::Player::keep_output)).
    pub lines: Vec<u8>,
}

impl Info {
    /// The score, unless it is only a bound.
    pub fn exact_score(&self) -> Option<Score> {
        self.score.filter(|_| !self.is_bound)
    }
}

/// A best move, with the info of its search.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The move; legality is the caller's to check.
    pub best_move: UciMove,
    /// The reply that the player expects, to think about in its opponent's time.
    pub ponder: Option<UciMove>,
    /// The last `info` of the best line that carried a score; empty if there was none.
    pub info: Info,
    /// From writing `go` to reading `bestmove`.
    pub elapsed: Duration,
}

/// A player that gave no usable move.
#[derive(Clone, Debug, PartialEq, Eq, Error, Diagnostic)]
#[error("{player}: {kind}{}", in_parentheses(.detail))]
pub struct Fault {
    /// The player's name.
    pub player: String,
    /// Details.
    pub kind: FaultKind,
    /// Evidence for people: exit status, the line it printed, the end of its standard error.
    /// Empty when there is none.
    pub detail: String,
}

/// The longest evidence, in characters.
const MAX_EVIDENCE: usize = 900;

fn in_parentheses(detail: &str) -> String {
    if detail.is_empty() {
        return String::new();
    }
    match detail.char_indices().nth(MAX_EVIDENCE) {
        Some((end, _)) => format!(" ({}...)", &detail[..end]),
        None => format!(" ({detail})"),
    }
}

impl Fault {
    /// The evidence, if there is any, in parentheses behind a space.
    pub fn evidence(&self) -> String {
        in_parentheses(&self.detail)
    }
}

/// A fault that ends a command: an engine that does not start, for example.
impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        match fault.kind {
            FaultKind::Interrupted => Failure::Interrupted("nothing was kept".to_owned()),
            FaultKind::Setting | FaultKind::Changed => Failure::Usage(Report::new(fault)),
            _ => Failure::Failed(Report::new(fault)),
        }
    }
}

/// The ways to give no usable move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The process could not be started, or did not speak UCI: harness trouble, never a loss.
    Start,
    /// It does not offer an option, or does not take the value: the user's mistake.
    Setting,
    /// Its program, or a file that an option names, is another one than at the start of the run: games of two
    /// engines must not be counted as one's.
    Changed,
    /// No reply within patience.
    Hang,
    /// The process ended.
    Crash,
    /// The process runs but closed its output.
    Disconnect,
    /// `bestmove` with something that is no move: `(none)`, `0000`, garbage.
    NoMove,
    /// It resigned, as xboard engines may.
    Resigned,
    /// The user interrupted the harness: never a loss.
    Interrupted,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::Start => "would not start",
            FaultKind::Setting => "cannot be set up",
            FaultKind::Changed => "was replaced while it was in use",
            FaultKind::Hang => "gave no answer in time",
            FaultKind::Crash => "ended unexpectedly",
            FaultKind::Disconnect => "closed its output",
            FaultKind::NoMove => "answered `bestmove` without a move",
            FaultKind::Resigned => "resigned",
            FaultKind::Interrupted => "was interrupted",
        })
    }
}
