//! Engines of cutechess-cli's `engines.json` in the current folder, which `conf=NAME` names.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::engine::EngineSettings;
use crate::player::Protocol;
use crate::text::shell_split;

/// The file's name.
const FILE: &str = "engines.json";

/// An engine of the file; keys that change nothing here are passed over.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    name: String,
    command: String,
    working_directory: String,
    protocol: String,
    init_strings: Vec<String>,
    ponder: bool,
    restart: String,
    options: Vec<OptionEntry>,
}

/// An option of an engine.
#[derive(Debug, Deserialize)]
struct OptionEntry {
    name: String,
    value: Value,
}

/// The engine of this name in `engines.json`; `None` without such a file, or without the engine.
///
/// # Errors
/// When the file cannot be read or understood; with the reason.
pub fn engine(name: &str) -> Result<Option<EngineSettings>, String> {
    engine_of(Path::new(FILE), name)
}

fn engine_of(file: &Path, name: &str) -> Result<Option<EngineSettings>, String> {
    if !file.is_file() {
        return Ok(None);
    }
    let failed = |reason: String| format!("{} cannot be read: {reason}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    let entries: Vec<Entry> =
        serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    Ok(entries.into_iter().find(|entry| entry.name == name).map(Entry::settings))
}

impl Entry {
    fn settings(self) -> EngineSettings {
        let mut settings = EngineSettings {
            name: Some(self.name),
            folder: Some(self.working_directory)
                .filter(|folder| !folder.is_empty())
                .map(PathBuf::from),
            protocol: if self.protocol == "xboard" { Protocol::Xboard } else { Protocol::Uci },
            ponder: self.ponder,
            restart: (self.restart == "on").then_some(true),
            ..EngineSettings::default()
        };
        // A command may have arguments, and quotes around those with blanks.
        let blanks = || self.command.split_whitespace().map(str::to_owned).collect();
        let mut words = shell_split(&self.command).unwrap_or_else(blanks).into_iter();
        settings.command = words.next();
        settings.arguments = words.collect();
        for line in self.init_strings {
            match option(&line) {
                Some((name, value)) => drop(settings.options.insert(name, value)),
                // The handshake is ours.
                None if line.trim() == "uci" => {}
                None => settings.init.push(line),
            }
        }
        for OptionEntry { name, value } in self.options {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            settings.options.insert(name, value);
        }
        settings
    }
}

/// The option that a `setoption` command sets.
fn option(line: &str) -> Option<(String, String)> {
    let rest = line.trim().strip_prefix("setoption name ")?;
    let (name, value) = rest.split_once(" value ").unwrap_or((rest, ""));
    Some((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_found_by_its_name_with_the_options_of_its_commands() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        assert!(engine_of(&file, "engine1").unwrap().is_none());
        std::fs::write(
            &file,
            r#"[{"command": "./fish -x", "name": "engine1", "protocol": "uci",
                "initStrings": ["uci", "setoption name Move Overhead value 20", "debug on"],
                "options": [{"name": "Hash", "value": 16}, {"name": "Style", "value": "Solid"}]}]"#,
        )
        .unwrap();
        let found = engine_of(&file, "engine1").unwrap().unwrap();
        assert_eq!(
            (found.command.as_deref(), &found.arguments[..]),
            (Some("./fish"), &["-x".to_owned()][..])
        );
        let options: Vec<String> =
            found.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(options, ["Hash=16", "Move Overhead=20", "Style=Solid"]);
        assert_eq!(found.init, ["debug on"]);
        let quoted = r#"[{"command": "\"./my fish\" --net 'a b'", "name": "engine1"}]"#;
        std::fs::write(&file, quoted).unwrap();
        let found = engine_of(&file, "engine1").unwrap().unwrap();
        assert_eq!(found.command.as_deref(), Some("./my fish"));
        assert_eq!(found.arguments.first().map(String::as_str), Some("--net"));
        assert!(engine_of(&file, "engine2").unwrap().is_none());
        std::fs::write(&file, "[{").unwrap();
        assert!(engine_of(&file, "engine1").unwrap_err().contains("engines.json cannot be read"));
    }
}
