//! The answers of an engine, in a file that grows by a line a position: a kill loses none.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use engine::board::Move;
use serde::{Deserialize, Serialize};

use super::ask::{Answer, EngineAnswer};
use crate::StateError;
use crate::record::{number_of, score_of};
use harness_player::{EngineSpec, Program};

/// The engine and its limit: answers of another engine or limit are not these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// The engine.
    pub engine: EngineSpec,
    /// Hashes of the files that its options name.
    pub files: Vec<String>,
    /// Limit of a search, as [`harness_player::Limit`] prints it.
    pub limit: String,
}

/// Answers by the key of the position; `None` where the engine failed.
pub type Answers = HashMap<u64, Option<EngineAnswer>>;

/// The file while answers are added.
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Creates one beside `output`, or with `resume` opens an existing one and reads its answers;
    /// an incomplete last line is cut off.
    ///
    /// # Errors
    /// When it exists and `resume` is not set, has other settings, is damaged, or cannot be
    /// written.
    pub fn open(
        output: &Path,
        recipe: &Recipe,
        resume: bool,
    ) -> Result<(Journal, Answers), StateError> {
        let mut name = output.as_os_str().to_owned();
        name.push(".answers");
        let path = PathBuf::from(name);
        let unusable = || StateError::unusable("use", &path);
        let exists = path.exists();
        if exists && !resume {
            let help =
                "answers of an earlier run are in it: `--resume` continues with them; or remove it";
            return Err(StateError::Exists { path, help });
        }
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).append(true).create(true).open(&path).map_err(unusable())?;
        let (answers, end) = if exists { read(&path, &file, recipe)? } else { (Answers::new(), 0) };
        file.set_len(end).map_err(unusable())?;
        if end == 0 {
            let head = serde_json::to_string(recipe).map_err(|error| unusable()(error.into()))?;
            file.write_all(format!("{head}\n").as_bytes()).map_err(unusable())?;
        }
        Ok((Journal { path, file }, answers))
    }

    /// Adds an answer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, key: u64, answer: &Answer) -> Result<(), StateError> {
        let line = match answer {
            Answer::Failed(_) => format!("{key:016x} failed\n"),
            Answer::Searched(EngineAnswer { score, depth, best }) => {
                format!("{key:016x} {} {depth} {}\n", number_of(*score), best.raw())
            }
        };
        // One call a line, unbuffered: a kill loses nothing that was written.
        self.file.write_all(line.as_bytes()).map_err(StateError::unusable("use", &self.path))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, once the output is complete.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(self) -> Result<(), StateError> {
        fs::remove_file(&self.path).map_err(StateError::unusable("use", &self.path))
    }
}

/// The answers of a journal, and the offset at which the last complete line ends.
fn read(path: &Path, file: &File, recipe: &Recipe) -> Result<(Answers, u64), StateError> {
    let mut answers = Answers::new();
    let mut end = 0;
    let mut line = 0;
    let mut source = BufReader::new(file);
    let mut text = String::new();
    loop {
        text.clear();
        let read = source.read_line(&mut text).map_err(StateError::unusable("use", path))?;
        if !text.ends_with('\n') {
            return Ok((answers, end));
        }
        line += 1;
        end += read as u64;
        if line == 1 {
            compare(path, recipe, text.trim_end())?;
            continue;
        }
        let (key, answer) = answer(text.trim_end()).ok_or_else(|| StateError::Damaged {
            path: path.to_owned(),
            line,
            text: text.trim_end().to_owned(),
        })?;
        answers.insert(key, answer);
    }
}

fn answer(line: &str) -> Option<(u64, Option<EngineAnswer>)> {
    let words: Vec<&str> = line.split(' ').collect();
    let key = u64::from_str_radix(words.first()?, 16).ok()?;
    match words[1..] {
        ["failed"] => Some((key, None)),
        [score, depth, best] => {
            let score = score_of(score.parse().ok()?);
            let best = Move::from_raw(best.parse().ok()?)?;
            Some((key, Some(EngineAnswer { score, depth: depth.parse().ok()?, best })))
        }
        _ => None,
    }
}

fn compare(path: &Path, recipe: &Recipe, head: &str) -> Result<(), StateError> {
    let then: Recipe = serde_json::from_str(head).map_err(|_| StateError::Damaged {
        path: path.to_owned(),
        line: 1,
        text: head.to_owned(),
    })?;
    if then == *recipe {
        return Ok(());
    }
    let shown = |recipe: &Recipe| {
        let Recipe { engine, files, limit } = recipe;
        let program = match &engine.program {
            Program::Builtin => "builtin",
            Program::Executable { sha256, .. } => sha256.get(..12).unwrap_or(sha256),
        };
        let mut words = vec![engine.name.clone(), format!("({program})"), limit.clone()];
        words.extend(engine.options.iter().map(|(name, value)| format!("{name}={value}")));
        words.extend(files.iter().map(|hash| hash.chars().take(12).collect()));
        format!("`{}`", words.join(" "))
    };
    let what = format!("{} then, {} now", shown(&then), shown(recipe));
    let help = "give the same engine and limit as then, or remove it";
    Err(StateError::Other { path: path.to_owned(), what, help })
}
