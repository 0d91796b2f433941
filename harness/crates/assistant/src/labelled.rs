//! Sentences with what they mean, as the files of `harness/tests/assistant` have them.
//!
//! A line is a sentence, its intent (or some, with `|` between) and its slots in JSON, with tabs between. A slot
//! `unread` has words that have to be named as not understood: one of those with `|` between, of a list one of each.
//! More pairs of intent and slots are other right readings.

use serde_json::Value;

use super::slots::NO_CLOCK;
use super::tags::{ENGINES, REVISIONS};
use super::{Confirm, Intent, Slots, Understood};

/// A sentence and its right readings.
#[derive(Clone, Debug)]
pub struct Labelled<'a> {
    /// The sentence.
    pub sentence: &'a str,
    /// Its right readings.
    pub readings: Vec<Reading<'a>>,
}

/// A right reading of a sentence.
#[derive(Clone, Debug)]
pub struct Reading<'a> {
    /// Intents by their names, one or some.
    pub intents: &'a str,
    /// Slots.
    pub slots: Slots,
    /// Of each, one of these has to be named as not understood.
    pub unread: Vec<String>,
}

/// How right an answer to a sentence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether its intent is a right one.
    pub intent: bool,
    /// Whether all of it is right.
    pub right: bool,
    /// Whether something else than was meant is done, or left out, and nothing is named as not understood.
    pub silent: bool,
    /// Whether it is right and asked about, though nothing in it has to be.
    pub needless: bool,
    /// Whether it is asked which of some readings is meant.
    pub either: bool,
    /// Whether one of the others that are offered then is right.
    pub offered: bool,
}

impl<'a> Labelled<'a> {
    /// Reads a line; `None` of one that is no such sentence.
    pub fn read(line: &'a str) -> Option<Labelled<'a>> {
        let columns: Vec<&str> = line.split('\t').collect();
        let (sentence, rest) = columns.split_first()?;
        let (pairs, []) = rest.as_chunks::<2>() else { return None };
        let readings: Option<Vec<Reading<'_>>> = pairs.iter().map(Reading::read).collect();
        readings
            .filter(|readings| !readings.is_empty())
            .map(|readings| Labelled { sentence, readings })
    }

    /// How right an answer is.
    pub fn outcome(&self, found: &Understood) -> Outcome {
        let intent = self.readings.iter().any(|reading| reading.has_intent(found));
        let right = self.readings.iter().any(|reading| reading.is_right(found));
        let is_named = !found.unread.is_empty();
        // A move that is not legal is not made, and nothing else is.
        let is_done = match found.intent {
            Intent::Unknown => false,
            Intent::Move => found.slots.contains_key("uci"),
            _ => true,
        };
        let is_asked = is_named && is_done && found.confirm == Confirm::Always;
        let has_to_be = self.readings.iter().any(|reading| !reading.unread.is_empty());
        let either = !found.others.is_empty();
        let is_right =
            |found: &Understood| self.readings.iter().any(|reading| reading.is_right(found));
        let offered = found.others.iter().any(is_right);
        Outcome {
            intent,
            right,
            silent: !right && !is_named && is_done && !either,
            needless: right && !has_to_be && (is_asked || (either && !offered)),
            either,
            offered,
        }
    }
}

/// Slots of players.
const PLAYERS: [&str; 8] = ["first", "second", "new", "old", "others", "engine", "against", "base"];

/// Whether slots have a player of a name that is no known one.
fn has_player(slots: &Slots, name: &str) -> bool {
    let is_known = ENGINES.iter().chain(&REVISIONS).any(|known| known.eq_ignore_ascii_case(name));
    let is_it = |value: &Value| value.as_str() == Some(name);
    let mut values = PLAYERS.iter().filter_map(|slot| slots.get(*slot));
    !is_known
        && values
            .any(|value| is_it(value) || value.as_array().is_some_and(|all| all.iter().any(is_it)))
}

impl<'a> Reading<'a> {
    fn read([intents, slots]: &[&'a str; 2]) -> Option<Reading<'a>> {
        let mut slots: Slots = serde_json::from_str(slots).ok()?;
        let unread = match slots.remove("unread") {
            Some(Value::Array(each)) => {
                each.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            unread => {
                unread.as_ref().and_then(Value::as_str).map(str::to_owned).into_iter().collect()
            }
        };
        Some(Reading { intents, slots, unread })
    }

    fn has_intent(&self, found: &Understood) -> bool {
        self.intents.split('|').any(|intent| found.intent.name() == intent)
    }

    fn is_right(&self, found: &Understood) -> bool {
        // The name of an engine that is not known is named, or stands in the command.
        let is_player = |text: &str| found.intent.is_run() && has_player(&found.slots, text);
        let is_named =
            |text: &str| found.unread.iter().any(|part| part.contains(text)) || is_player(text);
        self.has_intent(found)
            && self.unread.iter().all(|texts| texts.split('|').any(is_named))
            && (matches!(found.intent, Intent::Move | Intent::Unknown) || self.has_slots(found))
    }

    /// Whether slots are those of the reading. `head` is `HEAD`, and a name that is asked about may be in a slot.
    fn has_slots(&self, found: &Understood) -> bool {
        let is_asked = |value: &Value| match value {
            Value::String(text) => found.unread.contains(text),
            Value::Array(texts) => {
                let is_unread = |text: &str| found.unread.iter().any(|part| part == text);
                texts.iter().all(|text| text.as_str().is_some_and(is_unread))
            }
            _ => false,
        };
        let counts =
            |(name, value): &(&String, &Value)| self.slots.contains_key(*name) || !is_asked(value);
        // A game has no clock where none is named.
        let is_clock = |(name, value): &(&String, &Value)| {
            name.as_str() != "clock" || value.as_str() != Some(NO_CLOCK)
        };
        let wanted = self.slots.iter().filter(is_clock);
        let wanted: Slots = wanted.map(|(name, value)| (name.clone(), value.clone())).collect();
        let slots = found.slots.iter().filter(counts).filter(is_clock);
        let slots: Slots = slots.map(|(name, value)| (name.clone(), value.clone())).collect();
        let folded = |slots: &Slots| serde_json::json!(slots).to_string().replace("HEAD", "head");
        folded(&slots) == folded(&wanted)
    }
}
