//! How much of the machine other programs use.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::platform::{ProcessTime, process_times};

/// Processors in use between two looks, without those of one process and what it started.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Busy {
    /// By other processes of the harness, and what they started.
    pub harness: f64,
    /// By all other programs.
    pub others: f64,
}

impl Busy {
    /// Between two looks at the processes of the machine, seen from the process `me`.
    pub fn between(
        before: &[ProcessTime],
        after: &[ProcessTime],
        me: u32,
        passed: Duration,
    ) -> Busy {
        let earlier: HashMap<u32, Duration> =
            before.iter().map(|process| (process.id, process.time)).collect();
        let mine = tree(after, |process| process.id == me);
        let name = after.iter().find(|process| process.id == me).map(|process| &process.name);
        let of_harness = tree(after, |process| Some(&process.name) == name);
        let mut busy = Busy::default();
        for process in after.iter().filter(|process| !mine.contains(&process.id)) {
            let earlier = earlier.get(&process.id).copied().unwrap_or_default();
            let used = process.time.saturating_sub(earlier).as_secs_f64();
            let sum =
                if of_harness.contains(&process.id) { &mut busy.harness } else { &mut busy.others };
            *sum += used / passed.as_secs_f64().max(0.001);
        }
        busy
    }
}

/// The processes that are roots, and all that descend from them.
fn tree(processes: &[ProcessTime], is_root: impl Fn(&ProcessTime) -> bool) -> HashSet<u32> {
    let mut tree: HashSet<u32> =
        processes.iter().filter(|process| is_root(process)).map(|process| process.id).collect();
    loop {
        let children = processes.iter().filter(|process| tree.contains(&process.parent));
        let new: Vec<u32> =
            children.map(|process| process.id).filter(|id| !tree.contains(id)).collect();
        if new.is_empty() {
            return tree;
        }
        tree.extend(new);
    }
}

/// Watches the other programs of this machine.
#[derive(Default)]
pub struct Watch {
    seen: Option<(Instant, Vec<ProcessTime>)>,
}

impl Watch {
    /// Processors in use since the last look that was not too soon; `None` at the first one, before
    /// `interval` has passed, and where the system does not say.
    pub fn look(&mut self, interval: Duration) -> Option<Busy> {
        if self.seen.as_ref().is_some_and(|(when, _)| when.elapsed() < interval) {
            return None;
        }
        let now = process_times()?;
        let (when, before) = self.seen.replace((Instant::now(), now))?;
        let after = self.seen.as_ref().map_or(&[][..], |(_, now)| now);
        Some(Busy::between(&before, after, std::process::id(), when.elapsed()))
    }

    /// Forgets the last look.
    pub fn forget(&mut self) {
        self.seen = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes of `(id, parent, name, seconds)`.
    fn processes<const N: usize>(list: [(u32, u32, &str, u64); N]) -> Vec<ProcessTime> {
        let process = |(id, parent, name, seconds): (u32, u32, &str, u64)| ProcessTime {
            id,
            parent,
            name: name.to_owned(),
            time: Duration::from_secs(seconds),
        };
        list.map(process).into()
    }

    #[test]
    fn own_processes_are_no_other_programs() {
        let seconds = Duration::from_secs(10);
        let before = processes([(5, 1, "harness", 0), (6, 5, "fish", 0), (7, 1, "cc", 100)]);
        for (after, busy) in [
            // Its engines, and what they started.
            (
                processes([(5, 1, "harness", 9), (6, 5, "fish", 9), (8, 6, "sh", 9)]),
                Busy { harness: 0.0, others: 0.0 },
            ),
            // A compiler that was there before.
            (
                processes([(5, 1, "harness", 9), (7, 1, "cc", 105)]),
                Busy { harness: 0.0, others: 0.5 },
            ),
            // A worker with its engine.
            (
                processes([(5, 1, "harness", 9), (20, 1, "harness", 1), (21, 20, "fish", 9)]),
                Busy { harness: 1.0, others: 0.0 },
            ),
        ] {
            assert_eq!(Busy::between(&before, &after, 5, seconds), busy);
        }
    }

    #[test]
    fn this_process_is_among_those_of_the_machine() {
        let processes = process_times().unwrap_or_default();
        assert!(processes.iter().any(|process| process.id == std::process::id()));
        let mut watch = Watch::default();
        assert_eq!(watch.look(Duration::ZERO), None);
        assert_eq!(watch.look(Duration::from_secs(60)), None);
        assert_eq!(watch.look(Duration::ZERO).is_some(), !processes.is_empty());
    }
}
