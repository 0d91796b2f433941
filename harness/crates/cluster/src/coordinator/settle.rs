//! Making sure of the answers before a result stands.

use std::thread;
use std::time::{Duration, Instant};

use harness_outcome::token_of;

use super::replays::{Dispute, Replays};
use super::{Coordinator, Unfinished};
use crate::work::RemoteWork;

/// Polling interval of the replays.
const REPLAY_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Wait for the replays after which the user learns of it.
const SAY_AFTER: Duration = Duration::from_secs(5);

/// Wait for workers of other tokens to play what is in dispute, in means of a task, and at least. It has an
/// end, as one who is there and does not answer must not hold up the result.
const DISPUTE_TIMES: u32 = 6;
const LEAST_DISPUTE_TIME: Duration = Duration::from_secs(60);

/// Tasks in dispute that workers of other tokens play.
struct Disputed {
    /// Their numbers.
    numbers: Vec<u64>,
    /// The tokens of those who played them first.
    tokens: Vec<String>,
    /// The end of the wait.
    until: Instant,
}

impl<W: RemoteWork> Coordinator<W> {
    /// Does some tasks of each token again, and waits for what is found, before a result stands. Where a worker
    /// differs and too few agree to say who is right, workers of other tokens play the task as well.
    ///
    /// # Errors
    /// When a worker that has contributed is found out, or the user interrupts it.
    pub fn settle(&mut self) -> Result<(), Unfinished> {
        let begun = Instant::now();
        let mut is_said = false;
        let mut disputed = None;
        if let Some(replays) = &mut self.replays {
            replays.draw();
        }
        loop {
            self.take_findings()?;
            let left = self.replays_left();
            if left == 0 && !self.await_others(&mut disputed)? {
                return Ok(());
            }
            if self.interrupt.is_set() {
                return Err(Unfinished::Interrupted);
            }
            if left > 0 && !is_said && begun.elapsed() > SAY_AFTER {
                is_said = true;
                tracing::warn!(
                    "before the result stands, this machine plays {left} pairs of workers again \
                     (`--verify 0` believes the workers)"
                );
            }
            thread::sleep(REPLAY_POLL_INTERVAL);
        }
    }

    fn replays_left(&self) -> usize {
        self.replays.as_ref().map_or(0, Replays::left)
    }

    /// Has what is in dispute played by workers of other tokens, and takes their results; `false` where no more
    /// comes: nothing is in dispute, no other worker is there, or none answers in time.
    fn await_others(&mut self, disputed: &mut Option<Disputed>) -> Result<bool, Unfinished> {
        let disputes = self.replays.as_ref().map_or(&[][..], Replays::disputes);
        if disputes.is_empty() || !self.link.is_connected() {
            return Ok(false);
        }
        self.count_workers()?;
        let asked = match disputed {
            Some(asked) => asked,
            none => none.insert(self.ask_others()?),
        };
        let is_another_there = asked.tokens.iter().any(|token| self.lanes.has_another(token));
        if !is_another_there || Instant::now() > asked.until {
            return Ok(false);
        }
        // The run is at its end: what comes beside the second plays is not wanted.
        self.receive()?;
        Ok(self.second_plays.is_one_awaited(&asked.numbers) || self.replays_left() > 0)
    }

    /// Gives out as many of the tasks in dispute as agreements are missing.
    fn ask_others(&mut self) -> Result<Disputed, Unfinished> {
        let mean_time =
            self.lanes.mean_time().and_then(|time| Duration::try_from_secs_f64(time).ok());
        let time = mean_time.unwrap_or_default().saturating_mul(DISPUTE_TIMES);
        let until = Instant::now() + time.max(LEAST_DISPUTE_TIME);
        let mut asked = Disputed { numbers: Vec::new(), tokens: Vec::new(), until };
        let Some(replays) = &self.replays else { return Ok(asked) };
        let mut attempts = Vec::new();
        for Dispute { task, play } in replays.disputes() {
            let number = W::number(task);
            let is_enough = asked.numbers.len() >= replays.missing_agreements();
            let Some(token) = token_of(&play.worker).filter(|_| !is_enough) else { continue };
            if !asked.numbers.contains(&number) {
                attempts.push((number, self.second_plays.again(task, play.clone(), token)));
                asked.numbers.push(number);
                asked.tokens.push(token.to_owned());
            }
        }
        for (number, attempt) in attempts {
            self.publish_second(number, attempt)?;
        }
        Ok(asked)
    }
}
