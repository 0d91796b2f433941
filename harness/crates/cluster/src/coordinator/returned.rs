//! Batches that workers give back, and what they say why.

use std::time::{Duration, Instant};

use async_nats::jetstream::Message;

use super::Coordinator;
use super::dropped::Reason;
use crate::manifest::WrongBench;
use crate::message::{MAX_RETURNED_BYTES, Returned, WhyReturned, unpack_small};
use crate::results::plain_name;
use crate::work::RemoteWork;
use harness_base::text::brief;

/// Wait before a task is given out again that several workers took without an answer; it doubles.
const SUSPECT_DELAY: Duration = Duration::from_secs(1);

/// The longest such wait.
const MAX_SUSPECT_DELAY: Duration = Duration::from_secs(300);

/// After this many waits it is said how to go on without workers.
const MANY_TIMES: u32 = 5;

/// Tasks of a batch that is given back, at most.
const MAX_RETURNED: usize = 256;

/// The longest reason that is kept, in characters.
const MAX_REASON: usize = 1_000;

/// Workers of a token that cannot play and are named, at most.
const MAX_NAMED: usize = 16;

/// Workers of a token that are known not to play, at most.
const MAX_UNABLE: usize = 4_096;

/// A worker that cannot play the run.
#[derive(Clone, Debug)]
pub(super) struct Unable {
    /// User name of its token.
    token: String,
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// A task that several workers took without sending a result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspect {
    /// How often a batch with it came back so.
    times: u32,
    /// It is not given out before.
    pub until: Instant,
}

impl<W: RemoteWork> Coordinator<W> {
    /// Takes back a batch that a worker gave back.
    pub(super) fn take_returned(&mut self, token: &str, message: &Message) {
        let (key, is_signed) = self.signer(message);
        let returned = unpack_small::<Returned>(&message.payload, MAX_RETURNED_BYTES);
        let Some(returned) = returned.filter(|_| is_signed) else {
            self.dropped.note(token, Reason::Damaged, || format!("a batch given back by {key}"));
            return;
        };
        let Returned { worker, tasks, why, .. } = returned;
        let is_held = |number: &u64| {
            self.assignments.open(*number).is_some_and(|open| open.token() == Some(token))
        };
        let mut back: Vec<u64> = tasks.into_iter().take(MAX_RETURNED).filter(is_held).collect();
        back.sort_unstable();
        back.dedup();
        if back.is_empty() {
            return;
        }
        match why {
            WhyReturned::CannotPlay(reason) => self.exclude(token, &key, &worker, &reason),
            WhyReturned::WrongBench(wrong) => {
                self.compare_benches(&key, &worker, &wrong);
                self.exclude(token, &key, &worker, &wrong.to_string());
            }
            WhyReturned::Silent(count) => {
                back.iter().for_each(|&number| self.suspect(number, count));
            }
        }
        self.lanes.lane(token).note_failure();
        for number in back {
            self.assignments.release(number);
            self.avoided.insert(number, token.to_owned());
        }
    }

    /// Says so if a second worker finds the same number of nodes, which is not that of this machine.
    fn compare_benches(&self, key: &str, worker: &str, wrong: &WrongBench) {
        if self.unable.contains_key(key) {
            return;
        }
        let reason = brief(&wrong.to_string(), MAX_REASON);
        if let Some(first) = self.unable.values().find(|it| it.reason == reason) {
            let first = &first.name;
            tracing::warn!(
                "{reason}, say {first} and {}: the engine plays differently from machine to machine; does \
                 it read memory that was not set, or round otherwise with other vector instructions?",
                plain_name(worker)
            );
        }
    }

    /// Notes that a worker of a token plays nothing of the run. Whoever has the token can make keys as they
    /// like: the first of each token are named.
    fn exclude(&mut self, token: &str, key: &str, worker: &str, reason: &str) {
        if self.unable.contains_key(key) {
            return;
        }
        let name = plain_name(worker);
        let reason = brief(reason, MAX_REASON);
        let count = self.unable.values().filter(|it| it.token == token).count();
        match count {
            ..MAX_NAMED => tracing::warn!("worker {name} cannot play: {reason}"),
            MAX_NAMED => {
                tracing::warn!("further workers of {token} that cannot play are not named")
            }
            MAX_UNABLE.. => return,
            _ => {}
        }
        let token = token.to_owned();
        self.unable.insert(key.to_owned(), Unable { token, name, reason });
        // It is not counted any more.
        self.counted = None;
    }

    /// Notes that several workers took a task, and none sent its result: it is given out alone, after a
    /// growing wait.
    fn suspect(&mut self, number: u64, count: i64) {
        let now = Instant::now();
        let suspect = self.suspects.entry(number).or_insert(Suspect { times: 0, until: now });
        let delay = SUSPECT_DELAY * 2_u32.saturating_pow(suspect.times);
        suspect.times += 1;
        suspect.until = now + delay.min(MAX_SUSPECT_DELAY);
        if suspect.times > 1 {
            let delay = delay.min(MAX_SUSPECT_DELAY).as_secs();
            let way_out = match suspect.times > MANY_TIMES {
                true => "; Ctrl-C and `harness resume last --on here` play it on this machine",
                false => "",
            };
            tracing::warn!(
                "{number} (pair, position or game) was given to {count} workers, and none sent its \
                 result; the next one gets it in {delay} s{way_out}. Do its engines need more memory than \
                 the workers have?"
            );
        }
    }
}
