//! The session of a run: the folder of reports, and whether to stop.

use std::fmt::Display;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::address::{Credentials, GivenAddress, ParseAddressError, ServerAddress};
pub use crate::hint::DEFAULT_REPORTS;
use crate::hint::{ReportsCommand, command_on};
use crate::platform::{Wakeup, on_end_signals};
use crate::secret::Key;

/// A server by way of which workers on other machines are reached, and what is shown to it.
#[derive(Clone, Debug)]
pub struct ClusterAddress {
    /// Where it is.
    pub server: ServerAddress,
    /// Of the command line; `None`: those of the environment, or of a server of this machine.
    pub credentials: Option<Credentials>,
    /// Who named it.
    pub named_by: NamedBy,
}

/// Who named the address of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy {
    /// The user, on the command line or in code.
    User,
    /// A `harness.yaml`, which may be that of a foreign repository: it does not decide who gets a
    /// token.
    File,
}

impl ClusterAddress {
    /// Named by the user, with these credentials.
    pub fn new(server: ServerAddress, credentials: Option<Credentials>) -> ClusterAddress {
        ClusterAddress { server, credentials, named_by: NamedBy::User }
    }

    /// Named by the user, with the text of a token.
    pub fn with_token(server: ServerAddress, token: &str) -> ClusterAddress {
        let key = Key::new(token.to_owned());
        ClusterAddress::new(server, Some(Credentials::Token(key)))
    }
}

impl From<GivenAddress> for ClusterAddress {
    fn from(given: GivenAddress) -> ClusterAddress {
        ClusterAddress::new(given.server, given.credentials)
    }
}

/// The workers that play instead of this process.
#[derive(Clone)]
pub struct Remote {
    /// Their server.
    pub address: ClusterAddress,
    /// Share of them, against other runs: one of 2 gets twice the cores of one of 1.
    pub priority: f64,
    /// Reference speed of their time limits.
    pub scaling: Scaling,
    /// They build engines of revisions themselves.
    pub sources: bool,
    /// Share of the tasks at fixed nodes or depth that this machine does again, to find workers that lie.
    pub verify: f64,
    /// Engines may be started on this machine, too: to be probed, and to verify what workers return.
    pub starts_here: bool,
}

/// Reference speed of time limits, on workers of different speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scaling {
    /// Nothing: each worker plays them as they are.
    Off,
    /// The speed of this machine, with all its cores at work.
    Here,
    /// This speed, in nodes a second of the linked engine on one core.
    To(f64),
}

/// Where a run is played, as the command line says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In this process.
    Here,
    /// By the workers of a server at this address.
    Server(GivenAddress),
}

impl FromStr for Place {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Place, ParseAddressError> {
        if text == "here" { Ok(Place::Here) } else { text.parse().map(Place::Server) }
    }
}

/// Folder of reports, workers and interrupt of a run.
#[derive(Clone)]
pub struct Session {
    /// Folder of the ledger and of the runs.
    pub reports: PathBuf,
    /// Probe engines before a run.
    pub probe: bool,
    /// Show results only: no progress, no messages of builds.
    pub quiet: bool,
    /// Workers that play instead of this process; `None`: it plays itself.
    pub on: Option<Remote>,
    /// Set when the run is to stop: by Ctrl-C, SIGTERM and SIGHUP in a command.
    pub interrupt: Interrupt,
}

impl Session {
    /// A command on the reports folder of this session, for a hint.
    pub fn command<A: Display>(
        &self,
        command: &'static str,
        arguments: A,
    ) -> ReportsCommand<'_, A> {
        command_on(&self.reports, command, arguments)
    }
}

/// Whether the user interrupted the run. Cheap to clone and to check.
///
/// A thread that waits for an engine waits for the wake-up, too, which is set with the flag.
#[derive(Clone)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    /// No further game is begun; those in progress are played to their end.
    finishing: Arc<AtomicBool>,
    /// Nothing is waited for, also where the first request is to end in order.
    leaving: Arc<AtomicBool>,
    wakeup: Wakeup,
}

impl Interrupt {
    /// Installs handlers for Ctrl-C, and for the system's requests to end.
    ///
    /// A second Ctrl-C ends the process at once, for the case that the orderly end hangs.
    ///
    /// # Errors
    /// When the operating system refuses a wake-up or a handler.
    pub fn install() -> io::Result<Interrupt> {
        let interrupt = Interrupt::new()?;
        on_end_signals(&interrupt.flag, &interrupt.wakeup)?;
        crate::input::stop_waiting_at(Arc::clone(&interrupt.flag));
        Ok(interrupt)
    }

    /// A value that sets it, as a signal would.
    pub fn setter(&self) -> InterruptSetter {
        InterruptSetter { interrupt: self.clone() }
    }

    /// One that only [`InterruptSetter::set`] sets; for tests and for library use.
    ///
    /// # Errors
    /// When the operating system refuses a wake-up.
    pub fn manual() -> io::Result<(Interrupt, InterruptSetter)> {
        let interrupt = Interrupt::new()?;
        Ok((interrupt.clone(), InterruptSetter { interrupt }))
    }

    fn new() -> io::Result<Interrupt> {
        let (flag, finishing, leaving) = Default::default();
        Ok(Interrupt { flag, finishing, leaving, wakeup: Wakeup::new()? })
    }

    /// Whether to begin nothing more: what is in progress is finished and kept, and the run then
    /// ends as interrupted.
    pub fn is_finishing(&self) -> bool {
        self.finishing.load(Ordering::Relaxed) || self.is_set()
    }

    /// Asks the run to end after what is in progress; for all clones.
    pub fn finish(&self) {
        self.finishing.store(true, Ordering::Relaxed);
    }

    /// Asks the run to end without waiting for anything, as a second Ctrl-C does; for all clones.
    pub fn leave_at_once(&self) {
        self.leaving.store(true, Ordering::Relaxed);
        self.setter().set();
    }

    /// Whether nothing is waited for, in a run whose games take their time to end: a bot's.
    pub fn leaves_at_once(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }

    /// Whether to stop.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// [`ControlFlow::Break`] when it is set.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The flag behind [`Interrupt::is_set`], for code that looks at it often.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// Waits until it is set.
    pub fn wait(&self) {
        while !self.is_set() {
            self.wakeup.wait();
        }
    }

    /// Waits until it or another is set.
    pub fn wait_for_either(&self, other: &Interrupt) {
        while !self.is_set() && !other.is_set() {
            self.wakeup.wait_for_either(&other.wakeup);
        }
    }

    /// Set once [`Interrupt::is_set`].
    pub fn wakeup(&self) -> &Wakeup {
        &self.wakeup
    }
}

/// Sets an [`Interrupt`] that was made by hand.
#[derive(Clone)]
pub struct InterruptSetter {
    interrupt: Interrupt,
}

impl InterruptSetter {
    /// Sets the interrupt for all its clones.
    pub fn set(&self) {
        self.interrupt.flag.store(true, Ordering::Relaxed);
        self.interrupt.wakeup.set();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_played_here_or_by_way_of_a_server() {
        assert_eq!("here".parse(), Ok(Place::Here));
        let server = |text: &str| match text.parse() {
            Ok(Place::Server(given)) => given.server.to_string(),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(server("box"), "nats://box:4222");
        assert_eq!(server("nats://me:hush@box:1"), "nats://box:1");
        assert!("".parse::<Place>().is_err());
    }
}
