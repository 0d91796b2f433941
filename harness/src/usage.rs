//! Errors of the command line that say what a flag takes, and which flag was meant.

use std::error::Error as _;
use std::ffi::OsString;
use std::num::{ParseFloatError, ParseIntError};
use std::path::Path;

use clap::builder::{StyledStr, ValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::compat;
use crate::text::{grouped, nearest};

/// UCI options that other programs have as flags; our flag is `--option NAME=VALUE`.
const OPTIONS: [(&str, &str); 4] = [
    ("hash", "Hash=64"),
    ("threads", "Threads=2"),
    ("eval-file", "EvalFile=FILE"),
    ("multipv", "MultiPV=3"),
];

/// Other words for flags of ours.
const MEANT: [(&str, &str); 8] = [
    ("book", "openings"),
    ("concurrency", "jobs"),
    ("opening-book", "openings"),
    ("syzygy", "tb"),
    ("syzygy-path", "tb"),
    ("tablebases", "tb"),
    ("time-control", "tc"),
    ("timecontrol", "tc"),
];

/// Joins a number below zero to the flag before it, as `--games=-4`: clap takes `-4` for a flag.
pub(super) fn join_numbers(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut is_after_flags = false;
    for word in words {
        is_after_flags |= word == "--";
        let flag = joined.last_mut().filter(|flag| !is_after_flags && is_flag(flag));
        match flag {
            Some(flag) if is_negative(&word) => {
                flag.push("=");
                flag.push(word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

/// Whether a word is a long flag that its value does not follow behind `=`.
fn is_flag(word: &OsString) -> bool {
    word.to_str().is_some_and(|word| {
        let name = word.strip_prefix("--").unwrap_or_default();
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && !name.contains('=')
    })
}

/// Whether a word begins as a number below zero does; `-5ms` counts.
fn is_negative(word: &OsString) -> bool {
    let digits = word.to_str().and_then(|word| word.strip_prefix('-')).unwrap_or_default();
    digits.trim_start_matches('.').starts_with(|first: char| first.is_ascii_digit())
}

/// The error with what to write instead. `words` are those behind the program's name.
pub fn explain(error: clap::Error, mut root: Command, words: &[String]) -> clap::Error {
    root.build();
    let command = called(root.clone(), words);
    match error.kind() {
        ErrorKind::UnknownArgument => explain_flag(error, &root, &command, words),
        ErrorKind::ValueValidation => explain_value(error, &command),
        ErrorKind::InvalidSubcommand => explain_command(error, &command),
        ErrorKind::InvalidUtf8 => explain_text(&command, words),
        _ => error,
    }
}

/// The command that the words call, with its flags and those of all commands.
fn called(mut command: Command, words: &[String]) -> Command {
    let mut is_value = false;
    for word in words {
        let flag = command.get_arguments().find(|arg| is_spelled(arg, word));
        if std::mem::replace(&mut is_value, flag.is_some_and(takes_value)) {
            is_value = false;
            continue;
        }
        if let Some(sub) = command.find_subcommand(word) {
            command = sub.clone();
        }
    }
    command
}

/// Names the words that are no text, and how a file of such a name is reached all the same.
fn explain_text(command: &Command, words: &[String]) -> clap::Error {
    let strange = words.iter().filter(|word| word.contains(char::REPLACEMENT_CHARACTER));
    let strange: Vec<String> = strange.map(|word| format!("`{word}`")).collect();
    let verb = if strange.len() == 1 { "is" } else { "are" };
    let message = format!(
        "{} {verb} not UTF-8, and one of them stands where text is wanted\n\n  \
         tip: flags that take a FILE, DIR or FOLDERS and nothing else take any path; engines, `args`, values of \
         options and names are text: run the command within that folder, or make a link with a plain name \
         (`ln -s`)",
        strange.join(", "),
    );
    clap::Error::raw(ErrorKind::InvalidUtf8, message).with_cmd(command)
}

fn is_spelled(arg: &Arg, word: &str) -> bool {
    word.strip_prefix("--").is_some_and(|name| arg.get_long() == Some(name))
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// Names the command that was meant, else all that there are.
fn explain_command(mut error: clap::Error, command: &Command) -> clap::Error {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
    let tip = match nearest(unknown, names.iter().copied()) {
        Some(near) if unknown.len() > 3 => format!("there is `{}`", called_as(command, near)),
        _ => format!("the commands are {}", names.join(", ")),
    };
    error.remove(ContextKind::SuggestedSubcommand);
    error.insert(ContextKind::Suggested, styled(vec![tip]));
    error
}

/// A subcommand as it is called.
fn called_as(command: &Command, name: &str) -> String {
    let parent = command.get_bin_name().unwrap_or_else(|| command.get_name());
    format!("{parent} {name}")
}

/// Tips for a flag that the command does not have.
fn explain_flag(
    mut error: clap::Error,
    root: &Command,
    command: &Command,
    words: &[String],
) -> clap::Error {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg).cloned() else {
        return error;
    };
    // Of `-rounds` only `-r` is named.
    let is_it = |word: &&String| {
        let short = !unknown.starts_with("--") && word.starts_with(unknown.as_str());
        short || word.split('=').next() == Some(unknown.as_str())
    };
    let word = words.iter().find(is_it).unwrap_or(&unknown);
    // That of clap is right for a file of such a name only.
    if !Path::new(word).exists() {
        error.remove(ContextKind::Suggested);
    }
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage(command)));
    let mut tips = match too_early(word, command) {
        Some(tip) => vec![tip],
        None => flag_tips(word, command),
    };
    if tips.is_empty() {
        tips.extend(elsewhere(word, root));
    }
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, styled(tips));
    }
    error
}

/// A flag that the command has, which was written before the command's name.
fn too_early(word: &str, command: &Command) -> Option<String> {
    let name = word.split('=').next()?;
    command.get_arguments().find(|arg| is_spelled(arg, name))?;
    let called = command.get_bin_name().unwrap_or_else(|| command.get_name());
    Some(format!("it goes behind the command: `{called} {name} ...`"))
}

fn usage(command: &Command) -> StyledStr {
    command.clone().render_usage()
}

fn styled(tips: Vec<String>) -> ContextValue {
    ContextValue::StyledStrs(tips.into_iter().map(StyledStr::from).collect())
}

/// Suggestions for a flag that a command does not have.
fn flag_tips(word: &str, command: &Command) -> Vec<String> {
    let flag = word.split('=').next().unwrap_or(word);
    let Some(name) = flag.strip_prefix('-').map(|name| name.trim_start_matches('-')) else {
        return Vec::new();
    };
    let name = name.replace('_', "-");
    let flags: Vec<&Arg> = command.get_arguments().filter(|arg| arg.get_long().is_some()).collect();
    let meant = MEANT.iter().find(|(word, _)| *word == name.to_lowercase());
    let meant = meant.and_then(|(_, ours)| flags.iter().find(|arg| arg.get_long() == Some(*ours)));
    if let Some(found) = meant.copied().or_else(|| near(&name, &flags)) {
        return vec![format!("there is {}", described(found))];
    }
    let option = OPTIONS.iter().find(|(flag, _)| *flag == name.to_lowercase());
    let has_options = flags.iter().any(|arg| arg.get_long() == Some("option"));
    if let Some((_, example)) = option.filter(|_| has_options) {
        return vec![format!(
            "options of engines are set by `--option`, as in `--option {example}`"
        )];
    }
    let ours = compat::ours(flag);
    let has_flag = ours.as_ref().is_some_and(|ours| ours.contains("`--"));
    match (ours, with_words(&name, &flags)) {
        (ours, Some(longer)) if ours.is_none() || !has_flag => {
            vec![format!("there is {}", described(longer))]
        }
        (Some(ours), _) => vec![
            format!("here `{flag}` is {ours}"),
            "`harness fastchess ARGS...` takes command lines of fastchess and cutechess-cli".into(),
        ],
        (None, _) => Vec::new(),
    }
}

/// The other commands that have a flag.
fn elsewhere(word: &str, root: &Command) -> Option<String> {
    /// Names that are listed.
    const MAX_SUGGESTIONS: usize = 3;
    let flag = word.split('=').next()?;
    let name = flag.strip_prefix("--")?;
    let mut found = Vec::new();
    let mut open: Vec<&Command> = root.get_subcommands().collect();
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands());
        if command.get_arguments().any(|arg| arg.get_long() == Some(name)) {
            found.push(format!("`{}`", command.get_bin_name().unwrap_or_default()));
        }
    }
    found.sort_by_key(|name| (name.len(), name.clone()));
    found.truncate(MAX_SUGGESTIONS);
    (!found.is_empty()).then(|| format!("`{flag}` is a flag of {}", found.join(", ")))
}

/// The flag of the command that is nearly the same.
fn near<'a>(name: &str, flags: &[&'a Arg]) -> Option<&'a Arg> {
    let names = flags.iter().filter_map(|arg| arg.get_long()).filter(|other| other.len() > 2);
    let near = nearest(name, names)?;
    flags.iter().find(|arg| arg.get_long() == Some(near)).copied()
}

/// The flag of the command in whose name another one stands as words: `--max-games` of `--games`.
fn with_words<'a>(name: &str, flags: &[&'a Arg]) -> Option<&'a Arg> {
    let has_words = |arg: &&&Arg| {
        let long = arg.get_long().unwrap_or_default();
        long.ends_with(&format!("-{name}")) || long.starts_with(&format!("{name}-"))
    };
    flags.iter().find(has_words).copied()
}

/// A flag and the first sentence of its help.
fn described(arg: &Arg) -> String {
    let flag = arg.get_long().map_or_else(|| arg.to_string(), |long| format!("--{long}"));
    let value = arg.get_value_names().filter(|_| takes_value(arg)).unwrap_or_default();
    let value: String = value.iter().map(|name| format!(" {name}")).collect();
    match arg.get_help() {
        Some(help) => format!("`{flag}{value}`: {}", help.to_string().trim_end_matches('.')),
        None => format!("`{flag}{value}`"),
    }
}

/// Says of a value that is refused what the flag takes, and what it is for.
fn explain_value(error: clap::Error, command: &Command) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let Some((shown, value)) = text(ContextKind::InvalidArg).zip(text(ContextKind::InvalidValue))
    else {
        return error;
    };
    let Some(arg) = command.get_arguments().find(|arg| arg.to_string() == shown) else {
        return error;
    };
    let mut explained = clap::Error::new(ErrorKind::ValueValidation).with_cmd(command);
    let mut tips = Vec::new();
    match wanted(&error, arg.get_value_parser()) {
        Some(wanted) => tips.push(format!("it takes {wanted}")),
        // Its own words are clear.
        None => explained = error,
    }
    tips.extend(arg.get_help().map(|_| described(arg)));
    // An address without a scheme may hold a password, too.
    let value = match value.rsplit_once('@') {
        Some((_, host)) if shown.contains("URL") => format!("…@{host}"),
        _ => value,
    };
    explained.insert(ContextKind::InvalidArg, ContextValue::String(shown));
    explained.insert(ContextKind::InvalidValue, ContextValue::String(value));
    explained.insert(ContextKind::Suggested, styled(tips));
    explained
}

/// The numbers that a flag takes, where a number was refused.
fn wanted(error: &clap::Error, parser: &ValueParser) -> Option<String> {
    let source = error.source()?;
    if source.is::<ParseFloatError>() {
        return Some("a number, such as 5 or 0.5".to_owned());
    }
    let is_range = |text: &str| text.contains(" is not in ");
    if !source.is::<ParseIntError>() && !is_range(&source.to_string()) {
        return None;
    }
    let refusals = ["0", "-1", "9223372036854775807", "18446744073709551615"]
        .map(|number| refusal(parser, number));
    let range = refusals.iter().flatten().find_map(|text| {
        let (_, range) = text.split_once(" is not in ")?;
        let (least, most) = range.split_once("..")?;
        Some((least.parse::<i64>().ok()?, most.trim_start_matches('=').parse::<u64>().ok()?))
    });
    Some(match range {
        Some((least, most)) if most < u64::from(u32::MAX) => {
            format!("a whole number from {least} to {}", grouped(most))
        }
        Some((least, _)) => format!("a whole number of at least {least}"),
        None if refusals[0].is_none() && refusals[1].is_some() => {
            "a whole number of at least 0".to_owned()
        }
        None if refusals[0].is_some() && refusal(parser, "1").is_none() => {
            "a whole number of at least 1".to_owned()
        }
        None => "a whole number".to_owned(),
    })
}

/// Why a parser refuses a text; `None` if it does not.
fn refusal(parser: &ValueParser, text: &str) -> Option<String> {
    let arg = Arg::new("value").long("value").value_parser(parser.clone());
    let command = Command::new("value").arg(arg);
    let parsed = command.try_get_matches_from(["value".to_owned(), format!("--value={text}")]);
    let error = parsed.err()?;
    Some(error.source().map(ToString::to_string).unwrap_or_default())
}

#[cfg(test)]
mod tests;
