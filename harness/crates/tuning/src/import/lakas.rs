//! Lakas: a command line in a shell script or batch file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::{ErrorAt, Imported, Row, at, option_text};
use crate::space::Scale;
use harness_arena::{DrawOffer, Resign};
use harness_base::yaml;

/// The parameters and the conditions of the games.
pub fn experiment(text: &str) -> Result<Imported, ErrorAt> {
    let (line, words) = command(text)
        .ok_or_else(|| (String::new(), "there is no command with --input-param".to_owned()))?;
    let place = format!(":{line}");
    let flags = flags(words);
    let wrong = |reason: String| (place.clone(), reason);
    let mapping = |key: &str| -> Result<BTreeMap<String, Value>, ErrorAt> {
        let Some(text) = flags.get(key) else { return Ok(BTreeMap::new()) };
        // Python's literals of this form are YAML.
        yaml::parse_text(text).map_err(|_| {
            wrong(format!("--{key} is no mapping such as {{'X': {{'init': 5, ...}}}}: {text}"))
        })
    };
    let parameters = mapping("input-param")?;
    let parameters = parameters.iter().map(|(name, value)| row(name, value, &place));
    let mut imported =
        Imported { parameters: parameters.collect::<Result<_, _>>()?, ..Imported::default() };
    for (name, value) in mapping("common-param")? {
        imported.options.insert(name, option_text(&value));
    }
    let value = |key: &str| flags.get(key).map(String::as_str);
    // Its greatest depth stands beside the clock; the usual one, 1000, limits nothing.
    let depth = value("depth").filter(|depth| *depth != "1000");
    let clock = value("base-time-sec")
        .map(|base| format!("tc={base}+{}", value("inc-time-sec").unwrap_or("0")));
    let limit = match (value("move-time-ms"), value("nodes")) {
        (Some(time), _) => Some(format!("movetime={time}ms")),
        (_, Some(nodes)) => Some(format!("nodes={nodes}")),
        _ => clock,
    };
    let depth = depth.map(|depth| format!("depth={depth}"));
    let limit = match (limit, depth) {
        (Some(limit), Some(depth)) => Some(format!("{limit},{depth}")),
        (limit, depth) => limit.or(depth),
    };
    imported.limit =
        limit.map(|text| text.parse().map_err(|error| wrong(format!("{error}")))).transpose()?;
    imported.openings = value("opening-file").map(PathBuf::from);
    // Fixed settings that it passes to its match runner.
    (imported.draw, imported.resign) = match value("match-manager") {
        Some("duel") => (
            Some(DrawOffer { score: 0, moves: 10, from: 40 }),
            Some(Resign { score: 900, moves: 6, two_sided: false }),
        ),
        _ => (
            Some(DrawOffer { score: 1, moves: 6, from: 30 }),
            Some(Resign { score: 700, moves: 6, two_sided: true }),
        ),
    };
    Ok(imported)
}

fn row(name: &str, value: &Value, place: &str) -> Result<Row, ErrorAt> {
    let place = format!("{place}{}", at(name));
    if value.is_array() {
        return Err((place, format!("{value} is a choice of values and no range")));
    }
    let number = |key: &str| {
        value.get(key).and_then(Value::as_f64).ok_or_else(|| (place.clone(), format!("no `{key}`")))
    };
    let start = number("init")?;
    let min = number("lower")?;
    let max = number("upper")?;
    Ok(Row {
        name: name.to_owned(),
        start: Some(start),
        min,
        max,
        step: None,
        scale: Scale::Linear,
        place,
    })
}

/// The words of the command with the parameters, and its line, from 1. A `\` or `^` at the end
/// continues a line; comments are those of shells and batch files.
fn command(text: &str) -> Option<(usize, Vec<String>)> {
    let mut begun: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let is_comment = ["#", "::", "rem ", "REM ", "//"];
        if begun.is_none() && is_comment.iter().any(|mark| trimmed.starts_with(mark)) {
            continue;
        }
        let part = trimmed.trim_end_matches(['\\', '^']);
        let (first, so_far) = begun.take().unwrap_or((index + 1, String::new()));
        let all = format!("{so_far}{part} ");
        if part.len() < trimmed.len() {
            begun = Some((first, all));
        } else if all.contains("--input-param") {
            return Some((first, words(&all)));
        }
    }
    let (first, all) = begun?;
    all.contains("--input-param").then(|| (first, words(&all)))
}

/// Words between blanks; quotes group words and are removed.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(mark), c) if c == mark => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// `--name value` and `--name=value`.
fn flags(words: Vec<String>) -> BTreeMap<String, String> {
    let mut flags = BTreeMap::new();
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let Some(name) = word.strip_prefix("--") else { continue };
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (name, words.next_if(|next| !next.starts_with("--")).unwrap_or_default()),
        };
        flags.insert(name.to_owned(), value);
    }
    flags
}
