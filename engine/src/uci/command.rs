//! The commands of UCI, and their arguments.

use std::iter::Peekable;
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
        limits: Box<Limits>,
        /// `bestmove` waits for `stop`.
        infinite: bool,
        /// Search on the opponent's time until `ponderhit`.
        ponder: bool,
    },
}

/// A part of a `go` that cannot be carried out as it stands; the rest of it is.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum GoFault {
    /// The value of `key` is no number, or a larger one than can be counted.
    #[error("`go {key}` wants a number of at most {}, not `{}`: it is left out", i64::MAX, shortened(.value))]
    Number { key: String, value: String },
    /// A number that is not whole.
    #[error("`go {key} {}`: {used} is used", shortened(.value))]
    Fraction { key: String, value: String, used: i64 },
    /// A value below the least.
    #[error("`go {key} {value}` is below the least: {used} is used")]
    TooSmall { key: String, value: i64, used: i64 },
    /// An illegal move after `searchmoves`.
    #[error("`go searchmoves`: `{}` is no legal move here: it is left out", shortened(.0))]
    Move(String),
    /// `searchmoves` without a legal move.
    #[error("`go searchmoves` names no legal move: all moves are searched")]
    NoMove,
    /// Unknown word.
    #[error("`go` does not know `{}`: it is left out", shortened(.0))]
    Unknown(String),
    /// A clock, but not that of the side to move.
    #[error("`go` gives no clock of the side to move")]
    NoClock,
    /// Nothing that is left limits the search.
    #[error("no limit of this `go` can be used: the search takes up to {} ms", FALLBACK_TIME.as_millis())]
    NoLimit,
}

/// Time for a search of which no limit can be used: a sender that meant a limit waits for the move.
const FALLBACK_TIME: Duration = Duration::from_millis(100);

/// Parses the arguments of `go`. Every `go` can be carried out: what is wrong in it is left out, and
/// returned beside it.
pub fn go(arguments: &str, position: &Position, chess960: bool) -> (Go, Vec<GoFault>) {
    let mut limits = Limits::default();
    let mut infinite = false;
    let mut ponder = false;
    let mut listing = false;
    let mut clocks = Clocks::default();
    let mut words = Words::new(arguments);
    while let Some(key) = words.next() {
        match key {
            "infinite" => infinite = true,
            "ponder" => ponder = true,
            "searchmoves" => listing = true,
            "perft" => {
                if let Some(depth) = words.count(key, 0) {
                    return (Go::Perft(depth.min(MAX_PERFT) as u32), words.faults);
                }
            }
            "depth" => {
                let depth = words.count(key, 1);
                limits.depth = depth.map(|depth| depth.min(MAX_PLY as i64) as u32);
            }
            "nodes" => limits.nodes = words.count(key, 1).map(|nodes| nodes as u64),
            "mate" => limits.mate = words.count(key, 1).map(|moves| moves.min(1000) as u32),
            "movetime" => limits.move_time = words.count(key, 0).map(milliseconds),
            "wtime" => clocks.time[0] = words.number(key),
            "btime" => clocks.time[1] = words.number(key),
            "winc" => clocks.increment[0] = words.number(key).unwrap_or(0),
            "binc" => clocks.increment[1] = words.number(key).unwrap_or(0),
            // Some programs send 0 where there is no further time control.
            "movestogo" => {
                let moves = words.count(key, 0).filter(|&moves| moves > 0);
                clocks.moves_to_go = moves.map(|moves| moves.min(1000) as u32);
            }
            // A move after `searchmoves`.
            text if listing => match position.parse_uci(text, chess960) {
                Some(m) => limits.search_moves.push(m),
                None => words.faults.push(GoFault::Move(text.to_owned())),
            },
            text => words.faults.push(GoFault::Unknown(text.to_owned())),
        }
    }
    if listing && limits.search_moves.is_empty() {
        words.faults.push(GoFault::NoMove);
    }
    limits.clock = clocks.clock(position);
    if limits.clock.is_none() && clocks.is_any() {
        words.faults.push(GoFault::NoClock);
    }
    if !infinite && !is_limited(&limits) {
        // Without a fault no limit is meant.
        infinite = words.faults.is_empty();
        if !infinite {
            limits.move_time = Some(FALLBACK_TIME);
            words.faults.push(GoFault::NoLimit);
        }
    }
    (Go::Search { limits: Box::new(limits), infinite, ponder }, words.faults)
}

/// Largest depth of a perft.
const MAX_PERFT: i64 = 32;

fn is_limited(limits: &Limits) -> bool {
    limits.depth.is_some()
        || limits.nodes.is_some()
        || limits.mate.is_some()
        || limits.move_time.is_some()
        || limits.clock.is_some()
}

/// Words of `go` that have a value or stand alone.
const KEYS: [&str; 13] = [
    "infinite",
    "ponder",
    "searchmoves",
    "perft",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
];

/// The words of a `go`, and what is wrong with them.
struct Words<'a> {
    words: Peekable<SplitWhitespace<'a>>,
    faults: Vec<GoFault>,
}

impl<'a> Words<'a> {
    fn new(arguments: &'a str) -> Words<'a> {
        Words { words: arguments.split_whitespace().peekable(), faults: Vec::new() }
    }

    fn next(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    /// The number after `key`. A further key in its place is none of its value.
    fn number(&mut self, key: &str) -> Option<i64> {
        let value = self.words.next_if(|word| !KEYS.contains(word)).unwrap_or("");
        let [key, value] = [key, value].map(str::to_owned);
        if let Ok(number) = value.parse() {
            return Some(number);
        }
        if let Some(used) = whole_part(&value) {
            self.faults.push(GoFault::Fraction { key, value, used });
            return Some(used);
        }
        self.faults.push(GoFault::Number { key, value });
        None
    }

    /// The number after `key`, at least `least`.
    fn count(&mut self, key: &str, least: i64) -> Option<i64> {
        let value = self.number(key)?;
        if value < least {
            self.faults.push(GoFault::TooSmall { key: key.to_owned(), value, used: least });
        }
        Some(value.max(least))
    }
}

/// The whole number before a decimal point: some programs send fractions of milliseconds.
fn whole_part(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.')?;
    let is_fraction = fraction.bytes().all(|digit| digit.is_ascii_digit());
    whole.parse().ok().filter(|_| is_fraction)
}

/// Both clocks as in the command, in milliseconds, White's first.
#[derive(Default)]
struct Clocks {
    time: [Option<i64>; 2],
    increment: [i64; 2],
    moves_to_go: Option<u32>,
}

impl Clocks {
    /// Whether anything of a clock was given.
    fn is_any(&self) -> bool {
        self.time != [None; 2] || self.increment != [0; 2] || self.moves_to_go.is_some()
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(arguments: &str) -> (Limits, bool) {
        let (go, faults) = go(arguments, &Position::startpos(), false);
        assert_eq!(faults, [], "{arguments}");
        match go {
            Go::Search { limits, infinite, .. } => (*limits, infinite),
            Go::Perft(_) => panic!("{arguments}: a perft"),
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
        assert_eq!(clock("wtime 10 movestogo 0").moves_to_go, None);
        let ponder = go("ponder wtime 10 btime 10", &Position::startpos(), false).0;
        assert!(matches!(ponder, Go::Search { ponder: true, infinite: false, .. }));
        assert!(limits("infinite").1 && limits("").1 && !limits("depth 7").1);
        assert!(matches!(go("perft 4", &Position::startpos(), false).0, Go::Perft(4)));
    }

    #[test]
    fn of_a_go_with_faults_the_rest_is_searched_and_ends() {
        let number =
            |key: &str, value: &str| GoFault::Number { key: key.into(), value: value.into() };
        let fraction = |key: &str, value: &str, used| GoFault::Fraction {
            key: key.into(),
            value: value.into(),
            used,
        };
        let small = |key: &str, value, used| GoFault::TooSmall { key: key.into(), value, used };
        let unknown = |word: &str| GoFault::Unknown(word.into());
        let no_move = |word: &str| GoFault::Move(word.into());
        let huge = "99999999999999999999";
        // Arguments, what is wrong with them, whether a limit is left, moves to search.
        let cases = [
            ("depth", vec![number("depth", "")], false, 0),
            ("depth x", vec![number("depth", "x")], false, 0),
            ("depth 3.5", vec![fraction("depth", "3.5", 3)], true, 0),
            ("movetime 50.7", vec![fraction("movetime", "50.7", 50)], true, 0),
            ("wtime 100. btime 100", vec![fraction("wtime", "100.", 100)], true, 0),
            ("wtime .5", vec![number("wtime", ".5")], false, 0),
            ("wtime 1.-5", vec![number("wtime", "1.-5")], false, 0),
            ("btime 100", vec![GoFault::NoClock], false, 0),
            ("winc 10", vec![GoFault::NoClock], false, 0),
            ("movestogo 3 nodes 9", vec![GoFault::NoClock], true, 0),
            ("depth nodes 50", vec![number("depth", "")], true, 0),
            ("depth -3", vec![small("depth", -3, 1)], true, 0),
            ("nodes 99999999999999999999", vec![number("nodes", huge)], false, 0),
            ("nodes 0", vec![small("nodes", 0, 1)], true, 0),
            ("movetime x", vec![number("movetime", "x")], false, 0),
            ("movetime -1", vec![small("movetime", -1, 0)], true, 0),
            ("mate -1", vec![small("mate", -1, 1)], true, 0),
            ("wtime 1e3", vec![number("wtime", "1e3")], false, 0),
            ("wtime x depth 2", vec![number("wtime", "x")], true, 0),
            ("perft", vec![number("perft", "")], false, 0),
            ("nonsense depth 2", vec![unknown("nonsense")], true, 0),
            ("e2e4", vec![unknown("e2e4")], false, 0),
            ("searchmoves e2e5", vec![no_move("e2e5"), GoFault::NoMove], false, 0),
            ("searchmoves", vec![GoFault::NoMove], false, 0),
            ("searchmoves depth 2", vec![GoFault::NoMove], true, 0),
            (
                "searchmoves e2e5 e2e4 \u{1f4a5} depth 2",
                vec![no_move("e2e5"), no_move("\u{1f4a5}")],
                true,
                1,
            ),
        ];
        for (arguments, mut expected, limited, moves) in cases {
            let (go, faults) = go(arguments, &Position::startpos(), false);
            if !limited {
                expected.push(GoFault::NoLimit);
            }
            assert_eq!(faults, expected, "{arguments}");
            let Go::Search { limits, infinite, .. } = go else { panic!("{arguments}: a perft") };
            assert!(!infinite && is_limited(&limits), "{arguments}");
            assert_eq!(limits.search_moves.len(), moves, "{arguments}");
        }
        let (endless, faults) = go("infinite searchmoves e2e5", &Position::startpos(), false);
        assert!(matches!(endless, Go::Search { infinite: true, .. }) && faults.len() == 2);
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
