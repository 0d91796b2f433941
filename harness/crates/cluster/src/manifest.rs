//! The files that a run needs, as its batches name them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use harness_player::BuildRecipe;

/// Files of a run on the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifacts {
    /// The secret in the name of their stream on the server.
    pub secret: String,
    /// Bytes of each file, by its SHA-256.
    pub objects: BTreeMap<String, u64>,
    /// SHA-256 of the files that options name, by the option's value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// SHA-256 of the packed working folders of engines, by folder.
    #[serde(
        default,
        with = "harness_base::text::path",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub folders: BTreeMap<PathBuf, String>,
    /// Hash of the lists of tablebases, by the folders that the rules and options name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tablebases: BTreeMap<String, String>,
    /// Engines that each worker builds, by the SHA-256 of the coordinator's program.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, Sources>,
    /// Nodes of the bench of engines built from revisions, by the same.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub benches: BTreeMap<String, u64>,
}

/// The sources of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// SHA-256 of the packed folder.
    pub folder: String,
    /// How it is built.
    pub recipe: BuildRecipe,
}

/// A bench that searched another number of nodes than it does at the coordinator's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrongBench {
    /// Name of the engine.
    pub engine: String,
    /// SHA-256 of the coordinator's program.
    pub program: String,
    /// Nodes at the coordinator's.
    pub expected: u64,
    /// Nodes at the worker's.
    pub found: u64,
}

impl fmt::Display for WrongBench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WrongBench { engine, expected, found, .. } = self;
        write!(f, "the bench of {engine} has {found} nodes, and {expected} at the coordinator's")
    }
}
