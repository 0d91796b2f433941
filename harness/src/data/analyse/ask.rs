//! One question to one engine.

use std::time::Duration;

use engine::board::{Color, Move, Position};
use shakmaty::File;

use crate::player::{Fault, FaultKind, Limit, Line, Player, Reply, Score, unobserved};

/// How much longer than a move time an engine may take before it counts as hung.
const GRACE: Duration = Duration::from_secs(10);

/// How long a search without a clock may take before the engine counts as hung.
const WATCHDOG: Duration = Duration::from_secs(600);

/// What an engine said of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// Score for the side to move.
    pub score: Score,
    /// Depth in plies.
    pub depth: u8,
    /// Its move.
    pub best: Move,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The engine's word.
    Said(Said),
    /// It crashed, hung, gave no legal move or no score.
    Failed(String),
}

/// Asks, with nothing remembered of earlier positions.
///
/// # Errors
/// A [`Fault`] that says nothing about the position: the engine could not be started, or the user
/// interrupted the search.
pub fn ask(player: &mut dyn Player, position: &Position, limit: Limit) -> Result<Answer, Fault> {
    let chess960 = is_chess960(position);
    let reply = player.new_game(chess960).and_then(|()| {
        let fen = position.fen(chess960);
        let (go, allowed) = limit.single_search();
        let patience = allowed.map_or(WATCHDOG, |time| time.saturating_add(GRACE));
        let line = Line { fen: Some(&fen), moves: &[] };
        player.go(line, &go, patience, &mut unobserved)
    });
    match reply {
        Ok(reply) => Ok(judged(position, &reply, chess960)),
        Err(fault) => match fault.kind {
            FaultKind::Start | FaultKind::Setting | FaultKind::Interrupted => Err(fault),
            _ => Ok(Answer::Failed(fault.to_string())),
        },
    }
}

fn judged(position: &Position, reply: &Reply, chess960: bool) -> Answer {
    let text = reply.best_move.to_string();
    let Some(best) = position.parse_uci(&text, chess960) else {
        return Answer::Failed(format!("illegal move `{text}` in `{}`", position.fen(chess960)));
    };
    match reply.info.score {
        // Greater depths are as good as this one.
        Some(score) => {
            let depth = reply.info.depth.unwrap_or(0).min(255) as u8;
            Answer::Said(Said { score, depth, best })
        }
        None => {
            let fen = position.fen(chess960);
            Answer::Failed(format!("no score in `{fen}`: is the limit enough for one iteration?"))
        }
    }
}

/// Whether castling is not that of the usual start position.
fn is_chess960(position: &Position) -> bool {
    let usual = |color: Color| position.king(color).file() == File::E;
    position.castling_rights().rooks().into_iter().any(|rook| {
        let color = Color::from_white(rook < shakmaty::Square::A5);
        !usual(color) || !matches!(rook.file(), File::A | File::H)
    })
}
