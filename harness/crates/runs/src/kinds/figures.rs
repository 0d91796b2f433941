//! The figures of a result that the page of recorded work shows.

use serde_json::Value;

use harness_base::text::{duration, grouped};

/// A figure of a result.
pub struct Figure {
    /// Its place: `/positions/train`.
    place: &'static str,
    /// Its name.
    name: &'static str,
    /// The unit behind a number; may be empty.
    unit: &'static str,
}

const fn figure(place: &'static str, name: &'static str, unit: &'static str) -> Figure {
    Figure { place, name, unit }
}

/// Of games of self-play.
pub const GENERATED: &[Figure] = &[
    figure("/games", "Games", ""),
    figure("/wins", "Won by White", "games"),
    figure("/draws", "Drawn", "games"),
    figure("/losses", "Lost by White", "games"),
    figure("/positions", "Positions", ""),
    figure("/positions_per_hour", "Speed", "positions an hour"),
];

/// Of games and positions of others, which an engine may have scored.
pub const IMPORTED: &[Figure] = &[
    figure("/games", "Games written", ""),
    figure("/positions", "Positions written", ""),
    figure("/asked", "Scored by the engine", "positions"),
    figure("/known", "Known from before", "positions"),
    figure("/dropped/engine_failed", "Left out: the engine failed", "positions"),
    figure("/dropped/over", "Left out: mate or stalemate", "positions"),
    figure("/dropped/no_score", "Left out: without a score", "positions"),
    figure("/dropped/no_result", "Left out: without a result", "positions"),
    figure("/games_left_out", "Left out: unsound games", "games"),
];

/// Of an opening book.
pub const BOOK: &[Figure] =
    &[figure("/openings", "Openings", ""), figure("/candidates", "Candidates looked at", "")];

/// Of a suite that is made.
pub const MADE_SUITE: &[Figure] = &[
    figure("/engine", "Engine", ""),
    figure("/from", "Games of", ""),
    figure("/games", "Games read", ""),
    figure("/candidates", "Candidates", "positions"),
    figure("/searched", "Searched", "positions"),
    figure("/failed", "Failed searches", ""),
    figure("/kept", "Clear at first", "positions"),
    figure("/verified", "Clear when verified", "positions"),
    figure("/positions", "Positions of the suite", ""),
];

/// Of the audit of a suite.
pub const AUDIT: &[Figure] = &[
    figure("/suite", "Suite", ""),
    figure("/engine", "Engine", ""),
    figure("/nodes", "Nodes a search", ""),
    figure("/positions", "Positions", ""),
    figure("/illegal", "Illegal", "positions"),
    figure("/duplicate", "Duplicate", "positions"),
    figure("/unsolvable", "Unsolvable", "positions"),
    figure("/unsound", "Unsound", "positions"),
    figure("/ambiguous", "Ambiguous", "positions"),
    figure("/unscored", "Unscored", "positions"),
];

/// Of an evaluation that is fitted.
pub const TEXEL: &[Figure] = &[
    figure("/loss/before/train", "Training loss before", ""),
    figure("/loss/after/train", "Training loss after", ""),
    figure("/loss/before/validation", "Validation loss before", ""),
    figure("/loss/after/validation", "Validation loss after", ""),
    figure("/epoch", "Epoch that is taken", ""),
    figure("/positions/train", "Training set", "positions"),
    figure("/positions/validation", "Validation set", "positions"),
    figure("/positions/games", "Games", ""),
    figure("/positions/positions", "Positions read", ""),
    figure("/positions/kept", "Positions kept", ""),
    figure("/k", "Scale K of the evaluation", ""),
    figure("/score_k", "Scale K of the scores", ""),
    figure("/positions_per_second_per_core", "Speed", "positions a second and core"),
];

/// Of a training.
pub const TRAINED: &[Figure] = &[
    figure("/network", "Network", ""),
    figure("/parameters", "Weights and biases", ""),
    figure("/loss/validation", "Validation loss", ""),
    figure("/loss/scores", "Validation loss by scores alone", ""),
    figure("/loss/train", "Training loss", ""),
    figure("/loss/start", "Validation loss of the network it starts from", ""),
    figure("/loss/material", "Material baseline", ""),
    figure("/epoch", "Epoch that is taken", ""),
    figure("/schedule/epochs", "Epochs", ""),
    figure("/schedule/steps", "Steps an epoch", ""),
    figure("/schedule/learning_rate", "Learning rate", ""),
    figure("/schedule/final_rate", "Final learning rate", ""),
    figure("/schedule/warmup", "Warm-up", "steps"),
    figure("/positions/train", "Training set", "positions"),
    figure("/positions/validation", "Validation set", "positions"),
    figure("/positions/games", "Games", ""),
    figure("/positions/positions", "Positions read", ""),
    figure("/positions/kept", "Positions kept", ""),
    figure("/fitted_scale", "Fitted scale", "cp a logit"),
    figure("/slope", "Slope against the first network", ""),
    figure("/rounding/mean", "Error of quantisation, mean", "cp"),
    figure("/rounding/greatest", "Error of quantisation, largest", "cp"),
    figure("/positions_per_second", "Speed", "positions a second"),
    figure("/positions_per_cpu_second", "Speed of a core", "positions a CPU second"),
];

/// The figures that a result has, named, with their units.
pub fn named(figures: &[Figure], result: &Value) -> Vec<(String, String)> {
    let shown = |figure: &Figure| {
        let value = text(result.pointer(figure.place)?, figure.unit)?;
        Some((figure.name.to_owned(), value))
    };
    figures.iter().filter_map(shown).collect()
}

/// What an audit found, by kind: `2 illegal`, `1 unsound`.
pub fn findings(result: &Value) -> Vec<String> {
    let kinds = AUDIT.iter().filter(|figure| figure.unit == "positions");
    let found = kinds.filter_map(|kind| {
        let count = result.pointer(kind.place)?.as_u64().filter(|count| *count > 0)?;
        Some(format!("{} {}", grouped(count), kind.name.to_lowercase()))
    });
    found.collect()
}

/// A value with its unit, which is in the singular for 1.
fn text(value: &Value, unit: &str) -> Option<String> {
    let number = match value {
        Value::String(text) => return Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Number(number) => number,
        _ => return None,
    };
    if unit == "s" {
        return number.as_f64().map(duration);
    }
    let (text, is_one) = match (number.as_u64(), number.as_f64()) {
        (Some(whole), _) => (grouped(whole), whole == 1),
        (None, Some(value)) => (significant(value), false),
        (None, None) => return None,
    };
    let unit = if is_one { unit.strip_suffix('s').unwrap_or(unit) } else { unit };
    Some(if unit.is_empty() { text } else { format!("{text} {unit}") })
}

/// A number with four significant digits: `27,589,276`, `68.58`, `0.001478`.
fn significant(value: f64) -> String {
    if value.abs() >= 1000.0 {
        let sign = if value < 0.0 { "−" } else { "" };
        return format!("{sign}{}", grouped(value.abs().round() as u64));
    }
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.digits$}").replace('-', "−");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_have_units_and_four_digits() {
        for (value, unit, expected) in [
            (json!(27_589_275.78), "positions a second", "27,589,276 positions a second"),
            (json!(22_555_600), "positions an hour", "22,555,600 positions an hour"),
            (json!(0.001_477_75), "", "0.001478"),
            (json!(1.345_2), "cp", "1.345 cp"),
            (json!(0.001), "", "0.001"),
            (json!(3e-5), "", "0.00003"),
            (json!(0.0), "", "0"),
            (json!(-12.5), "cp", "−12.5 cp"),
            (json!(1), "games", "1 game"),
            (json!("a.epd"), "", "a.epd"),
        ] {
            assert_eq!(text(&value, unit).as_deref(), Some(expected));
        }
        assert_eq!(text(&json!([1]), ""), None);
    }

    #[test]
    fn a_result_shows_the_figures_that_it_has_in_their_order() {
        let result = json!({ "openings": 20, "candidates": 256, "file": "a.epd" });
        let pairs = named(BOOK, &result);
        let texts: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(texts, ["Openings: 20", "Candidates looked at: 256"]);
        assert!(named(TRAINED, &json!({ "other": 1 })).is_empty());
    }
}
