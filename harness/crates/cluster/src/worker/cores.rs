//! The cores of a worker: a game of engines with several threads needs several.

use harness_base::sync::{lock, unpoisoned};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// Cores that are not in use.
pub struct Cores {
    all: usize,
    free: Mutex<usize>,
    freed: Condvar,
}

/// Cores in use; they are given back when it is dropped.
pub struct Taken<'a> {
    cores: &'a Cores,
    count: usize,
}

impl Cores {
    /// All of them free.
    pub fn new(all: usize) -> Cores {
        Cores { all, free: Mutex::new(all), freed: Condvar::new() }
    }

    /// Whether a game that needs this many can be played at all.
    pub fn has(&self, count: usize) -> bool {
        count <= self.all
    }

    /// Takes this many at once, as soon as they are free; `None` if `give_up` says so before.
    pub fn take(&self, count: usize, give_up: &dyn Fn() -> bool) -> Option<Taken<'_>> {
        let mut free = lock(&self.free);
        while *free < count {
            if give_up() {
                return None;
            }
            let waited = self.freed.wait_timeout(free, Duration::from_millis(100));
            free = unpoisoned(waited).0;
        }
        *free -= count;
        Some(Taken { cores: self, count })
    }
}

/// Cores that a task takes of a worker with this many: one for each of its threads, and more where its hash
/// tables need more than their share of the memory of the machine, all in MiB. Fewer tasks are then done at
/// the same time.
pub fn cores_in_memory(threads: usize, hash: u64, memory: Option<u64>, offered: usize) -> usize {
    let Some(memory) = memory else { return threads };
    let share = (memory / offered.max(1) as u64).max(1);
    let by_memory = usize::try_from(hash.div_ceil(share)).unwrap_or(offered);
    threads.max(by_memory.min(offered))
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *lock(&self.cores.free) += self.count;
        self.cores.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_takes_the_cores_whose_share_of_the_memory_its_tables_need() {
        for (threads, hash, memory, offered, cores) in [
            (1, 32, Some(8_000), 8, 1),
            (1, 1_000, Some(8_000), 8, 1),
            (1, 1_001, Some(8_000), 8, 2),
            (1, 4_000, Some(8_000), 8, 4),
            (1, 100_000, Some(8_000), 8, 8),
            (6, 4_000, Some(8_000), 8, 6),
            (1, 100_000, None, 8, 1),
            (2, 100, Some(10), 1, 2),
            (1, u64::MAX, Some(0), 3, 3),
        ] {
            let found = cores_in_memory(threads, hash, memory, offered);
            assert_eq!(found, cores, "{threads} {hash} {memory:?} {offered}");
        }
    }
}
