//! Tasks done by players of this process: those of a run without other machines, and those of a worker.

use super::error::BackendError;
use super::types::{KeepAnswers, Tasks};
use crate::work::{Done, Work};
use harness_arena::Watch;
use harness_base::session::Interrupt;
use harness_player::pool::{Ended, Hand, Pool, Seats, Start};

/// Players of this process that do the tasks of a run.
pub struct Local<'a, W: Work> {
    work: &'a W,
    tools: W::Tools<'a>,
    pool: Pool<Seats<'a>>,
}

/// Settings of the players of this process.
#[derive(Clone, Copy)]
pub struct LocalPlayers<'a> {
    /// Tasks done at the same time.
    pub jobs: usize,
    /// Starts a player.
    pub start: &'a Start<'a>,
    /// Gets the events of games.
    pub watch: Option<&'a Watch<'a>>,
}

/// Why a job of the pool failed.
enum Trouble<T, E> {
    /// The players.
    Players(T),
    /// The task could not be given.
    Task(E),
}

impl<'a, W: Work> Local<'a, W> {
    /// Players are started when they are needed.
    ///
    /// # Errors
    /// When this machine lacks something that the tasks need.
    pub fn new<E>(
        work: &'a W,
        players: LocalPlayers<'a>,
        interrupt: &Interrupt,
    ) -> Result<Local<'a, W>, BackendError<W::Trouble, E>> {
        let LocalPlayers { jobs, start, watch } = players;
        let tools = work.tools(watch, interrupt).map_err(BackendError::Here)?;
        let pool = Pool::new(jobs, interrupt, |interrupt| Seats::new(start, interrupt));
        Ok(Local { work, tools, pool: pool.map_err(BackendError::NotStarted)? })
    }

    /// Starts the players that every task needs.
    ///
    /// # Errors
    /// When one of them cannot be started.
    pub fn start_players<E>(&mut self) -> Result<(), BackendError<W::Trouble, E>> {
        let work = self.work;
        let started = self.pool.workers().try_for_each(|seats| work.start_players(seats));
        started.map_err(BackendError::NotStarted)
    }

    /// Does tasks, which are begun in their order; `keep` gets their answers in the order in which they
    /// end. When it breaks, tasks in progress are abandoned.
    ///
    /// # Errors
    /// [`BackendError`] says why not all of them were done.
    pub fn run<E: Send>(
        &mut self,
        tasks: &mut Tasks<'_, W, E>,
        keep: &mut KeepAnswers<'_, W, E>,
    ) -> Result<(), BackendError<W::Trouble, E>> {
        let Local { work, tools, pool } = self;
        let perform = |seats: &mut Seats<'_>, task: Result<W::Task, E>, hand: &Hand<'_, _>| {
            let task = task.map_err(Trouble::Task)?;
            let number = W::number(&task);
            let hand = |answer| hand(Done { number, answer, worker: None });
            work.perform(tools, seats, &task, &hand).map_err(Trouble::Players)
        };
        pool.run_batched(tasks, perform, keep).map_err(|ended| match ended {
            Ended::Interrupted => BackendError::Interrupted,
            Ended::Worker(Trouble::Players(trouble)) => BackendError::Here(trouble),
            Ended::Worker(Trouble::Task(error)) | Ended::Keeper(error) => {
                BackendError::Caller(error)
            }
        })
    }
}

#[cfg(test)]
mod tests;
