//! Facts of the machine and of processes, from `/proc`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::platform::types::ProcessTime;
use rustix::process::{Pid, Signal, geteuid, kill_process};

/// Model of the processor, as it names itself.
pub fn processor() -> Option<String> {
    field(&read("/proc/cpuinfo"), "model name", ':')
}

/// Memory, in MiB.
pub fn memory_mib() -> Option<u64> {
    let amount = field(&read("/proc/meminfo"), "MemTotal", ':')?;
    amount.trim_end_matches("kB").trim().parse::<u64>().ok().map(|kib| kib / 1024)
}

/// Name of the operating system, and version of its kernel.
pub fn operating_system() -> String {
    let system = field(&read("/etc/os-release"), "PRETTY_NAME", '=')
        .unwrap_or_else(|| std::env::consts::OS.to_owned());
    format!("{system} {}", read("/proc/sys/kernel/osrelease").trim())
}

/// The machine's name; empty where it has none.
pub fn host_name() -> String {
    read("/proc/sys/kernel/hostname").trim().to_owned()
}

/// Programs that run or want to, in the mean of the last minute.
pub fn load_average() -> Option<f64> {
    read("/proc/loadavg").split_whitespace().next()?.parse().ok()
}

/// The processes of the machine with their processor time; `None`: unknown.
pub fn process_times() -> Option<Vec<ProcessTime>> {
    Some(processes().into_iter().filter_map(process_time).collect())
}

fn process_time(id: u32) -> Option<ProcessTime> {
    process_time_of(id, &fs::read_to_string(format!("/proc/{id}/stat")).ok()?)
}

/// Reads `/proc/ID/stat`; the name may hold blanks and brackets.
fn process_time_of(id: u32, stat: &str) -> Option<ProcessTime> {
    /// Ticks a second in what the kernel tells programs.
    const USER_HZ: u64 = 100;
    let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(ProcessTime {
        id,
        parent: u32::try_from(number(1)?).ok()?,
        name: name.to_owned(),
        time: Duration::from_millis((number(11)? + number(12)?) * 1000 / USER_HZ),
    })
}

/// Processor time of this process.
pub fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Whether this process has the rights of the system's administrator.
pub fn is_root() -> bool {
    geteuid().is_root()
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
    let folder = PathBuf::from(format!("/proc/{process}"));
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let resident = field(&status, "VmRSS", ':')?;
    let kibibytes: f64 = resident.strip_suffix("kB")?.trim().parse().ok()?;
    let count = |what: &str| Some(fs::read_dir(folder.join(what)).ok()?.count());
    Some(Used { mebibytes: kibibytes / 1024.0, threads: count("task")?, files: count("fd")? })
}

/// The command line of a process; empty if it has ended.
pub fn words_of(process: u32) -> Vec<Vec<u8>> {
    let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    words.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect()
}

/// Asks a process to end; `false` if that cannot be: it may have ended.
pub fn end_process(process: u32) -> bool {
    signal(process, Signal::TERM)
}

/// A program that is started continues when this one's terminal is interrupted or closed.
pub fn keep_in_background(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// The processes of the machine.
pub fn processes() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The environment in which a process was started, its entries ended by zeros; empty for those of other
/// users.
pub fn environment_of(process: u32) -> Vec<u8> {
    fs::read(format!("/proc/{process}/environ")).unwrap_or_default()
}

/// Asks a process to read its configuration again; `false` if that cannot be: it may have ended.
pub fn reload_process(process: u32) -> bool {
    signal(process, Signal::HUP)
}

fn signal(process: u32, signal: Signal) -> bool {
    let id = i32::try_from(process).ok().and_then(Pid::from_raw);
    id.is_some_and(|id| kill_process(id, signal).is_ok())
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The value of the first line `key SEPARATOR value`.
fn field(text: &str, key: &str, separator: char) -> Option<String> {
    text.lines()
        .filter_map(|line| line.split_once(separator))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_behind_any_name() {
        let rest = "S 7 1 1 0 -1 4194560 9 0 0 0 150 50 0 0 20 0 1 0 1 1 1";
        for name in ["fish", "my engine", ") (", "a) R 1"] {
            let process = process_time_of(9, &format!("9 ({name}) {rest}")).expect(name);
            assert_eq!((process.parent, process.name.as_str()), (7, name));
            assert_eq!(process.time, Duration::from_secs(2));
        }
        assert!(process_time_of(9, "9 (fish) S 7").is_none());
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t\t: 85\nmodel name\t: Some CPU @ 3 GHz: fast\n";
        assert_eq!(field(text, "model name", ':').as_deref(), Some("Some CPU @ 3 GHz: fast"));
        assert_eq!(field("PRETTY_NAME=\"A B\"", "PRETTY_NAME", '=').as_deref(), Some("A B"));
        assert_eq!(field(text, "name", ':'), None);
    }
}
