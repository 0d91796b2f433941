//! Giving tasks out again, and taking them back.

use std::time::{Duration, Instant};

use futures_util::StreamExt;

use super::{CHECK_INTERVAL, Coordinator, MAX_RESULTS, Unfinished};
use crate::ClusterError;
use crate::artifacts;
use crate::results::{self, Results};
use crate::store;
use crate::subjects;
use crate::work::RemoteWork;
use harness_player::{Limit, TimeControl, Timed};

/// How long the server may take to take jobs back.
const WITHDRAW_TIMEOUT: Duration = Duration::from_secs(5);

/// A task whose workers have it for longer than this, and than [`PATIENCE`] tasks take, is given to the
/// workers of another token, too.
const MIN_PATIENCE: Duration = Duration::from_secs(60);

/// See [`MIN_PATIENCE`].
const PATIENCE: f64 = 150.0;

/// Moves of a player in a long game.
const LONG_GAME: u32 = 150;

/// Seconds that a pair takes whose players use up their clocks, whatever the times that results claim.
fn longest_pair(limit: Limit) -> f64 {
    let Some(Timed::Clock(TimeControl { moves, base, increment, .. })) = limit.time() else {
        return 0.0;
    };
    let periods = moves.map_or(1, |moves| LONG_GAME.div_ceil(moves.max(1)));
    let player =
        f64::from(periods) * base.as_secs_f64() + f64::from(LONG_GAME) * increment.as_secs_f64();
    4.0 * player
}

impl<W: RemoteWork> Coordinator<W> {
    /// Looks at each token whose workers have tasks: gives out again what the server has lost, what no worker
    /// is there to do, and what takes too long.
    pub(super) fn recover(&mut self) -> Result<(), Unfinished> {
        let tokens: Vec<String> = self.lanes.0.keys().cloned().collect();
        for token in &tokens {
            if self.assignments.count_of(token) == 0 {
                continue;
            }
            let is_another_there = self.lanes.has_another(token);
            if self.lanes.lane(token).workers == 0 && is_another_there {
                self.release(token, Instant::now());
            } else if is_another_there {
                let patience = self.patience(token);
                if let Some(since) = Instant::now().checked_sub(patience) {
                    self.release(token, since);
                }
            }
            if self.lanes.lane(token).heard.elapsed() > CHECK_INTERVAL {
                self.give_out_lost(token)?;
            }
        }
        Ok(())
    }

    /// How long the workers of a token may have a task.
    fn patience(&self, token: &str) -> Duration {
        let limits = self.assignments.first_of(token).map(|task| self.shared.rules.limits(task));
        let clocks = limits.into_iter().flatten().map(longest_pair).fold(0.0, f64::max);
        let seconds = MIN_PATIENCE.as_secs_f64() + PATIENCE * self.lanes.pace_for(token) + clocks;
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    /// Takes the tasks that the workers of a token have had since before a time from them, for others.
    fn release(&mut self, token: &str, time: Instant) {
        let numbers = self.assignments.older_than(token, time);
        if numbers.is_empty() {
            return;
        }
        tracing::debug!("{} tasks of {token} are given to others", numbers.len());
        for number in numbers {
            self.assignments.release(number);
            self.avoided.insert(number, token.to_owned());
        }
    }

    /// Gives out again what the server has lost of the tasks of a token's workers.
    fn give_out_lost(&mut self, token: &str) -> Result<(), Unfinished> {
        let queued = self.link.wait(async {
            let stream = self.link.jetstream.get_stream(subjects::jobs_stream()).await.ok()?;
            let jobs = subjects::jobs(token, &self.run);
            let mut info = stream.info_with_subjects(jobs).await.ok()?;
            let mut count = 0;
            while let Some(Ok((_, messages))) = info.next().await {
                count += messages;
            }
            Some(count)
        });
        match queued {
            Some(0) => {
                let tasks = self.assignments.of_token(token);
                tracing::debug!("{} tasks are given out again", tasks.len());
                if let Err(error) = self.restore() {
                    // Tried again at the next look.
                    tracing::warn!("{error}");
                    return Ok(());
                }
                self.publish(token, tasks)
            }
            Some(_) => Ok(()),
            None => {
                if let Err(error) = self.make_streams() {
                    tracing::debug!("{error}");
                }
                Ok(())
            }
        }
    }

    /// Publishes the engines again if the server has lost them with its disk, and reads the results
    /// from the first.
    pub(super) fn restore(&mut self) -> Result<(), ClusterError> {
        self.make_streams()?;
        let artifacts = &self.shared.artifacts;
        if !artifacts.objects.is_empty() && !store::is_there(&self.link, &artifacts.secret) {
            let (sources, benches) = (!artifacts.sources.is_empty(), artifacts.benches.clone());
            let mut rules = self.shared.rules.clone();
            let tables = rules.tablebases().map(|folders| &**folders);
            let link = &self.link;
            let engines = &self.engines;
            self.shared.artifacts =
                artifacts::publish(link, engines, tables, sources, benches, &self.interrupt)?;
        }
        self.results = Results::listen(&self.link, &self.run)?;
        Ok(())
    }

    /// Takes back the jobs that are queued, and lets workers abandon those that they play.
    pub(super) fn withdraw(&mut self) {
        self.assignments.clear();
        if !self.link.is_connected() {
            // Workers find that the run is over; the jobs are removed in time.
            return;
        }
        // The server may have ended a moment ago: then nothing answers.
        let ended = self.link.wait_for(WITHDRAW_TIMEOUT, async {
            let stream = self.link.jetstream.get_stream(subjects::jobs_stream()).await;
            let stream = stream.map_err(|error| error.to_string())?;
            let purge = stream.purge().filter(subjects::jobs("*", &self.run));
            purge.await.map_err(|error| error.to_string())?;
            for token in self.lanes.0.keys() {
                let stop = self.link.client.publish(subjects::stop(token, &self.run), "".into());
                stop.await.map_err(|error| error.to_string())?;
            }
            self.link.client.flush().await.map_err(|error| error.to_string())
        });
        match ended {
            Some(Ok(())) => {}
            Some(Err(error)) => tracing::debug!("cannot take jobs back: {error}"),
            None => {
                self.is_alone = true;
                tracing::debug!("cannot take jobs back: the server does not answer");
            }
        }
    }

    /// Lets the server remove results that the ledger has: many, or any at all if it is `time`.
    pub(super) fn remove_kept(&mut self, time: bool) {
        for (token, lane) in &mut self.lanes.0 {
            let (results, last) = lane.kept;
            if results >= MAX_RESULTS || time && results > 0 {
                lane.kept.0 = 0;
                results::remove(
                    &self.link,
                    token,
                    &subjects::results(token, &self.run),
                    Some(last),
                );
            }
        }
    }
}
