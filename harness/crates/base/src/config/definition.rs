//! Engines that a command line defines.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

use super::entry::{EngineEntry, KIND};
use crate::yaml;

/// An engine as a word of the command line, `NAME={ cmd: PROGRAM, ... }`: what stands under
/// `engines:` in `harness.yaml`, with paths seen from the current folder.
///
/// ```
/// use harness_base::config::Definition;
///
/// let new: Definition = "new={cmd: stockfish, options: {Hash: 16}}".parse().expect("valid");
/// assert_eq!(new.to_string(), r#"new={"cmd":"stockfish","options":{"Hash":"16"}}"#);
/// assert_eq!(new.to_string().parse::<Definition>().expect("valid"), new);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// How it is started.
    pub entry: EngineEntry,
}

/// A text that defines no engine.
#[derive(Debug, Error)]
pub enum ParseDefinitionError {
    /// No name, or nothing in braces.
    #[error("write NAME={{cmd: PROGRAM}}, such as 'new={{cmd: ./new, options: {{Hash: 64}}}}'")]
    Form,
    /// The text in the braces is not an engine.
    #[error(
        "{0}; keys are those of `engines:` in harness.yaml: cmd, args, dir, proto, init, options"
    )]
    Entry(String),
}

impl FromStr for Definition {
    type Err = ParseDefinitionError;

    fn from_str(text: &str) -> Result<Definition, ParseDefinitionError> {
        let at = text.find("={").filter(|&at| at > 0).ok_or(ParseDefinitionError::Form)?;
        let name = &text[..at];
        let entry = &text[at + 1..];
        let entry: EngineEntry = yaml::parse(Path::new(name), entry, KIND)
            .map_err(|error| ParseDefinitionError::Entry(error.to_string()))?;
        Ok(Definition { name: name.to_owned(), entry })
    }
}

/// In one line that is read again as the same.
impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // JSON is YAML.
        write!(f, "{}={}", self.name, serde_json::json!(self.entry))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    #[test]
    fn a_definition_is_an_entry_of_the_file_and_wins_over_it() {
        let text = "a b={cmd: bin/x, args: [\"-a b\", \"it's\"], dir: d, proto: xboard, init: [\"x\\ny\"]}";
        let definition: Definition = text.parse().expect("valid");
        assert_eq!(definition.name, "a b");
        assert_eq!(definition.entry.args, ["-a b", "it's"]);
        assert_eq!(definition.entry.init, ["x\ny"]);
        assert_eq!(definition.to_string().parse::<Definition>().expect("valid"), definition);
        assert!(!definition.to_string().contains('\n'), "{definition}");
        let config = Config::default().with(&[definition]);
        let entry = &config.engines["a b"];
        assert!(Path::new(&entry.cmd).is_absolute() && entry.cmd.ends_with("bin/x"));
        assert!(entry.dir.as_ref().is_some_and(|dir| dir.is_absolute()));
    }

    #[test]
    fn what_is_wrong_is_said_with_the_form() {
        for (text, says) in [
            ("./new", "write NAME={cmd: PROGRAM}"),
            ("={cmd: x}", "write NAME={cmd: PROGRAM}"),
            ("new=./new", "write NAME={cmd: PROGRAM}"),
            ("new={}", "cmd"),
            ("new={cmd: x, hash: 3}", "hash"),
            ("new={cmd: x", "new"),
        ] {
            let error = text.parse::<Definition>().expect_err(text).to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
