//! A command line of another tool in our words.

use super::outputs::Outputs;

/// A match or a test as our command line.
#[derive(Debug, Default)]
pub struct Translation {
    /// `match` or `sprt`, engines and flags: the whole run, but for the files.
    pub words: Vec<String>,
    /// Files to write when all games are played.
    pub outputs: Outputs,
    /// The only processors to use; empty: any.
    pub cpus: Vec<usize>,
    /// Notes on ignored or ambiguous flags, a line each.
    pub notes: Vec<String>,
}
