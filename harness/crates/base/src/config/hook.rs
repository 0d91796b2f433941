//! `on-event:` of `harness.yaml`: commands that get the events of runs.

use std::fmt;
use std::num::NonZeroU64;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Games, positions or other units between two events of progress, unless a hook says otherwise.
pub const DEFAULT_EVERY: NonZeroU64 = NonZeroU64::new(100).expect("it is not zero");

/// Seconds that a hook may take, unless it says otherwise.
pub const DEFAULT_TIMEOUT: u16 = 10;

/// An event of a run, for a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookEvent {
    /// The run began, or continues.
    Started,
    /// More of it is done.
    Progress,
    /// It has a result.
    Finished,
    /// It ended without one.
    Failed,
    /// The user ended it; what is done is kept.
    Interrupted,
}

impl HookEvent {
    /// Its name in the object that a hook gets.
    pub fn name(self) -> &'static str {
        match self {
            HookEvent::Started => "started",
            HookEvent::Progress => "progress",
            HookEvent::Finished => "finished",
            HookEvent::Failed => "failed",
            HookEvent::Interrupted => "interrupted",
        }
    }
}

/// A command that gets the events of runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// A command for `sh`; the event is on its standard input.
    pub command: String,
    /// The events that it gets; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<HookEvent>,
    /// Units (games, positions) between two events of progress.
    #[serde(default = "default_every")]
    pub every: NonZeroU64,
    /// Seconds after which it is ended.
    #[serde(default = "default_timeout", deserialize_with = "seconds")]
    pub timeout: u16,
}

fn default_every() -> NonZeroU64 {
    DEFAULT_EVERY
}

fn default_timeout() -> u16 {
    DEFAULT_TIMEOUT
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    match u16::deserialize(deserializer)? {
        0 => Err(D::Error::custom("a timeout is a number of seconds from 1 on")),
        seconds => Ok(seconds),
    }
}

impl Hook {
    /// One that gets every event.
    pub fn new(command: String) -> Hook {
        Hook { command, events: Vec::new(), every: DEFAULT_EVERY, timeout: DEFAULT_TIMEOUT }
    }

    /// Whether it gets an event.
    pub fn wants(&self, event: HookEvent) -> bool {
        self.events.is_empty() || self.events.contains(&event)
    }

    /// Whether it gets an event of progress when this much is done, and that much was before.
    pub fn wants_progress(&self, before: u64, done: u64) -> bool {
        self.wants(HookEvent::Progress) && done / self.every > before / self.every
    }
}

/// The value of `on-event`: a command, or a list of commands and hooks.
#[derive(Debug, Default)]
pub(super) struct Hooks(pub Vec<Hook>);

/// One of a list: a command alone, or a mapping.
struct OneHook(Hook);

impl<'de> Deserialize<'de> for OneHook {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OneHook, D::Error> {
        deserializer.deserialize_any(HookVisitor).map(OneHook)
    }
}

impl<'de> Deserialize<'de> for Hooks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hooks, D::Error> {
        deserializer.deserialize_any(ListVisitor).map(Hooks)
    }
}

fn named<E: Error>(command: &str) -> Result<Hook, E> {
    match command.trim().is_empty() {
        true => Err(E::custom("a command of `on-event` is empty")),
        false => Ok(Hook::new(command.to_owned())),
    }
}

fn of_mapping<'de, A: MapAccess<'de>>(map: A) -> Result<Hook, A::Error> {
    let hook = Hook::deserialize(MapAccessDeserializer::new(map))?;
    named(&hook.command).map(|_: Hook| hook)
}

struct HookVisitor;

impl<'de> Visitor<'de> for HookVisitor {
    type Value = Hook;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a command, or { command, events, every, timeout }")
    }

    fn visit_str<E: Error>(self, command: &str) -> Result<Hook, E> {
        named(command)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Hook, A::Error> {
        of_mapping(map)
    }
}

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = Vec<Hook>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a command, or a list of commands")
    }

    fn visit_str<E: Error>(self, command: &str) -> Result<Vec<Hook>, E> {
        Ok(vec![named(command)?])
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Vec<Hook>, A::Error> {
        Ok(vec![of_mapping(map)?])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Hook>, A::Error> {
        let mut hooks = Vec::new();
        while let Some(OneHook(hook)) = list.next_element()? {
            hooks.push(hook);
        }
        Ok(hooks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse_text;

    #[test]
    fn a_hook_is_a_command_a_mapping_or_a_list_of_both() {
        let plain = Hook::new("./tell".to_owned());
        let ends = Hook {
            events: vec![HookEvent::Finished, HookEvent::Failed],
            every: NonZeroU64::new(5).expect("not zero"),
            timeout: 2,
            ..plain.clone()
        };
        let mapping = "{ command: ./tell, events: [finished, failed], every: 5, timeout: 2 }";
        for (text, expected) in [
            ("./tell", vec![plain.clone()]),
            ("[./tell]", vec![plain.clone()]),
            ("[]", Vec::new()),
            (mapping, vec![ends.clone()]),
            (&format!("[{mapping}, ./tell]"), vec![ends, plain]),
        ] {
            let Hooks(hooks) = parse_text(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(hooks, expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_hook_is_refused_with_a_reason() {
        for (text, reason) in [
            ("''", "empty"),
            ("[' ']", "empty"),
            ("{ command: '' }", "empty"),
            ("{ events: [finished] }", "command"),
            ("{ command: a, event: [finished] }", "event"),
            ("{ command: a, events: [ended] }", "ended"),
            ("{ command: a, every: 0 }", "zero"),
            ("{ command: a, timeout: 0 }", "seconds from 1 on"),
        ] {
            let error = parse_text::<Hooks>(text).expect_err(text);
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn progress_is_told_once_for_each_number_of_units() {
        let hook = Hook { every: NonZeroU64::new(10).expect("not zero"), ..Hook::new("a".into()) };
        for (before, done, is_wanted) in
            [(0, 9, false), (9, 10, true), (10, 11, false), (9, 35, true), (30, 30, false)]
        {
            assert_eq!(hook.wants_progress(before, done), is_wanted, "{before} {done}");
        }
        let ends = Hook { events: vec![HookEvent::Finished], ..hook };
        assert!(!ends.wants_progress(0, 10) && !ends.wants(HookEvent::Started));
    }
}
