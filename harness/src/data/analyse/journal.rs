//! What engines said, in a file that grows by a line a position: a kill loses no answer.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use engine::board::Move;
use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ask::{Answer, Said};
use crate::data::record::{number_of, score_of};
use crate::player::EngineSpec;

/// Who was asked, and how: answers of another engine or limit are not these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// The engine.
    pub engine: EngineSpec,
    /// Hashes of the files that its options name.
    pub files: Vec<String>,
    /// What ended a search, as [`crate::player::Limit`] prints it.
    pub limit: String,
}

/// A journal that cannot be gone on with.
#[derive(Debug, Error, Diagnostic)]
pub enum JournalError {
    /// It is there, and nobody asked to go on with it.
    #[error("{} is there already", path.display())]
    #[diagnostic(help(
        "answers of an earlier run are in it: `--resume` goes on with them; or remove it"
    ))]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// It was made in another way.
    #[error("{} was made in another way: {then} then, {now} now", path.display())]
    #[diagnostic(help("give the same engine and limit as then, or remove it"))]
    Other {
        /// The file.
        path: PathBuf,
        /// What it says.
        then: String,
        /// What was asked for.
        now: String,
    },
    /// A line in it is none of a journal.
    #[error("{}:{line}: `{text}` is no answer", path.display())]
    #[diagnostic(help("the file is damaged; without it all positions are asked again"))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What stands there.
        text: String,
    },
    /// It cannot be read or written.
    #[error("cannot use {}: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        reason: io::Error,
    },
}

/// Answers by the key of the position; `None` where the engine failed.
pub type Answers = HashMap<u64, Option<Said>>;

/// The file while answers are added.
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Begins one beside `output`, or goes on with it: what a kill left of a last line is cut off.
    /// Gives the answers that are in it.
    ///
    /// # Errors
    /// When it is there and `resume` is not asked for, was made in another way, is damaged, or
    /// cannot be written.
    pub fn open(
        output: &Path,
        recipe: &Recipe,
        resume: bool,
    ) -> Result<(Journal, Answers), JournalError> {
        let mut name = output.as_os_str().to_owned();
        name.push(".answers");
        let path = PathBuf::from(name);
        let unusable = |reason| JournalError::Unusable { path: path.clone(), reason };
        let exists = path.exists();
        if exists && !resume {
            return Err(JournalError::Exists { path });
        }
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).append(true).create(true).open(&path).map_err(unusable)?;
        let (answers, end) = match exists {
            true => read(&path, &file, recipe)?,
            false => (Answers::new(), 0),
        };
        file.set_len(end).map_err(unusable)?;
        if end == 0 {
            let head = serde_json::to_string(recipe).map_err(|error| unusable(error.into()))?;
            file.write_all(format!("{head}\n").as_bytes()).map_err(unusable)?;
        }
        Ok((Journal { path, file }, answers))
    }

    /// Adds an answer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, key: u64, answer: &Answer) -> Result<(), JournalError> {
        let line = match answer {
            Answer::Failed(_) => format!("{key:016x} failed\n"),
            Answer::Said(Said { score, depth, best }) => {
                format!("{key:016x} {} {depth} {}\n", number_of(*score), best.raw())
            }
        };
        // A line a call: what was written is kept whatever becomes of this process.
        let written = self.file.write_all(line.as_bytes());
        written.map_err(|reason| JournalError::Unusable { path: self.path.clone(), reason })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, once what was made of it is in place.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(self) -> Result<(), JournalError> {
        let removed = fs::remove_file(&self.path);
        removed.map_err(|reason| JournalError::Unusable { path: self.path, reason })
    }
}

/// The answers of a journal, and where the last whole one ends.
fn read(path: &Path, file: &File, recipe: &Recipe) -> Result<(Answers, u64), JournalError> {
    let unusable = |reason| JournalError::Unusable { path: path.to_owned(), reason };
    let (mut answers, mut end, mut line) = (Answers::new(), 0, 0);
    let mut source = BufReader::new(file);
    let mut text = String::new();
    loop {
        text.clear();
        let read = source.read_line(&mut text).map_err(unusable)?;
        if !text.ends_with('\n') {
            return Ok((answers, end));
        }
        line += 1;
        end += read as u64;
        if line == 1 {
            compare(path, recipe, text.trim_end())?;
            continue;
        }
        let (key, answer) = answer(text.trim_end()).ok_or_else(|| JournalError::Damaged {
            path: path.to_owned(),
            line,
            text: text.trim_end().to_owned(),
        })?;
        answers.insert(key, answer);
    }
}

fn answer(line: &str) -> Option<(u64, Option<Said>)> {
    let words: Vec<&str> = line.split(' ').collect();
    let key = u64::from_str_radix(words.first()?, 16).ok()?;
    match words[1..] {
        ["failed"] => Some((key, None)),
        [score, depth, best] => {
            let score = score_of(score.parse().ok()?);
            let best = Move::from_raw(best.parse().ok()?)?;
            Some((key, Some(Said { score, depth: depth.parse().ok()?, best })))
        }
        _ => None,
    }
}

fn compare(path: &Path, recipe: &Recipe, head: &str) -> Result<(), JournalError> {
    let then: Recipe = serde_json::from_str(head).map_err(|_| JournalError::Damaged {
        path: path.to_owned(),
        line: 1,
        text: head.to_owned(),
    })?;
    if then == *recipe {
        return Ok(());
    }
    let told = |recipe: &Recipe| {
        let Recipe { engine, files, limit } = recipe;
        let options: Vec<String> =
            engine.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let program = match &engine.program {
            crate::player::Program::Builtin => "builtin".to_owned(),
            crate::player::Program::Executable { sha256, .. } => {
                sha256.chars().take(12).collect::<String>()
            }
        };
        let files = files.iter().map(|hash| &hash[..hash.len().min(12)]).collect::<Vec<_>>();
        let words = [options.join(" "), files.join(" ")].join(" ");
        format!("`{} ({program}) {limit} {words}`", engine.name)
            .replace("  ", " ")
            .replace(" `", "`")
    };
    Err(JournalError::Other { path: path.to_owned(), then: told(&then), now: told(recipe) })
}
