//! The options an engine declares, and whether a value fits one.

use std::ops::RangeInclusive;

use serde::Serialize;
use thiserror::Error;

use harness_base::text::nearest;

/// One `option` line of the handshake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeclaredOption {
    /// Its name, as the engine spells it.
    pub name: String,
    /// Its type.
    #[serde(flatten)]
    pub kind: OptionKind,
}

/// The type of an option with its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// Its default.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// Its default.
        default: i64,
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// One of a list of values.
    Combo {
        /// Its default.
        default: String,
        /// The values.
        choices: Vec<String>,
    },
    /// Takes no value; setting it does something.
    Button,
    /// Any text.
    String {
        /// Its default.
        default: String,
    },
}

/// An option that an engine does not declare, or a value that it does not take.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// There is none of this name.
    #[error("it offers no option `{name}`; {}", unknown_help(name, near.as_deref(), *declared))]
    Unknown {
        /// The name given.
        name: String,
        /// The nearest name declared.
        near: Option<String>,
        /// How many options are declared.
        declared: usize,
    },
    /// A check option, and another value.
    #[error("option `{0}` is `true` or `false`, not `{1}`")]
    NoCheck(String, String),
    /// A spin option, its range, and a value beyond it.
    #[error("option `{}` goes from {} to {}, not `{}`", .0, .1.start(), .1.end(), .2)]
    OutOfRange(String, RangeInclusive<i64>, String),
    /// A spin option, its range, and a value that is no number.
    #[error("option `{}` is a whole number from {} to {}, not `{}`", .0, .1.start(), .1.end(), .2)]
    NoNumber(String, RangeInclusive<i64>, String),
    /// A combo option, its values, and another one.
    #[error("option `{}` is one of `{}`, not `{}`", .0, .1.join("`, `"), .2)]
    NoChoice(String, Vec<String>, String),
    /// A button with a value.
    #[error("option `{0}` is a button and takes no value")]
    Button(String),
    /// A string of several lines.
    #[error("option `{0}` takes one line of text")]
    SeveralLines(String),
}

/// Help for an option that an engine does not declare.
fn unknown_help(name: &str, near: Option<&str>, declared: usize) -> String {
    if let Some(near) = near {
        return format!("did you mean `{near}`?");
    }
    let list = format!("`harness check ENGINE --options` lists its {declared}");
    match name.rsplit_once('.') {
        Some((engine, _)) => format!("no engine of this run is called `{engine}`; {list}"),
        None => list,
    }
}

/// The default of a spin option, whatever the case of its name.
pub(super) fn default_of(declared: &[DeclaredOption], name: &str) -> Option<i64> {
    let option = declared.iter().find(|option| option.name.eq_ignore_ascii_case(name))?;
    match option.kind {
        OptionKind::Spin { default, .. } => Some(default),
        _ => None,
    }
}

impl DeclaredOption {
    /// The value as the engine wants it; `None` for a button.
    ///
    /// # Errors
    /// When it does not fit.
    fn accept(&self, value: &str) -> Result<Option<String>, OptionError> {
        let name = self.name.clone();
        let given = value.to_owned();
        match &self.kind {
            OptionKind::Check { .. } => match value.to_lowercase().as_str() {
                value @ ("true" | "false") => Ok(Some(value.to_owned())),
                _ => Err(OptionError::NoCheck(name, given)),
            },
            &OptionKind::Spin { min: one, max: other, .. } => {
                // A few engines declare the ends the wrong way round.
                let min = one.min(other);
                let max = one.max(other);
                match value.parse::<i64>() {
                    Ok(number) if (min..=max).contains(&number) => Ok(Some(number.to_string())),
                    Ok(_) => Err(OptionError::OutOfRange(name, min..=max, given)),
                    Err(_) => Err(OptionError::NoNumber(name, min..=max, given)),
                }
            }
            OptionKind::Combo { .. } if value.contains(['\n', '\r']) => {
                Err(OptionError::SeveralLines(name))
            }
            // Some engines declare the default alone, or not among the choices.
            OptionKind::Combo { choices, default } if choices.is_empty() || value == default => {
                Ok(Some(value.to_owned()))
            }
            OptionKind::Combo { choices, .. } => choices
                .iter()
                .find(|choice| choice.eq_ignore_ascii_case(value))
                .map(|choice| Some(choice.clone()))
                .ok_or_else(|| OptionError::NoChoice(name, choices.clone(), given)),
            OptionKind::Button if matches!(value, "" | "true") => Ok(None),
            OptionKind::Button => Err(OptionError::Button(name)),
            OptionKind::String { .. } if value.contains(['\n', '\r']) => {
                Err(OptionError::SeveralLines(name))
            }
            OptionKind::String { .. } if value.is_empty() => Ok(Some("<empty>".to_owned())),
            OptionKind::String { .. } => Ok(Some(value.to_owned())),
        }
    }
}

/// The option of that name and the value as the engine wants it, if both fit.
///
/// # Errors
/// When one of them does not.
pub(super) fn accept<'a>(
    declared: &'a [DeclaredOption],
    name: &str,
    value: &str,
) -> Result<(&'a DeclaredOption, Option<String>), OptionError> {
    let option = declared.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    let Some(option) = option else {
        let near = nearest(name, declared.iter().map(|option| option.name.as_str()));
        let name = name.to_owned();
        let near = near.map(str::to_owned);
        return Err(OptionError::Unknown { name, near, declared: declared.len() });
    };
    Ok((option, option.accept(value)?))
}

/// Checks that an engine with these options has one of this name that takes this value.
///
/// # Errors
/// When it has not.
pub fn check_option(
    declared: &[DeclaredOption],
    name: &str,
    value: &str,
) -> Result<(), OptionError> {
    accept(declared, name, value).map(drop)
}

/// The `setoption` command, if the engine declares the option and the value fits.
///
/// # Errors
/// As [`accept`].
pub(super) fn set_option_command(
    declared: &[DeclaredOption],
    name: &str,
    value: &str,
) -> Result<String, OptionError> {
    let (option, value) = accept(declared, name, value)?;
    Ok(match value {
        Some(value) => format!("setoption name {} value {value}\n", option.name),
        None => format!("setoption name {}\n", option.name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared() -> Vec<DeclaredOption> {
        [
            "name Hash type spin default 16 min 1 max 1024",
            "name Move Overhead type spin default 10 min 0 max 5000",
            "name Ponder type check default false",
            "name Style type combo default Normal var Solid var Normal var Very Risky",
            "name Clear Hash type button",
            "name Debug Log File type string default <empty>",
            "name SyzygyPath type string default",
            "name Profile type combo default default var default var min var max",
            "name Reversed type spin default 3 min 9 max 1",
        ]
        .iter()
        .map(|line| DeclaredOption::parse(line).unwrap())
        .collect()
    }

    #[test]
    fn every_type_of_option_is_read() {
        let declared = declared();
        let kinds: Vec<_> = declared.iter().map(|option| option.kind.clone()).collect();
        assert_eq!(kinds[0], OptionKind::Spin { default: 16, min: 1, max: 1024 });
        assert_eq!(declared[1].name, "Move Overhead");
        assert_eq!(kinds[2], OptionKind::Check { default: false });
        let choices = ["Solid", "Normal", "Very Risky"].map(str::to_owned).to_vec();
        assert_eq!(kinds[3], OptionKind::Combo { default: "Normal".into(), choices });
        assert_eq!(kinds[4], OptionKind::Button);
        assert_eq!(declared[4].name, "Clear Hash");
        assert_eq!(kinds[5], OptionKind::String { default: String::new() });
        assert_eq!(kinds[6], OptionKind::String { default: String::new() });
    }

    #[test]
    fn fitting_values_become_commands() {
        for (name, value, command) in [
            ("hash", "64", "setoption name Hash value 64\n"),
            ("Ponder", "True", "setoption name Ponder value true\n"),
            ("Style", "very risky", "setoption name Style value Very Risky\n"),
            ("Clear Hash", "", "setoption name Clear Hash\n"),
            ("Profile", "max", "setoption name Profile value max\n"),
            ("Profile", "default", "setoption name Profile value default\n"),
            ("Reversed", "5", "setoption name Reversed value 5\n"),
            ("SyzygyPath", "/a b", "setoption name SyzygyPath value /a b\n"),
            ("Debug Log File", "", "setoption name Debug Log File value <empty>\n"),
        ] {
            assert_eq!(set_option_command(&declared(), name, value).as_deref(), Ok(command));
        }
    }

    #[test]
    fn the_default_of_a_combo_fits_and_everything_where_no_choice_is_declared() {
        for (line, value, fits) in [
            ("name C type combo default x", "x", true),
            ("name C type combo default x", "y", true),
            ("name C type combo default x", "y\nquit", false),
            ("name C type combo default x var y", "x", true),
            ("name C type combo default x var y", "z", false),
        ] {
            let declared = [DeclaredOption::parse(line).unwrap()];
            assert_eq!(set_option_command(&declared, "C", value).is_ok(), fits, "{line}: {value}");
        }
    }

    #[test]
    fn unfitting_values_are_refused_with_what_would_fit() {
        for (name, value, hint) in [
            ("Hsah", "64", "did you mean `Hash`?"),
            ("Contempt", "0", "lists its 9"),
            ("Hash", "0", "from 1 to 1024"),
            ("Hash", "big", "whole number"),
            ("Ponder", "yes", "`true` or `false`"),
            ("Style", "Wild", "`Solid`, `Normal`, `Very Risky`"),
            ("Clear Hash", "now", "button"),
            ("SyzygyPath", "a\nquit", "one line"),
        ] {
            let error = set_option_command(&declared(), name, value).unwrap_err().to_string();
            assert!(error.contains(hint), "{name}={value}: {error}");
        }
    }
}
