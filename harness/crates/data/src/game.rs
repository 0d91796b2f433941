//! A game with the players' evaluations of their moves.

use std::sync::Arc;

use engine::board::{Color, Move, Position};

use super::record::{Record, Source};
pub use harness_games::MoveEval;
use harness_stats::GameScore;

/// Plies by which openings are distinguished, where games start from the usual position.
pub const OPENING_PLIES: usize = 8;

/// A game, move by move.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    /// Where it starts.
    pub start: Position,
    /// Result for White; `None` if the game did not end on the board.
    pub result: Option<GameScore>,
    /// Names of White and Black; empty if unknown.
    pub names: [String; 2],
    /// The `Round` tag.
    pub round: String,
    /// Its moves; the first [`OPENING_PLIES`] where results alone are read.
    pub turns: Vec<Turn>,
    /// Whether it has moves, wherever they are kept.
    pub has_moves: bool,
}

/// A move, and its player's evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The move.
    pub played: Move,
    /// Evaluation by the player; `None` for a book move.
    pub eval: Option<MoveEval>,
}

impl Default for Game {
    fn default() -> Game {
        Game {
            start: Position::startpos(),
            result: None,
            names: Default::default(),
            round: String::new(),
            turns: Vec::new(),
            has_moves: false,
        }
    }
}

impl Game {
    /// Plies played before the first move, by the counters of the position.
    pub fn first_ply(&self) -> u16 {
        let moves = self.start.fullmoves().saturating_sub(1);
        moves.saturating_mul(2).saturating_add(u16::from(self.start.side() == Color::Black))
    }

    /// Key of its opening: of the position it starts from, and where that is the usual one, of the
    /// position after the first [`OPENING_PLIES`]; `None` without these.
    pub fn opening(&self) -> Option<u64> {
        let mut position = self.start;
        if position.key() == Position::startpos().key() {
            if self.turns.is_empty() {
                return None;
            }
            self.turns.iter().take(OPENING_PLIES).for_each(|turn| position.play(turn.played));
        }
        Some(position.key())
    }

    /// Its positions, each with the move played there; `number` is that of the game.
    pub fn records(&self, number: u64) -> impl Iterator<Item = Record> + '_ {
        let sources = self.sources(number);
        let mut position = self.start;
        (self.first_ply()..=u16::MAX).zip(&self.turns).map(move |(ply, turn)| {
            let before = position;
            position.play(turn.played);
            let mover = before.side();
            Record {
                score: turn.eval.map(|eval| eval.score.for_white(mover)),
                result: self.result,
                played: Some(turn.played),
                ply: Some(ply),
                depth: turn.eval.map_or(0, |eval| eval.depth),
                source: Some(Arc::clone(&sources[usize::from(mover.is_black())])),
                ..Record::bare(before, number)
            }
        })
    }

    /// White's and Black's.
    fn sources(&self, number: u64) -> [Arc<Source>; 2] {
        let [white, black] = &self.names;
        let game = if self.round.is_empty() { number.to_string() } else { self.round.clone() };
        let of = |engine: &String, opponent: &String| {
            let engine = engine.clone();
            let opponent = opponent.clone();
            Arc::new(Source { engine, opponent, game: game.clone() })
        };
        [of(white, black), of(black, white)]
    }
}
