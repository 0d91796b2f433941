//! Lexer: splits words into flags with keys and values, as listed in [`table`](super::table).

use super::error::TranslationError;
use super::table::{BARE, Entry, FLAGS, OPTION, Takes, Value};
use crate::text::nearest;

/// The manual page that errors name.
pub const PAGE: &str = "`harness docs from-fastchess` maps every flag";

/// A flag or a key with its value.
#[derive(Clone, Copy, Debug)]
pub struct WrittenFlag<'a> {
    /// Its entry in the table.
    pub entry: &'static Entry,
    /// As written: `-wait`, `tc`, `option.Hash`.
    pub name: &'a str,
    /// As written; `None` without one.
    pub value: Option<&'a str>,
}

/// A flag with all that follows it.
#[derive(Debug)]
pub struct Flag<'a> {
    /// The flag, with its value if it takes one.
    pub given: WrittenFlag<'a>,
    /// Its words, where it takes any number.
    pub words: &'a [String],
    /// Its keys.
    pub keys: Vec<WrittenFlag<'a>>,
}

impl<'a> WrittenFlag<'a> {
    /// `-wait 10`, `tc=inf`: for messages.
    pub fn text(&self) -> String {
        match self.value {
            None => self.name.to_owned(),
            Some(value) if self.name.starts_with('-') => format!("{} {value}", self.name),
            Some(value) => format!("{}={value}", self.name),
        }
    }

    /// The value; the lexer has checked that there is one.
    pub fn value(&self) -> &'a str {
        self.value.unwrap_or_default()
    }

    /// The value as a whole number; the lexer has checked that it is one.
    ///
    /// # Errors
    /// When it is below zero or too large for any count.
    pub fn count(&self) -> Result<u64, TranslationError> {
        self.value().parse().map_err(|_| TranslationError::Value {
            argument: self.text(),
            takes: "a whole number that is not below zero".to_owned(),
        })
    }

    /// Refuses it.
    pub fn unsupported(&self, reason: impl Into<String>) -> TranslationError {
        TranslationError::Unsupported { argument: self.text(), reason: reason.into() }
    }
}

/// Splits a command line into flags. A flag begins with `-`, but not with `-` and a digit.
///
/// # Errors
/// When a flag, a key or a value is none that either program knows.
pub fn flags(arguments: &[String]) -> Result<Vec<Flag<'_>>, TranslationError> {
    let is_flag = |word: &String| {
        let mut letters = word.chars();
        letters.next() == Some('-') && letters.next().is_some_and(|next| !next.is_ascii_digit())
    };
    let mut flags = Vec::new();
    let mut rest = arguments;
    while let [name, after @ ..] = rest {
        let count = after.iter().take_while(|word| !is_flag(word)).count();
        let (words, next) = after.split_at(count);
        flags.push(flag(name, words)?);
        rest = next;
    }
    Ok(flags)
}

fn flag<'a>(written: &'a str, words: &'a [String]) -> Result<Flag<'a>, TranslationError> {
    // `--compliance` and `--version` have two dashes there.
    let name = written.strip_prefix('-').filter(|name| name.starts_with('-')).unwrap_or(written);
    let entry = FLAGS.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names = FLAGS.iter().map(|entry| entry.name);
        unknown(written, String::new(), nearest(name, names))
    })?;
    let mut flag =
        Flag { given: WrittenFlag { entry, name, value: None }, words, keys: Vec::new() };
    let wrong = || TranslationError::Value {
        argument: [&[name.to_owned()], words].concat().join(" "),
        takes: taken(entry.takes),
    };
    match (entry.takes, words) {
        (Takes::Nothing | Takes::Optional(_), []) => {}
        (Takes::One(value) | Takes::Optional(value), [word]) => {
            flag.given.value = Some(word);
            check(flag.given, value)?;
        }
        (Takes::Words(_), [_, ..]) => {}
        (Takes::Keys(keys), _) => {
            // fastchess gives its games a name by itself.
            let may_be_empty = keys.iter().any(|key| key.name == BARE);
            if words.is_empty() && !may_be_empty {
                return Err(wrong());
            }
            for (index, word) in words.iter().enumerate() {
                flag.keys.push(key(name, keys, word, index == 0)?);
            }
        }
        _ => return Err(wrong()),
    }
    Ok(flag)
}

/// One of the words behind a flag that takes keys.
fn key<'a>(
    flag: &str,
    keys: &'static [Entry],
    word: &'a str,
    is_first: bool,
) -> Result<WrittenFlag<'a>, TranslationError> {
    let (name, value) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    let is_option = |entry: &&Entry| entry.name == OPTION && name.starts_with("option.");
    let found = keys.iter().find(|entry| entry.name == name || is_option(entry));
    if let Some(entry) = found.filter(|entry| entry.name != BARE) {
        let given = WrittenFlag { entry, name, value };
        return match (entry.takes, value) {
            (Takes::Nothing | Takes::Optional(_), None) => Ok(given),
            (Takes::One(takes) | Takes::Optional(takes), Some(_)) => {
                check(given, takes)?;
                Ok(given)
            }
            _ => Err(TranslationError::Value {
                argument: word.to_owned(),
                takes: taken(entry.takes),
            }),
        };
    }
    match keys.iter().find(|entry| entry.name == BARE) {
        Some(entry) if is_first && value.is_none() => {
            Ok(WrittenFlag { entry, name: BARE, value: Some(word) })
        }
        _ => {
            let near = nearest(name, keys.iter().map(|entry| entry.name));
            Err(unknown(word, format!(" after {flag}"), near))
        }
    }
}

fn unknown(argument: &str, place: String, near: Option<&str>) -> TranslationError {
    let hint = match near {
        Some(near) => format!("do you mean `{near}`? {PAGE}"),
        None => PAGE.to_owned(),
    };
    TranslationError::Unknown { argument: argument.to_owned(), place, hint }
}

fn check(given: WrittenFlag<'_>, takes: Value) -> Result<(), TranslationError> {
    let value = given.value();
    let is_right = match takes {
        // An option of an engine may be set to nothing.
        Value::Text(_) => !value.is_empty() || given.entry.name == OPTION,
        Value::Integer => value.parse::<i64>().is_ok() || value.parse::<u64>().is_ok(),
        Value::Decimal => value.parse::<f64>().is_ok_and(f64::is_finite),
        Value::OneOf(values) => values.contains(&value),
    };
    let wrong =
        || TranslationError::Value { argument: given.text(), takes: taken(Takes::One(takes)) };
    is_right.then_some(()).ok_or_else(wrong)
}

fn taken(takes: Takes) -> String {
    match takes {
        Takes::Nothing => "no value".to_owned(),
        Takes::Optional(value) => format!("{}, or no value", taken(Takes::One(value))),
        Takes::Words(text) => text.to_owned(),
        Takes::Keys(_) => "key=value words".to_owned(),
        Takes::One(Value::Text(text)) => format!("a value, {text}"),
        Takes::One(Value::Integer) => "a whole number".to_owned(),
        Takes::One(Value::Decimal) => "a number".to_owned(),
        Takes::One(Value::OneOf(values)) => format!("one of {}", values.join(", ")),
    }
}
