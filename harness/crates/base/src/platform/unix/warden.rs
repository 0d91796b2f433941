//! A process that outlives the harness by an instant, to kill the engines it started.
//!
//! A harness that is killed cannot clean up. So it starts itself once more as a warden, which
//! holds the reading end of a pipe. Each child writes its process group into the pipe
//! before it executes the engine, and the harness removes the group when it has ended. When the
//! operating system closes the pipe, however the harness ended, the warden kills the remaining
//! groups, and what escaped from them.
//!
//! A warden that is killed is restarted and receives all groups. The harness holds a reading
//! end too, so that meanwhile no write fails with a broken pipe.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getpid, kill_process_group, setsid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::escaped;
use crate::sync::lock;

/// The hidden argument that makes the program a warden; the harness's id follows.
const ARGUMENT: &str = "__warden";

/// The program that is a warden when given [`ARGUMENT`].
static WARDEN: OnceLock<Warden> = OnceLock::new();

/// A program, and its arguments before [`ARGUMENT`].
struct Warden {
    program: PathBuf,
    arguments: Vec<OsString>,
}

/// The writing end to the warden, once it runs; `None` if there can be no warden.
static PIPE: OnceLock<Option<OwnedFd>> = OnceLock::new();

/// The registered groups. Locked while messages are written, so that a new warden receives no
/// group that ended meanwhile.
static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// After this many wardens in a row that end within `SHORT_RUN`, none is started.
const MAX_SHORT_RUNS: u32 = 5;
const SHORT_RUN: Duration = Duration::from_secs(1);

/// For the first line of `main`: serves as a warden and never returns, if started as one;
/// else makes this program the one that is started as a warden.
pub fn enter() {
    if std::env::args_os().nth(1).as_deref() == Some(OsStr::new(ARGUMENT)) {
        let harness = std::env::args_os().nth(2).unwrap_or_default();
        serve(&harness.to_string_lossy());
        std::process::exit(0);
    }
    let this_program = if cfg!(target_os = "linux") {
        // The link works even when the file was replaced by a newer build since.
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe().unwrap_or_default()
    };
    use_program(this_program);
}

/// Names the program to start as a warden, for a process whose `main` does not call [`enter`] (a
/// test). Only the first call counts. Without a warden, the engines of a killed process see only
/// that their input closed.
pub fn use_program(program: PathBuf) {
    use_command(program, Vec::new());
}

/// As [`use_program`], with arguments: for a library in the process of an interpreter, whose code
/// calls [`serve`].
pub fn use_command(program: PathBuf, arguments: Vec<OsString>) {
    let _ = WARDEN.set(Warden { program, arguments });
}

/// A message to the warden; one atomic write, so that writers do not interleave.
type Message = [u8; 5];

fn message(add: bool, group: Pid) -> Message {
    let [a, b, c, d] = group.as_raw_pid().to_ne_bytes();
    [u8::from(add), a, b, c, d]
}

/// The pipe to the warden; starts the warden at the first call.
pub fn pipe() -> Option<BorrowedFd<'static>> {
    PIPE.get_or_init(|| {
        start(WARDEN.get()?)
            .inspect_err(|error| {
                tracing::warn!("no warden: a killed harness may leave engines behind ({error})");
            })
            .ok()
    })
    .as_ref()
    .map(|pipe| pipe.as_fd())
}

/// Registers this process's group with the warden. Safe between fork and exec: two system
/// calls, no allocation, no lock.
pub fn register_this_process(pipe: BorrowedFd<'_>) {
    // A failed write is ignored: games continue without a warden.
    let _ = rustix::io::write(pipe, &message(true, getpid()));
}

/// Stores a group that registered itself, for the next warden.
pub fn register(group: Pid) {
    let mut groups = lock(&GROUPS);
    groups.insert(group.as_raw_pid());
    // Sent again, in case the warden that received it has ended.
    notify(true, group);
}

/// Unregisters a group that has ended.
pub fn unregister(group: Pid) {
    let mut groups = lock(&GROUPS);
    groups.remove(&group.as_raw_pid());
    notify(false, group);
}

fn notify(add: bool, group: Pid) {
    if let Some(Some(pipe)) = PIPE.get() {
        // Fails only where no warden could be started, which was logged then.
        let _ = rustix::io::write(pipe, &message(add, group));
    }
}

/// Starts a warden, and the thread that starts the next one should it end before the harness.
fn start(warden: &'static Warden) -> io::Result<OwnedFd> {
    let (readable, writable) = std::io::pipe()?;
    let readable = OwnedFd::from(readable);
    let writable = OwnedFd::from(writable);
    let first = start_one(warden, &readable)?;
    let thread = thread::Builder::new().name("warden".to_owned());
    thread.spawn(move || keep_one(warden, &readable, first))?;
    Ok(writable)
}

/// Replaces wardens that end. Never returns: the reading end must stay open.
fn keep_one(warden: &Warden, readable: &OwnedFd, mut running: Child) {
    let mut short_runs = 0;
    while short_runs < MAX_SHORT_RUNS {
        let started = Instant::now();
        if running.wait().is_err() {
            break;
        }
        short_runs = if started.elapsed() < SHORT_RUN { short_runs + 1 } else { 0 };
        let groups = lock(&GROUPS);
        let Ok(next) = start_one(warden, readable) else { break };
        running = next;
        for group in groups.iter().copied().filter_map(Pid::from_raw) {
            notify(true, group);
        }
    }
    tracing::warn!("no warden: a killed harness may leave processes of engines behind");
    loop {
        thread::park();
    }
}

fn start_one(warden: &Warden, readable: &OwnedFd) -> io::Result<Child> {
    let mut command = Command::new(&warden.program);
    command.args(&warden.arguments).args([ARGUMENT, escaped::this_harness()]).current_dir("/");
    command.stdin(readable.try_clone()?).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: the closure runs between fork and exec, where only async-signal-safe calls are
    // allowed; it makes the one system call setsid.
    unsafe {
        command.pre_exec(|| {
            // Out of reach of Ctrl-C and of a terminal that hangs up.
            setsid()?;
            Ok(())
        });
    }
    command.spawn()
}

/// Serves as the warden of a process: reads messages from the standard input until it closes, then
/// ends what is left. `harness` is the last argument that a warden is started with.
pub fn serve(harness: &str) {
    for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] {
        // The default would end the warden, and `kill harness` may well hit it too.
        let _ = signal_hook::flag::register(signal, AtomicBool::new(false).into());
    }
    let mut groups = BTreeSet::new();
    let mut input = io::stdin().lock();
    let mut message: Message = Default::default();
    while input.read_exact(&mut message).is_ok() {
        let [add, a, b, c, d] = message;
        let group = i32::from_ne_bytes([a, b, c, d]);
        if add == 1 {
            groups.insert(group);
        } else {
            groups.remove(&group);
        }
    }
    for group in groups.into_iter().filter(|&group| group > 1).filter_map(Pid::from_raw) {
        // Fails only if the group is empty.
        let _ = kill_process_group(group, Signal::KILL);
    }
    escaped::end_all_of(harness, |_| true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_fits_one_atomic_write_and_carries_the_group() {
        let [add, a, b, c, d] = message(true, Pid::from_raw(4_194_304).unwrap());
        assert_eq!((add, i32::from_ne_bytes([a, b, c, d])), (1, 4_194_304));
    }
}
