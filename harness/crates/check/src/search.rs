//! The positions of checks, and the moves that are legal in them.

use std::time::Duration;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};
use thiserror::Error;

use harness_player::Line;

/// Overrun of a time limit that fails the check.
pub(super) const MAX_OVERRUN: Duration = Duration::from_secs(1);

/// White just castled and Black is to move, with many pieces on the board.
pub(super) const MIDDLE_GAME: &str =
    "r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 b kq - 1 6";

/// A violation by the engine.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct Violation(String);

impl<T: Into<String>> From<T> for Violation {
    fn from(text: T) -> Violation {
        Violation(text.into())
    }
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
pub(super) fn legal(position: &Chess, best: UciMove) -> Result<(), Violation> {
    let illegal =
        |_| format!("{best} is illegal in {}", Fen::from_position(position, EnPassantMode::Legal));
    best.to_move(position).map(drop).map_err(illegal).map_err(Violation)
}
