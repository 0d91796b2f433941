//! One search of one position.

use std::time::Duration;

use engine::board::{Move, Position};

use harness_player::{Fault, FaultKind, Limit, Line, Player, Reply, Score, unobserved};

/// How much longer than a move time an engine may take before it counts as hung.
const GRACE: Duration = Duration::from_secs(10);

/// How long a search without a clock may take before the engine counts as hung.
const WATCHDOG: Duration = Duration::from_secs(600);

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineAnswer {
    /// Score for the side to move.
    pub score: Score,
    /// Depth in plies.
    pub depth: u8,
    /// Best move.
    pub best: Move,
}

/// Answer of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A score.
    Searched(EngineAnswer),
    /// It crashed, hung, or returned no legal move or no score.
    Failed(String),
}

/// Searches a position from an empty hash table. A [`Fault`] that says nothing about the position
/// (the engine cannot be started, the user interrupts) is an error.
pub fn ask(player: &mut dyn Player, position: &Position, limit: Limit) -> Result<Answer, Fault> {
    let chess960 = !position.castles_as_in_chess();
    let reply = player.new_game(chess960).and_then(|()| {
        let fen = position.fen(chess960);
        let (go, allowed) = limit.single_search();
        let patience = allowed.map_or(WATCHDOG, |time| time.saturating_add(GRACE));
        let line = Line { fen: Some(&fen), moves: &[] };
        player.go(line, &go, patience, &mut unobserved)
    });
    match reply {
        Ok(reply) => Ok(checked(position, &reply, chess960)),
        Err(fault) => match fault.kind {
            FaultKind::Start | FaultKind::Setting | FaultKind::Changed | FaultKind::Interrupted => {
                Err(fault)
            }
            _ => Ok(Answer::Failed(fault.to_string())),
        },
    }
}

fn checked(position: &Position, reply: &Reply, chess960: bool) -> Answer {
    let text = reply.best_move.to_string();
    let Some(best) = position.parse_uci(&text, chess960) else {
        return Answer::Failed(format!("illegal move `{text}` in `{}`", position.fen(chess960)));
    };
    match reply.info.exact_score() {
        // A byte stores the depth.
        Some(score) => {
            let depth = reply.info.depth.unwrap_or(0).min(255) as u8;
            Answer::Searched(EngineAnswer { score, depth, best })
        }
        None => {
            let fen = position.fen(chess960);
            Answer::Failed(format!("no score in `{fen}`: is the limit enough for one iteration?"))
        }
    }
}
