//! How runs share the workers of a server.
//!
//! All jobs wait in one queue, first come, first served. A run that keeps `n` batches of `t` seconds
//! on the server gets `n * t / (W + t)` cores where a batch waits for `W` seconds (Little's law). So
//! each coordinator keeps as many as its share of the cores takes at a wait of [`QUEUE_SECONDS`], and one at
//! least: none starves. What a share is follows from the priorities, which coordinators tell each
//! other.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tokio::task::JoinHandle;

use super::ClusterError;
use super::link::Link;
use super::message::RunStatus;
use super::subjects::{self, ALL_RUNS, PING};
use harness_base::sync::lock;

/// Seconds that a batch waits on the server while all cores are at work.
const QUEUE_SECONDS: f64 = 8.0;

/// The largest batch, in tasks.
const MAX_BATCH: usize = 64;

/// A coordinator says this often that its run is there.
const STATUS_INTERVAL: Duration = Duration::from_secs(2);

/// A run that was silent for this long is over.
const PRESENCE_TIMEOUT: Duration = Duration::from_secs(7);

/// How long a run that is over may take to say so.
const LEAVE_TIMEOUT: Duration = Duration::from_millis(500);

/// Tasks that a run keeps on the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// Tasks of a batch.
    pub size: usize,
    /// Batches that wait or are played.
    pub batches: usize,
}

impl Allotment {
    /// Of a run that is to have this many cores, for tasks of this many seconds; `None`: not known yet.
    pub fn new(cores: f64, seconds: Option<f64>) -> Allotment {
        // As few as there can be without an idle core, so that batches are long.
        let batches = (2.0 * cores).ceil().max(1.0);
        let Some(seconds) = seconds else {
            return Allotment { size: 1, batches: batches as usize };
        };
        let seconds = seconds.max(1e-6);
        let wanted = QUEUE_SECONDS * cores / (batches - cores);
        let size = ((wanted / seconds) as usize).clamp(1, MAX_BATCH);
        let batch = size as f64 * seconds;
        // The last part is for rounding errors.
        let batches = (cores * (1.0 + QUEUE_SECONDS / batch) - 0.01).ceil().max(1.0);
        Allotment { size, batches: batches as usize }
    }
}

/// The runs that are there, by name; kept up to date in the background.
#[derive(Clone, Default)]
pub struct Runs {
    known: Arc<Mutex<BTreeMap<String, (RunStatus, Instant)>>>,
}

impl Runs {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the server does not let this process listen.
    pub fn listen(link: &Link) -> Result<(Runs, JoinHandle<()>), ClusterError> {
        let runs = Runs::default();
        let heard = link.wait(link.client.subscribe(ALL_RUNS));
        let mut messages = heard.map_err(|error| ClusterError::request("tell of runs", error))?;
        let known = Arc::clone(&runs.known);
        let listens = link.spawn(async move {
            while let Some(message) = messages.next().await {
                let Ok(status) = serde_json::from_slice::<RunStatus>(&message.payload) else {
                    continue;
                };
                let mut known = lock(&known);
                if status.is_over {
                    known.remove(&status.run);
                } else {
                    known.insert(status.run.clone(), (status, Instant::now()));
                }
            }
        });
        Ok((runs, listens))
    }

    /// Those that were heard of lately.
    pub fn there(&self) -> Vec<RunStatus> {
        let mut known = lock(&self.known);
        known.retain(|_, (_, heard)| heard.elapsed() < PRESENCE_TIMEOUT);
        known.values().map(|(status, _)| status.clone()).collect()
    }
}

/// A run among the others of its server.
pub struct Sharing {
    run: RunStatus,
    others: Runs,
    tasks: [JoinHandle<()>; 2],
}

impl Sharing {
    /// Tells the others of a run, every few seconds and on a ping.
    ///
    /// # Errors
    /// When the server does not let this process listen.
    pub fn join(link: &Link, run: RunStatus) -> Result<Sharing, ClusterError> {
        let (others, listens) = Runs::listen(link)?;
        let heard = link.wait(link.client.subscribe(PING));
        let mut pings = heard.map_err(|error| ClusterError::request("tell of runs", error))?;
        let client = link.client.clone();
        let subject = subjects::run(&run.run);
        let text = serde_json::to_vec(&run).expect("a status is plain data");
        let tells = link.spawn(async move {
            loop {
                // While the connection is down, there is no listener.
                let _ = client.publish(subject.clone(), text.clone().into()).await;
                let _ = tokio::time::timeout(STATUS_INTERVAL, pings.next()).await;
            }
        });
        Ok(Sharing { run, others, tasks: [listens, tells] })
    }

    /// The run's share of the workers: its priority among those of all runs that are there.
    pub fn share(&self) -> f64 {
        let others = self.others.there();
        let others = others.iter().filter(|other| other.run != self.run.run);
        let all: f64 = others.map(|other| other.priority.max(0.0)).sum();
        self.run.priority / (self.run.priority + all)
    }

    /// Tells the others that the run is over.
    pub fn leave(&self, link: &Link) {
        self.tasks.iter().for_each(JoinHandle::abort);
        let over = RunStatus { is_over: true, ..self.run.clone() };
        let text = serde_json::to_vec(&over).expect("a status is plain data");
        // Else it is found out after a while.
        let _ = link
            .wait_for(LEAVE_TIMEOUT, link.client.publish(subjects::run(&over.run), text.into()));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use rand::seq::SliceRandom;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// Cores that each run gets for an hour, of `cores`; a run is a priority and the mean seconds of
    /// a task. All jobs wait in one queue, as on the server. Tasks vary, as games do: those of equal
    /// length would form convoys.
    fn cores_of(cores: usize, runs: &[(f64, f64)]) -> Vec<f64> {
        let all: f64 = runs.iter().map(|(priority, _)| priority).sum();
        let allotments: Vec<Allotment> = runs
            .iter()
            .map(|(priority, task)| Allotment::new(cores as f64 * priority / all, Some(*task)))
            .collect();
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut queue: Vec<usize> = (0..runs.len())
            .flat_map(|run| std::iter::repeat_n(run, allotments[run].batches))
            .collect();
        queue.shuffle(&mut random);
        let mut queue = VecDeque::from(queue);
        // The end of the batch that each core does, and its run.
        let mut at_work: Vec<(f64, usize)> = Vec::new();
        let (mut now, mut used) = (0.0, vec![0.0; runs.len()]);
        while now < 3600.0 {
            while at_work.len() < cores
                && let Some(run) = queue.pop_front()
            {
                let task = |_| runs[run].1 * random.random_range(0.4..1.6);
                let batch: f64 = (0..allotments[run].size).map(task).sum();
                at_work.push((now + batch, run));
                used[run] += batch;
            }
            let (first, _) = at_work
                .iter()
                .enumerate()
                .min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0))
                .expect("each run has a batch");
            let (end, run) = at_work.swap_remove(first);
            now = end;
            // Its coordinator gives out the next.
            queue.push_back(run);
        }
        used.iter().map(|used| used / now).collect()
    }

    #[test]
    fn runs_get_cores_by_their_priorities_whatever_their_tasks_take() {
        for (cores, runs) in [
            (2, &[(1.0, 0.5)][..]),
            (2, &[(1.0, 0.5), (1.0, 0.5)]),
            (2, &[(3.0, 0.5), (1.0, 0.5)]),
            (8, &[(1.0, 0.01), (1.0, 4.0)]),
            (64, &[(1.0, 0.05), (2.0, 60.0), (5.0, 2.0)]),
            (200, &[(1.0, 30.0), (1.0, 0.3), (1.0, 0.3), (1.0, 3.0)]),
        ] {
            let all: f64 = runs.iter().map(|(priority, _)| priority).sum();
            let used = cores_of(cores, runs);
            // None is idle.
            assert!(used.iter().sum::<f64>() > 0.99 * cores as f64, "{cores} {runs:?}: {used:?}");
            for (used, (priority, _)) in used.iter().zip(runs) {
                let share = cores as f64 * priority / all;
                assert!((used / share - 1.0).abs() < 0.15, "{cores} {runs:?}: {used} for {share}");
            }
        }
    }

    #[test]
    fn a_run_of_the_lowest_priority_does_not_starve() {
        // A pair takes longer than the share of one core in a hundred allows.
        let used = cores_of(4, &[(100.0, 1.0), (0.01, 20.0)]);
        assert!(used[1] > 0.3, "{used:?}");
        assert!(used[0] > 2.0, "{used:?}");
    }

    #[test]
    fn before_the_first_result_batches_are_single_tasks() {
        assert_eq!(Allotment::new(4.0, None), Allotment { size: 1, batches: 8 });
        assert_eq!(Allotment::new(0.01, None), Allotment { size: 1, batches: 1 });
    }
}
