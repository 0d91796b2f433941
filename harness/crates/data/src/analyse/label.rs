//! Labelling positions and games with the answers of an engine.

use engine::board::Position;

use super::ask::EngineAnswer;
use super::journal::Answers;
use crate::game::{self, Game};
use crate::record::Record;

/// Labels positions with answers, and counts those without.
pub struct Labels {
    answers: Answers,
    /// Checkmates and stalemates, which are not searched.
    pub over: u64,
    /// Positions on which the engine failed.
    pub failed: u64,
}

impl Labels {
    /// Before the first position.
    pub fn new(answers: Answers) -> Labels {
        Labels { answers, over: 0, failed: 0 }
    }

    fn answer(&mut self, position: &Position) -> Option<EngineAnswer> {
        match self.answers.get(&position.key()) {
            Some(Some(answer)) => return Some(*answer),
            Some(None) => self.failed += 1,
            None => self.over += 1,
        }
        None
    }

    /// A position with the engine's score, depth and move; the result stays. `None` without an
    /// answer.
    pub fn record(&mut self, record: &Record) -> Option<Record> {
        let answer = self.answer(&record.position)?;
        let score = answer.score.for_white(record.position.side());
        Some(Record {
            score: Some(score),
            depth: answer.depth,
            played: Some(answer.best),
            ..record.clone()
        })
    }

    /// A game with the engine's scores of its positions; the moves stay.
    pub fn game(&mut self, game: &Game) -> Game {
        let mut labelled = game.clone();
        let mut position = game.start;
        for turn in &mut labelled.turns {
            let answer = self.answer(&position);
            turn.eval =
                answer.map(|answer| game::MoveEval { score: answer.score, depth: answer.depth });
            position.play(turn.played);
        }
        labelled
    }
}
