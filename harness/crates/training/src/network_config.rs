//! Which network is trained: an architecture and its sizes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use engine::eval::nnue::{
    ARCHITECTURES, Architecture, NetworkError, PERSPECTIVE, Perspectives, Rule, Shape,
};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use thiserror::Error;

/// Sizes that stand in every configuration that is stored, set or not: those of the first four
/// architectures, so that what was stored before others came stays the same.
const STORED: usize = 10;

/// A key of a configuration: a size, or a list of those whose names end in `_1` and `_2`.
#[derive(Debug)]
struct Key {
    name: &'static str,
    sizes: Vec<&'static str>,
    rule: Rule,
}

/// The keys of all architectures.
static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut keys: Vec<Key> = Vec::new();
    for size in ARCHITECTURES.iter().flat_map(|architecture| architecture.sizes) {
        let name = size.name.strip_suffix("_1").or(size.name.strip_suffix("_2"));
        let name = name.unwrap_or(size.name);
        if matches!(size.rule, Rule::Unit(_)) || size.name == "scale" {
            continue;
        }
        match keys.iter_mut().find(|key| key.name == name) {
            Some(key) if key.sizes.contains(&size.name) => {}
            Some(key) => key.sizes.push(size.name),
            None => keys.push(Key { name, sizes: vec![size.name], rule: size.rule }),
        }
    }
    keys
});

/// The names of all keys, for error messages.
static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let sizes = KEYS.iter().map(|key| key.name);
    ["architecture"].into_iter().chain(sizes).chain(["scale"]).collect()
});

/// Sizes that an architecture does not have, or does not allow.
#[derive(Debug, Error)]
pub enum NetworkConfigError {
    /// A size of another architecture.
    #[error("network: `{architecture}` has no `{key}`")]
    Foreign {
        /// The architecture.
        architecture: &'static str,
        /// The size.
        key: &'static str,
    },
    /// The engine refuses the sizes.
    #[error("network: {0}")]
    Sizes(#[from] NetworkError),
}

/// The network that a training asks for. Other sizes are the defaults of the architecture.
#[derive(Clone, PartialEq)]
pub struct NetworkConfig {
    /// The architecture.
    pub architecture: &'static Architecture,
    sizes: BTreeMap<&'static str, i64>,
    /// Centipawns of an output of 1.
    pub scale: i64,
}

impl Default for NetworkConfig {
    fn default() -> NetworkConfig {
        NetworkConfig::new(&PERSPECTIVE)
    }
}

impl NetworkConfig {
    /// A network of an architecture.
    pub fn new(architecture: &'static Architecture) -> NetworkConfig {
        NetworkConfig { architecture, sizes: BTreeMap::new(), scale: 400 }
    }

    /// A network of the usual architecture with this width.
    pub fn perspective(hidden: usize) -> NetworkConfig {
        NetworkConfig::default().with("hidden", hidden as i64)
    }

    /// The same with another size.
    pub fn with(mut self, size: &'static str, value: i64) -> NetworkConfig {
        self.sizes.insert(size, value);
        self
    }

    /// The same for the engine.
    pub fn shape(&self) -> Shape {
        let mut shape = self.architecture.shape();
        shape.set("scale", self.scale);
        for (size, &value) in &self.sizes {
            shape.set(size, value);
        }
        shape
    }

    /// Whether the side to move is a feature: the network tells a position from the same one with
    /// board and colours turned.
    pub fn sees_side_to_move(&self) -> bool {
        // Its features do not depend on the sizes.
        let graph = self.architecture.shape().graph();
        graph.firsts.iter().any(|first| first.perspectives == Perspectives::White)
    }

    /// Whether the architecture has all the sizes that are named, and allows them.
    ///
    /// # Errors
    /// When it lacks one, or a value is out of range.
    pub fn check(&self) -> Result<(), NetworkConfigError> {
        let shape = self.shape();
        let foreign = |key: &&Key| key.sizes.iter().any(|size| shape.find(size).is_none());
        let set = |key: &&Key| key.sizes.iter().any(|size| self.sizes.contains_key(size));
        if let Some(key) = KEYS.iter().filter(set).find(foreign) {
            let architecture = shape.name();
            let key = key.name;
            return Err(NetworkConfigError::Foreign { architecture, key });
        }
        Ok(shape.check()?)
    }

    /// The keys that are stored, with the value of each.
    fn stored(&self) -> impl Iterator<Item = (&'static str, Option<Value>)> {
        let keys = KEYS.iter().enumerate().map(|(number, key)| (number, key.name, self.value(key)));
        let keys = keys.filter(|(number, _, value)| *number < STORED || value.is_some());
        keys.map(|(_, name, value)| (name, value))
    }

    fn value(&self, key: &Key) -> Option<Value> {
        let values = key.sizes.iter().map(|size| self.sizes.get(size).copied());
        let values: Vec<i64> = values.collect::<Option<_>>()?;
        Some(match (&values[..], key.rule) {
            (&[value], Rule::Flag) => Value::Flag(value != 0),
            (&[value], _) => Value::Number(value),
            _ => Value::List(values),
        })
    }
}

/// A value of a key.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Value {
    Flag(bool),
    Number(i64),
    List(Vec<i64>),
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(value) => value.fmt(f),
            Value::Number(value) => value.fmt(f),
            Value::List(values) => values.fmt(f),
        }
    }
}

/// As that of a structure with all keys as fields: the key of a checkpoint is made of it.
impl fmt::Debug for NetworkConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("NetworkConfig");
        shown.field("architecture", &format_args!("{}", camel_case(self.architecture.name)));
        for (name, value) in self.stored() {
            shown.field(name, &value);
        }
        shown.field("scale", &self.scale).finish()
    }
}

/// `two-path` as `TwoPath`.
fn camel_case(name: &str) -> String {
    if name == "halfkp" {
        return "HalfKp".to_owned();
    }
    let word = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    name.split('-').map(word).collect()
}

impl Serialize for NetworkConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("architecture", self.architecture.name)?;
        for (name, value) in self.stored() {
            map.serialize_entry(name, &value)?;
        }
        map.serialize_entry("scale", &self.scale)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for NetworkConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NetworkConfig, D::Error> {
        deserializer.deserialize_struct("NetworkConfig", &[], Keys)
    }
}

/// Reads a configuration key by key.
struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = NetworkConfig;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct NetworkConfig")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NetworkConfig, A::Error> {
        let mut config = NetworkConfig::default();
        let mut seen = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let known = NAMES.iter().find(|known| **known == name);
            let &known = known.ok_or_else(|| A::Error::unknown_field(&name, &NAMES))?;
            if seen.contains(&known) {
                return Err(A::Error::duplicate_field(known));
            }
            seen.push(known);
            match KEYS.iter().find(|key| key.name == known) {
                Some(key) => read_key(key, &mut map, &mut config.sizes)?,
                None if known == "scale" => config.scale = map.next_value::<i32>()?.into(),
                None => config.architecture = map.next_value::<Named>()?.0,
            }
        }
        Ok(config)
    }
}

/// Reads the value of a key.
fn read_key<'de, A: MapAccess<'de>>(
    key: &Key,
    map: &mut A,
    sizes: &mut BTreeMap<&'static str, i64>,
) -> Result<(), A::Error> {
    let number = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    let values: Vec<i64> = match (&key.sizes[..], key.rule) {
        ([_], Rule::Flag) => map.next_value::<Option<bool>>()?.map(i64::from).into_iter().collect(),
        ([_], Rule::Within(0, _)) => {
            map.next_value::<Option<i32>>()?.map(i64::from).into_iter().collect()
        }
        ([_], _) => map.next_value::<Option<usize>>()?.map(number).into_iter().collect(),
        _ => map.next_value::<Option<[usize; 2]>>()?.into_iter().flatten().map(number).collect(),
    };
    sizes.extend(key.sizes.iter().copied().zip(values));
    Ok(())
}

/// An architecture by its name.
struct Named(&'static Architecture);

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Named, D::Error> {
        deserializer.deserialize_str(Name)
    }
}

/// Reads the name; errors have its place.
struct Name;

impl Visitor<'_> for Name {
    type Value = Named;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an architecture")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Named, E> {
        static KNOWN: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| ARCHITECTURES.iter().map(|it| it.name).collect());
        Architecture::find(name).map(Named).ok_or_else(|| E::unknown_variant(name, &KNOWN))
    }
}
