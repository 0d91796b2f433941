//! The entries of `parameters` in an experiment: names, patterns and groups with their settings.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_yaml::Spanned;

use super::space::Scale;

/// Settings of one parameter, or of all that match a pattern or group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// Value before tuning; `None`: the engine's default.
    pub start: Option<f64>,
    /// Smallest value; `None`: the engine's.
    pub min: Option<f64>,
    /// Largest value; `None`: the engine's.
    pub max: Option<f64>,
    /// Step; `None`: the engine's, or a share of the range.
    pub step: Option<f64>,
    /// The parameter's scale.
    pub scale: Option<Scale>,
    /// Whether it keeps its start value.
    pub fixed: bool,
    /// Whether the run may widen its range; `None`: as the experiment says.
    pub widen: Option<bool>,
}

/// The mapping of a [`Settings`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsKeys {
    start: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    step: Option<f64>,
    #[serde(default)]
    scale: Option<Scale>,
    #[serde(default)]
    fixed: bool,
    widen: Option<bool>,
}

impl<'de> Deserialize<'de> for Settings {
    /// Reads `{ min: 20, max: 160, ... }`, `[20, 160]`, or nothing.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Settings, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Settings;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "nothing, a range [20, 160] or { start: 75, min: 20, max: 160, step: 8 }",
                )
            }

            fn visit_unit<E: de::Error>(self) -> Result<Settings, E> {
                Ok(Settings::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Settings, A::Error> {
                let min = seq.next_element()?;
                let max = seq.next_element()?;
                let more: Option<IgnoredAny> = seq.next_element()?;
                match (min, max, more) {
                    (Some(min), Some(max), None) => {
                        Ok(Settings { min: Some(min), max: Some(max), ..Settings::default() })
                    }
                    _ => Err(de::Error::custom("a range is two numbers: [20, 160]")),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Settings, A::Error> {
                let keys = SettingsKeys::deserialize(MapAccessDeserializer::new(map))?;
                let SettingsKeys { start, min, max, step, scale, fixed, widen } = keys;
                Ok(Settings { start, min, max, step, scale, fixed, widen })
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

/// The entries in the order of the file, with their places in it: a mapping, a list of names and
/// mappings, or one name.
#[derive(Clone, Debug)]
pub struct Entries(Vec<(Spanned<String>, Settings)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entries, D::Error> {
        let spanned = Spanned::<Items>::deserialize(deserializer)?;
        Ok(spanned.value.at(spanned.referenced))
    }
}

/// Value of `parameters`, and an item of its list.
#[derive(Clone, Debug)]
enum Items {
    Name(String),
    Entries(Vec<(Spanned<String>, Settings)>),
}

impl Items {
    fn at(self, place: serde_yaml::Location) -> Entries {
        Entries(match self {
            Items::Name(value) => {
                vec![(Spanned { value, referenced: place, defined: place }, Settings::default())]
            }
            Items::Entries(entries) => entries,
        })
    }
}

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Items, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Items;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "names, patterns or groups, as in [rfp_margin, 'lmr_*', search], or a mapping \
                     { rfp_margin: { min: 20, max: 160 } }",
                )
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Items, E> {
                Ok(Items::Name(name.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Items, A::Error> {
                let mut entries = Vec::new();
                while let Some(Entries(more)) = seq.next_element()? {
                    entries.extend(more);
                }
                Ok(Items::Entries(entries))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Items, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Items::Entries(entries))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

impl Entries {
    /// The entries with their places in the file of this name.
    pub fn entries(&self, file: &str) -> Vec<Entry> {
        let entries = self.0.iter().map(|(name, settings)| {
            let line = name.referenced.line();
            let column = name.referenced.column();
            Entry {
                name: name.value.clone(),
                place: format!("{file}:{line}:{column}"),
                settings: *settings,
            }
        });
        entries.collect()
    }
}

/// A name, a pattern or a group, with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// As it was written.
    pub name: String,
    /// Where: `try.yaml:7:3`.
    pub place: String,
    /// The settings.
    pub settings: Settings,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_forms_are_errors_with_the_expected_form() {
        for (text, expected) in [
            ("5", "[rfp_margin, 'lmr_*', search]"),
            ("[5]", "[rfp_margin, 'lmr_*', search]"),
            ("{ rfp_margin: 40 }", "{ start: 75, min: 20, max: 160, step: 8 }"),
            ("{ rfp_margin: [1, 2, 3] }", "two numbers"),
            ("{ rfp_margin: { strat: 3 } }", "strat"),
        ] {
            let error = serde_yaml::from_str::<Entries>(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
