//! A UCI option: its declaration, and the values that `setoption` may give it.

use std::fmt;

use thiserror::Error;

use super::output::shortened;
use crate::eval::EvalFile;
use crate::eval::nnue::FileError;

/// UCI's word for an empty string.
pub(super) const EMPTY: &str = "<empty>";

/// Why a `setoption` has no effect.
#[derive(Debug, Error)]
pub enum OptionError {
    /// Not of the form that UCI defines.
    #[error("`setoption` wants `name NAME value VALUE`")]
    Form,
    /// The file holds no network.
    #[error("{file}: {reason}; the evaluation stays as it was")]
    EvalFile { file: EvalFile, reason: FileError },
    /// No option of this name.
    #[error("there is no option `{}`", shortened(.0))]
    Unknown(String),
    /// A value outside of the option's range.
    #[error("option {name} must be {wanted}, not `{}`", shortened(.value))]
    Value { name: &'static str, wanted: String, value: String },
}

/// An option. A value that fits becomes a setting `S`.
#[derive(Debug)]
pub struct UciOption<S: 'static> {
    /// Its name, as it is declared.
    pub name: &'static str,
    /// Its type.
    pub kind: OptionType<S>,
    /// Whether a program that links the engine has it, without a UCI session.
    pub is_linked: bool,
}

/// The type of an option: its default, its values, and the setting of a value.
#[derive(Debug)]
pub enum OptionType<S: 'static> {
    /// `true` or `false`.
    Check {
        /// The default.
        default: bool,
        /// The setting of a value.
        setting: fn(bool) -> S,
    },
    /// A whole number.
    Spin {
        /// The default.
        default: i64,
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
        /// The setting of a value within the range.
        setting: fn(i64) -> S,
    },
    /// A choice.
    Combo {
        /// The default.
        default: fn() -> String,
        /// The values.
        choices: fn() -> Vec<String>,
        /// The setting of a value; `None` if it is none of the choices.
        setting: fn(&str) -> Option<S>,
    },
    /// Any text.
    Text {
        /// The default.
        default: fn() -> String,
        /// The setting of a text.
        setting: fn(&str) -> S,
    },
    /// An action.
    Button {
        /// The setting.
        setting: fn() -> S,
    },
}

impl<S> UciOption<S> {
    pub(super) const fn check(name: &'static str, default: bool, setting: fn(bool) -> S) -> Self {
        UciOption { name, kind: OptionType::Check { default, setting }, is_linked: false }
    }

    pub(super) const fn spin(
        name: &'static str,
        (default, min, max): (i64, i64, i64),
        setting: fn(i64) -> S,
    ) -> Self {
        UciOption { name, kind: OptionType::Spin { default, min, max, setting }, is_linked: false }
    }

    pub(super) const fn combo(
        name: &'static str,
        default: fn() -> String,
        choices: fn() -> Vec<String>,
        setting: fn(&str) -> Option<S>,
    ) -> Self {
        let kind = OptionType::Combo { default, choices, setting };
        UciOption { name, kind, is_linked: false }
    }

    pub(super) const fn text(
        name: &'static str,
        default: fn() -> String,
        setting: fn(&str) -> S,
    ) -> Self {
        UciOption { name, kind: OptionType::Text { default, setting }, is_linked: false }
    }

    pub(super) const fn button(name: &'static str, setting: fn() -> S) -> Self {
        UciOption { name, kind: OptionType::Button { setting }, is_linked: false }
    }

    /// The same for programs that link the engine, too.
    pub(super) const fn linked(self) -> Self {
        UciOption { is_linked: true, ..self }
    }

    /// The setting of a value.
    ///
    /// # Errors
    /// If it is none of the option's values.
    pub fn setting(&self, value: &str) -> Result<S, OptionError> {
        match self.kind {
            OptionType::Check { setting, .. } => {
                let parsed = value.to_ascii_lowercase().parse();
                parsed.map(setting).map_err(|_| self.refuse("true or false", value))
            }
            OptionType::Spin { min, max, setting, .. } => {
                parse_spin(self.name, value, min, max).map(setting)
            }
            OptionType::Combo { choices, setting, .. } => {
                setting(value).ok_or_else(|| self.refuse(&choices().join(", "), value))
            }
            OptionType::Text { setting, .. } => Ok(setting(value)),
            OptionType::Button { setting } => Ok(setting()),
        }
    }

    fn refuse(&self, wanted: &str, value: &str) -> OptionError {
        refusal(self.name, wanted, value)
    }
}

/// Parses the value of an option that is a whole number.
pub(super) fn parse_spin(
    name: &'static str,
    value: &str,
    min: i64,
    max: i64,
) -> Result<i64, OptionError> {
    let number = value.parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or_else(|| refusal(name, &format!("{min} to {max}"), value))
}

fn refusal(name: &'static str, wanted: &str, value: &str) -> OptionError {
    OptionError::Value { name, wanted: wanted.to_owned(), value: value.to_owned() }
}

/// The declaration, as it stands behind `option` in the response to `uci`.
impl<S> fmt::Display for UciOption<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name {} type ", self.name)?;
        match &self.kind {
            OptionType::Check { default, .. } => write!(f, "check default {default}"),
            OptionType::Spin { default, min, max, .. } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionType::Combo { default, choices, .. } => {
                write!(f, "combo default {}", default())?;
                choices().iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionType::Text { default, .. } => write!(f, "string default {}", default()),
            OptionType::Button { .. } => f.write_str("button"),
        }
    }
}
