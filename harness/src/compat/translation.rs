//! A command line of another tool in our words.

use std::path::PathBuf;

use serde_json::Value;

use super::outputs::Outputs;
use super::stream::LineSettings;

/// The file in which fastchess saves its configuration unless it is named.
pub const USUAL_CONFIG: &str = "config.json";

/// A match or a test as our command line.
#[derive(Debug)]
pub struct Translation {
    /// `match` or `sprt`, engines and flags: the whole run, but for the files.
    pub words: Vec<String>,
    /// Files to write.
    pub outputs: Outputs,
    /// Variations of mates are checked, beside what engines print otherwise.
    pub check_mates: bool,
    /// The lines to print.
    pub lines: LineSettings,
    /// A saved configuration whose run continues: then nothing else is of importance.
    pub continues: Option<PathBuf>,
    /// Where the configuration is saved.
    pub config_file: PathBuf,
    /// What is saved of it.
    pub saved: Value,
    /// The only processors to use; empty: any.
    pub cpus: Vec<usize>,
    /// Notes on ignored or ambiguous flags, a line each.
    pub notes: Vec<String>,
}

impl Default for Translation {
    fn default() -> Translation {
        Translation {
            words: Vec::new(),
            outputs: Outputs::default(),
            check_mates: false,
            lines: LineSettings::default(),
            continues: None,
            config_file: PathBuf::from(USUAL_CONFIG),
            saved: Value::Null,
            cpus: Vec::new(),
            notes: Vec::new(),
        }
    }
}
