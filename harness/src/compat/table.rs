//! Every flag of fastchess 1.8 and cutechess-cli 1.5 with its translation, as data: what an entry is; the entries
//! are in `flags` and `keys`.
//!
//! The lexer, the translation and the table of `harness docs from-fastchess` are driven by it.

mod flags;
mod keys;

pub use flags::FLAGS;

/// A flag, or a key of a flag (`tc` of `-engine tc=8+0.08`).
#[derive(Debug)]
pub struct Entry {
    /// With its dash; a key without.
    pub name: &'static str,
    /// Its values and keys.
    pub takes: Takes,
    /// Its translation.
    pub fate: Fate,
}

/// Values and keys behind a flag or a key.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// One value.
    One(Value),
    /// One value or none.
    Optional(Value),
    /// One word or more.
    Words(&'static str),
    /// `key=value` words.
    Keys(&'static [Entry]),
}

/// A value of a flag or a key.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// Anything; its name on the page.
    Text(&'static str),
    /// A whole number, possibly negative.
    Integer,
    /// A number.
    Decimal,
    /// One of these.
    OneOf(&'static [&'static str]),
}

/// Translation of a flag or a key.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    /// A flag of ours with the same value.
    Flag(&'static str),
    /// A flag of ours without a value.
    Switch(&'static str),
    /// Handled by the translation; with a text for people.
    Mapped(Meaning, &'static str),
    /// Always the case here; why.
    Always(&'static str),
    /// Left out with a note, unless it has one of the values; it has no influence on results.
    Ignored(&'static [&'static str], &'static str),
}

/// A flag that the translation handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    // Of the run.
    Engine,
    Each,
    Quick,
    QuickEngine,
    QuickBook,
    Rounds,
    Games,
    Repeat,
    Concurrency,
    Sprt,
    Tournament,
    Seeds,
    NoSwap,
    Reverse,
    OpeningPolicy,
    Wait,
    UciLog,
    LogEngines,
    PgnComment,
    SprtModel,
    Variant,
    RatingInterval,
    ScoreInterval,
    OutcomeInterval,
    OutputFormat,
    Report,
    SaveInterval,
    Checksum,
    CheckMates,
    OneLineWarnings,
    Strict,
    Recover,
    MaxMoves,
    Draw,
    Resign,
    TwoSided,
    Tables,
    TablePieces,
    TablebaseResults,
    Openings,
    OpeningsFormat,
    OpeningsOrder,
    Event,
    Site,
    Affinity,
    Patience,
    PgnOut,
    PgnFile,
    PgnAppend,
    PgnMinimal,
    EpdOut,
    EpdFile,
    EpdAppend,
    ConfigFile,
    ConfigDiscard,
    ConfigOut,
    PgnLine,
    PgnNodes,
    // Instead of a run.
    Compliance,
    Engines,
    Help,
    Version,
    // Of an engine.
    Configured,
    Command,
    Name,
    Folder,
    Argument,
    Arguments,
    Protocol,
    Ponder,
    InitString,
    Clock,
    MoveTime,
    Nodes,
    Depth,
    Margin,
    UciOption,
    Restart,
    WhiteView,
    Timeouts,
    Book,
    BookDepth,
}

use Fate::{Always, Flag, Ignored, Mapped, Switch};

const fn entry(name: &'static str, takes: Takes, fate: Fate) -> Entry {
    Entry { name, takes, fate }
}

/// The name of the entry that stands for all options of an engine.
pub const OPTION: &str = "option.NAME";

/// The name of the entry that stands for a word without `=`.
pub const BARE: &str = "FILE";

/// The translation of one of their flags, for users who give it to one of our commands: `--rounds`,
/// `-rounds` and `rounds` are the same. `None` if neither program has it.
pub fn ours(theirs: &str) -> Option<String> {
    let name = theirs.trim_start_matches('-');
    let entry = FLAGS.iter().find(|entry| entry.name.trim_start_matches('-') == name)?;
    Some(entry.ours())
}

impl Entry {
    /// The translation for people, as Markdown.
    fn ours(&self) -> String {
        match self.fate {
            Flag(flag) => format!("`{flag} {}`", self.takes.placeholder().replace("\\|", "|")),
            Switch(flag) => format!("`{flag}`"),
            Mapped(_, text) | Always(text) => text.to_owned(),
            Ignored(_, why) => format!("left out: {why}"),
        }
    }
}

impl Takes {
    /// The form of the values, in a cell of a table in Markdown.
    fn placeholder(self) -> String {
        match self {
            Takes::Nothing => String::new(),
            Takes::One(value) => value.placeholder(),
            Takes::Optional(value) => format!("[{}]", value.placeholder()),
            Takes::Words(text) => text.to_owned(),
            Takes::Keys(_) => "KEY=VALUE ...".to_owned(),
        }
    }
}

impl Value {
    fn placeholder(self) -> String {
        match self {
            Value::Text(text) => text.to_owned(),
            Value::Integer => "N".to_owned(),
            Value::Decimal => "X".to_owned(),
            Value::OneOf(values) => values.join("\\|"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the page: every flag, and every key behind its flag.
    fn rows() -> String {
        let mut rows = String::from("| theirs | ours |\n|---|---|\n");
        let mut row = |theirs: String, entry: &Entry| {
            let ours = entry.ours().replace("\\|", "|").replace('|', "\\|");
            rows.push_str(&format!("| `{}` | {ours} |\n", theirs.trim_end()));
        };
        for flag in FLAGS {
            row(format!("{} {}", flag.name, flag.takes.placeholder()), flag);
            // The keys of `-each` are those of `-engine`.
            let Takes::Keys(keys) = flag.takes else { continue };
            for key in keys.iter().filter(|_| flag.name != "-each") {
                let value = key.takes.placeholder();
                let text = match key.takes {
                    _ if key.name == BARE => value,
                    Takes::Nothing => key.name.to_owned(),
                    Takes::Optional(_) => format!("{0}, {0}={value}", key.name),
                    _ => format!("{}={value}", key.name),
                };
                row(format!("{} {text}", flag.name), key);
            }
        }
        rows
    }

    #[test]
    fn the_page_has_the_table_that_the_program_follows() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
        let path = folder.join("from-fastchess.md");
        let page = std::fs::read_to_string(&path).expect("the page is there");
        let (head, _) = page.split_once("| theirs | ours |").expect("it has the table");
        let wanted = format!("{head}{}", rows());
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &wanted).expect("the page can be written");
        } else {
            assert_eq!(page, wanted, "UPDATE_DOCS=1 cargo test updates the table");
        }
    }

    #[test]
    fn a_name_stands_once_and_every_flag_of_ours_exists() {
        use clap::CommandFactory;
        let command = crate::commands::fastchess::Ours::command();
        let flags: Vec<String> = ["match", "sprt"]
            .iter()
            .filter_map(|name| command.find_subcommand(name))
            .flat_map(|command| command.get_arguments().filter_map(clap::Arg::get_long))
            .map(|long| format!("--{long}"))
            .collect();
        let mut keys: Vec<&[Entry]> = vec![FLAGS];
        keys.extend(FLAGS.iter().filter_map(|flag| match flag.takes {
            Takes::Keys(keys) => Some(keys),
            _ => None,
        }));
        for entries in keys {
            for (index, entry) in entries.iter().enumerate() {
                assert!(!entries[..index].iter().any(|other| other.name == entry.name));
                if let Flag(ours) | Switch(ours) = entry.fate {
                    assert!(flags.contains(&ours.to_owned()), "{ours}");
                }
                // In the last column, code in backticks that begins with dashes is a flag.
                for word in entry.ours().split('`').skip(1).step_by(2) {
                    let flag = word.split([' ', '=']).next().unwrap_or_default();
                    let is_ours = !flag.starts_with("--") || flags.contains(&flag.to_owned());
                    let other =
                        ["--option", "--version", "--json", "--format", "--output"].contains(&flag);
                    assert!(is_ours || other, "{word}");
                }
            }
        }
    }
}
