//! What is written to standard output and standard error, whole and at once.

#![allow(clippy::disallowed_methods, reason = "here a failed write is looked after")]

use std::io::{self, ErrorKind, Write};

/// Writes a line. When nobody reads any more there is nothing left to do but go on until the end
/// of the input ends the program.
pub(super) fn line(text: &str) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Writes `info string`.
pub(super) fn info(text: &str) {
    line(&format!("info string {}", text.replace(['\r', '\n'], " ")));
}

/// Writes the result of a command to standard output.
///
/// # Errors
/// When it cannot be written; a reader that has gone away (`| head`) is no error.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a line to standard error. Where that fails, it cannot be told either.
pub fn message(text: &str) {
    let mut out = io::stderr().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
