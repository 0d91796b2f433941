//! Description of the machine of a run.

use std::thread;

use serde::{Deserialize, Serialize};

use harness_base::platform;

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
        Machine {
            cpu: platform::processor().unwrap_or_else(|| "unknown".to_owned()),
            cores: thread::available_parallelism().map_or(1, usize::from),
            memory_mib: platform::memory_mib(),
            os: format!("{} {}", platform::operating_system(), std::env::consts::ARCH),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_core() {
        assert!(Machine::this().cores >= 1);
    }
}
