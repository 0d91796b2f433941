//! The executor of many machines: pair jobs as tasks of a [`Coordinator`].

use super::coordinator::{Coordinator, Done, Unfinished};
use super::message::{Outcome, Task};
use harness_arena::{Executor, GameRecord, Jobs, KeepGames, Unplayed};

/// Gives pair jobs to workers on other machines.
pub struct ClusterExecutor(pub Coordinator);

impl Executor for ClusterExecutor {
    fn play(&mut self, jobs: &mut Jobs<'_>, keep: &mut KeepGames<'_>) -> Result<(), Unplayed> {
        let mut unreadable = None;
        let mut tasks = jobs.map_while(|job| match job {
            Ok(job) => Some(Task::Pair(Box::new(job))),
            Err(error) => {
                unreadable = Some(error);
                None
            }
        });
        let ended =
            self.0.run(&mut tasks, &mut |done| keep(done.into_iter().flat_map(games).collect()));
        match (ended, unreadable) {
            (Err(Unfinished::Interrupted), _) => Err(Unplayed::Interrupted),
            (Err(Unfinished::Failed(error)), _) => Err(Unplayed::Elsewhere(Box::new(error))),
            (Ok(()), Some(error)) => Err(error.into()),
            (Ok(()), None) => Ok(()),
        }
    }
}

/// The games of a pair, with the worker that played them.
fn games(done: Done) -> Vec<GameRecord> {
    let Outcome::Games(games) = done.outcome else { return Vec::new() };
    let by = |game| GameRecord { worker: Some(done.worker.clone()), ..game };
    games.into_iter().map(by).collect()
}
