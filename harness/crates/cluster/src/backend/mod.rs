//! The backend of a run: players of this process, or workers on other machines, behind one interface for
//! every kind of work.

mod error;
mod local;
mod pairs;
mod types;

use std::ops::ControlFlow;

use super::ClusterError;
use super::coordinator::{Common, Coordinator, EarlierAnswer};
use super::reservoir::Reservoir;
use super::work::RemoteWork;
use harness_base::session::{Interrupt, Remote};

pub use error::BackendError;
pub use local::{Local, LocalPlayers};
pub use types::{KeepAnswers, Tasks};

/// Does the tasks of a run.
pub enum Backend<'a, W: RemoteWork> {
    /// In this process.
    Local(Local<'a, W>),
    /// On other machines.
    Cluster(Box<Coordinator<W>>),
}

impl<'a, W: RemoteWork> Backend<'a, W> {
    /// In this process; the players that every task needs are started.
    ///
    /// # Errors
    /// When that fails.
    pub fn local<E>(
        work: &'a W,
        players: LocalPlayers<'a>,
        interrupt: &Interrupt,
    ) -> Result<Backend<'a, W>, BackendError<W::Trouble, E>> {
        let mut local = Local::new(work, players, interrupt)?;
        local.start_players()?;
        Ok(Backend::Local(local))
    }

    /// On other machines; the engines are published.
    ///
    /// # Errors
    /// When the server cannot be reached, or the run needs what only this machine has.
    pub fn cluster(
        remote: &Remote,
        common: &Common<'_, W>,
        interrupt: &Interrupt,
    ) -> Result<Backend<'a, W>, ClusterError> {
        Ok(Backend::Cluster(Box::new(Coordinator::new(remote, common, interrupt)?)))
    }

    /// Notes answers of a token that an earlier process has counted, as [`Coordinator::note_earlier`].
    pub fn note_earlier(&mut self, token: &str, answers: Reservoir<EarlierAnswer<W>>) {
        if let Backend::Cluster(coordinator) = self {
            coordinator.note_earlier(token, answers);
        }
    }

    /// Warnings for the end of the work: messages of workers that did not count.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            Backend::Local(_) => Vec::new(),
            Backend::Cluster(coordinator) => coordinator.warnings(),
        }
    }

    /// Makes sure of the answers before a result stands: some of each token are done again here.
    ///
    /// # Errors
    /// When a worker is found out, or the user interrupts it.
    pub fn settle<E>(&mut self) -> Result<(), BackendError<W::Trouble, E>> {
        match self {
            Backend::Local(_) => Ok(()),
            Backend::Cluster(coordinator) => Ok(coordinator.settle()?),
        }
    }

    /// Why the answers do not stand, if they do not.
    pub fn doubt(&self) -> Option<String> {
        match self {
            Backend::Local(_) => None,
            Backend::Cluster(coordinator) => coordinator.doubt(),
        }
    }

    /// Does tasks, which are begun in their order; `keep` gets their answers in the order in which they
    /// end, each once. When it breaks, tasks in progress are abandoned.
    ///
    /// # Errors
    /// [`BackendError`] says why not all of them were done.
    pub fn run<E: Send>(
        &mut self,
        tasks: &mut Tasks<'_, W, E>,
        keep: &mut KeepAnswers<'_, W, E>,
    ) -> Result<(), BackendError<W::Trouble, E>> {
        match self {
            Backend::Local(local) => local.run(tasks, keep),
            Backend::Cluster(coordinator) => run_elsewhere(coordinator, tasks, keep),
        }
    }
}

/// As [`Backend::run`]: a coordinator knows neither tasks that cannot be given nor keepers that fail.
fn run_elsewhere<W: RemoteWork, E>(
    coordinator: &mut Coordinator<W>,
    tasks: &mut Tasks<'_, W, E>,
    keep: &mut KeepAnswers<'_, W, E>,
) -> Result<(), BackendError<W::Trouble, E>> {
    let mut not_given = None;
    let mut not_kept = None;
    let mut tasks = tasks.map_while(|task| task.map_err(|error| not_given = Some(error)).ok());
    let ended = coordinator.run(&mut tasks, &mut |done| {
        keep(done).unwrap_or_else(|error| {
            not_kept = Some(error);
            ControlFlow::Break(())
        })
    });
    match (not_kept, ended, not_given) {
        (Some(error), ..) | (None, Ok(()), Some(error)) => Err(BackendError::Caller(error)),
        (None, Err(unfinished), _) => Err(unfinished.into()),
        (None, Ok(()), None) => Ok(()),
    }
}
