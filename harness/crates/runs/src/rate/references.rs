//! Engines with published ratings: the file that lists them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use harness_base::config::{EngineEntry, Protocol};
use harness_base::yaml::{self, YamlError};

/// The file that comes with the harness.
pub const REFERENCES: &str = include_str!("references.yaml");

/// The file in error messages.
const KIND: yaml::Kind = yaml::Kind {
    forms: &[
        (
            "references",
            "[{ name: fish, cmd: ./fish, version: Fish 1.0, rating: 2800, error: 12, list: CCRL Blitz }]",
        ),
        ("options", "{ Threads: \"1\" }"),
    ],
    keys: &[],
    help: "`harness rate --print-references` prints the file that is used without one, with a word on each key",
};

/// An engine with a published rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceEngine {
    /// Its name in results.
    pub name: String,
    /// The program: on PATH, a path, or an engine of `harness.yaml`.
    pub cmd: String,
    /// Arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// How it is spoken to.
    #[serde(default, skip_serializing_if = "Protocol::is_uci")]
    pub proto: Protocol,
    /// Lines that are sent before anything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// Working folder.
    #[serde(default, with = "harness_base::text::path", skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// UCI options.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// A part of the name that the engine gives itself; empty: any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Published rating in Elo.
    pub rating: f64,
    /// Half of its published 95 % interval; 0: none was published.
    #[serde(default)]
    pub error: f64,
    /// The rating list.
    #[serde(default)]
    pub list: String,
    /// Date of the figure.
    #[serde(default)]
    pub date: String,
    /// Where the figure stands.
    #[serde(default)]
    pub source: String,
}

/// The content of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReferenceFile {
    references: Vec<ReferenceEngine>,
}

/// A row of a CSV file: what a table can hold.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    cmd: String,
    #[serde(default)]
    proto: Option<Protocol>,
    /// `Threads=1 Hash=64`
    #[serde(default)]
    options: String,
    #[serde(default)]
    version: String,
    rating: f64,
    #[serde(default)]
    error: Option<f64>,
    #[serde(default)]
    list: String,
    #[serde(default)]
    date: String,
    #[serde(default)]
    source: String,
}

/// A file of references that cannot be used.
#[derive(Debug, Error, Diagnostic)]
pub enum ReferencesError {
    /// It is not YAML of this form, or cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Yaml(#[from] YamlError),
    /// It is not CSV of this form.
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help(
        "the first line names the columns: name,cmd,version,rating,error,list,date,source, and proto and \
         options where they are needed"
    ))]
    Csv {
        /// The file.
        path: PathBuf,
        /// The fault, with its line.
        reason: String,
    },
    /// A value makes no sense.
    #[error("{}: {reason}", path.display())]
    #[diagnostic(help("`harness rate --print-references` prints an example"))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// No row is of the list that was asked for.
    #[error("no reference is of the list `{asked}`")]
    #[diagnostic(help("the lists are: {}", .known.join("; ")))]
    NoList {
        /// The list.
        asked: String,
        /// Those of the file.
        known: Vec<String>,
    },
}

/// Reads a file of references, YAML or CSV by its name; `None`: that of the harness.
///
/// # Errors
/// When it cannot be read, or a rating makes no sense.
pub fn read_references(path: Option<&Path>) -> Result<Vec<ReferenceEngine>, ReferencesError> {
    let place = path.unwrap_or(Path::new("references.yaml"));
    let is_csv = place.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let references = match path {
        Some(path) if is_csv => read_csv(path, &yaml::read_text(path, KIND)?)?,
        Some(path) => yaml::read::<ReferenceFile>(path, KIND)?.references,
        None => yaml::parse::<ReferenceFile>(place, REFERENCES, KIND)?.references,
    };
    match mistake(&references) {
        Some(reason) => Err(ReferencesError::Invalid { path: place.to_owned(), reason }),
        None => Ok(references),
    }
}

fn read_csv(path: &Path, text: &str) -> Result<Vec<ReferenceEngine>, ReferencesError> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let refused = |reason: String| ReferencesError::Csv { path: path.to_owned(), reason };
    let rows = reader.deserialize::<Row>();
    let rows = rows.map(|row| row.map_err(|error| refused(error.to_string())));
    rows.map(|row| row.and_then(|row| row.reference().map_err(refused))).collect()
}

impl Row {
    fn reference(self) -> Result<ReferenceEngine, String> {
        let option = |text: &str| match text.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => {
                Err(format!("{}: the option `{text}` has no value: write NAME=VALUE", self.name))
            }
        };
        let options = self.options.split_whitespace().map(option).collect::<Result<_, _>>()?;
        Ok(ReferenceEngine {
            name: self.name,
            cmd: self.cmd,
            args: Vec::new(),
            proto: self.proto.unwrap_or_default(),
            init: Vec::new(),
            dir: None,
            options,
            version: self.version,
            rating: self.rating,
            error: self.error.unwrap_or(0.0),
            list: self.list,
            date: self.date,
            source: self.source,
        })
    }
}

fn mistake(references: &[ReferenceEngine]) -> Option<String> {
    if references.is_empty() {
        return Some("it lists no engine".to_owned());
    }
    references.iter().enumerate().find_map(|(number, reference)| {
        let ReferenceEngine { name, rating, error, list, .. } = reference;
        if name.trim().is_empty() {
            Some(format!("reference {} has no name", number + 1))
        } else if !(-1000.0..=6000.0).contains(rating) {
            Some(format!("{name}: {rating} is no rating"))
        } else if !(0.0..=1000.0).contains(error) {
            Some(format!("{name}: {error} is no error of a rating"))
        } else {
            let is_same = |other: &ReferenceEngine| other.name == *name && other.list == *list;
            let again = references[..number].iter().any(is_same);
            again.then(|| format!("{name} is there twice in the list `{list}`"))
        }
    })
}

/// The references of a list; `None`: of the first row's.
///
/// # Errors
/// When no reference is of the list.
pub fn of_list(
    references: Vec<ReferenceEngine>,
    list: Option<&str>,
) -> Result<Vec<ReferenceEngine>, ReferencesError> {
    let mut known: Vec<String> = Vec::new();
    for reference in &references {
        if !known.contains(&reference.list) {
            known.push(reference.list.clone());
        }
    }
    let asked = list.map_or_else(|| known.first().cloned().unwrap_or_default(), str::to_owned);
    let kept: Vec<ReferenceEngine> = references
        .into_iter()
        .filter(|reference| reference.list.eq_ignore_ascii_case(&asked))
        .collect();
    if kept.is_empty() { Err(ReferencesError::NoList { asked, known }) } else { Ok(kept) }
}

impl ReferenceEngine {
    /// The engine as an entry of `harness.yaml`.
    pub fn entry(&self) -> EngineEntry {
        EngineEntry {
            cmd: self.cmd.clone(),
            args: self.args.clone(),
            proto: self.proto,
            init: self.init.clone(),
            dir: self.dir.clone(),
            options: self.options.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Vec<ReferenceEngine>, ReferencesError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        read_references(Some(&path))
    }

    #[test]
    fn the_file_of_the_harness_has_a_source_and_a_date_for_each_figure() {
        let references = read_references(None).expect("understood");
        for ReferenceEngine { name, version, list, date, source, .. } in &references {
            for text in [version, list, date, source] {
                assert!(!text.is_empty(), "{name}");
            }
        }
        let blitz = of_list(references.clone(), None).expect("the first list");
        let slow = of_list(references.clone(), Some("ccrl 40/15")).expect("in any case");
        assert_eq!(blitz.len() + slow.len(), references.len());
        let unknown = of_list(references, Some("x")).expect_err("unknown");
        assert!(unknown.to_string().contains("`x`"), "{unknown}");
    }

    #[test]
    fn a_table_says_the_same_as_yaml() {
        let table = read(
            "list.csv",
            "# of my own\nname,cmd,version,rating,error,options,list\n\
             fish,./fish,Fish 1,2800,12,Threads=1 Hash=16,mine\n\"a, b\",ab,,1500,,,mine\n",
        );
        let yaml = read(
            "list.yaml",
            "references:\n  - { name: fish, cmd: ./fish, version: Fish 1, rating: 2800, error: 12, \
             list: mine, options: { Threads: \"1\", Hash: \"16\" } }\n\
             \x20 - { name: 'a, b', cmd: ab, rating: 1500, list: mine }\n",
        );
        assert_eq!(table.expect("a table"), yaml.expect("a file"));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        for (name, text, says) in [
            ("a.yaml", "references: []\n", "no engine"),
            ("a.yaml", "references: [{ name: a, cmd: a, rating: 99999 }]\n", "99999"),
            ("a.yaml", "references: [{ name: a, cmd: a, rating: 2000, error: -1 }]\n", "-1"),
            ("a.yaml", "references: [{ name: a, cmd: a, elo: 2000 }]\n", "a.yaml:1:"),
            (
                "a.yaml",
                "references: [{ name: a, cmd: a, rating: 1 }, { name: a, cmd: b, rating: 2 }]\n",
                "twice",
            ),
            ("a.csv", "name,cmd,rating\na,a,much\n", "line: 2"),
            ("a.csv", "name,cmd,rating,options\na,a,2000,Threads\n", "NAME=VALUE"),
            ("a.csv", "name,cmd\na,a\n", "rating"),
            ("a.csv", "", "no engine"),
        ] {
            let error = read(name, text).expect_err(text).to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
