//! A search of a check: the commands, the lines that the engine prints, the move.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};
use thiserror::Error;

use harness_player::{Fault, FaultKind, Line, Player, UciProcess};

/// Overrun of a time limit that fails the check.
pub(super) const TOO_LATE: Duration = Duration::from_secs(1);

/// White just castled and Black is to move, with many pieces on the board.
pub(super) const MIDDLE_GAME: &str =
    "r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 b kq - 1 6";

/// What the engine did wrong.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct Wrong(String);

impl<T: Into<String>> From<T> for Wrong {
    fn from(text: T) -> Wrong {
        Wrong(text.into())
    }
}

/// What an engine printed from `go` to `bestmove`.
pub(super) struct Search {
    /// The lines before `bestmove`.
    pub(super) lines: Vec<String>,
    /// The move.
    pub(super) best_move: UciMove,
    /// The move to ponder on.
    pub(super) ponder: Option<UciMove>,
    /// From writing `go` to reading `bestmove`.
    pub(super) elapsed: Duration,
}

/// The kind of scores that a search printed.
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

    /// The kind of scores printed.
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

/// Sends commands that end with a `go` or `stop`, and reads up to `bestmove`.
pub(super) fn search(
    process: &mut UciProcess,
    commands: &str,
    patience: Duration,
) -> Result<Search, Fault> {
    process.send(commands)?;
    let begun = Instant::now();
    let lines = RefCell::new(Vec::new());
    let is_last = |line: &[u8]| {
        let last = is_best_move(line);
        if !last {
            lines.borrow_mut().push(String::from_utf8_lossy(line).into_owned());
        }
        last
    };
    let answer = process.await_line(is_last, "bestmove", patience)?;
    let elapsed = begun.elapsed();
    let words: Vec<&str> = answer.split_whitespace().collect();
    let read = |word: &&str| word.parse::<UciMove>().ok().filter(|best| best.is_normal());
    let Some(best_move) = words.get(1).and_then(read) else {
        let player = process.name().to_owned();
        return Err(Fault { player, kind: FaultKind::NoMove, detail: format!("`{answer}`") });
    };
    let ponder = (words.get(2) == Some(&"ponder")).then(|| words.get(3).and_then(read)).flatten();
    Ok(Search { lines: lines.into_inner(), best_move, ponder, elapsed })
}

/// Whether a line is a `bestmove`.
pub(super) fn is_best_move(line: &[u8]) -> bool {
    line == b"bestmove" || line.starts_with(b"bestmove ")
}

/// A position as a line without moves.
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

/// Refuses an illegal move.
pub(super) fn legal(position: &Chess, best: UciMove) -> Result<(), Wrong> {
    let illegal =
        |_| format!("{best} is illegal in {}", Fen::from_position(position, EnPassantMode::Legal));
    best.to_move(position).map(drop).map_err(illegal).map_err(Wrong)
}
