//! A backend of pairs as an executor of the arena.

use super::{Backend, BackendError};
use crate::work::{Done, GamePairs};
use harness_arena::{BookError, Executor, GameRecord, Jobs, KeepGames, Unplayed};

impl Executor for Backend<'_, GamePairs> {
    fn play(&mut self, jobs: &mut Jobs<'_>, keep: &mut KeepGames<'_>) -> Result<(), Unplayed> {
        let mut tasks = jobs.map(|job| job.map(Box::new));
        self.run(&mut tasks, &mut |done| Ok(keep(done.into_iter().flat_map(games).collect())))
            .map_err(Unplayed::from)
    }

    fn settle(&mut self) -> Result<(), Unplayed> {
        Backend::settle::<BookError>(self).map_err(Unplayed::from)
    }
}

/// Games, with the worker that played them.
fn games(Done { answer, worker, .. }: Done<Vec<GameRecord>>) -> impl Iterator<Item = GameRecord> {
    answer.into_iter().map(move |game| GameRecord { worker: worker.clone(), ..game })
}

impl From<BackendError<Unplayed, BookError>> for Unplayed {
    fn from(error: BackendError<Unplayed, BookError>) -> Unplayed {
        match error {
            BackendError::Interrupted => Unplayed::Interrupted,
            BackendError::NotStarted(fault) => Unplayed::NotStarted(fault),
            BackendError::Here(reason) => reason,
            BackendError::Elsewhere(error) => Unplayed::Elsewhere(Box::new(error)),
            BackendError::Caller(error) => Unplayed::Book(error),
        }
    }
}
