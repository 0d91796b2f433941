//! Transcript of the UCI conversation with an engine, from its start.

use harness_base::sync::lock;
use std::fmt::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Lines kept of an engine's output between two commands; of a longer output, the beginning and
/// the last line.
const LINES: usize = 200;
/// Bytes kept of a line that the engine printed.
const LINE: usize = 400;
/// Shortest pause between two commands that the shell command repeats.
const PAUSE: Duration = Duration::from_millis(20);

/// A line with its direction and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Sent to the engine; else received from it.
    pub sent: bool,
    /// The line without its end.
    pub line: Vec<u8>,
    /// Since the start of the process.
    pub at: Duration,
}

/// The conversation, shared by the process and its readers.
#[derive(Debug)]
pub struct Transcript {
    begun: Instant,
    entries: Mutex<Vec<Entry>>,
}

impl Default for Transcript {
    fn default() -> Self {
        Transcript { begun: Instant::now(), entries: Mutex::default() }
    }
}

impl Transcript {
    /// Notes commands as they were written, one a line.
    pub(super) fn sent(&self, bytes: &[u8]) {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        for line in bytes.split(|&byte| byte == b'\n') {
            self.push(true, line);
        }
    }

    /// Notes a line that the engine printed.
    pub(super) fn received(&self, line: &[u8]) {
        self.push(false, &line[..line.len().min(LINE)]);
    }

    fn push(&self, sent: bool, line: &[u8]) {
        let mut entries = lock(&self.entries);
        let since = entries.iter().rev().take_while(|entry| !entry.sent).take(LINES).count();
        if !sent && since == LINES {
            entries.pop();
        }
        entries.push(Entry { sent, line: line.to_vec(), at: self.begun.elapsed() });
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        lock(&self.entries).len()
    }

    /// Whether it has no lines.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All lines.
    pub fn entries(&self) -> Vec<Entry> {
        lock(&self.entries).clone()
    }

    /// Time since the start of the process.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}

/// A shell command that sends the same lines to an engine with the same pauses, and then waits for
/// `end`: `(printf 'uci\n'; sleep 0.1; printf 'go depth 5\n'; sleep 2) | ENGINE`.
pub fn shell_command(entries: &[Entry], end: Duration, engine: &str) -> String {
    let mut text = String::from("(");
    let mut before: Option<Duration> = None;
    for entry in entries.iter().filter(|entry| entry.sent) {
        match before {
            None => text.push_str("printf '"),
            Some(before) if entry.at.saturating_sub(before) >= PAUSE => {
                let pause = entry.at.saturating_sub(before);
                let _ = write!(text, "'; sleep {}; printf '", seconds(pause));
            }
            Some(_) => {}
        }
        escape(&entry.line, &mut text);
        text.push_str("\\n");
        before = Some(entry.at);
    }
    let rest = end.saturating_sub(before.unwrap_or_default()).max(Duration::from_secs(1));
    let quote = if before.is_some() { "'; " } else { "" };
    let _ = write!(text, "{quote}sleep {}) | {engine}", seconds(rest));
    text
}

/// Seconds, rounded up to tenths.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).ceil() / 10.0
}

/// A line as the format of `printf` within single quotes.
fn escape(line: &[u8], text: &mut String) {
    for &byte in line {
        match byte {
            b'%' => text.push_str("%%"),
            b'\\' => text.push_str("\\\\"),
            b'\'' => text.push_str("'\\''"),
            b'\t' => text.push_str("\\t"),
            b'\r' => text.push_str("\\r"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(line: &str, milliseconds: u64) -> Entry {
        let at = Duration::from_millis(milliseconds);
        Entry { sent: true, line: line.as_bytes().to_vec(), at }
    }

    #[test]
    fn the_shell_sends_the_same_bytes() {
        let lines = ["uci", "100% 'quoted' \\n", "\t\u{1}\u{e9}\r", "quit"];
        let entries: Vec<Entry> =
            lines.iter().zip([0, 0, 100, 100]).map(|(line, at)| sent(line, at)).collect();
        let command = shell_command(&entries, Duration::ZERO, "cat").replace("sleep 1", "true");
        let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
        assert_eq!(output.stdout, format!("{}\n", lines.join("\n")).into_bytes(), "{command}");
    }

    #[test]
    fn pauses_are_kept_and_the_engine_gets_time_to_answer() {
        let entries = [sent("uci", 0), sent("go infinite", 5), sent("stop", 1_010)];
        assert_eq!(
            shell_command(&entries, Duration::from_millis(3_300), "./engine"),
            "(printf 'uci\\ngo infinite\\n'; sleep 1.1; printf 'stop\\n'; sleep 2.3) | ./engine"
        );
    }

    #[test]
    fn a_flood_is_cut_in_the_middle() {
        let transcript = Transcript::default();
        transcript.sent(b"uci\nisready\n");
        for number in 0..1_000 {
            transcript.received(format!("line {number}").as_bytes());
        }
        let entries = transcript.entries();
        assert_eq!(entries.len(), 2 + LINES);
        assert_eq!(entries.last().unwrap().line, b"line 999");
    }
}
