//! From games to labelled positions.

use std::collections::BTreeMap;

use serde::Serialize;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Color, EnPassantMode, Position};

use super::filter::{Filters, Reason, Seen};
use super::games::{Game, Thought};
use super::record::Record;

/// What became of the positions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Games read.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Kept.
    pub kept: u64,
    /// Not kept, by the first reason.
    pub dropped: BTreeMap<Reason, u64>,
}

/// Gives the positions of a game that the filters keep to `keep`, and counts all of them.
pub fn collect(game: &Game, filters: &Filters, counts: &mut Counts, mut keep: impl FnMut(Record)) {
    counts.games += 1;
    let number = counts.games;
    for thought in &game.moves {
        counts.positions += 1;
        match label(game, thought, filters, number) {
            Ok(record) => {
                counts.kept += 1;
                keep(record);
            }
            Err(reason) => *counts.dropped.entry(reason).or_default() += 1,
        }
    }
}

fn label(game: &Game, thought: &Thought, filters: &Filters, number: u64) -> Result<Record, Reason> {
    let result = game.result.ok_or(Reason::NoResult)?;
    let said = thought.said.ok_or(Reason::NoScore)?;
    let mover = thought.before.turn();
    let score = said.score.map(|score| if mover == Color::White { score } else { -score });
    let seen = Seen {
        position: &thought.before,
        played: &thought.played,
        ply: thought.ply,
        score,
        result,
        depth: said.depth,
    };
    if let Some(reason) = filters.refuse(&seen) {
        return Err(reason);
    }
    // The filters have refused mates.
    let score = score.ok_or(Reason::Decided)?;
    let fen = Fen::from_position(&thought.before, EnPassantMode::Legal).to_string();
    let uci = UciMove::from_move(thought.played, CastlingMode::Standard);
    let [white, black] = game.names.clone();
    let (engine, opponent) = if mover == Color::White { (white, black) } else { (black, white) };
    Ok(Record {
        fen,
        score,
        result,
        ply: thought.ply,
        r#move: uci.to_string(),
        depth: said.depth,
        engine,
        opponent,
        game: if game.round.is_empty() { number.to_string() } else { game.round.clone() },
    })
}
