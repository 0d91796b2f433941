//! Giving tasks out again, and taking them back.

use std::time::Duration;

use futures_util::StreamExt;

use super::{Coordinator, MAX_RESULTS, Unfinished};
use crate::ClusterError;
use crate::artifacts;
use crate::link::DEFAULT_LEASE;
use crate::results::{self, Results};
use crate::subjects::{self, JOBS};
use crate::work::RemoteWork;

/// How long the server may take to take jobs back.
const WITHDRAW_TIMEOUT: Duration = Duration::from_secs(5);

impl<W: RemoteWork> Coordinator<W> {
    /// Gives out again what the server has lost.
    pub(super) fn give_out_again(&mut self) -> Result<(), Unfinished> {
        let queued = self.link.wait(async {
            let stream = self.link.jetstream.get_stream(JOBS).await.ok()?;
            let mut info = stream.info_with_subjects(subjects::jobs(&self.run)).await.ok()?;
            let mut count = 0;
            while let Some(Ok((_, messages))) = info.next().await {
                count += messages;
            }
            Some(count)
        });
        match queued {
            Some(0) => {
                tracing::debug!("{} tasks are given out again", self.assignments.len());
                if let Err(error) = self.restore() {
                    // Tried again at the next look.
                    tracing::warn!("{error}");
                    return Ok(());
                }
                self.publish(self.assignments.all())
            }
            Some(_) => Ok(()),
            None => {
                if let Err(error) = self.link.make_streams(DEFAULT_LEASE) {
                    tracing::debug!("{error}");
                }
                Ok(())
            }
        }
    }

    /// Publishes the engines again if the server has lost them with its disk, and reads the results
    /// from the first.
    pub(super) fn restore(&mut self) -> Result<(), ClusterError> {
        let artifacts = &self.shared.artifacts;
        let bucket = self.link.jetstream.get_object_store(&artifacts.bucket);
        if !artifacts.objects.is_empty() && self.link.wait(bucket).is_err() {
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
            let stream = self.link.jetstream.get_stream(JOBS).await.map_err(|e| e.to_string())?;
            let purge = stream.purge().filter(subjects::jobs(&self.run));
            purge.await.map_err(|error| error.to_string())?;
            let stop = self.link.client.publish(subjects::stop(&self.run), "".into());
            stop.await.map_err(|error| error.to_string())?;
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
        let (results, last) = self.kept;
        if results >= MAX_RESULTS || time && results > 0 {
            self.kept.0 = 0;
            results::remove(&self.link, &subjects::results(&self.run), Some(last));
        }
    }
}
