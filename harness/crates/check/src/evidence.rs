//! The conversation of a check, for people and for shells.

use std::fmt::Write;

use serde::Serialize;

use harness_base::text::{brief, shell_words};
use harness_player::transcript::{Entry, Transcript, shell_command};
use harness_player::{EngineSpec, Program};

/// Characters kept of a line.
const MAX_LINE_CHARS: usize = 160;
/// Characters of it on the terminal.
const SHOWN_CHARS: usize = 86;
/// Number of the last lines shown that were sent, and received.
const SENT_LINES: usize = 4;
const RECEIVED_LINES: usize = 3;
/// A longer command is not shown on the terminal.
const MAX_COMMAND: usize = 1_000;

/// The conversation of a check with the last process.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// Lines sent since the check began; long ones are cut.
    sent: Vec<String>,
    /// Lines received since then; long ones are cut.
    received: Vec<String>,
    /// A shell command that sends the same lines to the engine, from its start.
    by_hand: String,
    /// The lines in their order.
    #[serde(skip)]
    dialogue: Vec<Entry>,
}

impl Evidence {
    /// Of a process; the check began after `mark` lines.
    pub(super) fn new(spec: &EngineSpec, transcript: &Transcript, mark: usize) -> Evidence {
        let all = transcript.entries();
        let dialogue = all.get(mark..).unwrap_or_default().to_vec();
        let lines = |sent| {
            let of_it = dialogue.iter().filter(move |entry: &&Entry| entry.sent == sent);
            of_it.map(|entry| display_line(&entry.line)).collect()
        };
        let by_hand = shell_command(&all, transcript.elapsed(), &command_of(spec));
        Evidence { sent: lines(true), received: lines(false), by_hand, dialogue }
    }

    /// The last lines, and the command if it is short; indented.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let last = |lines: &[String], count: usize| lines.len().saturating_sub(count);
        for line in &self.sent[last(&self.sent, SENT_LINES)..] {
            let _ = writeln!(text, "    sent      {}", brief(line, SHOWN_CHARS));
        }
        for line in &self.received[last(&self.received, RECEIVED_LINES)..] {
            let _ = writeln!(text, "    received  {}", brief(line, SHOWN_CHARS));
        }
        let by_hand = match self.by_hand.len() {
            0..=MAX_COMMAND => &self.by_hand,
            _ => "--transcript FILE writes the commands, which are long",
        };
        let _ = writeln!(text, "    by hand   {by_hand}");
        text
    }

    /// The dialogue as comments of a shell script, and the command that repeats it.
    pub(super) fn script(&self) -> String {
        let mut text = String::new();
        for entry in &self.dialogue {
            let direction = if entry.sent { '>' } else { '<' };
            let _ = writeln!(text, "#   {direction} {}", display_line(&entry.line));
        }
        let _ = writeln!(text, "{}", self.by_hand);
        text
    }
}

/// A line with its control characters visible, cut where it is long.
fn display_line(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    match text.chars().count() {
        0..=MAX_LINE_CHARS => brief(&text, MAX_LINE_CHARS),
        count => format!("{} ({count} characters)", brief(&text, MAX_LINE_CHARS)),
    }
}

/// The shell command that starts the engine.
fn command_of(spec: &EngineSpec) -> String {
    let Program::Executable { path, args, dir, .. } = &spec.program else {
        return spec.name.clone();
    };
    let words = std::iter::once(path.display().to_string()).chain(args.iter().cloned());
    let command = shell_words(words);
    match dir {
        Some(dir) => format!("(cd {} && {command})", shell_words([dir.display().to_string()])),
        None => command,
    }
}
