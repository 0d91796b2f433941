//! Parts of stored plans and summaries that lists show: read leniently, since another version may have
//! written the rest.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What plans of every kind may have.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct PlanHead {
    /// For reports; of a match or a suite.
    pub facts: FactsHead,
    /// The command that starts the run again.
    #[serde(deserialize_with = "lenient")]
    pub command_line: Option<String>,
    /// Tasks done at the same time.
    #[serde(deserialize_with = "lenient")]
    pub jobs: Option<u64>,
}

/// The facts of a match or a suite.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct FactsHead {
    /// The engines, the first one first.
    engines: Vec<EngineHead>,
    /// Name of the suite.
    #[serde(deserialize_with = "lenient")]
    pub suite: Option<String>,
    /// What ends a search.
    #[serde(deserialize_with = "lenient")]
    pub limit: Option<String>,
    /// The command that starts the run again.
    #[serde(deserialize_with = "lenient")]
    pub command_line: Option<String>,
}

/// An engine: an object in the plan of a match, a text in that of a suite.
#[derive(Deserialize)]
#[serde(untagged)]
enum EngineHead {
    Name(String),
    Named { name: String },
    Unnamed(IgnoredAny),
}

impl EngineHead {
    fn name(&self) -> Option<&str> {
        match self {
            EngineHead::Name(name) | EngineHead::Named { name } => Some(name),
            EngineHead::Unnamed(IgnoredAny) => None,
        }
    }
}

impl FactsHead {
    /// The names of the engines.
    pub fn engines(&self) -> Vec<&str> {
        self.engines.iter().filter_map(EngineHead::name).collect()
    }
}

/// An object with a name.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Named {
    /// The name.
    #[serde(deserialize_with = "lenient")]
    pub name: Option<String>,
}

/// Reads a value if it has the form of this version: others wrote some in another.
pub fn lenient<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored<T> {
        Readable(T),
        Other(IgnoredAny),
    }
    Ok(match Stored::deserialize(deserializer)? {
        Stored::Readable(value) => Some(value),
        Stored::Other(IgnoredAny) => None,
    })
}

/// The command that starts a run again, if its plan has it.
pub fn command_line(plan: &Value) -> Option<String> {
    let PlanHead { facts, command_line, .. } = read_head(plan);
    facts.command_line.or(command_line)
}

/// Tasks that a run does at the same time; 1 if its plan does not say.
pub fn jobs(plan: &Value) -> u64 {
    read_head::<PlanHead>(plan).jobs.unwrap_or(1)
}

/// Reads the parts of a plan or a summary that a list shows; their defaults if they are not there.
pub fn read_head<T: DeserializeOwned + Default>(stored: &Value) -> T {
    T::deserialize(stored).unwrap_or_default()
}

/// A text of a stored plan; `?` if it is not there.
pub fn or_unknown(text: Option<String>) -> String {
    text.unwrap_or_else(|| "?".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn engines_are_objects_or_texts_and_what_is_missing_is_empty() {
        let cases = [
            (json!({ "facts": { "engines": [{ "name": "a" }, "b", { "what": "c" }] } }), "a b"),
            (json!({ "facts": { "engines": [] } }), ""),
            (json!({ "facts": { "engines": "a" } }), ""),
            (json!({ "what": "games that were played on boards" }), ""),
            (json!({ "facts": { "engines": ["a"], "limit": { "nodes": 5 } }, "jobs": "x" }), "a"),
            (Value::Null, ""),
        ];
        for (plan, names) in cases {
            let head: PlanHead = read_head(&plan);
            assert_eq!(head.facts.engines().join(" "), names, "{plan}");
        }
    }
}
