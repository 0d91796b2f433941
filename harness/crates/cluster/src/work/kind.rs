//! The interface of a kind of work: how a task is done on one machine, and what it takes to have it done
//! on others.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::ClusterError;
use crate::machine::Machine;
use harness_arena::Watch;
use harness_base::session::Interrupt;
use harness_player::pool::{Hand, Seats};
use harness_player::{Fault, Limit};

/// A kind of work as it is done on one machine. The value is what all tasks of a run share.
pub trait Work: Clone + Send + Sync {
    /// One unit of work.
    type Task: Clone + Send;
    /// The result of a task, or of a part of one.
    type Answer: Send;
    /// Shared resources of the players of a process: opened files, for instance.
    type Tools<'a>: Sync
    where
        Self: 'a;
    /// Why a task could not be done here.
    type Trouble: fmt::Display + Send;

    /// The number of a task, which no other of the run has.
    fn number(task: &Self::Task) -> u64;

    /// Opens what the players share; `watch` gets the events of games.
    ///
    /// # Errors
    /// When something cannot be used on this machine.
    fn tools<'a>(
        &'a self,
        watch: Option<&'a Watch<'a>>,
        interrupt: &Interrupt,
    ) -> Result<Self::Tools<'a>, Self::Trouble>;

    /// Starts the players that every task needs, before the first task.
    ///
    /// # Errors
    /// When one of them cannot be started.
    fn start_players(&self, _seats: &mut Seats<'_>) -> Result<(), Fault> {
        Ok(())
    }

    /// Does a task with the players of these seats; `hand` takes its answer, or the parts of it as they
    /// are done, and breaks when no more are wanted.
    ///
    /// # Errors
    /// When the players cannot do it.
    fn perform(
        &self,
        tools: &Self::Tools<'_>,
        seats: &mut Seats<'_>,
        task: &Self::Task,
        hand: &Hand<'_, Self::Answer>,
    ) -> Result<(), Self::Trouble>;

    /// The whole answer from the parts that were handed over; `None` if one is missing.
    fn whole(_task: &Self::Task, parts: Vec<Self::Answer>) -> Option<Self::Answer> {
        parts.into_iter().next()
    }
}

/// Names of a kind of work in messages.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// Of what all tasks share.
    pub rules: &'static str,
    /// Of a task.
    pub task: &'static str,
    /// Of an answer.
    pub answer: &'static str,
}

/// Games and positions that a worker has finished with a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Games or positions.
    pub all: usize,
    /// Those that ended by an engine's fault.
    pub faults: usize,
}

/// A kind of work that workers on other machines do as well. Rules, tasks and answers are plain data.
pub trait RemoteWork:
    Work<Task: Plain, Answer: Plain> + Plain + fmt::Debug + PartialEq + Unpin + 'static
{
    /// Its names in messages.
    const NAMES: Names;

    /// Whether a run can take out the results of a worker that is quarantined, and have them again from
    /// others. Else those that count already stay.
    const IS_REVOCABLE: bool;

    /// The folders of the tablebases that decide games.
    fn tablebases(&mut self) -> Option<&mut String> {
        None
    }

    /// MiB of the transposition tables that a task needs at the same time.
    fn hash_mib(_task: &Self::Task) -> u64 {
        0
    }

    /// The limits of the searches of a task.
    fn limits(&self, task: &Self::Task) -> Vec<Limit>;

    /// Whether the answer of a task repeats on every machine, with one thread.
    fn repeats(&self, task: &Self::Task) -> bool {
        are_fixed(&self.limits(task))
    }

    /// The repeatable part of an answer, in words that can be compared.
    fn fingerprint(answer: &Self::Answer) -> Vec<String>;

    /// Checks that an answer from elsewhere is one to this task. It does not count before.
    ///
    /// # Errors
    /// When it is not.
    fn verify(&self, task: &Self::Task, answer: &Self::Answer) -> Result<(), Mismatch>;

    /// Replaces engines, files and limits that tasks share by those of a worker's machine.
    ///
    /// # Errors
    /// When an engine cannot be fetched or built there.
    fn localise(&mut self, machine: &Machine<'_>) -> Result<(), ClusterError>;

    /// As [`localise`](Self::localise), of a task.
    ///
    /// # Errors
    /// As [`localise`](Self::localise).
    fn localise_task(_task: &mut Self::Task, _machine: &Machine<'_>) -> Result<(), ClusterError> {
        Ok(())
    }

    /// Games and positions of an answer, for the status of a worker.
    fn finished(answer: &Self::Answer) -> Finished;
}

/// Whether searches with these limits repeat.
pub fn are_fixed(limits: &[Limit]) -> bool {
    limits.iter().all(|limit| matches!(limit, Limit::Nodes(_) | Limit::Depth(_)))
}

/// Why an answer is none to its task.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Mismatch(pub String);

impl Mismatch {
    /// An error unless a condition holds.
    ///
    /// # Errors
    /// When it does not.
    pub fn unless(condition: bool, text: impl FnOnce() -> String) -> Result<(), Mismatch> {
        if condition { Ok(()) } else { Err(Mismatch(text())) }
    }
}

/// Data that can be sent.
pub trait Plain: Serialize + DeserializeOwned + Clone + fmt::Debug + Send + Sync + 'static {}

impl<T: Serialize + DeserializeOwned + Clone + fmt::Debug + Send + Sync + 'static> Plain for T {}

/// A task that is done.
#[derive(Clone, Debug)]
pub struct Done<A> {
    /// The task's number.
    pub number: u64,
    /// Its answer; of a task with parts that was done here, one of them.
    pub answer: A,
    /// Name and public key of the worker; `None`: this process.
    pub worker: Option<String>,
}
