//! Scoring positions with an engine, several at a time; answers are kept as they come.

mod ask;
mod journal;
mod label;

use std::collections::HashSet;
use std::ops::ControlFlow;

use engine::board::Position;
use miette::Diagnostic;
use thiserror::Error;

pub use ask::{Answer, EngineAnswer};
pub use journal::{Journal, Recipe};
pub use label::Labels;

use harness_base::context::Interrupt;
use harness_player::pool::{Ended, GivenUp, Pool, Seats, Start};
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

/// Why the searches ended early.
#[derive(Debug)]
pub enum Failed<E> {
    /// The engines.
    Ended(Stopped),
    /// Reading or keeping.
    Other(E),
    /// The user interrupted it.
    Interrupted,
}

/// Started players that score positions.
pub struct Analysts<'a> {
    engine: &'a EngineSpec,
    limit: Limit,
    pool: Pool<Seats<'a>>,
}

impl<'a> Analysts<'a> {
    /// Starts `jobs` players.
    ///
    /// # Errors
    /// When one of them cannot be started.
    pub fn start(
        engine: &'a EngineSpec,
        limit: Limit,
        jobs: usize,
        start: &'a Start<'a>,
        interrupt: &Interrupt,
    ) -> Result<Analysts<'a>, Fault> {
        let mut pool = Pool::new(jobs, interrupt, |interrupt| Seats::new(start, interrupt))?;
        for seats in pool.workers() {
            seats.one(0, engine)?;
        }
        Ok(Analysts { engine, limit, pool })
    }

    /// Searches each position whose key is `wanted`, once; `keep` receives the answers as they
    /// come, until it breaks.
    ///
    /// # Errors
    /// When an engine cannot be started or fails again and again, the positions cannot be read, or
    /// `keep` fails.
    pub fn ask<E: Send>(
        &mut self,
        positions: impl Iterator<Item = Result<Position, E>> + Send,
        wanted: &mut HashSet<u64>,
        keep: &mut dyn FnMut(u64, Answer) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), Failed<E>> {
        let questions = positions.filter(|position| match position {
            Ok(position) => wanted.remove(&position.key()),
            Err(_) => true,
        });
        let engine = self.engine;
        let limit = self.limit;
        let work = |seats: &mut Seats<'_>, position: Result<Position, E>| {
            let position = position.map_err(Failed::Other)?;
            let answer = answer(engine, limit, seats, &position).map_err(Failed::Ended)?;
            Ok((position.key(), answer))
        };
        let ended = self.pool.run(questions, work, &mut |(key, answer)| keep(key, answer));
        ended.map_err(|ended| match ended {
            Ended::Interrupted => Failed::Interrupted,
            Ended::Worker(failed) => failed,
            Ended::Keeper(error) => Failed::Other(error),
        })
    }
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
