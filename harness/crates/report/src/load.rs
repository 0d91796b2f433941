//! How busy the machine is with other things than the games.

use std::collections::{HashMap, HashSet};
use std::thread;
use std::time::{Duration, Instant};

use harness_base::platform::{ProcessTime, load_average, process_times};

/// Tolerated load above the number of processors: the harness itself is not idle.
const SLACK: f64 = 0.5;

/// Processors in use by others that disturb no game.
const TOLERATED: f64 = 0.25;

/// The shortest time between two looks at the processes.
const INTERVAL: Duration = Duration::from_secs(1);

/// The machine that plays, as the progress of a run sees it.
pub struct Machine {
    crowding: Option<String>,
    seen: Option<(Instant, Vec<ProcessTime>)>,
    latest: Option<String>,
}

impl Machine {
    /// This one. `crowding`: the run itself asks for too much, in words; it is the only warning then.
    pub fn new(crowding: Option<String>) -> Machine {
        Machine { crowding, seen: None, latest: None }
    }

    /// A warning if others take processor time from the games; `None` also if it is unknown.
    pub fn warning(&mut self) -> Option<String> {
        if self.crowding.is_some() {
            return self.crowding.clone();
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let load = load_average()?;
        if load <= cores as f64 + SLACK {
            (self.seen, self.latest) = (None, None);
            return None;
        }
        let is_due = self.seen.as_ref().is_none_or(|(when, _)| when.elapsed() >= INTERVAL);
        if is_due
            && let Some(now) = process_times()
            && let Some((when, before)) = self.seen.replace((Instant::now(), now))
        {
            let after = self.seen.as_ref().map_or(&[][..], |(_, now)| now);
            let busy = Busy::between(&before, after, std::process::id(), when.elapsed());
            self.latest = busy.warning(load, cores);
        }
        self.latest.clone()
    }
}

/// Processors in use between two looks, without those of this process and what it started.
#[derive(Debug, Default, PartialEq)]
struct Busy {
    /// By other processes of the harness, and what they started.
    harness: f64,
    /// By all other programs.
    others: f64,
}

impl Busy {
    fn between(before: &[ProcessTime], after: &[ProcessTime], me: u32, passed: Duration) -> Busy {
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

    fn warning(&self, load: f64, cores: usize) -> Option<String> {
        let (who, used) = if self.others >= TOLERATED {
            ("other programs use", self.others)
        } else if self.harness >= TOLERATED {
            ("other runs of the harness use", self.harness)
        } else {
            return None;
        };
        let noun = if cores == 1 { "core" } else { "cores" };
        Some(format!("the load is {load:.1} on {cores} {noun}: {who} {used:.1} of them"))
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
    fn the_warning_says_whose_programs_run() {
        let warning = |harness, others| Busy { harness, others }.warning(5.21, 2);
        let says = |text: Option<String>, who: &str| text.is_some_and(|text| text.contains(who));
        assert!(says(warning(1.0, 1.4), "5.2 on 2 cores: other programs use 1.4 of them"));
        assert!(says(warning(1.0, 0.1), "other runs of the harness use 1.0"));
        assert_eq!(warning(0.1, 0.2), None);
    }

    #[test]
    fn this_process_is_among_those_of_the_machine() {
        let processes = process_times().unwrap_or_default();
        assert!(processes.iter().any(|process| process.id == std::process::id()));
    }
}
