//! The tasks that are given out: the one place that says whether a result is awaited.

use std::collections::BTreeMap;

use async_nats::jetstream::Message;

use crate::message::Assignment;
use crate::work::RemoteWork;

/// Tasks that are given out, and results that came before their task was.
pub struct Assignments<W: RemoteWork> {
    given_out: BTreeMap<u64, Assignment<W>>,
    /// Results of an earlier process by task and attempt, of tasks that this one has not given out
    /// yet.
    early: BTreeMap<(u64, u32), Message>,
    /// The task that is given out next has no lower number.
    next: u64,
}

impl<W: RemoteWork> Default for Assignments<W> {
    fn default() -> Assignments<W> {
        Assignments { given_out: BTreeMap::new(), early: BTreeMap::new(), next: 0 }
    }
}

impl<W: RemoteWork> Assignments<W> {
    /// Notes a task as given out; with its result, if that is there already.
    pub fn begin(&mut self, task: W::Task) -> (Assignment<W>, Option<Message>) {
        self.next = W::number(&task) + 1;
        self.give_out(Assignment { attempt: 0, task })
    }

    /// Notes the next attempt of a task whose result was refused; as [`begin`](Self::begin).
    pub fn begin_again(&mut self, refused: &Assignment<W>) -> (Assignment<W>, Option<Message>) {
        let Assignment { attempt, task } = refused.clone();
        self.give_out(Assignment { attempt: attempt + 1, task })
    }

    fn give_out(&mut self, assignment: Assignment<W>) -> (Assignment<W>, Option<Message>) {
        let number = assignment.number();
        self.given_out.insert(number, assignment.clone());
        let early = self.early.remove(&(number, assignment.attempt));
        (assignment, early)
    }

    /// The assignment that a result belongs to. Without one it is of a task that is kept already, of an
    /// attempt that was refused, or early: [`note_early`](Self::note_early).
    pub fn awaited(&self, number: u64, attempt: u32) -> Option<&Assignment<W>> {
        self.given_out.get(&number).filter(|assignment| assignment.attempt == attempt)
    }

    /// Keeps a result whose task may be given out later.
    pub fn note_early(&mut self, number: u64, attempt: u32, message: Message) {
        if number >= self.next {
            self.early.insert((number, attempt), message);
        }
    }

    /// Forgets early results of tasks that are not given out any more.
    pub fn forget_late(&mut self) {
        let next = self.next;
        self.early.retain(|&(number, _), _| number >= next);
    }

    /// Ends an assignment whose result counts; gives its task.
    pub fn finish(&mut self, number: u64) -> Option<W::Task> {
        self.given_out.remove(&number).map(|assignment| assignment.task)
    }

    /// Those of these numbers.
    pub fn of_numbers(&self, numbers: &[u64]) -> Vec<Assignment<W>> {
        numbers.iter().filter_map(|number| self.given_out.get(number)).cloned().collect()
    }

    /// All of them.
    pub fn all(&self) -> Vec<Assignment<W>> {
        self.given_out.values().cloned().collect()
    }

    /// Their number.
    pub fn len(&self) -> usize {
        self.given_out.len()
    }

    /// Whether none is given out.
    pub fn is_empty(&self) -> bool {
        self.given_out.is_empty()
    }

    /// Abandons all of them.
    pub fn clear(&mut self) {
        self.given_out.clear();
    }
}
