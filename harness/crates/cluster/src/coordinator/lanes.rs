//! The workers of each token, as the coordinator of a run sees them.
//!
//! What a worker says of itself is a claim: a lane gets no more tasks than its results bear out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::message::{PROTOCOL, Status};

/// Cores that a worker can have.
const MAX_CORES: usize = 1_024;

/// Cores of all workers of a token that are believed before the first result.
const FIRST_CORES: u64 = 256;

/// Cores that are believed for each result.
const CORES_A_RESULT: u64 = 4;

/// Wait of a lane whose batch came back; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The longest such wait.
const MAX_PAUSE: Duration = Duration::from_secs(16);

/// The workers of a token.
#[derive(Debug)]
pub struct Lane {
    /// Workers that are there and can play the run.
    pub workers: usize,
    /// Their cores, as they say.
    claimed: usize,
    /// Results that count.
    results: u64,
    /// When something came of it last, or the first task was given out to it.
    pub heard: Instant,
    /// Results that the server still has although they are kept, and the last one's number.
    pub kept: (usize, u64),
    /// No task is given out before, and how long the next pause is.
    pause: (Option<Instant>, Duration),
}

impl Default for Lane {
    fn default() -> Lane {
        Lane {
            workers: 0,
            claimed: 0,
            results: 0,
            heard: Instant::now(),
            kept: (0, 0),
            pause: (None, FIRST_PAUSE),
        }
    }
}

impl Lane {
    /// Cores that count.
    pub fn cores(&self) -> usize {
        let believed = FIRST_CORES + CORES_A_RESULT * self.results;
        self.claimed.min(usize::try_from(believed).unwrap_or(usize::MAX))
    }

    /// Whether tasks may be given out to it now.
    pub fn is_able(&self) -> bool {
        self.workers > 0 && self.pause.0.is_none_or(|until| Instant::now() >= until)
    }

    /// Notes a result that counts.
    pub fn note_result(&mut self) {
        self.results += 1;
        self.kept.0 += 1;
        self.heard = Instant::now();
        self.pause = (None, FIRST_PAUSE);
    }

    /// Notes that a batch came back, or a result that does not count.
    pub fn note_failure(&mut self) {
        self.heard = Instant::now();
        let length = self.pause.1;
        self.pause = (Some(Instant::now() + length), (2 * length).min(MAX_PAUSE));
    }
}

/// All lanes, by token.
#[derive(Debug, Default)]
pub struct Lanes(pub BTreeMap<String, Lane>);

impl Lanes {
    /// Counts the workers that are there; gives the tokens that were not known before. `is_out` says of a
    /// key that it plays nothing of the run.
    pub fn count(&mut self, workers: &[Status], is_out: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
        for lane in self.0.values_mut() {
            (lane.workers, lane.claimed) = (0, 0);
        }
        let mut new = BTreeSet::new();
        for worker in workers.iter().filter(|it| it.protocol == PROTOCOL && !is_out(&it.key)) {
            if !self.0.contains_key(&worker.token) {
                new.insert(worker.token.clone());
            }
            let lane = self.0.entry(worker.token.clone()).or_default();
            lane.workers += 1;
            lane.claimed += worker.cores.min(MAX_CORES);
        }
        new
    }

    /// Tokens whose workers may be given tasks now.
    pub fn able(&self) -> Vec<String> {
        let able = self.0.iter().filter(|(_, lane)| lane.is_able());
        able.map(|(token, _)| token.clone()).collect()
    }

    /// Whether workers of another token than this one are there.
    pub fn has_another(&self, token: &str) -> bool {
        self.0.iter().any(|(other, lane)| other != token && lane.workers > 0)
    }

    /// Number of the workers.
    pub fn workers(&self) -> usize {
        self.0.values().map(|lane| lane.workers).sum()
    }

    /// The lane of a token.
    pub fn lane(&mut self, token: &str) -> &mut Lane {
        self.0.entry(token.to_owned()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(token: &str, key: &str, cores: usize, protocol: u32) -> Status {
        let token = token.to_owned();
        Status { protocol, token, ..Status::joining(key, key, cores) }
    }

    #[test]
    fn claims_have_a_bounded_effect() {
        let mut lanes = Lanes::default();
        let many: Vec<Status> = (0..100)
            .map(|number| status("worker1", &format!("K{number}"), usize::MAX, PROTOCOL))
            .collect();
        assert_eq!(lanes.count(&many, &|_| false), BTreeSet::from(["worker1".to_owned()]));
        assert_eq!(lanes.lane("worker1").cores(), FIRST_CORES as usize);
        lanes.lane("worker1").note_result();
        assert_eq!(lanes.lane("worker1").cores(), (FIRST_CORES + CORES_A_RESULT) as usize);
        assert!(lanes.count(&many, &|_| false).is_empty());
    }

    #[test]
    fn workers_of_other_versions_and_those_that_are_out_do_not_count() {
        let mut lanes = Lanes::default();
        let workers = [
            status("worker1", "old", 4, PROTOCOL - 1),
            status("worker1", "out", 4, PROTOCOL),
            status("worker1", "good", 4, PROTOCOL),
            status("worker2", "out", 4, PROTOCOL),
        ];
        lanes.count(&workers, &|key| key == "out");
        assert_eq!((lanes.workers(), lanes.lane("worker1").cores()), (1, 4));
        assert_eq!(lanes.able(), ["worker1"]);
        assert!(lanes.has_another("worker2") && !lanes.has_another("worker1"));
    }

    #[test]
    fn a_lane_whose_batches_come_back_waits_longer_and_longer() {
        let mut lane = Lane { workers: 1, ..Lane::default() };
        assert!(lane.is_able());
        for doubled in 1..10 {
            lane.note_failure();
            assert!(!lane.is_able());
            assert_eq!(lane.pause.1, (FIRST_PAUSE * (1 << doubled)).min(MAX_PAUSE));
        }
        lane.note_result();
        assert!(lane.is_able());
    }
}
