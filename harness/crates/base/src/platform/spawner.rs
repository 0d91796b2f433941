//! The thread that starts all child processes.
//!
//! On Linux a child can request a signal at its parent's death (PR_SET_PDEATHSIG), as the sandbox of
//! engines does, but the parent is the *thread* that started it. So one thread starts all children and
//! runs until the harness ends.

use std::io;
use std::process::{Child, Command};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

/// Starts of a program that is busy.
const BUSY_TRIES: u32 = 20;

/// Wait between two starts.
const BUSY_WAIT: Duration = Duration::from_millis(10);

struct Order {
    command: Command,
    reply: SyncSender<io::Result<Child>>,
}

/// Starts a child by the thread that does so until this process ends.
pub(super) fn spawn(mut command: Command) -> io::Result<Child> {
    static ORDERS: OnceLock<Option<Sender<Order>>> = OnceLock::new();
    let orders = ORDERS.get_or_init(|| {
        let (sender, orders) = channel();
        let thread = thread::Builder::new().name("spawner".to_owned());
        thread.spawn(move || serve(&orders)).ok().map(|_never_ends| sender)
    });
    // Where there may be no more threads, a child is not tied to this process.
    let Some(orders) = orders else { return command.spawn() };
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    super::system::tree::tie(&mut command);
    let gone = || io::Error::other("the thread that starts processes is gone");
    let (reply, answer) = sync_channel(1);
    orders.send(Order { command, reply }).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

fn serve(orders: &Receiver<Order>) {
    for Order { mut command, reply } in orders {
        #[cfg(unix)]
        super::unix::escaped::end_those_of_ended_engines();
        // The caller waits for the answer.
        let _ = reply.send(started(&mut command));
    }
}

/// A program that was just written can be busy for a moment (ETXTBSY): a child that another thread
/// has forked holds the descriptor it was written through, until it calls exec.
fn started(command: &mut Command) -> io::Result<Child> {
    for _ in 0..BUSY_TRIES {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                thread::sleep(BUSY_WAIT);
            }
            started => return started,
        }
    }
    command.spawn()
}
