//! How busy the machine is with other things than the games.

use std::thread;
use std::time::Duration;

use harness_base::load::{Busy, Watch};
use harness_base::platform::load_average;

/// Tolerated load above the number of processors: the harness itself is not idle.
const SLACK: f64 = 0.5;

/// Processors in use by others that disturb no game.
const TOLERATED: f64 = 0.25;

/// The shortest time between two looks at the processes.
const INTERVAL: Duration = Duration::from_secs(1);

/// The machine that plays, as the progress of a run sees it.
pub struct Machine {
    crowding: Option<String>,
    watch: Watch,
    latest: Option<String>,
}

impl Machine {
    /// This one. `crowding`: the run itself asks for too much, in words; it is the only warning then.
    pub fn new(crowding: Option<String>) -> Machine {
        Machine { crowding, watch: Watch::default(), latest: None }
    }

    /// A warning if others take processor time from the games; `None` also if it is unknown.
    pub fn warning(&mut self) -> Option<String> {
        if self.crowding.is_some() {
            return self.crowding.clone();
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let load = load_average()?;
        if load <= cores as f64 + SLACK {
            self.watch.forget();
            self.latest = None;
            return None;
        }
        if let Some(busy) = self.watch.look(INTERVAL) {
            self.latest = warning_of(&busy, load, cores);
        }
        self.latest.clone()
    }
}

/// Load by others on a machine with this many cores, if it disturbs games.
fn warning_of(busy: &Busy, load: f64, cores: usize) -> Option<String> {
    let (who, used) = if busy.others >= TOLERATED {
        ("other programs use", busy.others)
    } else if busy.harness >= TOLERATED {
        ("other runs of the harness use", busy.harness)
    } else {
        return None;
    };
    let noun = if cores == 1 { "core" } else { "cores" };
    Some(format!("the load is {load:.1} on {cores} {noun}: {who} {used:.1} of them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_warning_says_whose_programs_run() {
        let warning = |harness, others| warning_of(&Busy { harness, others }, 5.21, 2);
        let says = |text: Option<String>, who: &str| text.is_some_and(|text| text.contains(who));
        assert!(says(warning(1.0, 1.4), "5.2 on 2 cores: other programs use 1.4 of them"));
        assert!(says(warning(1.0, 0.1), "other runs of the harness use 1.0"));
        assert_eq!(warning(0.1, 0.2), None);
    }
}
