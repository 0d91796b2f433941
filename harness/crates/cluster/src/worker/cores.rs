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

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *lock(&self.cores.free) += self.count;
        self.cores.freed.notify_all();
    }
}
