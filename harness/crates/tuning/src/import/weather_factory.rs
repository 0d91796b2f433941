//! weather-factory: config.json (or the tuner/state.json of a run), and the cutechess.json beside
//! it.

use std::path::PathBuf;

use serde_json::Value;

use super::{ErrorAt, Imported, Row, at, object};
use crate::space::Scale;
use harness_arena::{DrawOffer, Resign};

/// The file with the conditions of the games.
pub const GAMES: &str = "cutechess.json";

/// The parameters, of config.json or of a state.json.
pub fn parameters(text: &str) -> Result<Imported, ErrorAt> {
    let object = object(text)?;
    let entries: Vec<(String, &Value)> = match object.get("uci_params").and_then(Value::as_array) {
        Some(state) => {
            let name = |entry: &Value| entry.get("name").and_then(Value::as_str).map(str::to_owned);
            state.iter().map(|entry| (name(entry).unwrap_or_default(), entry)).collect()
        }
        None => object.iter().map(|(name, entry)| (name.clone(), entry)).collect(),
    };
    let mut parameters = Vec::new();
    for (name, entry) in entries {
        let number = |key: &str| {
            entry.get(key).and_then(Value::as_f64).ok_or_else(|| (at(&name), format!("no `{key}`")))
        };
        let [start, min, max, step] =
            [number("value")?, number("min_value")?, number("max_value")?, number("step")?];
        parameters.push(Row {
            place: at(&name),
            name,
            // It plays rounded values; a state has the unrounded ones.
            start: Some(start.round()),
            min,
            max,
            step: Some(step),
            scale: Scale::Linear,
        });
    }
    Ok(Imported { parameters, ..Imported::default() })
}

/// The conditions of the games. Absent ones are the tool's defaults and its match runner's
/// adjudication.
pub fn games(text: &str, imported: &mut Imported) -> Result<(), ErrorAt> {
    let object = object(text)?;
    let number = |key: &str, default: f64| match object.get(key) {
        None => Ok(default),
        Some(value) => value
            .as_f64()
            .ok_or_else(|| (String::new(), format!("`{key}` is {value}, and must be a number"))),
    };
    let clock = number("tc", 5.0)?;
    let limit = format!("tc={clock}+{}", clock / 100.0);
    imported.limit = Some(limit.parse().map_err(|error| (String::new(), format!("{error}")))?);
    imported.options.insert("Hash".to_owned(), number("hash", 8.0)?.to_string());
    let book = object.get("book").and_then(Value::as_str);
    imported.openings = book.map(|book| PathBuf::from("tuner").join(book));
    imported.opening_plies = Some(16);
    imported.resign = Some(Resign { score: 400, moves: 3, two_sided: false });
    imported.draw = Some(DrawOffer { score: 10, moves: 8, from: 40 });
    Ok(())
}
