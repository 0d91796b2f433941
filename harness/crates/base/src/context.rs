//! The context of a command: a run's session, and how to print.

use std::ops::Deref;
use std::sync::Arc;

use serde::Serialize;

use crate::failure::{Exit, Failure, OrFail};
use crate::hooks::Hooks;
use crate::output;
pub use crate::session::{DEFAULT_REPORTS, Interrupt, InterruptSetter, Session};

/// Shared context of all commands.
pub struct Context {
    /// Session of its runs.
    pub session: Session,
    /// Print exactly one JSON object on standard output.
    pub json: bool,
    /// Commands that get events of its runs. The end of the last holder waits for them.
    pub hooks: Arc<Hooks>,
}

impl Deref for Context {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Context {
    /// Writes a result to standard output. A reader that has gone away (`| head`) is no error. The
    /// exit status is good: that of a result without a verdict.
    ///
    /// # Errors
    /// When it cannot be written; a terminal that was closed counts as an interrupt.
    pub fn print(&self, text: &str) -> Result<Exit, Failure> {
        match output::result(text) {
            Err(_) if self.interrupt.is_set() => {
                Err(Failure::Interrupted("the result could not be shown any more".to_owned()))
            }
            printed => printed.map(|()| Exit::Good).or_failed(),
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
    ) -> Result<Exit, Failure> {
        if !self.json {
            return self.print(&text());
        }
        let value = serde_json::to_value(value).map_err(|error| {
            Failure::Failed(miette::miette!("the result cannot be written as JSON: {error}"))
        })?;
        self.print(&format!("{value}\n"))
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
