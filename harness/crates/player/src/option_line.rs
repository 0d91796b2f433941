//! The `option` line of the handshake, read by its type.
//!
//! `name WORDS type KIND` stands first, and the type says what may follow: names, texts and values of
//! a combo may hold any word, keywords of the protocol included.
//!
//! Source: Stefan Meyer-Kahlen, "Description of the universal chess interface", April 2006.

use super::options::{DeclaredOption, OptionKind};

/// A line that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OptionLine {
    /// The option.
    pub(crate) option: DeclaredOption,
    /// Deviations from UCI, and how they are read.
    pub(crate) flaws: Vec<String>,
}

impl DeclaredOption {
    /// Parses what follows `option ` in the handshake; `None` if it is not UCI.
    pub fn parse(text: &str) -> Option<DeclaredOption> {
        read(text).map(|line| line.option)
    }
}

/// The types of UCI.
const KINDS: [&str; 5] = ["check", "spin", "combo", "button", "string"];

/// A word of the line, and the text from it to the end of the line.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    rest: &'a str,
}

/// Reads what follows `option `; `None` if it has no name or no known type.
pub(crate) fn read(text: &str) -> Option<OptionLine> {
    let words = words(text);
    let (first, words) = words.split_first()?;
    if first.text != "name" {
        return None;
    }
    let at = type_at(words)?;
    let name = join_words(&words[..at]);
    let mut flaws = Vec::new();
    let body = &words[at + 2..];
    let kind = match words[at + 1].text {
        "check" => OptionKind::Check { default: check_default(body) },
        "spin" => spin(body, &name, &mut flaws),
        "combo" => combo(body),
        "button" => OptionKind::Button,
        _ => OptionKind::String { default: string_default(body) },
    };
    Some(OptionLine { option: DeclaredOption { name, kind }, flaws })
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        words.push(Word { text: &rest[..end], rest });
        rest = rest[end..].trim_start();
    }
    words
}

fn join_words(words: &[Word<'_>]) -> String {
    words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// The place of the `type` that ends the name: the first one behind which everything fits its type,
/// else the first with a type at all.
fn type_at(words: &[Word<'_>]) -> Option<usize> {
    let is_type = |&at: &usize| {
        let kind = words.get(at + 1).map(|word| word.text);
        words[at].text == "type" && kind.is_some_and(|kind| KINDS.contains(&kind))
    };
    let mut places = (1..words.len()).filter(is_type);
    let first = places.clone().next();
    places.find(|&at| fits(words[at + 1].text, &words[at + 2..])).or(first)
}

/// Whether the words behind a type are what may stand there.
fn fits(kind: &str, body: &[Word<'_>]) -> bool {
    let first = body.first().map(|word| word.text);
    match kind {
        "button" => body.is_empty(),
        "check" => body.len() <= 2 && first.is_none_or(|first| first == "default"),
        "spin" => body
            .iter()
            .all(|word| matches!(word.text, "default" | "min" | "max") || is_number(word.text)),
        "combo" => matches!(first, Some("default" | "var")),
        _ => first.is_none_or(|first| first == "default"),
    }
}

fn is_number(word: &str) -> bool {
    word.parse::<f64>().is_ok_and(|number| !number.is_nan())
}

fn check_default(body: &[Word<'_>]) -> bool {
    let default = body.iter().skip_while(|word| word.text != "default").nth(1);
    default.is_some_and(|word| word.text.eq_ignore_ascii_case("true"))
}

/// Everything behind the first `default`, as it stands.
fn string_default(body: &[Word<'_>]) -> String {
    let behind = body.iter().skip_while(|word| word.text != "default").nth(1);
    match behind.map(|word| word.rest) {
        None | Some("<empty>") => String::new(),
        Some(text) => text.to_owned(),
    }
}

/// Numbers behind `default`, `min` and `max`, in any order. Without an end a range goes as far as
/// numbers do; without a default that is its smallest value, or 0.
fn spin(body: &[Word<'_>], name: &str, flaws: &mut Vec<String>) -> OptionKind {
    let mut number = |key: &str| {
        let at = body.iter().position(|word| word.text == key)?;
        let word = body.get(at + 1)?.text;
        if matches!(word, "default" | "min" | "max") {
            return None;
        }
        let read = whole(word);
        if read.is_none_or(|(_, is_exact)| !is_exact) {
            let how = read.map_or("not read".to_owned(), |(number, _)| format!("read as {number}"));
            flaws.push(format!("`{key} {word}` of `{name}` is {how}"));
        }
        read.map(|(number, _)| number)
    };
    let default = number("default");
    let min = number("min");
    let max = number("max");
    let missing = [("min", min), ("max", max), ("default", default)];
    for (key, _) in missing.iter().filter(|(_, value)| value.is_none()) {
        flaws.push(format!("`{name}` has no `{key}`"));
    }
    OptionKind::Spin {
        default: default.or(min).unwrap_or(0),
        min: min.unwrap_or(i64::MIN),
        max: max.unwrap_or(i64::MAX),
    }
}

/// The nearest whole number of 64 bits, and whether it is the number itself.
fn whole(word: &str) -> Option<(i64, bool)> {
    if let Ok(number) = word.parse() {
        return Some((number, true));
    }
    let number: f64 = word.parse().ok().filter(|number: &f64| !number.is_nan())?;
    // The conversion takes the nearest end where a number is beyond it.
    Some((number.round() as i64, false))
}

/// A default, and a `var` before each value; the default may also stand last.
///
/// Values may be keywords. Of the ways to divide the words, the first is taken whose default is one
/// of the values, else the one that ends each value at the next keyword.
fn combo(body: &[Word<'_>]) -> OptionKind {
    let default_first = body.first().is_some_and(|word| word.text == "default");
    let key = if default_first { "var" } else { "default" };
    let places = (0..body.len()).filter(|&at| body[at].text == key);
    let mut ways = places.map(|at| {
        if default_first {
            (join_words(&body[1..at]), values(&body[at..]))
        } else {
            (join_words(&body[at + 1..]), values(&body[..at]))
        }
    });
    let fitting = ways.find(|(default, choices)| choices.contains(default));
    let (default, all) = fitting.unwrap_or_else(|| at_keywords(body));
    let mut choices: Vec<String> = Vec::new();
    for choice in all {
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    OptionKind::Combo { default, choices }
}

/// The values behind each `var`, each of at least one word.
fn values(words: &[Word<'_>]) -> Vec<String> {
    let mut values = Vec::new();
    let mut rest = words;
    while let Some((_, behind)) = rest.split_first().filter(|(word, _)| word.text == "var") {
        let next = behind.iter().skip(1).position(|word| word.text == "var");
        let end = next.map_or(behind.len(), |next| next + 1);
        values.push(join_words(&behind[..end]));
        rest = &behind[end..];
    }
    values
}

/// The default and the values, each up to the next keyword, in any order.
fn at_keywords(body: &[Word<'_>]) -> (String, Vec<String>) {
    let mut default = String::new();
    let mut choices = Vec::new();
    let mut rest = body;
    while let Some((key, behind)) = rest.split_first() {
        let is_key = |word: &Word<'_>| matches!(word.text, "default" | "var");
        let end = behind.iter().position(is_key).unwrap_or(behind.len());
        let value = join_words(&behind[..end]);
        match key.text {
            "default" => default = value,
            "var" if !value.is_empty() => choices.push(value),
            _ => {}
        }
        rest = &behind[end..];
    }
    (default, choices)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn combo(default: &str, choices: &[&str]) -> OptionKind {
        let choices = choices.iter().map(|&choice| choice.to_owned()).collect();
        OptionKind::Combo { default: default.to_owned(), choices }
    }

    fn string(default: &str) -> OptionKind {
        OptionKind::String { default: default.to_owned() }
    }

    fn spin(default: i64, min: i64, max: i64) -> OptionKind {
        OptionKind::Spin { default, min, max }
    }

    #[test]
    fn words_of_the_protocol_are_names_and_values_where_these_are_expected() {
        let profile = "name Profile type combo default default var default var default \
                       var white_killer var min var max";
        let max = i64::MAX;
        for (line, name, kind) in [
            (profile, "Profile", combo("default", &["default", "white_killer", "min", "max"])),
            (
                "name A type combo var default var var default var",
                "A",
                combo("var", &["default", "var"]),
            ),
            ("name A type combo default var var var var type", "A", combo("var", &["var", "type"])),
            ("name A type combo default a b var a b var c d", "A", combo("a b", &["a b", "c d"])),
            ("name A type combo var x var y default y", "A", combo("y", &["x", "y"])),
            ("name A type combo var x default x var y", "A", combo("x", &["x", "y"])),
            ("name A type combo default var x var y", "A", combo("", &["x", "y"])),
            ("name A type combo default z var x var y", "A", combo("z", &["x", "y"])),
            (
                "name A type combo default name var name var min 3",
                "A",
                combo("name", &["name", "min 3"]),
            ),
            ("name A type combo default x", "A", combo("x", &[])),
            (
                "name About type string default made by Max max strength min effort",
                "About",
                string("made by Max max strength min effort"),
            ),
            ("name A type string default default", "A", string("default")),
            ("name A type string default  var  name type spin", "A", string("var  name type spin")),
            ("name A type string default <empty>", "A", string("")),
            ("name A type string default", "A", string("")),
            ("name A type string", "A", string("")),
            ("name Type of min type spin default 1 min 0 max 9", "Type of min", spin(1, 0, 9)),
            ("name type of it type spin default 1 min 0 max 9", "type of it", spin(1, 0, 9)),
            (
                "name Use type spin type check default true",
                "Use type spin",
                OptionKind::Check { default: true },
            ),
            ("name type button type button", "type button", OptionKind::Button),
            (
                "name default min max var type check default false",
                "default min max var",
                OptionKind::Check { default: false },
            ),
            ("name name type string default name", "name", string("name")),
            (
                "name Move\t Overhead type spin min 0 default 5 max 9",
                "Move Overhead",
                spin(5, 0, 9),
            ),
            ("name N type spin default 1 min 1 max 18446744073709551615", "N", spin(1, 1, max)),
            (
                "name N type spin default 0 min -99999999999999999999 max 1",
                "N",
                spin(0, i64::MIN, 1),
            ),
            ("name N type spin default 0.6 min 0.0 max 1e3", "N", spin(1, 0, 1000)),
            ("name N type spin default +3 min -4 max +9", "N", spin(3, -4, 9)),
            ("name N type spin default 3 min 1", "N", spin(3, 1, max)),
            ("name N type spin default 3", "N", spin(3, i64::MIN, max)),
            ("name N type spin default min 2 max 5", "N", spin(2, 2, 5)),
            ("name N type spin default 3 min 9 max 1", "N", spin(3, 9, 1)),
            ("name N type spin default 3 min low max high", "N", spin(3, i64::MIN, max)),
            ("name N type check", "N", OptionKind::Check { default: false }),
            ("name N type check default True", "N", OptionKind::Check { default: true }),
            ("name N type button default <empty>", "N", OptionKind::Button),
        ] {
            let found = read(line).unwrap_or_else(|| panic!("{line}")).option;
            assert_eq!((found.name.as_str(), found.kind), (name, kind), "{line}");
        }
    }

    #[test]
    fn a_number_that_is_read_as_another_one_is_told() {
        for (line, flaws) in [
            ("name N type spin default 1 min 1 max 9", &[][..]),
            (
                "name N type spin default 1 min 1 max 18446744073709551615",
                &["`max 18446744073709551615` of `N` is read as 9223372036854775807"],
            ),
            ("name N type spin default 0.6 min 0 max 1", &["`default 0.6` of `N` is read as 1"]),
            ("name N type spin default 1 min 0", &["`N` has no `max`"]),
            (
                "name N type spin default 1 min x max 2",
                &["`min x` of `N` is not read", "`N` has no `min`"],
            ),
        ] {
            assert_eq!(read(line).expect(line).flaws, flaws, "{line}");
        }
    }

    #[test]
    fn a_line_without_name_or_type_is_no_option() {
        for line in [
            "",
            "name",
            "type spin",
            "name X",
            "name X type",
            "name X type wheel",
            "X",
            "name type spin default 1",
            "Name X type check default true",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
