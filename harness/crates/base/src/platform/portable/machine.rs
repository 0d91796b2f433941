//! Facts of the machine and of processes, by the `sysinfo` crate.

use std::process::Command;
use std::time::Duration;

use crate::platform::types::ProcessTime;
use sysinfo::{Pid, Process, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

/// Model of the processor, as it names itself.
pub fn processor() -> Option<String> {
    let mut system = System::new().ok()?;
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    let name = system.cpus().first()?.brand().trim().to_owned();
    (!name.is_empty()).then_some(name)
}

/// Memory, in MiB.
pub fn memory_mib() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    Some(system.total_memory() >> 20).filter(|&memory| memory > 0)
}

/// Name of the operating system, and version of its kernel.
pub fn operating_system() -> String {
    let name = System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned());
    format!("{name} {}", System::kernel_version().unwrap_or_default()).trim_end().to_owned()
}

/// The machine's name; empty where it has none.
pub fn host_name() -> String {
    System::host_name().unwrap_or_default()
}

/// Programs that run or want to, in the mean of the last minute.
pub fn load_average() -> Option<f64> {
    // Windows has none.
    if cfg!(unix) { System::load_average().ok().map(|load| load.one) } else { None }
}

/// The processes of the machine with their processor time; `None`: unknown.
pub fn process_times() -> Option<Vec<ProcessTime>> {
    let mut system = System::new().ok()?;
    let what = ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, what);
    let processes = system.processes().values();
    let times =
        processes.filter(|process| process.thread_kind().is_none()).map(|process| ProcessTime {
            id: process.pid().as_u32(),
            parent: process.parent().map_or(0, Pid::as_u32),
            name: process.name().to_string_lossy().into_owned(),
            time: Duration::from_millis(process.accumulated_cpu_time()),
        });
    Some(times.collect())
}

/// Processor time of this process.
pub fn processor_time() -> Duration {
    let what = ProcessRefreshKind::nothing().with_cpu();
    let time = look_at(std::process::id(), what, Process::accumulated_cpu_time);
    Duration::from_millis(time.unwrap_or_default())
}

/// Whether this process has the rights of the system's administrator.
pub fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    false
}

/// Resources of a process.
#[derive(Clone, Copy, Debug)]
pub struct Used {
    /// Memory that is resident, in MiB.
    pub mebibytes: f64,
    /// Its threads.
    pub threads: usize,
    /// Its open files.
    pub files: usize,
}

/// Resources that a process uses; `None`: unknown.
pub fn used_by(process: u32) -> Option<Used> {
    let what = ProcessRefreshKind::nothing().with_memory().with_tasks();
    look_at(process, what, |process| {
        Some(Used {
            mebibytes: process.memory() as f64 / f64::from(1 << 20),
            threads: process.tasks()?.len(),
            files: process.open_files()?,
        })
    })?
}

/// The command line of a process; empty if it has ended.
pub fn words_of(process: u32) -> Vec<Vec<u8>> {
    let what = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always);
    let words = look_at(process, what, |process| {
        process.cmd().iter().map(|word| word.as_encoded_bytes().to_vec()).collect()
    });
    words.unwrap_or_default()
}

/// The processes of the machine.
#[cfg(unix)]
pub fn processes() -> Vec<u32> {
    let Ok(mut system) = System::new() else { return Vec::new() };
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, ProcessRefreshKind::nothing());
    let processes = system.processes().values();
    processes
        .filter(|process| process.thread_kind().is_none())
        .map(|it| it.pid().as_u32())
        .collect()
}

/// The environment in which a process was started, its entries ended by zeros; empty for those of other
/// users.
#[cfg(unix)]
pub fn environment_of(process: u32) -> Vec<u8> {
    let what = ProcessRefreshKind::nothing().with_environ(UpdateKind::Always);
    let environment = look_at(process, what, |process| {
        let entries = process.environ().iter();
        entries.flat_map(|entry| [entry.as_encoded_bytes(), b"\0"].concat()).collect()
    });
    environment.unwrap_or_default()
}

/// Asks a process to end; `false` if that cannot be: it may have ended.
pub fn end_process(process: u32) -> bool {
    signal(process, sysinfo::Signal::Term)
}

/// Asks a process to read its configuration again; `false` if that cannot be: it may have ended.
pub fn reload_process(process: u32) -> bool {
    signal(process, sysinfo::Signal::Hangup)
}

/// A program that is started continues when this one's terminal is interrupted or closed.
pub fn keep_in_background(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(windows)]
    {
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
        std::os::windows::process::CommandExt::creation_flags(command, CREATE_NEW_PROCESS_GROUP);
    }
}

fn signal(process: u32, signal: sysinfo::Signal) -> bool {
    let what = ProcessRefreshKind::nothing();
    look_at(process, what, |process| process.kill_with(signal).unwrap_or(false)).unwrap_or(false)
}

/// Calls a function with a process; `None` if there is none.
fn look_at<T>(process: u32, what: ProcessRefreshKind, see: impl Fn(&Process) -> T) -> Option<T> {
    let id = Pid::from_u32(process);
    let mut system = System::new().ok()?;
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[id]), true, what);
    system.process(id).map(see)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_known() {
        let words = words_of(std::process::id());
        assert!(!words.is_empty());
        assert!(memory_mib() > Some(0));
        #[cfg(unix)]
        assert!(processes().contains(&std::process::id()));
    }
}
