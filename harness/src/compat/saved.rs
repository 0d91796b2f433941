//! The configuration that fastchess saves beside its results, and reads to continue.
//!
//! Ours has the keys of fastchess that tell people and scripts what is played, and the results under `stats`.
//! What is needed to continue is in the ledger: the key `tench` names the run.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Value, json};

use super::lines::counts::Counts;
use crate::files::write_atomically;

/// A configuration to be saved.
#[derive(Clone, Debug)]
pub struct Saved {
    file: PathBuf,
    /// Without results.
    head: Value,
    /// The command line that began the run.
    arguments: Vec<String>,
}

impl Saved {
    /// With what is played, to be written to `file`.
    pub fn new(file: PathBuf, head: Value, arguments: &[String]) -> Saved {
        Saved { file, head, arguments: arguments.to_vec() }
    }

    /// The file, as it was named.
    pub fn file(&self) -> &str {
        self.file.to_str().unwrap_or("config.json")
    }

    /// Writes it with the results of pairings so far, `A vs B`. A file that cannot be written is named in
    /// the log: the ledger has all that it holds.
    pub fn write(&self, stats: &[(String, Counts)], run: &str) {
        let mut whole = self.head.clone();
        let stats = stats.iter().map(|(name, counts)| (name.clone(), json!(counts)));
        whole["stats"] = Value::Object(stats.collect());
        whole["tench"] = json!({ "run": run, "arguments": self.arguments });
        if let Err(error) = write_atomically(&self.file, format!("{whole:#}\n").as_bytes()) {
            tracing::warn!("cannot save the configuration: {error}");
        }
    }
}

/// The run that a saved configuration continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedRun {
    /// Its id in the ledger.
    pub run: String,
    /// The command line that began it.
    pub arguments: Vec<String>,
    /// The names of its engines, in their order.
    pub engines: Vec<String>,
}

impl SavedRun {
    /// Reads a saved configuration; `None` for one of fastchess, which names no run.
    ///
    /// # Errors
    /// When it cannot be read, or is no JSON.
    pub fn read(file: &Path) -> io::Result<Option<SavedRun>> {
        let text = fs::read_to_string(file)?;
        let whole: Value = serde_json::from_str(&text).map_err(io::Error::other)?;
        let texts = |list: &Value| -> Option<Vec<String>> {
            list.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
        };
        let names = whole["engines"].as_array().into_iter().flatten();
        let engines =
            names.filter_map(|engine| engine["name"].as_str()).map(str::to_owned).collect();
        let run = whole["tench"]["run"].as_str().map(str::to_owned);
        let arguments = texts(&whole["tench"]["arguments"]);
        Ok(run.zip(arguments).map(|(run, arguments)| SavedRun { run, arguments, engines }))
    }
}
