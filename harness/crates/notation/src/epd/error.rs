//! Errors of an EPD file, with their places.

use std::fmt;
use std::ops::Range;

use harness_base::excerpt::Excerpt;
use harness_base::text::brief;
use miette::{Diagnostic, SourceSpan};
use thiserror::Error;

/// How many faulty lines are described; the rest are counted.
const MAX_SHOWN: usize = 5;

/// Most characters of a reason, which may quote the line.
const MAX_REASON: usize = 300;

/// A file with faulty lines.
#[derive(Debug, Error, Diagnostic)]
pub struct EpdErrors {
    /// The file.
    pub name: String,
    /// Number of faulty lines.
    pub count: usize,
    /// The first of them.
    #[related]
    pub errors: Vec<EpdError>,
}

impl fmt::Display for EpdErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "{} has a faulty line", self.name)?,
            count => write!(f, "{} has {count} faulty lines", self.name)?,
        }
        if self.count > self.errors.len() {
            write!(f, "; these are the first {}", self.errors.len())?;
        }
        Ok(())
    }
}

/// One faulty line.
#[derive(Debug, Error, Diagnostic)]
#[error("{name}:{line}:{column}: {what}")]
pub struct EpdError {
    /// The file.
    pub name: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line's `id` operation, if that much can be read.
    pub id: Option<String>,
    /// The reason.
    pub what: String,
    #[source_code]
    excerpt: Excerpt,
    #[label("here")]
    span: SourceSpan,
    #[help]
    help: Option<String>,
}

/// Something wrong with one line; the reader adds file and line.
#[derive(Clone, Debug, Error)]
#[error("{what}")]
pub struct LineError {
    /// Bytes of the line.
    pub span: Range<usize>,
    /// The reason.
    pub what: String,
    pub(super) help: Option<String>,
}

impl LineError {
    /// Something wrong with these bytes of the line.
    pub fn at(span: Range<usize>, what: impl Into<String>) -> LineError {
        LineError { span, what: what.into(), help: None }
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> LineError {
        self.help = Some(help.into());
        self
    }

    /// The same, with places counted from the start of the file.
    pub(super) fn shifted(mut self, start: usize) -> LineError {
        self.span = self.span.start + start..self.span.end + start;
        self
    }
}

impl EpdErrors {
    /// Keeps the first of them, and how many there are.
    pub(super) fn new(name: &str, mut errors: Vec<EpdError>) -> EpdErrors {
        let count = errors.len();
        errors.truncate(MAX_SHOWN);
        EpdErrors { name: name.to_owned(), count, errors }
    }
}

impl EpdError {
    /// A problem whose place is counted from the start of the file.
    pub(super) fn new(
        name: &str,
        text: &str,
        line: usize,
        id: Option<String>,
        problem: LineError,
    ) -> EpdError {
        let start = text[..problem.span.start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let before = text[start..problem.span.start].trim_start_matches('\u{feff}');
        let excerpt = Excerpt::new(name, text, line, problem.span);
        let span = excerpt.span();
        EpdError {
            name: name.to_owned(),
            line,
            column: before.chars().count() + 1,
            id,
            what: brief(&problem.what, MAX_REASON),
            excerpt,
            span,
            help: problem.help,
        }
    }
}
