//! The workers of each token, as the coordinator of a run sees them.
//!
//! What a worker says of itself is a claim: a lane gets no more tasks than its results bear out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::message::{MAX_CORES, PROTOCOL, Status};

/// Cores of all workers of a token that are believed before the first result.
const FIRST_CORES: u64 = 256;

/// Cores that are believed for each result.
const CORES_A_RESULT: u64 = 4;

/// Seconds of a task that a lane's own results bear out at most, where it is asked whether it takes too long:
/// whoever holds tasks would make them longer by holding them.
const MAX_OWN_SECONDS: f64 = 4.0;

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
    /// Time of their tasks.
    time: Duration,
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
            time: Duration::ZERO,
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

    /// Seconds of a task; `None`: not known yet.
    pub fn mean_time(&self) -> Option<f64> {
        (self.results > 0).then(|| self.time.as_secs_f64() / self.results as f64)
    }

    /// Notes a result that counts, and the time of its task.
    pub fn note_result(&mut self, took: Duration) {
        self.results += 1;
        self.time = self.time.saturating_add(took);
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

    /// Seconds of a task; `None`: not known yet.
    pub fn mean_time(&self) -> Option<f64> {
        let results: u64 = self.0.values().map(|lane| lane.results).sum();
        let time: f64 = self.0.values().map(|lane| lane.time.as_secs_f64()).sum();
        (results > 0).then(|| time / results as f64)
    }

    /// Seconds of a task by which the workers of a token are measured: those of the others, whose times are
    /// not theirs to choose, or their own up to a bound.
    pub fn pace_for(&self, token: &str) -> f64 {
        let others = self.0.iter().filter(|(other, _)| *other != token);
        let others = others.filter_map(|(_, lane)| lane.mean_time());
        let own = self.0.get(token).and_then(Lane::mean_time).unwrap_or(1.0);
        others.fold(own.min(MAX_OWN_SECONDS), f64::max)
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
        Status { protocol, ..Status::joining(key, token, key, cores) }
    }

    #[test]
    fn claims_have_a_bounded_effect() {
        let mut lanes = Lanes::default();
        let many: Vec<Status> = (0..100)
            .map(|number| status("worker1", &format!("K{number}"), usize::MAX, PROTOCOL))
            .collect();
        assert_eq!(lanes.count(&many, &|_| false), BTreeSet::from(["worker1".to_owned()]));
        assert_eq!(lanes.lane("worker1").cores(), FIRST_CORES as usize);
        lanes.lane("worker1").note_result(Duration::ZERO);
        assert_eq!(lanes.lane("worker1").cores(), (FIRST_CORES + CORES_A_RESULT) as usize);
        assert!(lanes.count(&many, &|_| false).is_empty());
    }

    #[test]
    fn who_holds_tasks_does_not_make_them_longer() {
        let pace = |own: &[u64], others: &[u64]| {
            let mut lanes = Lanes::default();
            own.iter().for_each(|&it| lanes.lane("worker1").note_result(Duration::from_secs(it)));
            others
                .iter()
                .for_each(|&it| lanes.lane("worker2").note_result(Duration::from_secs(it)));
            lanes.pace_for("worker1")
        };
        for (own, others, expected) in [
            (&[][..], &[][..], 1.0),
            (&[2], &[], 2.0),
            (&[5_000, 7_000], &[], MAX_OWN_SECONDS),
            (&[5_000], &[1, 3], MAX_OWN_SECONDS),
            (&[3], &[1], 3.0),
            (&[1], &[600, 800], 700.0),
            (&[], &[20], 20.0),
        ] {
            assert_eq!(pace(own, others), expected, "{own:?} {others:?}");
        }
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
        lane.note_result(Duration::ZERO);
        assert!(lane.is_able());
    }
}
