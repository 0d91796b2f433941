//! Errors of the parser in terms of the file's keys, with the form to write instead.

use std::path::Path;

use miette::SourceOffset;
use serde_yaml::{Error, Location};

use super::keys::{key_at, place_of_key};
use super::{Explained, Kind, SECOND_DOCUMENT, YamlError, reason_of_limit};
use crate::address::ParseAddressError;
use crate::excerpt::Excerpt;
use crate::text::{brief, nearest};

/// Most characters of what is wrong.
const MAX_REASON: usize = 600;

/// An error in terms of the file's keys.
struct Fault {
    reason: String,
    /// The form to write instead.
    hint: Option<String>,
    /// The key at fault, where its place is not known.
    key: Option<String>,
}

pub(super) fn explain(path: &Path, text: &str, kind: Kind, error: &Error) -> YamlError {
    // An empty file has no place.
    let known = |&at: &Location| at != Location::UNKNOWN && !text.trim().is_empty();
    let at = error.location().filter(known);
    let at = at.map(|at| (at.line(), at.column()));
    let fault = fault(text, kind, error, at);
    let found = fault.key.as_deref().and_then(|key| place_of_key(text, key));
    let at = found.or(at);
    // A line with a secret in it is not shown.
    let holds_secret = fault.reason.contains(&ParseAddressError::Secret.to_string());
    let source = at.filter(|_| !holds_secret).and_then(|(line, column)| {
        let offset = SourceOffset::from_location(text, line as usize, column as usize).offset();
        (offset < text.len()).then(|| {
            let offset = text.floor_char_boundary(offset);
            let rest = text[offset..].lines().next().unwrap_or_default();
            let word = rest.find([':', ' ', ',', '}', ']', '#']).unwrap_or(rest.len()).max(1);
            let span = offset..offset + word.min(rest.len());
            Excerpt::new(&path.display().to_string(), text, line as usize, span)
        })
    });
    let help = match fault.hint {
        Some(hint) => format!("{hint}\n{}", kind.help),
        None => kind.help.to_owned(),
    };
    // It may quote a value.
    let reason = match fault.reason.len() > MAX_REASON {
        true => brief(&fault.reason, MAX_REASON),
        false => fault.reason,
    };
    YamlError(Box::new(Explained { path: path.to_owned(), at, reason, help, source }))
}

fn fault(text: &str, kind: Kind, error: &Error, at: Option<(u64, u64)>) -> Fault {
    let key = || at.and_then(|(line, column)| key_at(text, line, column));
    let due = |what: &str, example: &str| {
        let key = key();
        let form = key.as_deref().and_then(|key| form(kind, key));
        let shown = key.as_deref().unwrap_or("KEY");
        let form = form.unwrap_or(example);
        let name = key.as_ref().map_or(String::new(), |key| format!("`{key}` holds "));
        Fault {
            reason: format!("{name}{what}, which this is not"),
            hint: Some(format!("write `{shown}: {form}`")),
            key: None,
        }
    };
    let plain = |reason: String| Fault { reason, hint: None, key: None };
    if let Some(reason) = reason_of_limit(error) {
        return plain(reason);
    }
    match error {
        Error::SerdeUnknownField { field, expected, .. } => unknown_key(field, expected),
        Error::Message { msg, .. } => match unknown_of_flattened(msg) {
            Some(field) => {
                let fault = unknown_key(field, kind.keys);
                Fault { key: Some(field.to_owned()), ..fault }
            }
            None => plain(msg.clone()),
        },
        Error::SerdeUnknownVariant { variant, expected, .. } => Fault {
            reason: format!("`{variant}` is none of {}", list(expected)),
            hint: likely(variant, expected).map(|meant| format!("did you mean `{meant}`?")),
            key: None,
        },
        Error::SerdeMissingField { field, .. } => Fault {
            reason: format!("`{field}` is missing"),
            hint: form(kind, field).map(|form| format!("write `{field}: {form}`")),
            key: None,
        },
        Error::Unexpected { expected: "mapping start", .. } => {
            due("a mapping of keys to values", "{ NAME: VALUE }")
        }
        Error::Unexpected { expected: "sequence start", .. } => due("a list", "[FIRST, SECOND]"),
        Error::SerdeInvalidType { unexpected, expected, .. }
        | Error::SerdeInvalidValue { unexpected, expected, .. } => {
            let name = key().map_or(String::new(), |key| format!("`{key}` is "));
            let hint = key().and_then(|key| form(kind, &key).map(|form| (key, form)));
            Fault {
                reason: format!("{name}{unexpected}, and must be {}", in_words(expected)),
                hint: hint.map(|(key, form)| format!("write `{key}: {form}`")),
                key: None,
            }
        }
        Error::SerdeInvalidLength { len, expected, .. } => {
            let name = key().map_or(String::new(), |key| format!("`{key}` holds "));
            plain(format!("{name}{len} values, and must be {expected}"))
        }
        Error::InvalidScalar { ty, .. } => {
            let name = key().map_or("a value".to_owned(), |key| format!("`{key}`"));
            plain(format!("{name} must be {}", in_words(ty)))
        }
        Error::NonFiniteFloat { value, .. } => {
            let name = key().map_or("a value".to_owned(), |key| format!("`{key}`"));
            plain(format!("{name} is {value}, and must be a finite number"))
        }
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            plain(format!("the key `{key}` stands here a second time"))
        }
        Error::MultipleDocuments { .. } => Fault {
            reason: SECOND_DOCUMENT.to_owned(),
            hint: Some("keep one document: its keys stand side by side".to_owned()),
            key: None,
        },
        Error::Eof { .. } if text.trim().is_empty() => plain("the file is empty".to_owned()),
        // The parser's message repeats the place.
        other => plain(without_place(&other.to_string())),
    }
}

fn unknown_key(field: &str, known: &[&'static str]) -> Fault {
    let keys = || format!("the keys here: {}", known.join(", "));
    let hint = match likely(field, known) {
        Some(meant) => Some(format!("did you mean `{meant}`? {}", keys())),
        None if known.is_empty() => None,
        None => Some(keys()),
    };
    Fault { reason: format!("unknown key `{field}`"), hint, key: None }
}

/// Keys of other tools, and ours.
const MEANT: [(&str, &str); 2] = [("concurrency", "jobs"), ("workers", "jobs")];

/// The most similar known key: one that shares a word with it (`max_games`, `games`), or one within
/// a small edit distance.
fn likely<'a>(typed: &str, known: &[&'a str]) -> Option<&'a str> {
    let meant = MEANT.iter().find(|(word, _)| typed.eq_ignore_ascii_case(word));
    let meant = meant.and_then(|(_, ours)| known.iter().find(|name| *name == ours));
    if meant.is_some() {
        return meant.copied();
    }
    let words =
        |name: &str| -> Vec<String> { name.split(['_', '-']).map(str::to_lowercase).collect() };
    let typed_words = words(typed);
    let shares_all = |name: &&&str| {
        let name = words(name);
        let contains = |all: &[String], part: &[String]| {
            part.iter().all(|word| all.iter().any(|other| other == word))
        };
        contains(&typed_words, &name) || contains(&name, &typed_words)
    };
    // Whole words first: `max_games` is nearer to `max_moves` by letters than to `games`.
    let by_words = known.iter().find(shares_all).copied();
    by_words.or_else(|| nearest(typed, known.iter().copied()))
}

/// Serde's message for unknown keys of flattened structures.
fn unknown_of_flattened(message: &str) -> Option<&str> {
    message.strip_prefix("unknown field `")?.split('`').next()
}

fn list(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

fn form(kind: Kind, key: &str) -> Option<&'static str> {
    kind.forms.iter().find(|(name, _)| *name == key).map(|&(_, form)| form)
}

/// Names of Rust types for users.
fn in_words(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" | "float" | "floating point" => "a number",
        "bool" | "boolean" | "a boolean" => "true or false",
        "a string" | "string" => "a text",
        other => other,
    }
}

fn without_place(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    match message.rfind(" at line ") {
        Some(end) if message[end..].contains("column") => message[..end].to_owned(),
        _ => message.to_owned(),
    }
}
