//! Experiments of other tools: parameters and conditions of the games.

mod chess_tuning_tools;
mod lakas;
mod lines;
mod weather_factory;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use serde_json::Value;
use thiserror::Error;

use super::entries::{Entry, Settings};
use super::space::Scale;
use harness_arena::{DrawOffer, Resign};
use harness_base::input;
use harness_player::Limit;

/// A tool whose files can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Tool {
    /// Lines of `name, int, value, min, max, c_end, r_end`.
    Openbench,
    /// Lines of `name,value,min,max,c_end,r_end`.
    Fishtest,
    /// config.json, an object a parameter: `value`, `min_value`, `max_value`, `step`; and the
    /// cutechess.json beside it.
    WeatherFactory,
    /// JSON with `parameter_ranges` and how the games are played.
    ChessTuningTools,
    /// A script with the command line, its `--input-param` and how the games are played.
    Lakas,
}

/// A file that cannot be imported.
#[derive(Debug, Error, Diagnostic)]
pub enum ImportError {
    /// It cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Unreadable(PathBuf, #[source] std::io::Error),
    /// It is not in the tool's format: the file, the place in it and the reason.
    #[error("{}{}: {}", .0.display(), .1, .2)]
    #[diagnostic(help("`harness tune init --help` shows what each tool writes"))]
    Invalid(PathBuf, String, String),
}

/// Contents of a file; `None` where absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Imported {
    /// The parameters.
    pub parameters: Vec<Row>,
    /// Limit of a search.
    pub limit: Option<Limit>,
    /// UCI options for every game.
    pub options: BTreeMap<String, String>,
    /// A book of openings, seen from the file's folder.
    pub openings: Option<PathBuf>,
    /// Plies of the openings.
    pub opening_plies: Option<u32>,
    /// Draw adjudication.
    pub draw: Option<DrawOffer>,
    /// Resign adjudication.
    pub resign: Option<Resign>,
    /// Folders of tablebases for adjudication.
    pub tb: Option<String>,
    /// Notes on what is not imported, a sentence each.
    pub notes: Vec<String>,
}

/// A parameter of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Where it stands: `:7` or ``, parameter `x` ``.
    pub place: String,
    /// Value before tuning; `None`: the engine's default.
    pub start: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Step, in the tool's sense.
    pub step: Option<f64>,
    /// The parameter's scale.
    pub scale: Scale,
}

impl Imported {
    /// The parameters as entries of an experiment.
    pub fn entries(&self, path: &Path) -> Vec<Entry> {
        let entry = |row: &Row| Entry {
            name: row.name.clone(),
            place: format!("{}{}", path.display(), row.place),
            settings: Settings {
                start: row.start,
                min: Some(row.min),
                max: Some(row.max),
                step: row.step,
                scale: Some(row.scale),
                // OpenBench allows it.
                fixed: row.min == row.max,
                widen: None,
            },
        };
        self.parameters.iter().map(entry).collect()
    }
}

/// Reads a file, and the tool's other files beside it.
///
/// # Errors
/// When one cannot be read, or is not in the tool's format.
pub fn read(tool: Tool, path: &Path) -> Result<Imported, ImportError> {
    let text = text(path)?;
    let invalid = |path: &Path| {
        let path = path.to_owned();
        move |(place, reason): ErrorAt| ImportError::Invalid(path, place, reason)
    };
    let mut imported = parse(tool, &text).map_err(invalid(path))?;
    if tool == Tool::WeatherFactory {
        let games = path.with_file_name(weather_factory::GAMES);
        if games.exists() {
            let read = self::text(&games)?;
            weather_factory::games(&uncommented(&read), &mut imported).map_err(invalid(&games))?;
        } else {
            imported.notes.push(format!(
                "there is no {} beside it: limit, openings and adjudication are not its own",
                weather_factory::GAMES
            ));
        }
    }
    Ok(imported)
}

fn text(path: &Path) -> Result<String, ImportError> {
    input::read_text(path).map_err(|source| ImportError::Unreadable(path.to_owned(), source))
}

/// Place and text of an error.
pub type ErrorAt = (String, String);

/// Reads the text of a file.
///
/// Place and text of an error, when it is not in the tool's format.
pub fn parse(tool: Tool, text: &str) -> Result<Imported, ErrorAt> {
    let plain = uncommented(text);
    let imported = match tool {
        Tool::Openbench => lines::openbench(&plain),
        Tool::Fishtest => lines::fishtest(&plain),
        Tool::WeatherFactory => weather_factory::parameters(&plain),
        Tool::ChessTuningTools => chess_tuning_tools::experiment(&plain),
        Tool::Lakas => lakas::experiment(text),
    }?;
    if imported.parameters.is_empty() {
        return Err((String::new(), "it has no parameter".to_owned()));
    }
    Ok(imported)
}

/// The text with empty lines for comments (`#`, `//`), so that line numbers stay.
fn uncommented(text: &str) -> String {
    let is_comment =
        |line: &&str| ["#", "//"].iter().any(|mark| line.trim_start().starts_with(mark));
    let lines: Vec<&str> =
        text.lines().map(|line| if is_comment(&line) { "" } else { line }).collect();
    lines.join("\n")
}

fn object(text: &str) -> Result<serde_json::Map<String, Value>, ErrorAt> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err((String::new(), "it is not a JSON object".to_owned())),
        Err(error) => Err((format!(":{}:{}", error.line(), error.column()), error.to_string())),
    }
}

/// The place of a parameter in a file without lines of its own.
fn at(name: &str) -> String {
    format!(", parameter `{name}`")
}

/// The value of a UCI option.
fn option_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
