//! Which processors there are, and on which a thread runs.

use std::collections::HashSet;
use std::fs;
use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The processors that this thread may use; none where that is unknown.
pub fn usable() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect()
}

/// Keeps this thread, and what it starts, on some processors.
///
/// # Errors
/// When the system refuses.
pub fn pin_this_thread(cpus: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU).for_each(|&cpu| set.set(cpu));
    Ok(sched_setaffinity(None, &set)?)
}

/// A text that is the same for the processors of one core; `None`: unknown.
pub fn share_a_core(cpu: usize) -> Option<String> {
    let topology = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    fs::read_to_string(topology).ok()
}

/// Cores of the machine; `None`: unknown.
pub fn physical_cores() -> Option<usize> {
    // A processor that is switched off has no topology.
    let folders = fs::read_dir("/sys/devices/system/cpu").ok()?.flatten();
    let siblings = |folder: fs::DirEntry| {
        fs::read_to_string(folder.path().join("topology/thread_siblings_list")).ok()
    };
    let cores = folders.filter_map(siblings).collect::<HashSet<String>>().len();
    (cores > 0).then_some(cores)
}
