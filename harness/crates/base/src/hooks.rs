//! Hooks: commands of the user that get the events of runs.
//!
//! Each hook has a thread and a queue of its own, so that neither a run nor another hook waits for it. The
//! commands of a `harness.yaml` are [`allowed`] by the user, or not run.

pub mod allowed;
mod delivery;
mod queue;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use self::delivery::Delivery;
pub use self::delivery::{DeliveryError, deliver};
use self::queue::Queue;
use crate::config::{Hook, HookEvent};
use crate::sync::lock;

/// Set for a hook: its event. A harness that a hook starts runs no hooks of `harness.yaml`.
pub const EVENT_VARIABLE: &str = "TENCH_EVENT";

/// Set for a hook: the run.
pub const RUN_VARIABLE: &str = "TENCH_RUN";

/// An event as a hook gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The event.
    pub event: HookEvent,
    /// The run.
    pub run: String,
    /// The object, as one line.
    pub line: String,
}

/// A hook with the folder in which its command runs.
#[derive(Clone, Debug)]
pub struct PlacedHook {
    /// The hook.
    pub hook: Hook,
    /// The folder; `None`: the current one.
    pub folder: Option<PathBuf>,
}

/// The hooks of this process. When it is dropped, it waits for what is still to be delivered: as long as
/// the hook that may take longest, and no longer.
#[derive(Default)]
pub struct Hooks {
    running: Mutex<Vec<RunningHook>>,
    /// The user wants no others.
    refuses_more: AtomicBool,
    /// There was an event.
    had_event: AtomicBool,
}

struct RunningHook {
    hook: Hook,
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

impl Hooks {
    /// Starts a thread for each hook.
    pub fn add(&self, hooks: impl IntoIterator<Item = PlacedHook>) {
        for placed in hooks {
            let queue = Arc::<Queue>::default();
            let hook = placed.hook.clone();
            let delivery = Delivery { placed, queue: Arc::clone(&queue) };
            let thread = thread::Builder::new().name("hook".to_owned());
            match thread.spawn(move || delivery.run()) {
                Ok(thread) => {
                    lock(&self.running).push(RunningHook { hook, queue, thread: Some(thread) });
                }
                Err(error) => {
                    tracing::warn!("the hook `{}` is not run: {error}", hook.command);
                }
            }
        }
    }

    /// The user wants no others than those that are there.
    pub fn refuse_more(&self) {
        self.refuses_more.store(true, Ordering::Relaxed);
    }

    /// Whether the user wants no others than those that are there.
    pub fn takes_no_more(&self) -> bool {
        self.refuses_more.load(Ordering::Relaxed)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        lock(&self.running).is_empty()
    }

    /// Whether a hook gets progress when this much is done, and that much was before.
    pub fn want_progress(&self, before: u64, done: u64) -> bool {
        lock(&self.running).iter().any(|running| running.hook.wants_progress(before, done))
    }

    /// Whether there are hooks, and there was no event for any.
    pub fn were_idle(&self) -> bool {
        !self.is_empty() && !self.had_event.load(Ordering::Relaxed)
    }

    /// Passes an event to the hooks that want it; waits for none of them.
    pub fn tell(&self, notice: &Notice) {
        self.tell_if(notice, |hook| hook.wants(notice.event));
    }

    /// As [`tell`](Self::tell), of progress from `before` to `done`.
    pub fn tell_progress(&self, notice: &Notice, before: u64, done: u64) {
        self.tell_if(notice, |hook| hook.wants_progress(before, done));
    }

    fn tell_if(&self, notice: &Notice, wants: impl Fn(&Hook) -> bool) {
        self.had_event.store(true, Ordering::Relaxed);
        for running in lock(&self.running).iter().filter(|running| wants(&running.hook)) {
            running.queue.push(notice.clone());
        }
    }
}

impl Drop for Hooks {
    fn drop(&mut self) {
        let mut running = std::mem::take(&mut *lock(&self.running));
        for hook in &running {
            hook.queue.close(Duration::from_secs(hook.hook.timeout.into()));
        }
        for hook in &mut running {
            // Its panic is not passed on: this is `drop`.
            let _ = hook.thread.take().map(JoinHandle::join);
        }
    }
}
