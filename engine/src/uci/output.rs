//! Unbuffered, line-wise output to standard output and standard error.

#![allow(clippy::disallowed_methods, reason = "failed writes are handled here")]

use std::io::{self, ErrorKind, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The sink of responses, shared by the session and the worker.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<dyn Write + Send>>);

impl Output {
    pub fn new(sink: impl Write + Send + 'static) -> Output {
        Output(Arc::new(Mutex::new(sink)))
    }

    pub fn standard() -> Output {
        Output::new(io::stdout())
    }

    /// Writes a line, or several, at once. Failures are ignored: without a reader, the end of the input ends the
    /// program.
    pub fn line(&self, text: &str) {
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = sink.write_all(format!("{text}\n").as_bytes()).and_then(|()| sink.flush());
    }

    /// Writes `info string`.
    pub fn info(&self, text: &str) {
        self.line(&format!("info string {}", text.replace(['\r', '\n'], " ")));
    }
}

/// A received text, cut to a length that fits into a response.
pub(super) fn shortened(text: &str) -> String {
    const MAX: usize = 60;
    match text.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Writes the result of a command to standard output.
///
/// # Errors
/// If it cannot be written; a closed pipe (`| head`) is no error.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a line to standard error. A failure is ignored: there is no other stream to report it on.
pub fn message(text: &str) {
    let mut out = io::stderr().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
