//! Checks of the handshake: the id and the options.

use super::checkup::{Checkup, Finding, FindingResult, passed, saw};
use super::search::{MIDDLE_GAME, Violation, legal, position};
use harness_player::{DeclaredOption, OptionKind};

/// It starts and answers `uci`.
pub(super) fn start(checkup: &mut Checkup<'_>) -> FindingResult {
    checkup.with(Checkup::start)?;
    let id = checkup.id().unwrap_or("no `id name`").to_owned();
    saw(match checkup.declared().len() {
        0 => id,
        options => format!("{id}, {options} options"),
    })
}

/// `id name` and `id author`.
pub(super) fn identity(checkup: &mut Checkup<'_>) -> FindingResult {
    match (checkup.id(), checkup.author()) {
        (Some(_), Some(author)) => saw(format!("by {author}")),
        (None, _) => Ok(Finding::Warned("there is no `id name`".to_owned())),
        (_, None) => Ok(Finding::Warned("there is no `id author`".to_owned())),
    }
}

/// Options are valid, and defaults are among their values.
pub(super) fn options(checkup: &mut Checkup<'_>) -> FindingResult {
    if let Some(line) = checkup.unreadable_options().first() {
        return Err(format!("no option can be read from `{line}`").into());
    }
    let declared = checkup.declared();
    for (index, option) in declared.iter().enumerate() {
        let same = |other: &DeclaredOption| other.name.eq_ignore_ascii_case(&option.name);
        if declared[..index].iter().any(same) {
            return Err(format!("`{}` is declared twice", option.name).into());
        }
        contradiction(option).map_or(Ok(()), |what| Err(Violation::from(what)))?;
    }
    if let [flaw, ..] = checkup.option_flaws() {
        return Ok(Finding::Warned(flaw.clone()));
    }
    match declared.len() {
        0 => Ok(Finding::Skipped("it has none")),
        options => saw(format!("{options}")),
    }
}

fn contradiction(option: &DeclaredOption) -> Option<String> {
    let name = &option.name;
    match &option.kind {
        OptionKind::Spin { min, max, .. } if min > max => {
            Some(format!("`{name}` goes from {min} to {max}"))
        }
        OptionKind::Spin { default, min, max } if !(min..=max).contains(&default) => {
            Some(format!("`{name}` goes from {min} to {max}, but its default is {default}"))
        }
        OptionKind::Combo { default, choices } if !choices.contains(default) => Some(format!(
            "`{name}` is one of `{}`, but its default is `{default}`",
            choices.join("`, `")
        )),
        _ => None,
    }
}

/// It runs with every option at the ends of its range, and still searches. What takes memory or threads is set to
/// its least value alone.
pub(super) fn option_values(checkup: &mut Checkup<'_>) -> FindingResult {
    let declared = checkup.declared().to_vec();
    let mut tried = 0;
    let mut heavy = Vec::new();
    for option in &declared {
        let values = values_to_try(option);
        if values.len() < 2 {
            continue;
        }
        tried += 1;
        if is_heavy(option) {
            heavy.push(option.name.as_str());
        }
        for value in &values {
            let command = format!("setoption name {} value {value}\n", option.name);
            let set = checkup.with(|checkup| checkup.process()?.synchronise(&command));
            set.map_err(|error| format!("after `{}`: {error}", command.trim_end()))?;
        }
    }
    if tried == 0 {
        return Ok(Finding::Skipped("it has none that can be set without harm"));
    }
    let limit = checkup.go_words(2);
    let search =
        checkup.search(&format!("ucinewgame\nposition fen {MIDDLE_GAME}\ngo {limit}\n"))?;
    legal(&position(MIDDLE_GAME, false), search.best_move)?;
    let least = match heavy.as_slice() {
        [] => String::new(),
        names => format!("; {} only to the least value", names.join(", ")),
    };
    saw(format!("{tried} set to their ends and back{least}"))
}

/// Whether a large value of the option takes memory or threads.
fn is_heavy(option: &DeclaredOption) -> bool {
    let name = option.name.to_lowercase();
    let is_heavy = ["hash", "thread", "cache", "memory", "tt ", "mb", "cpu", "cores"];
    matches!(option.kind, OptionKind::Spin { .. })
        && is_heavy.iter().any(|word| name.contains(word))
}

/// The ends of the range, then the default. None for options of memory, threads, files and
/// buttons.
fn values_to_try(option: &DeclaredOption) -> Vec<String> {
    let name = option.name.to_lowercase();
    // Analysis and opening books are modes rather than values.
    let is_mode = ["uci_", "ponder", "book", "log", "debug", "learn", "file", "large"];
    if is_mode.iter().any(|word| name.contains(word)) {
        return Vec::new();
    }
    match &option.kind {
        OptionKind::Check { default } => vec![(!default).to_string(), default.to_string()],
        OptionKind::Spin { default, min, .. } if is_heavy(option) => {
            vec![min.to_string(), default.to_string()]
        }
        // An end that is not declared is that of 64-bit numbers.
        OptionKind::Spin { default, min, max } => {
            let is_declared = |value: &&&i64| !matches!(**value, &i64::MIN | &i64::MAX);
            [min, max, default].iter().filter(is_declared).map(ToString::to_string).collect()
        }
        OptionKind::Combo { default, choices } => {
            choices.iter().chain([default]).cloned().collect()
        }
        OptionKind::Button | OptionKind::String { .. } => Vec::new(),
    }
}

/// An unknown option is ignored.
pub(super) fn unknown_option(checkup: &mut Checkup<'_>) -> FindingResult {
    for command in ["setoption name NoSuchOption value 3", "setoption name No Such Option value 3"]
    {
        survives(checkup, command)?;
    }
    passed()
}

/// A `setoption` without a name is better ignored; not required.
pub(super) fn bare_set_option(checkup: &mut Checkup<'_>) -> FindingResult {
    for command in ["setoption", "setoption name"] {
        if let Err(error) = survives(checkup, command) {
            return Ok(Finding::Warned(error.to_string()));
        }
    }
    passed()
}

/// Sends a line and waits for `readyok`.
pub(super) fn survives(checkup: &mut Checkup<'_>, line: &str) -> Result<(), Violation> {
    let commands = format!("{line}\n");
    let answer = checkup.with(|checkup| checkup.process()?.synchronise(&commands));
    answer.map_err(|error| format!("after `{line}`: {error}").into())
}
