//! A command line as YAML, as the form of a new run shows it.
//!
//! ```yaml
//! command: sprt
//! arguments: [HEAD, main]
//! tc: 8+0.08
//! option: [Hash=16, new.Contempt=3]
//! resign-two-sided: true
//! ```
//!
//! `arguments` stand without a flag; every other key is a flag of the command: `harness sprt --help`
//! lists them. A list repeats the flag; `true` is a flag without a value.

mod typed;

use serde_json::Value;
use thiserror::Error;

pub use self::typed::{FindFlag, Flag, of_command, with_keys, yaml};

use harness_base::yaml::parse_text;
use harness_runs::kinds::{Form, KINDS, with_forms};

/// Commands that a page may start; the others answer at once, or serve.
pub fn commands() -> Vec<&'static str> {
    with_forms().into_iter().map(|(kind, _)| kind.key).collect()
}

/// Beginnings, by command.
pub fn templates() -> Vec<(&'static str, String)> {
    let template = |form: &Form| format!("command: {}\n{}", form.command, form.yaml);
    with_forms().into_iter().map(|(kind, form)| (kind.key, template(form))).collect()
}

/// Whether these are the first words of a command of two words, with a form or without.
fn is_nested(words: &[String]) -> bool {
    let [first, second, ..] = words else { return false };
    let command = format!("{first} {second}");
    with_forms().iter().any(|(_, form)| form.command == command)
        || KINDS.iter().any(|kind| kind.command() == command)
}

/// A text that is no command line as YAML.
#[derive(Debug, Error)]
pub enum RecipeError {
    /// It is no YAML.
    #[error("{0}")]
    Syntax(String),
    /// It is not a mapping of keys to values.
    #[error("the text has no `key: value` lines, and is no command line of one run")]
    NoMapping,
    /// The command is missing, or none that a page may start.
    #[error("`command` is one of {}", commands().join(", "))]
    Command,
    /// Engines have no key of their own.
    #[error("engines stand without a flag: `arguments: [HEAD, main]` in the place of `{0}`")]
    Engines(String),
    /// A value cannot stand on a command line.
    #[error("`{0}` has a value that no flag can have; write a text, a number, true or a list")]
    Value(String),
}

/// The words of the command line, without the program.
///
/// # Errors
/// [`RecipeError`] says what is wrong with the text.
pub fn words(yaml: &str) -> Result<Vec<String>, RecipeError> {
    let read: Value = parse_text(yaml).map_err(RecipeError::Syntax)?;
    let Value::Object(keys) = read else { return Err(RecipeError::NoMapping) };
    let command = keys.get("command").and_then(Value::as_str).ok_or(RecipeError::Command)?;
    let mut words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    if words.first().is_none_or(|first| !commands().contains(&first.as_str())) {
        return Err(RecipeError::Command);
    }
    let bad = || RecipeError::Value("arguments".to_owned());
    let arguments = keys.get("arguments").map_or(&[][..], listed).iter().map(scalar);
    let mut arguments: Vec<String> = arguments.collect::<Option<_>>().ok_or_else(bad)?;
    // The second word of a command may stand before its arguments, as on a command line.
    if let ([first], Some(second)) = (&words[..], arguments.first())
        && is_nested(&[first.clone(), second.clone()])
    {
        words.push(arguments.remove(0));
    }
    for (key, value) in &keys {
        match key.as_str() {
            "command" | "arguments" => {}
            "engines" | "players" => return Err(RecipeError::Engines(key.clone())),
            _ => push_flag(&mut words, key, value)?,
        }
    }
    if !arguments.is_empty() {
        // What begins with a dash is no flag there.
        words.push("--".to_owned());
        words.extend(arguments);
    }
    Ok(words)
}

/// A command line as the form of a new run has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// The words of the command.
    pub command: String,
    /// Arguments without a flag.
    pub arguments: Vec<String>,
    /// Flags without their dashes, and their values; a flag without a value has `true`.
    pub flags: Vec<(String, Vec<String>)>,
}

impl Recipe {
    /// Of a YAML text; empty where it is none.
    pub fn read(yaml: &str) -> Recipe {
        let Ok(Value::Object(keys)) = parse_text(yaml) else { return Recipe::default() };
        let texts = |value: &Value| listed(value).iter().filter_map(scalar).collect::<Vec<_>>();
        let command = keys.get("command").and_then(Value::as_str).unwrap_or_default();
        let rest = keys.iter().filter(|(key, _)| !matches!(key.as_str(), "command" | "arguments"));
        Recipe {
            command: command.split_whitespace().collect::<Vec<_>>().join(" "),
            arguments: keys.get("arguments").map(texts).unwrap_or_default(),
            flags: rest.map(|(key, value)| (key.replace('_', "-"), texts(value))).collect(),
        }
    }

    /// The values of a flag.
    pub fn values(&self, flag: &str) -> &[String] {
        self.flags.iter().find(|(known, _)| known == flag).map_or(&[], |(_, values)| values)
    }

    /// The first value of a flag; empty without it.
    pub fn value(&self, flag: &str) -> &str {
        self.values(flag).first().map_or("", String::as_str)
    }
}

fn push_flag(words: &mut Vec<String>, key: &str, value: &Value) -> Result<(), RecipeError> {
    let flag = format!("--{}", key.replace('_', "-"));
    for value in listed(value) {
        match value {
            Value::Bool(true) => words.push(flag.clone()),
            Value::Bool(false) | Value::Null => {}
            value => {
                let value = scalar(value).ok_or_else(|| RecipeError::Value(key.to_owned()))?;
                // One word: a value may begin with a dash.
                words.push(format!("{flag}={value}"));
            }
        }
    }
    Ok(())
}

fn listed(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        value => std::slice::from_ref(value),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn yaml_becomes_a_command_line() {
        let text = "command: sprt\narguments: [HEAD, main]\ntc: 8+0.08\nelo0: -5\n\
                    option: [Hash=16, new.Contempt=3]\nresign_two_sided: true\naffinity: false\n";
        assert_eq!(
            words(text).expect("a command"),
            split(
                "sprt --elo0=-5 --option=Hash=16 --option=new.Contempt=3 --resign-two-sided \
                 --tc=8+0.08 -- HEAD main"
            )
        );
    }

    #[test]
    fn the_second_word_of_a_command_may_stand_among_the_arguments() {
        for (text, line) in [
            ("command: tune\narguments: [run, a.yaml]\n", "tune run -- a.yaml"),
            ("command: suite\narguments: [audit, bk]\nnodes: 5\n", "suite audit --nodes=5 -- bk"),
            ("command: suite audit\narguments: [bk]\n", "suite audit -- bk"),
            ("command: suite\narguments: [wac, run]\n", "suite -- wac run"),
            ("command: data generate\narguments: []\ngames: 4\n", "data generate --games=4"),
        ] {
            assert_eq!(words(text).expect("a command"), split(line), "{text}");
        }
    }

    #[test]
    fn what_is_no_command_line_is_refused() {
        for text in
            ["", "- a", "command: serve", "command: [sprt]", "command: sprt\ntc: {a: 1}", "a: ["]
        {
            assert!(words(text).is_err(), "{text}");
        }
    }

    #[test]
    fn engines_under_a_key_of_their_own_are_sent_to_the_arguments() {
        let wrong = words("command: match\nengines: [a, b]\n").expect_err("no such flag");
        assert!(wrong.to_string().contains("`arguments: [HEAD, main]`"), "{wrong}");
    }
}
