//! Rules, tasks and answers under the name of their kind of work: `{"pair": ...}`.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, IgnoredAny, MapAccess};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::work::RemoteWork;

/// Writes rules.
pub fn write_rules<W: RemoteWork, S: Serializer>(rules: &W, to: S) -> Result<S::Ok, S::Error> {
    write(W::NAMES.rules, rules, to)
}

/// Reads rules.
pub fn read_rules<'de, W: RemoteWork, D: Deserializer<'de>>(from: D) -> Result<W, D::Error> {
    read(W::NAMES.rules, from)
}

/// Writes a task.
pub fn write_task<W: RemoteWork, S: Serializer>(task: &W::Task, to: S) -> Result<S::Ok, S::Error> {
    write(W::NAMES.task, task, to)
}

/// Reads a task.
pub fn read_task<'de, W: RemoteWork, D: Deserializer<'de>>(from: D) -> Result<W::Task, D::Error> {
    read(W::NAMES.task, from)
}

/// Writes an answer.
pub fn write_answer<W: RemoteWork, S: Serializer>(
    answer: &W::Answer,
    to: S,
) -> Result<S::Ok, S::Error> {
    write(W::NAMES.answer, answer, to)
}

/// Reads an answer.
pub fn read_answer<'de, W: RemoteWork, D: Deserializer<'de>>(
    from: D,
) -> Result<W::Answer, D::Error> {
    read(W::NAMES.answer, from)
}

fn write<T: Serialize, S: Serializer>(
    name: &'static str,
    value: &T,
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(1))?;
    map.serialize_entry(name, value)?;
    map.end()
}

fn read<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    name: &'static str,
    from: D,
) -> Result<T, D::Error> {
    from.deserialize_map(Entry { name, value: PhantomData })
}

/// Reads a map of one entry.
struct Entry<T> {
    name: &'static str,
    value: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Entry<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one `{}`", self.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let name: Option<String> = map.next_key()?;
        if name.as_deref() != Some(self.name) {
            return Err(de::Error::invalid_value(de::Unexpected::Map, &self));
        }
        let value = map.next_value()?;
        match map.next_key::<IgnoredAny>()? {
            None => Ok(value),
            Some(_) => Err(de::Error::invalid_length(2, &self)),
        }
    }
}
