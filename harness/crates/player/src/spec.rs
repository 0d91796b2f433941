//! An engine as plain data: enough to start it again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use harness_base::config::Protocol;

/// A resolved engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// The name in reports and PGN; unique within a run.
    pub name: String,
    /// The program.
    pub program: Program,
    /// UCI options to set, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// MiB of a transposition table of which no option says the size.
const USUAL_HASH: u64 = 16;

impl EngineSpec {
    /// The linked engine under a name, without options.
    pub fn builtin(name: &str) -> EngineSpec {
        let name = name.to_owned();
        let options = BTreeMap::new();
        EngineSpec { name, program: Program::Builtin, options }
    }

    /// Whether it speaks UCI, as the linked engine's interface does.
    pub fn is_uci(&self) -> bool {
        !matches!(self.program, Program::Executable { protocol: Protocol::Xboard, .. })
    }

    /// MiB of its transposition table; what most engines have where no option says it.
    pub fn hash_mib(&self) -> u64 {
        let named = self.options.iter().find(|(name, _)| name.eq_ignore_ascii_case("Hash"));
        named.and_then(|(_, value)| value.parse().ok()).unwrap_or(USUAL_HASH)
    }

    /// Whether another engine is the same program with the same options: two commits may build the
    /// same.
    pub fn is_same_player(&self, other: &EngineSpec) -> bool {
        let same_program = match (&self.program, &other.program) {
            (Program::Builtin, Program::Builtin) => true,
            (
                Program::Executable { sha256: a, args: x, .. },
                Program::Executable { sha256: b, args: y, .. },
            ) => a == b && x == y,
            _ => false,
        };
        same_program && self.options == other.options
    }

    /// The file to start; `None` for the linked engine.
    pub fn program_path(&self) -> Option<&Path> {
        match &self.program {
            Program::Builtin => None,
            Program::Executable { path, .. } => Some(path),
        }
    }
}

impl Program {
    /// A program that speaks UCI and needs no arguments, by its absolute path and its SHA-256 in hex.
    pub fn uci(path: PathBuf, sha256: String, revision: Option<Revision>) -> Program {
        let args = Vec::new();
        let init = Vec::new();
        let dir = None;
        Program::Executable { path, args, protocol: Protocol::Uci, init, dir, sha256, revision }
    }
}

/// The program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Program {
    /// The linked engine, in this process. Its search parameters are set as options.
    Builtin,
    /// An engine as a child process.
    Executable {
        /// Absolute path.
        #[serde(with = "harness_base::text::path")]
        path: PathBuf,
        /// Arguments.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<String>,
        /// How it is spoken to.
        #[serde(default, skip_serializing_if = "Protocol::is_uci")]
        protocol: Protocol,
        /// Lines that are sent to it before anything else.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        init: Vec<String>,
        /// Working folder; `None`: the harness's own.
        #[serde(
            default,
            with = "harness_base::text::path",
            skip_serializing_if = "Option::is_none"
        )]
        dir: Option<PathBuf>,
        /// SHA-256 of the file, in hex.
        sha256: String,
        /// The git revision it was built from, if the harness built it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        revision: Option<Revision>,
    },
}

/// A git revision that the harness built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// As the user wrote it: `HEAD~1`, `main`, `.`.
    pub asked: String,
    /// Full commit hash; `None` for the working tree.
    pub commit: Option<String>,
}
