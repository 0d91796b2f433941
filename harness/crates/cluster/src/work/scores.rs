//! Positions to score.

use engine::board::{Move, Position};
use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::kind::{Finished, Mismatch, Names, RemoteWork, Work};
use crate::ClusterError;
use crate::machine::Machine;
use harness_arena::Watch;
use harness_base::session::Interrupt;
use harness_data::analyse::{self, Answer, EngineAnswer, Stopped};
use harness_player::pool::{Hand, Seats};
use harness_player::{EngineSpec, Fault, Limit, Score};

/// Shared configuration of all positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// The engine that searches.
    pub engine: Box<EngineSpec>,
    /// Limit of a search.
    pub limit: Limit,
}

/// The longest reason why a position has no score, in bytes.
const MAX_REASON: usize = 4_000;

/// Some positions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScoringTask {
    /// Its number in the run.
    pub number: u64,
    /// The positions.
    pub positions: Vec<Question>,
}

/// A position, which is sent as its key and FEN.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "(u64, String)", into = "(u64, String)")]
pub struct Question {
    key: u64,
    /// Or why the FEN that was received is not that of the key.
    position: Result<Position, String>,
}

impl From<Position> for Question {
    fn from(position: Position) -> Question {
        Question { key: position.key(), position: Ok(position) }
    }
}

impl From<(u64, String)> for Question {
    fn from((key, fen): (u64, String)) -> Question {
        let position = Position::from_fen(&fen).map_err(|error| error.to_string());
        let has_key = |position: Position| {
            let is_it = position.key() == key;
            is_it.then_some(position).ok_or_else(|| format!("`{fen}` has another key here"))
        };
        Question { key, position: position.and_then(has_key) }
    }
}

impl From<Question> for (u64, String) {
    fn from(question: Question) -> (u64, String) {
        let fen = question.position.map_or_else(|reason| reason, |position| position.fen(true));
        (question.key, fen)
    }
}

/// Answers by the keys of their positions, in the order of the task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<(u64, PlainAnswer)>", into = "Vec<(u64, PlainAnswer)>")]
pub struct ScoredPositions(pub Vec<(u64, Answer)>);

impl From<ScoredPositions> for Vec<(u64, PlainAnswer)> {
    fn from(scored: ScoredPositions) -> Vec<(u64, PlainAnswer)> {
        scored.0.into_iter().map(|(key, answer)| (key, answer.into())).collect()
    }
}

impl TryFrom<Vec<(u64, PlainAnswer)>> for ScoredPositions {
    type Error = &'static str;

    fn try_from(plain: Vec<(u64, PlainAnswer)>) -> Result<ScoredPositions, &'static str> {
        let answers = plain.into_iter().map(|(key, plain)| Some((key, plain.answer()?)));
        answers.collect::<Option<_>>().map(ScoredPositions).ok_or("a damaged move")
    }
}

/// The answer of an engine as it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PlainAnswer {
    /// A score.
    Said {
        /// For the side to move.
        score: Score,
        /// Depth in plies.
        depth: u8,
        /// The best move, as the engine's board encodes it.
        best: u16,
    },
    /// It crashed, hung, or returned no legal move or no score.
    Failed(String),
}

impl From<Answer> for PlainAnswer {
    fn from(answer: Answer) -> PlainAnswer {
        match answer {
            Answer::Searched(EngineAnswer { score, depth, best }) => {
                PlainAnswer::Said { score, depth, best: best.raw() }
            }
            Answer::Failed(reason) => PlainAnswer::Failed(reason),
        }
    }
}

impl PlainAnswer {
    /// As an import keeps it; `None` if it is damaged.
    fn answer(self) -> Option<Answer> {
        Some(match self {
            PlainAnswer::Said { score, depth, best } => {
                Answer::Searched(EngineAnswer { score, depth, best: Move::from_raw(best)? })
            }
            PlainAnswer::Failed(reason) => Answer::Failed(reason),
        })
    }
}

/// Why positions cannot be scored.
#[derive(Debug, Error, Diagnostic)]
pub enum ScoresTrouble {
    /// The engine.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Engine(#[from] Stopped),
    /// A position that was received is damaged.
    #[error("{0}")]
    Position(String),
}

impl Work for Scores {
    type Task = ScoringTask;
    type Answer = ScoredPositions;
    type Tools<'a> = ();
    type Trouble = ScoresTrouble;

    fn number(task: &ScoringTask) -> u64 {
        task.number
    }

    fn tools(&self, _: Option<&Watch<'_>>, _: &Interrupt) -> Result<(), ScoresTrouble> {
        Ok(())
    }

    fn start_players(&self, seats: &mut Seats<'_>) -> Result<(), Fault> {
        seats.one(0, &self.engine).map(drop)
    }

    fn perform(
        &self,
        (): &(),
        seats: &mut Seats<'_>,
        task: &ScoringTask,
        hand: &Hand<'_, ScoredPositions>,
    ) -> Result<(), ScoresTrouble> {
        let mut scored = Vec::with_capacity(task.positions.len());
        for Question { key, position } in &task.positions {
            let position = position.as_ref().map_err(|it| ScoresTrouble::Position(it.clone()))?;
            scored.push((*key, analyse::answer(&self.engine, self.limit, seats, position)?));
        }
        // Without a receiver the run is over.
        let _ = hand(ScoredPositions(scored));
        Ok(())
    }
}

impl RemoteWork for Scores {
    const NAMES: Names = Names { rules: "scores", task: "positions", answer: "scores" };
    const IS_REVOCABLE: bool = false;

    fn limits(&self, _: &ScoringTask) -> Vec<Limit> {
        vec![self.limit]
    }

    fn fingerprint(scored: &ScoredPositions) -> Vec<String> {
        scored.0.iter().map(|one| format!("{one:?}")).collect()
    }

    fn verify(&self, task: &ScoringTask, scored: &ScoredPositions) -> Result<(), Mismatch> {
        let asked = task.positions.iter().map(|question| question.key);
        let is_it = asked.eq(scored.0.iter().map(|(key, _)| *key));
        Mismatch::unless(is_it, || "it is of other positions".to_owned())?;
        let is_answer = |(question, (_, answer)): (&Question, &(u64, Answer))| match answer {
            Answer::Searched(said) => {
                question.position.as_ref().is_ok_and(|position| position.is_legal(said.best))
            }
            Answer::Failed(reason) => reason.len() <= MAX_REASON,
        };
        let are_answers = task.positions.iter().zip(&scored.0).all(is_answer);
        Mismatch::unless(are_answers, || "a best move is not legal".to_owned())
    }

    fn localise(&mut self, machine: &Machine<'_>) -> Result<(), ClusterError> {
        self.limit = machine.limit(self.limit);
        machine.set_engine(&mut self.engine)
    }

    fn finished(scored: &ScoredPositions) -> Finished {
        let faults = scored.0.iter().filter(|(_, one)| matches!(one, Answer::Failed(_))).count();
        Finished { all: scored.0.len(), faults }
    }
}
