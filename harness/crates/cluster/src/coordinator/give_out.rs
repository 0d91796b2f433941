//! Giving tasks out to the workers of each token, as many as they have cores for.

use std::thread;
use std::time::Instant;

use super::assignments::Alone;
use super::{Coordinator, RETRY_DELAY, Tasks, Unfinished};
use crate::ClusterError;
use crate::link::{LaneSettings, Room};
use crate::message::{Assignment, Batch, PROTOCOL, pack};
use crate::sharing::Allotment;
use crate::subjects;
use crate::work::{Done, RemoteWork};

/// Tasks that are given out at the same time at most: each takes about a kilobyte here.
const MAX_GIVEN_OUT: usize = 100_000;

impl<W: RemoteWork> Coordinator<W> {
    /// Tasks that the run may keep on the server for the workers of a token.
    fn allotment(&mut self, token: &str) -> Allotment {
        let all = self.lanes.mean_time();
        let lane = self.lanes.lane(token);
        let at_once = lane.cores() as f64 / self.shared.threads.max(1) as f64;
        Allotment::new(self.sharing.share() * at_once, lane.mean_time().or(all))
    }

    /// Gives out tasks until each core has enough: those that wait to be given out again, and those of
    /// `tasks` as long as there is `more`. Results that are there already are added to `done`.
    pub(super) fn fill(
        &mut self,
        tasks: &mut Tasks<'_, W>,
        more: &mut bool,
        done: &mut Vec<Done<W::Answer>>,
    ) -> Result<(), Unfinished> {
        loop {
            let able = self.lanes.able();
            let batches: usize = able.iter().map(|token| self.allotment(token).batches).sum();
            let mut has_given = false;
            for token in &able {
                let Allotment { size, batches: own } = self.allotment(token);
                // Small ones at the end, so that no core waits for long for the last of another.
                let left = match *more {
                    true => tasks.size_hint().1.unwrap_or(usize::MAX),
                    false => self.assignments.waiting(),
                };
                let size = size.min(left.div_ceil(batches.max(1))).max(1);
                let most = size.saturating_mul(own).min(MAX_GIVEN_OUT).max(size);
                if self.assignments.count_of(token) + size > most {
                    continue;
                }
                self.take_over(size, tasks, more, done)?;
                let batch = self.give_out(token, size);
                has_given |= !batch.is_empty();
                self.publish(token, batch)?;
            }
            if !has_given {
                return Ok(());
            }
        }
    }

    /// Takes tasks over until this many wait to be given out, or there is none more.
    fn take_over(
        &mut self,
        count: usize,
        tasks: &mut Tasks<'_, W>,
        more: &mut bool,
        done: &mut Vec<Done<W::Answer>>,
    ) -> Result<(), Unfinished> {
        while *more && self.assignments.waiting() < count {
            let Some(task) = tasks.next() else {
                *more = false;
                break;
            };
            for early in self.assignments.add(task) {
                done.extend(self.take(early)?);
            }
        }
        self.assignments.forget_late();
        Ok(())
    }

    /// Notes tasks as given out to the workers of a token.
    fn give_out(&mut self, token: &str, count: usize) -> Vec<Assignment<W>> {
        let Coordinator { lanes, suspects, avoided, assignments, .. } = self;
        let has_another = lanes.has_another(token);
        let is_for = |number: u64| {
            if has_another && avoided.get(&number).is_some_and(|avoided| avoided == token) {
                return None;
            }
            match suspects.get(&number) {
                Some(suspect) if Instant::now() < suspect.until => None,
                suspect => Some(Alone(suspect.is_some())),
            }
        };
        assignments.give_out(token, count, &is_for)
    }

    /// Publishes a batch; tries again until the server takes it or the user interrupts.
    pub(super) fn publish(&self, token: &str, tasks: Vec<Assignment<W>>) -> Result<(), Unfinished> {
        if tasks.is_empty() {
            return Ok(());
        }
        let run = self.run.clone();
        let common = self.shared.clone();
        let batch = Batch { protocol: PROTOCOL, run, common, tasks };
        let text = pack(&batch);
        loop {
            let sent = self.link.wait(async {
                let subject = subjects::jobs(token, &self.run);
                let sent = self.link.jetstream.publish(subject, text.clone().into()).await;
                sent.map_err(|error| error.to_string())?.await.map_err(|error| error.to_string())
            });
            let Err(reason) = sent else { return Ok(()) };
            if self.interrupt.is_set() {
                return Err(Unfinished::Interrupted);
            }
            tracing::warn!("the NATS server takes no jobs: {reason}; trying again");
            thread::sleep(RETRY_DELAY);
            // It may have lost its streams with its disk.
            if let Err(error) = self.make_streams() {
                tracing::debug!("{error}");
            }
        }
    }

    /// Makes the streams of all tokens that are known, as far as they are not there.
    pub(super) fn make_streams(&self) -> Result<(), ClusterError> {
        self.link.make_streams()?;
        let mut tokens = self.lanes.0.keys();
        tokens.try_for_each(|token| self.make_lane(token))
    }

    /// Makes what the workers of a token use, if it is not there.
    pub(super) fn make_lane(&self, token: &str) -> Result<(), ClusterError> {
        match self.link.make_lane(token, &LaneSettings::default())? {
            Room::Enough => Ok(()),
            Room::TooLittle => Err(ClusterError::NoRoom { token: token.to_owned() }),
        }
    }
}
