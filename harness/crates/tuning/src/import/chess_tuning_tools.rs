//! chess-tuning-tools: one JSON file. It has no start values: the engine's defaults are used.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::{ErrorAt, Imported, Row, at, object, option_text};
use crate::space::Scale;
use harness_arena::{DrawOffer, Resign};
use harness_player::{Limit, parse_movetime};

/// The parameters and the conditions of the games.
pub fn experiment(text: &str) -> Result<Imported, ErrorAt> {
    let all = object(text)?;
    let ranges = all
        .get("parameter_ranges")
        .and_then(Value::as_object)
        .ok_or_else(|| (String::new(), "there are no `parameter_ranges`".to_owned()))?;
    let parameters = ranges.iter().map(|(name, range)| row(name, range));
    let mut imported =
        Imported { parameters: parameters.collect::<Result<_, _>>()?, ..Imported::default() };
    let engines = all.get("engines").and_then(Value::as_array);
    let engine = |index: usize| engines.and_then(|engines| engines.get(index));
    let fixed = engine(0).and_then(|engine| engine.get("fixed_parameters"));
    for (name, value) in fixed.and_then(Value::as_object).into_iter().flatten() {
        imported.options.insert(name.clone(), option_text(value));
    }
    if engine(1).is_some() && engine(0) != engine(1) {
        imported.notes.push(
            "the second engine is not taken over: here candidates play each other".to_owned(),
        );
    }
    imported.limit = limit(&all)?;
    imported.openings = all.get("opening_file").and_then(Value::as_str).map(PathBuf::from);
    let is_on = |key: &str| all.get(key).and_then(Value::as_bool).unwrap_or(false);
    let count = |key: &str, default: u32| number(&all, key, default);
    if is_on("adjudicate_draws") {
        let score = count("draw_score", 8)?;
        let moves = count("draw_movecount", 10)?;
        let from = count("draw_movenumber", 1)?;
        imported.draw = Some(DrawOffer { score, moves, from });
    }
    if is_on("adjudicate_resign") {
        let score = count("resign_score", 550)?;
        let moves = count("resign_movecount", 3)?;
        let two_sided = is_on("resign_twosided");
        imported.resign = Some(Resign { score, moves, two_sided });
    }
    if is_on("adjudicate_tb") {
        imported.tb = all.get("tb_path").and_then(Value::as_str).map(str::to_owned);
    }
    Ok(imported)
}

fn number(all: &Map<String, Value>, key: &str, default: u32) -> Result<u32, ErrorAt> {
    let Some(value) = all.get(key) else { return Ok(default) };
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| (String::new(), format!("`{key}` is {value}, and must be a number")))
}

/// Options and limit of the first engine, the tuned one.
fn limit(all: &Map<String, Value>) -> Result<Option<Limit>, ErrorAt> {
    let value = |key: &str| {
        let value = all.get(&format!("engine1_{key}")).filter(|value| !value.is_null());
        value.map(option_text)
    };
    let wrong = |error: &dyn std::fmt::Display| (String::new(), error.to_string());
    let read = |key: &str, text: String| -> Result<Limit, ErrorAt> {
        format!("{key}={text}").parse::<Limit>().map_err(|error| wrong(&error))
    };
    if let Some(seconds) = value("st") {
        let time = parse_movetime(&format!("{seconds}s")).map_err(|error| wrong(&error))?;
        return Ok(Some(Limit::MoveTime(time)));
    }
    let limit = value("npm")
        .map(|nodes| read("nodes", nodes))
        .or_else(|| value("depth").map(|depth| read("depth", depth)))
        .or_else(|| value("tc").map(|clock| read("tc", clock)));
    limit.transpose()
}

/// `Integer(0, 100)`, `Real(0.01, 1.0, prior=log-uniform)`, `(0, 100)`, `[0, 100]`.
fn row(name: &str, range: &Value) -> Result<Row, ErrorAt> {
    let wrong = |what: &str| (at(name), format!("{range} is {what}"));
    let text = match range {
        Value::Object(_) => return Err(wrong("a nested parameter, which cannot be taken over")),
        other => option_text(other),
    };
    let inside = text.split_once(['(', '[']).map_or("", |(_, rest)| rest);
    let fields: Vec<&str> =
        inside.trim_end().trim_end_matches([')', ']']).split(',').map(str::trim).collect();
    let (numbers, words) = fields.split_at(fields.len().min(2));
    let numbers: Option<Vec<f64>> = numbers.iter().map(|text| text.parse().ok()).collect();
    let Some([min, max]) = numbers.as_deref() else {
        return Err(wrong("no range of two numbers"));
    };
    if words.iter().any(|word| word.parse::<f64>().is_ok()) {
        return Err(wrong("a choice of values and no range"));
    }
    let is_log = words.iter().any(|word| word.contains("log-uniform"));
    Ok(Row {
        name: name.to_owned(),
        place: at(name),
        start: None,
        min: *min,
        max: *max,
        step: None,
        scale: if is_log { Scale::Log } else { Scale::Linear },
    })
}
