//! The only place that writes to standard output and standard error.
//!
//! Results go to standard output, and a result that cannot be written is an error; only a reader
//! that has gone away (`| head`) is not. Messages and progress go to standard error, and nothing
//! depends on whether they arrive: `eprintln!` would panic when the disk is full or the terminal
//! is closed. Names and texts of engines and files reach the terminal through here, so that this
//! is also where their control characters are made visible.

#![allow(clippy::disallowed_methods, reason = "here they are looked after")]

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use miette::Diagnostic;
use thiserror::Error;

use crate::text::push_visible;
pub use crate::text::visible;

/// Whether anything was written to standard output.
static HAS_RESULTS: AtomicBool = AtomicBool::new(false);

/// A result that could not be written.
#[derive(Debug, Error, Diagnostic)]
#[error("cannot write to standard output: {0}")]
#[diagnostic(help("the command itself ran to its end; is the disk full?"))]
pub struct OutputError(#[source] io::Error);

/// Writes a result to standard output.
///
/// # Errors
/// [`OutputError`]; not when the reader closed the pipe.
pub fn result(text: &str) -> Result<(), OutputError> {
    let mut output = results();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(OutputError)
}

/// Standard output as a writer, for results too long to be held as one text.
pub fn results() -> impl Write + Send {
    Visible { sink: Read(io::stdout()), lead: None }
}

/// Standard output as it is, for data that must not be changed by a byte.
pub fn data() -> impl Write + Send {
    Read(io::stdout())
}

/// Clears the terminal that shows results, for a newer one; does nothing elsewhere.
///
/// # Errors
/// When it cannot be written.
pub fn clear_results() -> Result<(), OutputError> {
    if !results_are_seen() {
        return Ok(());
    }
    let mut terminal = data();
    terminal.write_all(b"\x1b[2J\x1b[H").and_then(|()| terminal.flush()).map_err(OutputError)
}

/// Whether anything was written to standard output.
pub fn has_results() -> bool {
    HAS_RESULTS.load(Ordering::Relaxed)
}

/// Waits until all of standard output is written.
///
/// # Errors
/// When it cannot be.
pub fn flush() -> io::Result<()> {
    io::stdout().flush()
}

/// Writes a line to standard error.
pub fn message(text: &str) {
    errors(&format!("{}\n", visible(text)));
}

/// Writes the text of an error or of a warning to standard error, which may be styled.
pub fn styled_message(text: &str) {
    errors(&format!("{}\n", keep_styles(text, styles_are_wanted())));
}

/// Standard error for the log.
pub fn log() -> impl Write {
    Log
}

/// Whether standard output is a terminal.
pub fn results_are_seen() -> bool {
    io::stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub fn messages_are_seen() -> bool {
    io::stderr().is_terminal()
}

/// As [`visible`], but sequences that set colours and weights stay where a terminal shows them,
/// and go where none does or the user wants none.
fn keep_styles(text: &str, wanted: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = style_length(rest).unwrap_or_else(|| {
            push_visible(&mut shown, letter);
            0
        });
        if wanted {
            shown.push_str(&rest[..length]);
        }
        rest = &rest[length.max(letter.len_utf8())..];
    }
    shown
}

/// Whether messages may have colours and weights; see <https://no-color.org>.
fn styles_are_wanted() -> bool {
    messages_are_seen() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Bytes of the sequence that sets a style (SGR of ECMA-48), if the text begins with one.
fn style_length(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\x1b[")?;
    let end = parameters.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    parameters[end..].starts_with('m').then_some("\x1b[".len() + end + 1)
}

/// Writes to standard error and ignores a failure: there is no other stream to report it on.
fn errors(text: &str) {
    let mut output = io::stderr().lock();
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}

/// A writer to which a reader that has gone away is no error.
struct Read<W>(W);

impl<W: Write> Write for Read<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => {
                HAS_RESULTS.store(true, Ordering::Relaxed);
                written
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}

/// A writer of UTF-8 that makes control characters visible, as [`visible`] does.
struct Visible<W> {
    sink: W,
    /// The first byte of a character that may be a control character, when the write ended there.
    lead: Option<u8>,
}

/// First byte, in UTF-8, of the characters from U+0080 to U+00BF.
const LEAD: u8 = 0xc2;

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut shown = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            match (self.lead.take(), byte) {
                (Some(_), 0x80..=0x9f) => shown.extend(format!("\\u{byte:04x}").bytes()),
                (lead, byte) => {
                    shown.extend(lead);
                    match byte {
                        LEAD => self.lead = Some(LEAD),
                        b'\n' | b'\t' | 0x20..=0x7e | 0x80.. => shown.push(byte),
                        control => shown.extend(format!("\\u{control:04x}").bytes()),
                    }
                }
            }
        }
        self.sink.write_all(&shown)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(lead) = self.lead.take() {
            self.sink.write_all(&[lead])?;
        }
        self.sink.flush()
    }
}

struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        errors(&keep_styles(&text, styles_are_wanted()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_all_others_stay() {
        let cases = [
            ("a\x1b]0;x\x07b", "a\\u001b]0;x\\u0007b"),
            ("line\nand\ttab", "line\nand\ttab"),
            ("over\rwritten", "over\\u000dwritten"),
            ("\u{9b}31m", "\\u009b31m"),
            ("Capablanca ½–½ 象棋 é\u{a0}", "Capablanca ½–½ 象棋 é\u{a0}"),
            ("\x7f\0", "\\u007f\\u0000"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
            for size in 1..=text.len() {
                let mut written = Vec::new();
                let mut writer = Visible { sink: &mut written, lead: None };
                for part in text.as_bytes().chunks(size) {
                    writer.write_all(part).expect("a vector takes it");
                }
                writer.flush().expect("a vector takes it");
                assert_eq!(String::from_utf8_lossy(&written), shown, "in parts of {size}");
            }
        }
    }

    #[test]
    fn characters_of_direction_are_shown() {
        assert_eq!(visible("a\u{202e}b\u{2066}\u{2028}"), "a\\u202eb\\u2066\\u2028");
    }

    #[test]
    fn a_json_text_stays_the_same_value() {
        let value = serde_json::json!({ "name": "a\x1b]0;x\x07 \u{9b}31m \u{7f}\n" });
        let shown = visible(&value.to_string());
        assert!(!shown.contains(char::is_control), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"), value);
    }

    #[test]
    fn styles_stay_only_where_they_are_wanted() {
        let text = "\x1b[31mred\x1b[0m \x1b]0;x\x07";
        assert_eq!(keep_styles(text, true), "\x1b[31mred\x1b[0m \\u001b]0;x\\u0007");
        assert_eq!(keep_styles(text, false), "red \\u001b]0;x\\u0007");
    }

    #[test]
    fn only_sequences_that_set_a_style_are_taken_for_one() {
        let cases = [
            ("\x1b[1;31mred", Some(7)),
            ("\x1b[0m", Some(4)),
            ("\x1b[m", Some(3)),
            ("\x1b[2J", None),
            ("\x1b]0;x\x07", None),
            ("\x1b[31", None),
            ("plain", None),
        ];
        for (text, length) in cases {
            assert_eq!(style_length(text), length, "{text:?}");
        }
    }
}
