//! Reading YAML files: every error names the file, the place and the form to write.

mod explain;
mod keys;

use std::fmt;
use std::path::{Path, PathBuf};

use miette::{Diagnostic, LabeledSpan, SourceCode};
use serde::de::DeserializeOwned;
use serde_yaml::budget::BudgetBreach;
use serde_yaml::{Error, Options};

use crate::excerpt::Excerpt;
use crate::input;
use explain::explain;

/// A kind of YAML file, for its error messages.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Example values of keys that hold mappings or lists, for values of another form.
    pub forms: &'static [(&'static str, &'static str)],
    /// Keys of the mapping that joins several structures (`flatten`), which serde does not list.
    pub keys: &'static [&'static str],
    /// Where to see the whole format.
    pub help: &'static str,
}

/// A YAML file that cannot be used.
#[derive(Debug)]
pub struct YamlError(Box<Explained>);

#[derive(Debug)]
struct Explained {
    path: PathBuf,
    /// Line and column, from 1; `None` where the whole file is meant or it is unreadable.
    at: Option<(u64, u64)>,
    reason: String,
    help: String,
    source: Option<Excerpt>,
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explained { path, at, reason, .. } = &*self.0;
        match at {
            Some((line, column)) => write!(f, "{}:{line}:{column}: {reason}", path.display()),
            None => write!(f, "{}: {reason}", path.display()),
        }
    }
}

impl std::error::Error for YamlError {}

impl Diagnostic for YamlError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.0.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.0.source.as_ref()?.span();
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".to_owned()), span))))
    }
}

/// Reads a file of some kind.
///
/// # Errors
/// When it cannot be read, is not YAML, or is not of the kind.
pub fn read<T: DeserializeOwned>(path: &Path, kind: Kind) -> Result<T, YamlError> {
    parse(path, &read_text(path, kind)?, kind)
}

/// Reads the text of a file of some kind.
///
/// # Errors
/// When it cannot be read.
pub fn read_text(path: &Path, kind: Kind) -> Result<String, YamlError> {
    input::read_text(path).map_err(|reason| {
        YamlError(Box::new(Explained {
            path: path.to_owned(),
            at: None,
            reason: format!("cannot be read: {reason}"),
            help: kind.help.to_owned(),
            source: None,
        }))
    })
}

/// Parses the text of a file of some kind.
///
/// # Errors
/// When it is not YAML, or not of the kind.
pub fn parse<T: DeserializeOwned>(path: &Path, text: &str, kind: Kind) -> Result<T, YamlError> {
    serde_yaml::from_str_with_options(text, options(text))
        .map_err(|error| explain(path, text, kind, error.without_snippet()))
}

/// Parses YAML that is no file of ours.
///
/// # Errors
/// When it is not YAML, or not of the type; in words for people.
pub fn parse_text<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_yaml::from_str_with_options(text, options(text)).map_err(|error| {
        let error = error.without_snippet();
        let known = || match error {
            Error::MultipleDocuments { .. } => Some(SECOND_DOCUMENT.to_owned()),
            _ => reason_of_limit(error),
        };
        known().unwrap_or_else(|| error.to_string())
    })
}

/// What is wrong with a text of two documents.
const SECOND_DOCUMENT: &str = "a second document begins here (`---`)";

/// Events (values, beginnings and ends of lists) that all aliases of a text together may stand for.
const MAX_ALIAS_EVENTS: usize = 10_000;

/// Bytes that they may stand for; of a large text 100 aliases may be used in any case.
const MAX_ALIAS_BYTES: usize = 64 << 20;

/// How a text is parsed: aliases (`*name`) that stand for much more than the text holds are refused as
/// soon as they are met. Nine lists of nine aliases each would stand for 387 million values.
fn options(text: &str) -> Options {
    let mut options = Options::default();
    // The snippet of the parser names its input `<input>`.
    options.with_snippet = false;
    let events = (MAX_ALIAS_BYTES / text.len().max(1)).clamp(100, MAX_ALIAS_EVENTS);
    options.alias_limits.max_total_replayed_events = events;
    options.alias_limits.max_replay_stack_depth = 8;
    if let Some(budget) = &mut options.budget {
        // What is kept of anchors, nested ones several times.
        budget.max_recorded_anchor_events = 20 * MAX_ALIAS_EVENTS;
        // Our own limit counts what they stand for.
        budget.enforce_alias_anchor_ratio = false;
    }
    options
}

/// What is wrong with a text that is larger than the parser is allowed to make of it.
fn reason_of_limit(error: &Error) -> Option<String> {
    match error {
        Error::AliasError { error, .. } => reason_of_limit(error),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::Budget { breach: BudgetBreach::RecordedAnchorEvents { .. }, .. } => Some(
            "the aliases (`*name`) stand for too many values; write out what they stand for"
                .to_owned(),
        ),
        _ => None,
    }
}

/// As [`parse`]; a text of comments and empty lines alone is the default.
///
/// # Errors
/// As [`parse`].
pub fn parse_or_default<T: DeserializeOwned + Default>(
    path: &Path,
    text: &str,
    kind: Kind,
) -> Result<T, YamlError> {
    let says_nothing =
        text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    if says_nothing { Ok(T::default()) } else { parse(path, text, kind) }
}

/// A text for YAML and shells: in double quotes, unless it is a plain word.
pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./+".contains(c);
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '.');
    // Reserved words of YAML.
    let is_taken = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", ".inf", ".nan"]
        .contains(&text.to_lowercase().as_str());
    let is_number = text.parse::<f64>().is_ok();
    match (is_word && text.chars().all(is_plain) && !is_taken) && !is_number {
        true => text.to_owned(),
        // Strings of JSON are strings of YAML.
        false => serde_json::Value::from(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    const KIND: Kind = Kind {
        forms: &[("collect", "{ keep: winner }"), ("files", "[a.pgn, b.pgn]")],
        keys: &["name", "games", "rate"],
        help: "`harness x --help` shows the file",
    };

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[serde(default)]
        keep: String,
        #[serde(default)]
        min_ply: u32,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        games: u32,
        #[serde(default)]
        collect: Option<Inner>,
        #[serde(default)]
        files: Vec<String>,
        #[serde(default)]
        share: f64,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(default)]
    struct Rate {
        rate: f64,
    }

    impl Default for Rate {
        fn default() -> Rate {
            Rate { rate: 1.0 }
        }
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Flattened {
        games: u32,
        #[serde(flatten)]
        rate: Rate,
    }

    fn rendered(error: &YamlError) -> String {
        format!("{error}\n{}", error.0.help)
    }

    #[test]
    fn every_error_names_file_and_place_and_the_form_to_write() {
        for (text, says) in [
            (
                "games: 1\ncollect: winner\n",
                &["try.yaml:2:", "write `collect: { keep: winner }`"][..],
            ),
            ("games: 1\ncollect:\n  - winner\n", &["try.yaml:3:", "`collect: { keep: winner }`"]),
            (
                "games: 1\nfiles: a.pgn\n",
                &["try.yaml:2:", "a list", "write `files: [a.pgn, b.pgn]`"],
            ),
            ("max_games: 1\n", &["try.yaml:1:1", "unknown key `max_games`", "mean `games`"]),
            ("games: 1\ncollect: { min_plies: 3 }\n", &["try.yaml:2:", "did you mean `min_ply`"]),
            ("games: 1\ncollect: { one: 3 }\n", &["try.yaml:2:", "the keys here: keep, min_ply"]),
            ("games: four\n", &["try.yaml:1:", "`games`", "a whole number"]),
            ("games: -4\n", &["try.yaml:1:", "`games`", "a whole number"]),
            ("games: 1\nshare: half\n", &["try.yaml:2:", "`share`", "a number"]),
            ("files: [a]\n", &["try.yaml:1:1", "`games` is missing"]),
            ("games: 1\ngames: 2\n", &["try.yaml:2:1", "`games` stands here a second time"]),
            ("games: 1\n---\ngames: 2\n", &["try.yaml:3:", "a second document", "keep one"]),
            ("games: [1\n", &["try.yaml:"]),
            ("", &["try.yaml: the file is empty"]),
            ("- 1\n", &["try.yaml:1:1", "a mapping"]),
        ] {
            let error = parse::<File>(Path::new("try.yaml"), text, KIND).expect_err(text);
            let shown = rendered(&error);
            for part in says {
                assert!(shown.contains(part), "{text:?}: {shown}");
            }
            assert!(!shown.contains("<input>"), "{shown}");
        }
    }

    #[test]
    fn a_key_of_flattened_structures_is_found_and_corrected() {
        let text = "games: 1\nrat: 3\n";
        let error = parse::<Flattened>(Path::new("a.yaml"), text, KIND).expect_err(text);
        let shown = rendered(&error);
        assert!(shown.starts_with("a.yaml:2:1: unknown key `rat`"), "{shown}");
        assert!(shown.contains("did you mean `rate`"), "{shown}");
    }

    #[test]
    fn the_line_at_fault_is_shown() {
        let text = "games: 1\ncollect: winner\n";
        let error = parse::<File>(Path::new("try.yaml"), text, KIND).expect_err(text);
        let shown = format!("{:?}", miette::Report::new(error));
        assert!(shown.contains("collect: winner"), "{shown}");
        assert!(shown.contains("try.yaml"), "{shown}");
    }

    #[test]
    fn a_fault_far_along_a_line_is_shown_in_part() {
        let wide = " ".repeat(70_000);
        let minified = format!(r#"{{"games":1,"files":["{}"],"bogus":1}}"#, "x".repeat(500_000));
        for text in [format!("games: 1\ncollect: {{ keep: a, {wide}bogus: 1 }}\n"), minified] {
            let error = parse::<File>(Path::new("try.yaml"), &text, KIND).expect_err("a fault");
            assert!(error.to_string().contains("unknown key `bogus`"), "{error}");
            let shown = format!("{:?}", miette::Report::new(error));
            assert!(shown.contains("bogus") && shown.len() < 4_000, "{}", shown.len());
        }
        let text = format!("games: {}\n", "x".repeat(5_000_000));
        let error = parse::<File>(Path::new("try.yaml"), &text, KIND).expect_err("no number");
        assert!(error.to_string().len() < 4_000, "{}", error.to_string().len());
    }

    /// `levels` lists, each of `width` aliases of the one before.
    fn bomb(levels: usize, width: usize, list: impl Fn(usize, &str) -> String) -> String {
        let mut text = list(0, "lol");
        for level in 1..levels {
            let alias = format!("*a{}", level - 1);
            let aliases = vec![alias.as_str(); width].join(", ");
            text += &list(level, &aliases);
        }
        text
    }

    #[test]
    fn aliases_that_stand_for_too_much_are_refused_at_once() {
        let list = |level: usize, items: &str| format!("x{level}: &a{level} [{items}]\n");
        let map = |level: usize, items: &str| {
            let values = items.split(", ").enumerate();
            let fields: Vec<String> = values.map(|(at, it)| format!("k{at}: {it}")).collect();
            format!("x{level}: &a{level} {{ {} }}\n", fields.join(", "))
        };
        let long = "x".repeat(100_000);
        let wide = format!("x: &a {long}\ny: [{}]\n", vec!["*a"; 40_000].join(", "));
        for text in [
            bomb(9, 9, list),
            bomb(9, 9, map),
            bomb(6, 1000, list),
            bomb(30, 2, list),
            bomb(1000, 1, list),
            wide,
        ] {
            let path = Path::new("try.yaml");
            let error = parse::<serde_json::Value>(path, &text, KIND).expect_err("a bomb");
            assert!(error.to_string().contains("aliases"), "{error}");
            let reason = parse_text::<serde_json::Value>(&text).expect_err("a bomb");
            assert!(reason.contains("aliases"), "{reason}");
        }
    }

    #[test]
    fn aliases_that_people_write_are_read() {
        let text = "a: &a { x: 1, y: [1, 2] }\nb: { <<: *a, y: 3 }\nc: [*a, *a]\n";
        let value: serde_json::Value = parse_text(text).expect("valid");
        assert_eq!(value["b"]["x"], 1);
        assert_eq!(value["c"][1]["y"][1], 2);
        let many = format!("a: &a [1, 2]\nb: [{}]\n", vec!["*a"; 2_000].join(", "));
        let value: serde_json::Value = parse_text(&many).expect("valid");
        assert_eq!(value["b"].as_array().map(Vec::len), Some(2_000));
    }

    #[test]
    fn an_unreadable_file_is_named() {
        let error = read::<File>(Path::new("/nowhere/a.yaml"), KIND).expect_err("no file");
        assert!(error.to_string().starts_with("/nowhere/a.yaml: cannot be read"), "{error}");
    }
}
