//! Doing tasks with the code of one process.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::super::message::{Outcome, Rules, Shared, Task, WrongBench};
use super::super::{ClusterError, scores, self_play};
use harness_arena::{Executor, LocalExecutor, Unplayed};
use harness_base::session::Interrupt;
use harness_data::generate::play_with;
use harness_notation::epd;
use harness_player::pool::{Ended, Pool, Seats, Start};
use harness_suite as suite;

/// Why there is no outcome.
#[derive(Clone, Debug)]
pub enum NotDone {
    /// The run, or the worker, is over.
    Interrupted,
    /// It cannot be done here.
    Failed(String),
    /// The bench of an engine has another number of nodes than at the coordinator's.
    WrongBench(WrongBench),
}

impl From<ClusterError> for NotDone {
    fn from(error: ClusterError) -> NotDone {
        match error {
            ClusterError::Interrupted => NotDone::Interrupted,
            ClusterError::WrongBench(wrong) => NotDone::WrongBench(wrong),
            error => NotDone::Failed(error.to_string()),
        }
    }
}

/// What does the tasks of a run, with players that stay from one to the next.
pub enum Hands<'a> {
    /// Plays pairs.
    Games(Box<LocalExecutor<'a>>),
    /// Searches positions, or plays games to train on.
    Players(Pool<Seats<'a>>, &'a Rules),
}

impl<'a> Hands<'a> {
    /// For the tasks of a run. Players are started when they are needed.
    ///
    /// # Errors
    /// In words, when the rules cannot be kept here.
    pub fn new(
        shared: &'a Shared,
        start: &'a Start<'a>,
        interrupt: &Interrupt,
    ) -> Result<Hands<'a>, String> {
        match &shared.rules {
            Rules::Games { event, conduct } => {
                LocalExecutor::new(conduct, event, 1, start, interrupt)
                    .map(|executor| Hands::Games(Box::new(executor)))
                    .map_err(|error| error.to_string())
            }
            rules => Pool::new(1, interrupt, |interrupt| Seats::new(start, interrupt))
                .map(|pool| Hands::Players(pool, rules))
                .map_err(|error| error.to_string()),
        }
    }

    /// Does a task, whose engines and files are on this machine.
    ///
    /// # Errors
    /// [`NotDone`] says why not.
    pub fn work(&mut self, task: &Task) -> Result<Outcome, NotDone> {
        match self {
            Hands::Games(executor) => play_pair(executor, task),
            Hands::Players(pool, rules) => {
                let mut outcome = None;
                let one = std::iter::once(task);
                let ended = pool.run(one, |seats, task| search(rules, seats, task), &mut |one| {
                    outcome = Some(one);
                    Ok::<_, Infallible>(ControlFlow::Continue(()))
                });
                match ended {
                    Ok(()) => outcome.ok_or(NotDone::Interrupted),
                    Err(Ended::Interrupted) => Err(NotDone::Interrupted),
                    Err(Ended::Worker(reason)) => Err(NotDone::Failed(reason)),
                    Err(Ended::Keeper(never)) => match never {},
                }
            }
        }
    }
}

fn play_pair(executor: &mut LocalExecutor<'_>, task: &Task) -> Result<Outcome, NotDone> {
    let Task::Pair(job) = task else { return Err(other()) };
    let wanted = if job.only.is_some() { 1 } else { 2 };
    let mut games = Vec::with_capacity(wanted);
    let ended = executor.play(&mut std::iter::once(Ok((**job).clone())), &mut |played| {
        games.extend(played);
        ControlFlow::Continue(())
    });
    match ended {
        Ok(()) if games.len() == wanted => Ok(Outcome::Games(games)),
        Ok(()) | Err(Unplayed::Interrupted) => Err(NotDone::Interrupted),
        Err(reason) => Err(NotDone::Failed(reason.to_string())),
    }
}

fn other() -> NotDone {
    NotDone::Failed("a task does not fit the rules of its run".to_owned())
}

/// Searches a position, or plays a game to train on.
fn search(rules: &Rules, seats: &mut Seats<'_>, task: &Task) -> Result<Outcome, String> {
    match (rules, task) {
        (Rules::Suite { scoring, effort, restart }, Task::Position { engine, id, epd, .. }) => {
            let (number, spec) = &**engine;
            let position = epd::read(id, epd.as_bytes()).map_err(|error| error.to_string())?;
            let mut position = position.into_iter().next().ok_or("no position")?;
            position.id.clone_from(id);
            let result =
                suite::search(seats, *number, spec, &position, (*scoring, *effort, *restart));
            result.map(|result| Outcome::Position(Box::new(result))).map_err(|it| it.to_string())
        }
        (Rules::SelfPlay(recipe), Task::Game(number)) => {
            let game = play_with(recipe, *number, seats).map_err(|fault| fault.to_string())?;
            self_play::to_text(&game).map(Outcome::Game).map_err(|error| error.to_string())
        }
        (Rules::Scores { engine, limit }, Task::Positions { positions, .. }) => {
            scores::search(engine, *limit, seats, positions).map(Outcome::Scores)
        }
        _ => Err("a task does not fit the rules of its run".to_owned()),
    }
}
