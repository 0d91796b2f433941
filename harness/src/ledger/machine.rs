//! Description of the machine of a run.

use std::fs;
use std::thread;

use serde::{Deserialize, Serialize};

/// Hardware and system that affect results, without identification: no host name, no user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor, as it names itself.
    pub cpu: String,
    /// Logical processors that this process may use.
    pub cores: usize,
    /// Memory, in MiB; `None`: unknown.
    pub memory_mib: Option<u64>,
    /// Operating system and kernel.
    pub os: String,
}

impl Machine {
    /// The machine this runs on; `unknown` where it cannot be determined.
    pub fn this() -> Machine {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let unknown = || "unknown".to_owned();
        let cpuinfo = read("/proc/cpuinfo");
        let memory = field(&read("/proc/meminfo"), "MemTotal", ':')
            .and_then(|amount| amount.trim_end_matches("kB").trim().parse::<u64>().ok());
        let system = field(&read("/etc/os-release"), "PRETTY_NAME", '=')
            .unwrap_or_else(|| std::env::consts::OS.to_owned());
        let kernel = read("/proc/sys/kernel/osrelease");
        Machine {
            cpu: field(&cpuinfo, "model name", ':').unwrap_or_else(unknown),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_mib: memory.map(|kib| kib / 1024),
            os: format!("{system} {} {}", kernel.trim(), std::env::consts::ARCH),
        }
    }
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
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t\t: 85\nmodel name\t: Some CPU @ 3 GHz: fast\n";
        assert_eq!(field(text, "model name", ':').as_deref(), Some("Some CPU @ 3 GHz: fast"));
        assert_eq!(field("PRETTY_NAME=\"A B\"", "PRETTY_NAME", '=').as_deref(), Some("A B"));
        assert_eq!(field(text, "name", ':'), None);
    }

    #[test]
    fn this_machine_has_a_core() {
        assert!(Machine::this().cores >= 1);
    }
}
