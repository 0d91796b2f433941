//! `--affinity`: each game on a processor of its own.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use harness_base::platform::{pin_this_thread, share_a_core, usable};

thread_local! {
    static PINNED: Cell<bool> = const { Cell::new(false) };
}

/// Pins threads to a processor each, physical cores first. An engine inherits the affinity of the
/// thread that starts it.
pub struct Pins {
    cpus: Vec<usize>,
    next: AtomicUsize,
}

impl Pins {
    /// Of the processors that this process may use.
    pub fn new() -> Pins {
        let cpus = physical_first(&usable(), &share_a_core);
        if cpus.is_empty() {
            tracing::warn!("--affinity: this system keeps no thread on a processor");
        }
        Pins { cpus, next: AtomicUsize::new(0) }
    }

    /// Pins the calling thread to the next processor, once. With more threads than processors
    /// several share one. Where the system refuses, it stays unpinned.
    pub fn pin_this_thread(&self) {
        if self.cpus.is_empty() || PINNED.replace(true) {
            return;
        }
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = pin_this_thread(&[self.cpus[turn % self.cpus.len()]]) {
            tracing::warn!("--affinity: the system refuses: {error}");
        }
    }
}

/// The first processor of each core, then the second of each, and so on.
fn physical_first(cpus: &[usize], core: &dyn Fn(usize) -> Option<String>) -> Vec<usize> {
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut ranked: Vec<(usize, usize)> = cpus
        .iter()
        .map(|&cpu| {
            let core = core(cpu).unwrap_or_else(|| cpu.to_string());
            let rank = taken.entry(core).or_default();
            *rank += 1;
            (*rank, cpu)
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, cpu)| cpu).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn physical_cores_come_first() {
        let core = |cpu: usize| Some(format!("{},{}", cpu % 4, cpu % 4 + 4));
        assert_eq!(physical_first(&[0, 1, 4, 5, 6], &core), [0, 1, 6, 4, 5]);
        assert_eq!(physical_first(&[3, 1], &|_| None), [1, 3]);
    }

    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    #[test]
    fn a_thread_is_pinned_once_and_the_next_one_elsewhere() {
        let pins = Pins::new();
        let on = || {
            std::thread::scope(|scope| {
                let pinned = scope.spawn(|| {
                    pins.pin_this_thread();
                    pins.pin_this_thread();
                    usable()
                });
                pinned.join().expect("no panic")
            })
        };
        let (first, second) = (on(), on());
        assert_eq!(first, [pins.cpus[0]]);
        assert_eq!(second, [pins.cpus[1 % pins.cpus.len()]]);
    }
}
