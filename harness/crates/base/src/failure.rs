//! How a command ends: exit status, and the reason when there is no result.

use std::fmt;

use miette::{Diagnostic, MietteDiagnostic, Report};
use serde::Serialize;

use crate::text::cut;

/// Outcome of a command that ran to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Ran; passed, if it tests anything.
    Good,
    /// Ran; failed.
    Bad,
    /// Undecided within its budget.
    Undecided,
}

/// A command that ended without a result.
#[derive(Debug)]
pub enum Failure {
    /// Wrong usage or configuration: the user has to change something.
    Usage(Report),
    /// Something failed: an engine would not start, the disk is full.
    Failed(Report),
    /// Stopped by the user; what was done is kept. The text explains how to resume.
    Interrupted(String),
}

impl Exit {
    /// The exit status of the process.
    pub fn code(self) -> u8 {
        match self {
            Exit::Good => 0,
            Exit::Bad => 1,
            Exit::Undecided => 3,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(report) | Failure::Failed(report) => write!(f, "{report}"),
            Failure::Interrupted(text) => f.write_str(text),
        }
    }
}

/// Most characters of a message, or of its help.
const MAX_MESSAGE: usize = 4_000;

fn shorten(report: Report) -> Report {
    let help = report.help().map(|help| help.to_string());
    let message = report.to_string();
    let is_long = |text: &str| text.len() > MAX_MESSAGE && text.chars().nth(MAX_MESSAGE).is_some();
    if !is_long(&message) && !help.as_deref().is_some_and(is_long) {
        return report;
    }
    let mut short = MietteDiagnostic::new(cut(&message, MAX_MESSAGE));
    short.help = help.map(|help| cut(&help, MAX_MESSAGE));
    Report::new(short)
}

impl Failure {
    /// The same, cut where its message or its help is too long to be read.
    #[must_use]
    pub fn shortened(self) -> Failure {
        match self {
            Failure::Usage(report) => Failure::Usage(shorten(report)),
            Failure::Failed(report) => Failure::Failed(shorten(report)),
            interrupted => interrupted,
        }
    }

    /// The exit status of the process.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Failed(_) => 4,
            Failure::Interrupted(_) => 130,
        }
    }
}

/// The one object that `--json` prints where there is no result, under the key `error`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorObject {
    /// The error and its place.
    pub message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The errors that it sums up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<String>,
    /// The exit status.
    pub status: u8,
}

impl ErrorObject {
    /// A message and the exit status.
    pub fn new(message: String, status: u8) -> ErrorObject {
        ErrorObject { message, help: None, related: Vec::new(), status }
    }

    /// Of a command that ended without a result.
    pub fn from_failure(failure: &Failure) -> ErrorObject {
        let status = failure.code();
        match failure {
            Failure::Usage(report) | Failure::Failed(report) => ErrorObject {
                help: report.help().map(|help| help.to_string()),
                related: report.related().into_iter().flatten().map(ToString::to_string).collect(),
                ..ErrorObject::new(report.to_string(), status)
            },
            Failure::Interrupted(text) => ErrorObject {
                help: Some(text.clone()),
                ..ErrorObject::new("interrupted".to_owned(), status)
            },
        }
    }

    /// Of a command line that is not understood: its first paragraph says what is wrong.
    pub fn from_usage(text: &str, status: u8) -> ErrorObject {
        let text = text.trim().strip_prefix("error: ").unwrap_or(text.trim());
        let (message, help) = text.split_once("\n\n").unwrap_or((text, ""));
        let help = Some(help.trim().to_owned()).filter(|help| !help.is_empty());
        ErrorObject { help, ..ErrorObject::new(message.trim().to_owned(), status) }
    }

    /// As JSON: `{"error": {...}}`.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({ "error": self })
    }
}

/// Converts a typed error into a [`Failure`].
pub trait OrFail<T> {
    /// A usage error (exit status 2).
    fn or_usage(self) -> Result<T, Failure>;
    /// A failure of a valid request (exit status 4).
    fn or_failed(self) -> Result<T, Failure>;
}

impl<T, E: Diagnostic + Send + Sync + 'static> OrFail<T> for Result<T, E> {
    fn or_usage(self) -> Result<T, Failure> {
        self.map_err(|error| Failure::Usage(Report::new(error)))
    }

    fn or_failed(self) -> Result<T, Failure> {
        self.map_err(|error| Failure::Failed(Report::new(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_any_length_is_shown_in_part() {
        let long = MietteDiagnostic::new("é".repeat(100_000)).with_help("take another one");
        let short = Failure::Usage(Report::new(long)).shortened();
        assert_eq!(short.to_string().chars().count(), MAX_MESSAGE + 1);
        assert_eq!(ErrorObject::from_failure(&short).help.as_deref(), Some("take another one"));
        let kept = Failure::Failed(miette::miette!("a\nb")).shortened();
        assert_eq!(kept.to_string(), "a\nb");
    }
}
