//! What every run needs, and what every command adds: where reports go, how to print, whether to stop.

use std::fs::File;
use std::io;
use std::ops::{ControlFlow, Deref};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use serde_json::json;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::failure::{Failure, OrFail};
use crate::output;
use crate::text::shell_words;

/// What every run needs.
#[derive(Clone)]
pub struct Session {
    /// Folder of the ledger and of the runs.
    pub reports: PathBuf,
    /// Probe engines before a run.
    pub probe: bool,
    /// Show results only: no progress, no messages of builds.
    pub quiet: bool,
    /// Set when the run is to stop: by Ctrl-C, SIGTERM and SIGHUP in a command.
    pub interrupt: Interrupt,
}

/// What every command shares.
pub struct Context {
    /// What its runs need.
    pub session: Session,
    /// Print exactly one JSON object on standard output.
    pub json: bool,
}

/// A command has what a run needs.
impl Deref for Context {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Context {
    /// Writes a result to standard output. A reader that has gone away (`| head`) is no error.
    ///
    /// # Errors
    /// When it cannot be written; a terminal that was closed counts as an interrupt.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        match output::result(text) {
            Err(_) if self.interrupt.is_set() => {
                Err(Failure::Interrupted("the result could not be shown any more".to_owned()))
            }
            printed => printed.or_failed(),
        }
    }

    /// Writes a result: with `--json` the value as one object, otherwise its text.
    ///
    /// # Errors
    /// As [`Context::print`].
    pub fn show(
        &self,
        value: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        self.print(&if self.json { format!("{}\n", json!(value)) } else { text() })
    }

    /// Writes a warning to standard error, unless `--quiet`.
    pub fn warn(&self, text: &str) {
        self.say(&format!("warning: {text}"));
    }

    /// Writes a message to standard error, unless `--quiet`.
    pub fn say(&self, text: &str) {
        if !self.quiet {
            output::message(text);
        }
    }
}

/// Commands of ours that look into the reports folder, as hints name them.
const READ_REPORTS: [&str; 6] = ["resume", "report", "runs", "history", "data view", "tune apply"];

/// The folder where runs are kept unless another is named.
pub const DEFAULT_REPORTS: &str = "reports";

impl Session {
    /// A hint with `--reports DIR` in each of our commands that looks into the reports folder
    /// (`` `harness resume last` ``), unless it is the default: a hint can be copied as it
    /// is.
    pub fn hint(&self, text: &str) -> String {
        let folder = self.reports.to_string_lossy();
        if folder == DEFAULT_REPORTS {
            return text.to_owned();
        }
        let folder = shell_words([folder]);
        let mut parts = text.split("`harness ");
        let mut hint = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            hint.push_str("`harness ");
            let reads = |command: &str| {
                part.strip_prefix(command).is_some_and(|rest| rest.starts_with([' ', '`']))
            };
            if READ_REPORTS.iter().any(|command| reads(command)) {
                hint.push_str(&format!("--reports {folder} "));
            }
            hint.push_str(part);
        }
        hint
    }
}

/// Whether the user interrupted the run. Cheap to clone and to check.
///
/// The file descriptor becomes readable, and stays so, once the flag is set, so that a thread
/// that waits for an engine with `poll` can wait for both.
#[derive(Clone)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    readable: Arc<OwnedFd>,
    /// Held so that `readable` does not report a hang-up, which would look like an interrupt.
    writable: Arc<OwnedFd>,
}

impl Interrupt {
    /// Installs handlers for SIGINT, SIGTERM and SIGHUP.
    ///
    /// A second SIGINT ends the process at once, for the case that the orderly end hangs.
    ///
    /// # Errors
    /// When the operating system refuses a pipe or a handler.
    pub fn install() -> io::Result<Interrupt> {
        let (readable, writable) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let writable = Arc::new(writable);
        let flag = Arc::new(AtomicBool::new(false));
        // Order matters: the conditional shutdown looks at the flag before it is set below.
        signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&flag))?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
            signal_hook::low_level::pipe::register(signal, File::from(writable.try_clone()?))?;
        }
        Ok(Interrupt { flag, readable: Arc::new(readable), writable })
    }

    /// One that only [`Interrupt::set`] sets; for tests and for library use.
    ///
    /// # Errors
    /// When the operating system refuses a pipe.
    pub fn manual() -> io::Result<(Interrupt, InterruptSetter)> {
        let (readable, writable) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let flag = Arc::new(AtomicBool::new(false));
        let (readable, writable) = (Arc::new(readable), Arc::new(writable));
        let interrupt = Interrupt { flag, readable, writable };
        Ok((interrupt.clone(), InterruptSetter { interrupt }))
    }

    /// Whether to stop.
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// [`ControlFlow::Break`] when it is set, for what asks whether to go on.
    pub fn flow(&self) -> ControlFlow<()> {
        if self.is_set() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The flag behind [`Interrupt::is_set`], for code that looks at it often.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// Readable once [`Interrupt::is_set`]; never read from it.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.readable.as_fd()
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
        // A full pipe is readable already.
        let _ = rustix::io::write(&self.interrupt.writable, b"x");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_the_folder_where_a_command_looks_into_it() {
        let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
        let mut context =
            Session { reports: PathBuf::from("my runs"), probe: true, quiet: true, interrupt };
        for (plain, named) in [
            ("then `harness resume last` goes on", "`harness --reports 'my runs' resume last`"),
            ("`harness runs` lists them", "`harness --reports 'my runs' runs`"),
            ("`harness data view RUN`", "`harness --reports 'my runs' data view RUN`"),
            ("`harness check ENGINE` shows it", "`harness check ENGINE`"),
            ("`harness runsheet`", "`harness runsheet`"),
        ] {
            assert!(context.hint(plain).contains(named), "{}", context.hint(plain));
        }
        context.reports = PathBuf::from(DEFAULT_REPORTS);
        assert_eq!(context.hint("`harness runs`"), "`harness runs`");
    }
}
