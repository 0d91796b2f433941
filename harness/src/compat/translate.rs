//! Translates flags to a command line of ours.

use super::error::TranslationError;
use super::flags::TranslationDraft;
use super::lex::{Flag, flags};
use super::stream::Dialect;
use super::table::{Fate, Meaning};
use super::translation::Translation;

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

/// Translates a command line, one for the program of a dialect.
///
/// # Errors
/// When something in it is not understood or not supported.
pub fn translate(arguments: &[String], dialect: Dialect) -> Result<Task, TranslationError> {
    let mut draft = TranslationDraft::default();
    draft.translation.lines.dialect = dialect;
    for flag in flags(arguments)? {
        match flag.given.entry.fate {
            Fate::Mapped(Meaning::Help, _) => return Ok(Task::Help),
            Fate::Mapped(Meaning::Version, _) => return Ok(Task::Version),
            Fate::Mapped(Meaning::Engines, _) => return Ok(Task::Engines),
            Fate::Mapped(Meaning::Compliance, _) => return check(&flag),
            _ => draft.take(&flag)?,
        }
    }
    Ok(Task::Play(Box::new(draft.finish()?)))
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
