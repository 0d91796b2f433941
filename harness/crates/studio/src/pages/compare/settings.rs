//! The settings of plans side by side: their places in words, their values, paths of files by their names.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Map, Value};

/// Longest value that is shown: the text of a suite is longer.
const MAX_VALUE: usize = 200;

/// Parts of a place that say nothing to people.
const STRUCTURE: [&str; 2] = ["facts", "executable"];

/// The place of a setting in a plan: keys, and numbers from 1 in lists.
type Place = Vec<String>;

/// A setting that differs between plans.
pub struct Setting {
    /// Its name: `engine new · option Hash`.
    pub name: String,
    /// Its value in each plan.
    pub values: Vec<Option<Shown>>,
}

/// A value, and what it stands for where that is longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// For the table.
    pub text: String,
    /// A whole path or text.
    pub whole: Option<String>,
}

/// The settings that differ between plans, and how many further ones are the same.
pub fn differences(plans: &[&Value]) -> (Vec<Setting>, u64) {
    let flat: Vec<BTreeMap<Place, String>> = plans.iter().map(|plan| flattened(plan)).collect();
    let places: BTreeSet<&Place> = flat.iter().flat_map(BTreeMap::keys).collect();
    let mut same = 0;
    let mut differ = Vec::new();
    for place in places {
        let values: Vec<Option<&str>> =
            flat.iter().map(|one| one.get(place).map(String::as_str)).collect();
        if values.windows(2).all(|pair| pair[0] == pair[1]) {
            same += 1;
        } else {
            differ.push(Setting { name: name(place, plans), values: shown(&values) });
        }
    }
    (differ, same)
}

/// Settings by their places. Left out are long ones, command lines and hashes of files; and the engines and
/// limits that the plan has a second time, for reports.
fn flattened(plan: &Value) -> BTreeMap<Place, String> {
    fn add(flat: &mut BTreeMap<Place, String>, place: &Place, value: &Value) {
        let inside = |key: String| [&place[..], &[key]].concat();
        match value {
            Value::Object(keys) if let Some(text) = duration_text(keys) => {
                flat.insert(place.clone(), text);
            }
            Value::Object(keys) => {
                keys.iter().for_each(|(key, value)| add(flat, &inside(key.clone()), value));
            }
            Value::Array(values) => {
                let numbered = (1_usize..).zip(values);
                numbered.for_each(|(number, value)| add(flat, &inside(number.to_string()), value));
            }
            Value::Null => {}
            value => {
                flat.insert(place.clone(), text_of(value));
            }
        }
    }
    let mut flat = BTreeMap::new();
    add(&mut flat, &Place::new(), plan);
    flat.retain(|place, text| {
        let keys: Vec<&str> = place.iter().map(String::as_str).collect();
        let is_second = matches!(keys[..], ["facts", "engines", ..] | ["facts", "limit"]);
        let last = keys.last().copied().unwrap_or_default();
        let is_left_out = last.ends_with("command_line") || last.ends_with("sha256");
        !is_second && !is_left_out && text.len() <= MAX_VALUE
    });
    flat
}

/// `1.5 s`, where these are the keys of a duration.
fn duration_text(keys: &Map<String, Value>) -> Option<String> {
    let [secs, nanos] = ["secs", "nanos"].map(|key| keys.get(key).and_then(Value::as_u64));
    let duration = Duration::new(secs?, u32::try_from(nanos?).ok()?);
    (keys.len() == 2).then(|| format!("{} s", duration.as_secs_f64()))
}

/// A value as text; of a measured number no more than three decimals.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            let number = number.as_f64().unwrap_or_default();
            let rounded = (number * 1e3).round() / 1e3;
            if number.abs() < 1.0 { number } else { rounded }.to_string()
        }
        value => value.to_string(),
    }
}

/// A place in words. What a list holds has its own name if that is the same in all plans, else its number.
fn name(place: &[String], plans: &[&Value]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut at: Vec<Option<&Value>> = plans.iter().map(|plan| Some(*plan)).collect();
    for key in place {
        let is_list = at.iter().flatten().any(|value| value.is_array());
        for value in &mut at {
            *value = value.and_then(|value| match value.as_array() {
                Some(list) => list.get(key.parse::<usize>().ok()?.checked_sub(1)?),
                None => value.get(key),
            });
        }
        if is_list && let Some(list) = words.last_mut() {
            let names: BTreeSet<&str> =
                at.iter().flatten().filter_map(|value| own_name(value)).collect();
            let is_one = names.len() == 1 && key != place.last().map_or("", String::as_str);
            let one = list.strip_suffix('s').unwrap_or(list);
            let own = if is_one { names.first().copied().unwrap_or(key) } else { key };
            *list = format!("{one} {own}");
        } else if !STRUCTURE.contains(&key.as_str()) {
            // Names of options and parameters are theirs.
            let is_own = matches!(words.last().map(String::as_str), Some("options" | "start"));
            words.push(if is_own { key.clone() } else { key.replace('_', " ") });
        }
    }
    words.join(" · ")
}

fn own_name(value: &Value) -> Option<&str> {
    value.get("name").and_then(Value::as_str)
}

/// Values as a table shows them: of paths as much of the end as tells them apart.
fn shown(values: &[Option<&str>]) -> Vec<Option<Shown>> {
    let paths: BTreeSet<&str> = values.iter().copied().flatten().collect();
    let is_path = |text: &str| text.starts_with('/') && text.len() > 1 && !text.contains('\n');
    let longest = paths.iter().map(|path| path.matches('/').count()).max().unwrap_or(0);
    let tells_apart = |parts: &usize| {
        let ends: BTreeSet<&str> = paths.iter().map(|path| end(path, *parts)).collect();
        ends.len() == paths.len()
    };
    let parts = (1..=longest).find(tells_apart).unwrap_or(longest);
    let one = |text: &str| {
        let (short, is_short) = match text.lines().count() {
            _ if is_path(text) => (end(text, parts).to_owned(), true),
            lines @ 2.. => (format!("{lines} lines"), true),
            _ => (text.to_owned(), false),
        };
        Shown { text: short, whole: is_short.then(|| text.to_owned()) }
    };
    values.iter().map(|value| value.map(one)).collect()
}

/// The last parts of a path.
fn end(path: &str, parts: usize) -> &str {
    let slash = path.rmatch_indices('/').nth(parts.saturating_sub(1));
    slash.map_or(path, |(at, _)| &path[at + 1..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_named_in_words_and_paths_by_their_ends() {
        let plan = |name: &str, path: &str, hash: &str, draw: u32| {
            json!({
                "facts": { "suite": "wac", "limit": "nodes=5", "engines": [name], "command_line": "x" },
                "engines": [
                    { "name": name, "program": { "executable": { "path": path, "sha256": hash } } },
                    { "name": "old", "options": { "Move_Overhead": hash } },
                ],
                "limits": ["nodes=5", format!("nodes={draw}")],
                "conduct": { "draw_after": draw },
            })
        };
        let plans = [
            plan("new", "/a/one/release/tench", "1", 3),
            plan("head", "/a/two/release/tench", "2", 4),
            plan("head", "/usr/bin/tench", "2", 4),
        ];
        let (differ, same) = differences(&plans.iter().collect::<Vec<_>>());
        let names: Vec<&str> = differ.iter().map(|setting| setting.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "conduct · draw after",
                "engine 1 · name",
                "engine 1 · program · path",
                "engine old · options · Move_Overhead",
                "limit 2",
            ]
        );
        assert_eq!(same, 3);
        let paths = differ[2].values.iter().flatten().map(|shown| shown.text.as_str());
        assert_eq!(
            paths.collect::<Vec<_>>(),
            ["one/release/tench", "two/release/tench", "usr/bin/tench"]
        );
        assert_eq!(
            differ[2].values[2].as_ref().and_then(|shown| shown.whole.as_deref()),
            Some("/usr/bin/tench")
        );
    }

    #[test]
    fn times_are_in_seconds_numbers_rounded_and_texts_counted() {
        let plan = |nanos: u32, nps: f64, text: &str| {
            json!({
                "limit": { "move_time": { "secs": 1, "nanos": nanos } },
                "machine_nps": nps,
                "suite": { "text": text },
            })
        };
        let plans =
            [plan(0, 425_496.190_5, "8/8 a\n8/8 b\n"), plan(500_000_000, 0.125, "8/8 a\n8/8 c\n")];
        let (differ, _) = differences(&plans.iter().collect::<Vec<_>>());
        let texts = |setting: &Setting| {
            let texts = setting.values.iter().flatten().map(|shown| shown.text.clone());
            (setting.name.clone(), texts.collect::<Vec<_>>())
        };
        let wanted = [
            ("limit · move time", ["1 s", "1.5 s"]),
            ("machine nps", ["425496.191", "0.125"]),
            ("suite · text", ["2 lines", "2 lines"]),
        ]
        .map(|(name, texts)| (name.to_owned(), texts.map(str::to_owned).to_vec()));
        assert_eq!(differ.iter().map(texts).collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn a_path_beside_none_is_its_file() {
        let [one, other] = [json!({ "book": "/srv/books/8moves.pgn" }), json!({})];
        let (differ, _) = differences(&[&one, &other]);
        let whole = Some("/srv/books/8moves.pgn".to_owned());
        assert_eq!(differ[0].values, [Some(Shown { text: "8moves.pgn".to_owned(), whole }), None]);
    }
}
