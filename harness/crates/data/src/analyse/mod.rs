//! Scoring positions with an engine, several at a time; answers are kept as they come.

mod ask;
mod journal;
mod label;

use engine::board::Position;
use miette::Diagnostic;
use thiserror::Error;

pub use ask::{Answer, EngineAnswer};
pub use journal::{Journal, Recipe};
pub use label::Labels;

use harness_player::pool::{GivenUp, Seats};
use harness_player::{EngineSpec, Fault, Limit};

/// Why there are no more answers.
#[derive(Debug, Error, Diagnostic)]
pub enum Stopped {
    /// An engine would not start, or the user stopped it.
    #[error("{0}")]
    #[diagnostic(help("`harness check ENGINE` shows what an engine answers"))]
    Player(Fault),
    /// An engine failed again and again.
    #[error(transparent)]
    #[diagnostic(transparent)]
    GivenUp(#[from] GivenUp),
}

/// Searches a position with the engine of these seats, which is started when it is not there.
///
/// # Errors
/// When it cannot be started, fails again and again, or the user interrupts.
pub fn answer(
    engine: &EngineSpec,
    limit: Limit,
    seats: &mut Seats<'_>,
    position: &Position,
) -> Result<Answer, Stopped> {
    let player = seats.one(0, engine).map_err(Stopped::Player)?;
    let answer = ask::ask(player, position, limit).map_err(Stopped::Player)?;
    match &answer {
        Answer::Searched(_) => seats.answered(),
        Answer::Failed(last) => seats.failed(0, "the engine", last)?,
    }
    Ok(answer)
}
