//! Processes that left their engine's process group, found by a mark in their environment.
//!
//! An engine's helper that calls `setsid` is in no group that the harness could kill, and once
//! the engine has ended no process refers to it any more. But the environment in which an engine is
//! started is handed down, and the system shows it (where it does not, only groups are ended).

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process};

use crate::platform::system::machine::{environment_of, processes};
use crate::sync::lock;

/// The variable that carries the mark: `HARNESS.ENGINE`, two ids.
const VARIABLE: &str = "HARNESS_ENGINE";

/// A process may start another one while it is looked for; number of scans.
const ROUNDS: usize = 8;

/// A scan of all processes takes milliseconds: too much at each crash of an engine that always
/// crashes.
const SCAN_EVERY: Duration = Duration::from_secs(1);

/// Engines that were started and did not end yet.
static RUNNING: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

/// Whether an engine ended since the last scan.
static ENDED: AtomicBool = AtomicBool::new(false);

/// The mark of one engine, registered until it is dropped.
#[derive(Debug)]
pub struct Mark(u64);

impl Mark {
    /// Marks what the command will start.
    pub fn put_on(command: &mut Command) -> Mark {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let engine = NEXT.fetch_add(1, Ordering::Relaxed);
        lock(&RUNNING).insert(engine);
        command.env(VARIABLE, format!("{}.{engine}", this_harness()));
        Mark(engine)
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        lock(&RUNNING).remove(&self.0);
        ENDED.store(true, Ordering::Release);
    }
}

/// An id of this process, unique on this machine.
pub fn this_harness() -> &'static str {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| {
        // Only to be unlike that of an earlier process of the same number.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{}-{:x}", std::process::id(), now.as_nanos())
    })
}

/// Kills processes left behind by engines that have ended, if one ended since the last scan.
pub fn end_those_of_ended_engines() {
    static LAST_SCAN: Mutex<Option<Instant>> = Mutex::new(None);
    let mut last = lock(&LAST_SCAN);
    if last.is_some_and(|last| last.elapsed() < SCAN_EVERY) {
        return;
    }
    if ENDED.swap(false, Ordering::Acquire) {
        // The set is read for each process: engines start and end meanwhile.
        let is_running = |engine: &u64| lock(&RUNNING).contains(engine);
        end_all_of(this_harness(), |engine| !is_running(&engine));
        *last = Some(Instant::now());
    }
}

/// Ends the processes that carry a harness's mark and one of these engines'.
pub fn end_all_of(harness: &str, is_to_end: impl Fn(u64) -> bool) {
    for _ in 0..ROUNDS {
        let mut found = false;
        for process in processes() {
            if engine_of(process, harness).is_some_and(&is_to_end) {
                found = true;
                let id = i32::try_from(process).ok().and_then(Pid::from_raw);
                // It may have ended by itself meanwhile.
                let _ = id.map(|id| kill_process(id, Signal::KILL));
            }
        }
        if !found {
            return;
        }
    }
}

/// The engine whose mark a process carries; `None` if it has no such mark.
fn engine_of(process: u32, harness: &str) -> Option<u64> {
    engine_in(&environment_of(process), harness)
}

fn engine_in(environment: &[u8], harness: &str) -> Option<u64> {
    environment.split(|&byte| byte == 0).find_map(|entry| {
        let value = entry.strip_prefix(VARIABLE.as_bytes())?.strip_prefix(b"=")?;
        let engine = value.strip_prefix(harness.as_bytes())?.strip_prefix(b".")?;
        std::str::from_utf8(engine).ok()?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_that_of_one_harness_only() {
        let environment = b"A=B\0HARNESS_ENGINE=12-ab.7\0C=HARNESS_ENGINE=12-ac.8\0";
        assert_eq!(engine_in(environment, "12-ab"), Some(7));
        for other in ["12-a", "12-ac", "2-ab", ""] {
            assert_eq!(engine_in(environment, other), None, "{other}");
        }
    }
}
