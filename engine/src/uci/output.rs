//! Lines to standard output, whole and at once.

use std::io::{self, Write};

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
