//! Translates flags to a command line of ours.

use super::error::TranslationError;
use super::flags::Gathered;
use super::lex::{Flag, flags};
use super::outputs::Outputs;
use super::table::{Fate, Meaning};

/// The task of a command line.
#[derive(Debug)]
pub enum Task {
    /// Games.
    Play(Box<Translation>),
    /// The checks of one engine.
    Check(String),
    /// The names of the engines that are configured.
    Engines,
    /// The page that maps every flag.
    Help,
    /// The version.
    Version,
}

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

/// Translates a command line.
///
/// # Errors
/// When something in it is not understood or not supported.
pub fn translate(arguments: &[String]) -> Result<Task, TranslationError> {
    let mut gathered = Gathered::default();
    for flag in flags(arguments)? {
        match flag.given.entry.fate {
            Fate::Mapped(Meaning::Help, _) => return Ok(Task::Help),
            Fate::Mapped(Meaning::Version, _) => return Ok(Task::Version),
            Fate::Mapped(Meaning::Engines, _) => return Ok(Task::Engines),
            Fate::Mapped(Meaning::Compliance, _) => return check(&flag),
            _ => gathered.take(&flag)?,
        }
    }
    Ok(Task::Play(Box::new(gathered.finish()?)))
}

fn check(flag: &Flag<'_>) -> Result<Task, TranslationError> {
    match flag.words {
        [engine] => Ok(Task::Check(engine.clone())),
        _ => Err(flag.given.unsupported(
            "name the engine with its `args:` in harness.yaml, then `harness check NAME`",
        )),
    }
}

#[cfg(test)]
mod tests;
