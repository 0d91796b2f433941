//! The commands of UCI, and their arguments.

use std::str::SplitWhitespace;
use std::time::Duration;

use thiserror::Error;

use super::output::shortened;
use crate::board::{FenError, Position};
use crate::search::{Clock, Limits, MAX_PLY, Root};

/// A command; arguments that depend on the position or the options are still text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// `uci`.
    Uci,
    /// `isready`.
    IsReady,
    /// `ucinewgame`.
    NewGame,
    /// `setoption` and its arguments: see [`options::parse`](super::options::parse).
    SetOption(&'a str),
    /// `position` and its arguments: see [`position`].
    Position(&'a str),
    /// `go` and its arguments: see [`go`].
    Go(&'a str),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `quit`.
    Quit,
    /// `d`: print the board.
    Display,
    /// `eval`: print the static evaluation.
    Eval,
    /// `export`: write the network in use to a file.
    Export(&'a str),
    /// `bench`, with its depth.
    Bench(&'a str),
    /// `debug`, with `on` or `off`.
    Debug(&'a str),
    /// A command of UCI without effect here.
    Ignored,
}

/// A word that is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("unknown command `{0}`")]
pub struct UnknownCommand<'a>(pub &'a str);

impl<'a> Command<'a> {
    /// Parses a line; `None` if it is empty.
    ///
    /// # Errors
    /// If the first word is no command.
    pub fn parse(line: &'a str) -> Result<Option<Command<'a>>, UnknownCommand<'a>> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        Ok(Some(match word {
            "" => return Ok(None),
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "setoption" => Command::SetOption(rest),
            "position" => Command::Position(rest),
            "go" => Command::Go(rest),
            "stop" => Command::Stop,
            "quit" => Command::Quit,
            "d" => Command::Display,
            "eval" => Command::Eval,
            "export" => Command::Export(rest),
            "bench" => Command::Bench(rest),
            "ponderhit" => Command::PonderHit,
            "debug" => Command::Debug(rest),
            "register" => Command::Ignored,
            _ => return Err(UnknownCommand(word)),
        }))
    }
}

/// Why a position cannot be set up.
#[derive(Debug, Error)]
pub enum PositionError {
    /// Neither `startpos` nor `fen`.
    #[error("`position` wants `startpos` or `fen ...`, not `{}`", shortened(.0))]
    Unknown(String),
    /// Invalid FEN.
    #[error("illegal position: {0}")]
    Fen(#[from] FenError),
    /// An illegal move after `played` legal ones.
    #[error("illegal move `{}` after {played} moves", shortened(.text))]
    Move { text: String, played: usize },
}

/// Parses the arguments of `position`.
///
/// # Errors
/// If there is no position or a move is not legal.
pub fn position(arguments: &str, chess960: bool) -> Result<Root, PositionError> {
    let arguments = arguments.trim();
    let (setup, moves) = arguments.split_once("moves").unwrap_or((arguments, ""));
    let setup = setup.trim();
    let start = if setup == "startpos" {
        Position::startpos()
    } else if let Some(fen) = setup.strip_prefix("fen ") {
        Position::from_fen(fen.trim())?
    } else {
        return Err(PositionError::Unknown(setup.to_owned()));
    };
    let mut root = Root::new(start);
    for (played, text) in moves.split_whitespace().enumerate() {
        let m = root
            .position()
            .parse_uci(text, chess960)
            .ok_or_else(|| PositionError::Move { text: text.to_owned(), played })?;
        root.play(m);
    }
    Ok(root)
}

/// The task of a `go`.
#[derive(Debug)]
pub enum Go {
    /// Perft of this depth.
    Perft(u32),
    /// A search.
    Search {
        /// Its limits.
        limits: Limits,
        /// `bestmove` waits for `stop`.
        infinite: bool,
        /// Search on the opponent's time until `ponderhit`.
        ponder: bool,
    },
}

/// An invalid `go`.
#[derive(Debug, Error)]
pub enum GoError {
    /// The value of `key` is no number.
    #[error("`go {key}` wants a number, not `{}`", shortened(.value))]
    Number { key: String, value: String },
    /// An illegal move after `searchmoves`.
    #[error("`go searchmoves`: `{}` is no legal move here", shortened(.0))]
    Move(String),
    /// Unknown word.
    #[error("`go` does not know `{}`", shortened(.0))]
    Unknown(String),
}

/// Parses the arguments of `go`.
///
/// # Errors
/// If a word is unknown, or a number or legal move is missing.
pub fn go(arguments: &str, position: &Position, chess960: bool) -> Result<Go, GoError> {
    let mut limits = Limits::default();
    let mut infinite = false;
    let mut ponder = false;
    let mut listing = false;
    let mut clocks = Clocks::default();
    let mut words = arguments.split_whitespace();
    while let Some(key) = words.next() {
        match key {
            "infinite" => infinite = true,
            "ponder" => ponder = true,
            "searchmoves" => listing = true,
            "perft" => return Ok(Go::Perft(number(key, &mut words)?.clamp(0, 32) as u32)),
            "depth" => {
                limits.depth = Some(number(key, &mut words)?.clamp(1, MAX_PLY as i64) as u32);
            }
            "nodes" => limits.nodes = Some(number(key, &mut words)?.max(1) as u64),
            "mate" => limits.mate = Some(number(key, &mut words)?.clamp(1, 1000) as u32),
            "movetime" => limits.move_time = Some(milliseconds(number(key, &mut words)?)),
            "wtime" => clocks.time[0] = Some(number(key, &mut words)?),
            "btime" => clocks.time[1] = Some(number(key, &mut words)?),
            "winc" => clocks.increment[0] = number(key, &mut words)?,
            "binc" => clocks.increment[1] = number(key, &mut words)?,
            "movestogo" => {
                clocks.moves_to_go = Some(number(key, &mut words)?.clamp(1, 1000) as u32);
            }
            // A move after `searchmoves`.
            text if listing => match position.parse_uci(text, chess960) {
                Some(m) => limits.search_moves.push(m),
                None => return Err(GoError::Move(text.to_owned())),
            },
            text => return Err(GoError::Unknown(text.to_owned())),
        }
    }
    limits.clock = clocks.clock(position);
    let limited = limits.depth.is_some()
        || limits.nodes.is_some()
        || limits.mate.is_some()
        || limits.move_time.is_some()
        || limits.clock.is_some();
    Ok(Go::Search { limits, infinite: infinite || !limited, ponder })
}

/// Both clocks as in the command, in milliseconds, White's first.
#[derive(Default)]
struct Clocks {
    time: [Option<i64>; 2],
    increment: [i64; 2],
    moves_to_go: Option<u32>,
}

impl Clocks {
    fn clock(&self, position: &Position) -> Option<Clock> {
        let side = usize::from(position.side().is_black());
        self.time[side].map(|time| Clock {
            remaining: milliseconds(time),
            increment: milliseconds(self.increment[side]),
            moves_to_go: self.moves_to_go,
        })
    }
}

/// A duration from a clock, which may be below zero.
fn milliseconds(count: i64) -> Duration {
    Duration::from_millis(count.clamp(0, 1 << 40) as u64)
}

fn number(key: &str, words: &mut SplitWhitespace<'_>) -> Result<i64, GoError> {
    let value = words.next().unwrap_or("");
    value.parse().map_err(|_| GoError::Number { key: key.to_owned(), value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(arguments: &str) -> (Limits, bool) {
        match go(arguments, &Position::startpos(), false) {
            Ok(Go::Search { limits, infinite, .. }) => (limits, infinite),
            other => panic!("{arguments}: {other:?}"),
        }
    }

    #[test]
    fn every_form_of_go_is_parsed() {
        let clock = |arguments| limits(arguments).0.clock.expect("a clock");
        let white = clock("wtime 1000 btime 2000 winc 10 binc 20 movestogo 5");
        assert_eq!(white.remaining, Duration::from_millis(1000));
        assert_eq!(white.increment, Duration::from_millis(10));
        assert_eq!(white.moves_to_go, Some(5));
        assert_eq!(clock("wtime -50").remaining, Duration::ZERO);
        assert_eq!(limits("movetime 250").0.move_time, Some(Duration::from_millis(250)));
        assert_eq!(limits("nodes 5000").0.nodes, Some(5000));
        assert_eq!(limits("depth 7").0.depth, Some(7));
        assert_eq!(limits("mate 3").0.mate, Some(3));
        assert_eq!(limits("searchmoves e2e4 d2d4 depth 3").0.search_moves.len(), 2);
        let ponder = go("ponder wtime 10 btime 10", &Position::startpos(), false);
        assert!(matches!(ponder, Ok(Go::Search { ponder: true, infinite: false, .. })));
        assert!(limits("infinite").1 && limits("").1 && !limits("depth 7").1);
        assert!(matches!(go("perft 4", &Position::startpos(), false), Ok(Go::Perft(4))));
    }

    #[test]
    fn an_invalid_go_is_an_error() {
        for arguments in ["depth", "depth x", "wtime 1e3", "e2e4", "nonsense", "searchmoves e2e5"] {
            assert!(go(arguments, &Position::startpos(), false).is_err(), "{arguments}");
        }
    }

    #[test]
    fn positions_are_set_up_with_their_moves() {
        let root = position("startpos moves e2e4 e7e5", false).expect("legal");
        assert_eq!(root.position().fullmoves(), 2);
        for arguments in ["", "fen", "fen x", "startpos moves e2e5", "nowhere", "startpos moves 💥"]
        {
            assert!(position(arguments, false).is_err(), "{arguments}");
        }
    }
}
