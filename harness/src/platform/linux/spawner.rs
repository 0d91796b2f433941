//! The thread that starts all child processes.
//!
//! On Linux a child can request a signal at its parent's death (PR_SET_PDEATHSIG), but the parent
//! is the *thread* that started it. So one thread starts all children and runs until the harness
//! ends.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::platform::start::started;
use crate::platform::unix::escaped;

struct Order {
    command: Command,
    reply: SyncSender<io::Result<Child>>,
}

/// Starts a child that the kernel kills when the harness ends.
pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    static ORDERS: OnceLock<Option<Sender<Order>>> = OnceLock::new();
    let orders = ORDERS.get_or_init(|| {
        let (sender, orders) = channel();
        let thread = thread::Builder::new().name("spawner".to_owned());
        thread.spawn(move || serve(&orders)).ok().map(|_never_ends| sender)
    });
    // Without a thread of its own (there may be no more threads) children do without the tie.
    let Some(orders) = orders else { return command.spawn() };
    tie_to_this_process(&mut command);
    set_affinity_of_caller(&mut command);
    let gone = || io::Error::other("the thread that starts processes is gone");
    let (reply, answer) = sync_channel(1);
    orders.send(Order { command, reply }).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

fn serve(orders: &Receiver<Order>) {
    for Order { mut command, reply } in orders {
        escaped::end_those_of_ended_engines();
        // The caller waits for the answer.
        let _ = reply.send(started(&mut command));
    }
}

/// A child inherits the CPU affinity of the thread that starts it, not of the caller.
fn set_affinity_of_caller(command: &mut Command) {
    if let Ok(processors) = rustix::thread::sched_getaffinity(None) {
        let run_there = move || Ok(rustix::thread::sched_setaffinity(None, &processors)?);
        // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
        // allowed; it makes the one system call sched_setaffinity.
        unsafe { command.pre_exec(run_there) };
    }
}

fn tie_to_this_process(command: &mut Command) {
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
    // allowed; it makes the one system call prctl.
    unsafe {
        use rustix::process::{Signal, set_parent_process_death_signal};
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?));
    }
}
