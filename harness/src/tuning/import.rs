//! Parameters as other tools write them.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use miette::Diagnostic;
use serde_json::Value;
use thiserror::Error;

use super::space::{Kind, Parameter};

/// A tool whose files can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tool {
    /// Lines of `name, int, value, min, max, c_end, r_end`.
    Openbench,
    /// JSON, an object a parameter: `value`, `min_value`, `max_value`, `step`.
    WeatherFactory,
    /// JSON with `parameter_ranges`: `"(min, max)"` or `[min, max]`.
    ChessTuningTools,
}

/// A file that cannot be taken over.
#[derive(Debug, Error, Diagnostic)]
pub enum ImportError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// It is not as that tool writes it.
    #[error("{}{place}: {reason}", path.display())]
    #[diagnostic(help("`harness tune init --help` shows what each tool writes"))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// `:7` or ``, parameter `x` ``.
        place: String,
        /// What is wrong.
        reason: String,
    },
}

/// Reads the parameters of a file.
///
/// # Errors
/// When it cannot be read, or is not as the tool writes it.
pub fn read(tool: Tool, path: &Path) -> Result<Vec<Parameter>, ImportError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ImportError::Unreadable { path: path.to_owned(), source })?;
    parse(tool, &text).map_err(|(place, reason)| ImportError::Invalid {
        path: path.to_owned(),
        place,
        reason,
    })
}

/// Where it is wrong, and what.
type Wrong = (String, String);

fn parse(tool: Tool, text: &str) -> Result<Vec<Parameter>, Wrong> {
    let parameters = match tool {
        Tool::Openbench => openbench(text),
        Tool::WeatherFactory => weather_factory(text),
        Tool::ChessTuningTools => chess_tuning_tools(text),
    }?;
    if parameters.is_empty() {
        return Err((String::new(), "there is no parameter in it".to_owned()));
    }
    Ok(parameters)
}

fn openbench(text: &str) -> Result<Vec<Parameter>, Wrong> {
    let mut parameters = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |reason: String| (format!(":{}", index + 1), reason);
        let [name, kind, numbers @ ..] = &fields[..] else {
            return Err(wrong("it wants name, int or float, value, min, max, c_end, r_end".into()));
        };
        let kind = match *kind {
            "int" => Kind::Integer,
            "float" => Kind::Real,
            other => return Err(wrong(format!("`{other}` is neither int nor float"))),
        };
        let numbers: Result<Vec<f64>, _> =
            numbers.iter().map(|text| text.parse().map_err(|_| *text)).collect();
        match numbers.map_err(|text| wrong(format!("`{text}` is no number")))?[..] {
            [start, min, max, c_end, _r_end] => {
                let parameter = Parameter::new((*name).to_owned(), kind, min, max, start);
                parameters.push(Parameter { step: c_end, ..parameter });
            }
            _ => return Err(wrong("it wants value, min, max, c_end, r_end after the kind".into())),
        }
    }
    Ok(parameters)
}

fn object(text: &str) -> Result<serde_json::Map<String, Value>, Wrong> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => Err((String::new(), "it is no JSON object".to_owned())),
        Err(error) => Err((format!(":{}:{}", error.line(), error.column()), error.to_string())),
    }
}

fn at(name: &str) -> String {
    format!(", parameter `{name}`")
}

fn weather_factory(text: &str) -> Result<Vec<Parameter>, Wrong> {
    let mut parameters = Vec::new();
    for (name, entry) in object(text)? {
        let number = |key: &str| {
            entry.get(key).and_then(Value::as_f64).ok_or_else(|| (at(&name), format!("no `{key}`")))
        };
        let [start, min, max, step] =
            [number("value")?, number("min_value")?, number("max_value")?, number("step")?];
        let parameter = Parameter::new(name.clone(), Kind::Integer, min, max, start);
        parameters.push(Parameter { step, ..parameter });
    }
    Ok(parameters)
}

fn chess_tuning_tools(text: &str) -> Result<Vec<Parameter>, Wrong> {
    let all = object(text)?;
    let ranges = all
        .get("parameter_ranges")
        .and_then(Value::as_object)
        .ok_or_else(|| (String::new(), "there are no `parameter_ranges`".to_owned()))?;
    let mut parameters = Vec::new();
    for (name, range) in ranges {
        let wrong = || (at(name), format!("{range} is no range of two numbers"));
        let text = match range {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        // Integer(0, 100), Real(0.0, 1.0), (0, 100), [0, 100]
        let inside = text.split_once(['(', '[']).map_or("", |(_, rest)| rest);
        let numbers: Vec<&str> = inside.split([',', ')', ']']).map(str::trim).take(2).collect();
        let [min, max] = numbers[..] else { return Err(wrong()) };
        let whole = !min.contains('.') && !max.contains('.') && !text.starts_with("Real");
        let (min, max): (f64, f64) =
            (min.parse().map_err(|_| wrong())?, max.parse().map_err(|_| wrong())?);
        let (kind, middle) = match whole {
            true => (Kind::Integer, ((min + max) / 2.0).round()),
            false => (Kind::Real, (min + max) / 2.0),
        };
        parameters.push(Parameter::new(name.clone(), kind, min, max, middle));
    }
    Ok(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(tool: Tool, text: &str) -> Parameter {
        let mut parameters = parse(tool, text).expect("readable");
        assert_eq!(parameters.len(), 1);
        parameters.remove(0)
    }

    #[test]
    fn each_tool_is_understood() {
        let taken = only(Tool::Openbench, "lmr, int, 75, 0, 200, 10.5, 0.002\n");
        assert_eq!((taken.start, taken.min, taken.max, taken.step), (75.0, 0.0, 200.0, 10.5));
        let taken = only(
            Tool::WeatherFactory,
            r#"{"lmr": {"value": 75, "min_value": 0, "max_value": 200, "step": 8}}"#,
        );
        assert_eq!((taken.start, taken.step, taken.kind), (75.0, 8.0, Kind::Integer));
        let taken = only(
            Tool::ChessTuningTools,
            r#"{"engines": [], "parameter_ranges": {"c": "Real(0.5, 2.5)"}}"#,
        );
        assert_eq!((taken.start, taken.kind), (1.5, Kind::Real));
        let taken =
            only(Tool::ChessTuningTools, r#"{"parameter_ranges": {"hash": "Integer(1, 9)"}}"#);
        assert_eq!((taken.start, taken.kind), (5.0, Kind::Integer));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (tool, text, place, reason) in [
            (Tool::Openbench, "a, int, 1, 0, 2, 1, 1\nb, int, x, 0, 2, 1, 1", ":2", "`x`"),
            (Tool::Openbench, "a, text, 1, 0, 2, 1, 1", ":1", "neither int nor float"),
            (Tool::WeatherFactory, r#"{"a": {"value": 1}}"#, ", parameter `a`", "min_value"),
            (Tool::ChessTuningTools, "{", ":1:1", "EOF"),
            (Tool::ChessTuningTools, r#"{"parameter_ranges": {"a": 7}}"#, ", parameter `a`", "7"),
            (Tool::Openbench, "", "", "no parameter"),
        ] {
            let wrong = parse(tool, text).expect_err(text);
            assert_eq!(wrong.0, place, "{text}");
            assert!(wrong.1.contains(reason), "{}", wrong.1);
        }
    }
}
