//! The records of a chunk as games.

use engine::board::{Move, Position};

use super::error::SampleError;
use super::sample::{Sample, Value};
use crate::game::{Game, MoveEval, Turn};
use harness_player::Score;

/// A value from -1 to 1 as centipawns, as lc0 shows it by default: `90 tan(1.5637541897 q)`. At most
/// 12,781 in size.
///
/// Source: lc0's `src/search/classic/search.cc`, score type `centipawn`.
pub fn centipawns(q: f32) -> i32 {
    // At most 12,781.
    (90.0 * (1.563_754_189_7 * f64::from(q)).tan()).round() as i32
}

/// A record with its place in the game.
#[derive(Clone, Debug)]
pub struct Step {
    /// The position.
    pub position: Position,
    /// The move that was played.
    pub played: Move,
    /// The best move of the search.
    pub best: Move,
    /// The game that has ended before this record, if one has.
    pub ended: Option<Game>,
}

/// Plays the moves of a chunk's records.
#[derive(Default)]
pub struct Replay {
    /// The position after the last record, and its move.
    after: Option<(Position, Move)>,
    game: Game,
}

impl Replay {
    /// Takes the next record.
    ///
    /// A game ends where another begins, and where the result changes: the rescorer corrects results by
    /// tablebases, up to the move that gave them away.
    ///
    /// # Errors
    /// The error in the record, or that it does not follow the one before.
    pub fn push(&mut self, sample: &Sample<'_>) -> Result<Step, SampleError> {
        let before = self.after.take().filter(|_| !sample.begins_game());
        let follows = before.is_some();
        let position = match before {
            Some((position, played)) => match sample.differs(&position) {
                None => position,
                Some(what) => {
                    return Err(SampleError::Unconnected { played: format!("{played:?}"), what });
                }
            },
            None => sample.position()?,
        };
        let played = sample.move_of(&position, "played_idx", sample.played_index())?;
        let best = sample.move_of(&position, "best_idx", sample.best_index())?;
        let result = sample.result()?.map(|result| result.seen_from(position.side()));
        let q = sample.in_range("best_q", Value::BestQ, -1)?;
        let score = Score::Centipawns(centipawns(q));
        let eval = (!sample.is_deleted()).then_some(MoveEval { score, depth: 0 });
        let continues = follows && result == self.game.result;
        let ended = if continues { None } else { self.finish() };
        if !continues {
            self.game = Game { start: position, result, ..Game::default() };
        }
        self.game.turns.push(Turn { played, eval });
        let mut after = position;
        after.play(played);
        self.after = Some((after, played));
        Ok(Step { position, played, best, ended })
    }

    /// The game so far, at the end of the chunk.
    pub fn finish(&mut self) -> Option<Game> {
        let game = std::mem::take(&mut self.game);
        (!game.turns.is_empty()).then_some(game)
    }
}
