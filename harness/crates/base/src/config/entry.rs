//! One engine of `harness.yaml`, and the form of that file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::yaml;

/// The file in error messages.
pub(super) const KIND: yaml::Kind = yaml::Kind {
    forms: &[
        ("engines", "{ NAME: { cmd: PROGRAM, args: [], options: { Hash: 16 } } }"),
        ("args", "[--uci]"),
        ("proto", "xboard"),
        ("init", "[\"debug on\"]"),
        ("options", "{ Hash: 16, Threads: 1 }"),
        ("build", "{ command: make, binary: ./engine }"),
        ("files", "[nets]"),
        ("on", "nats://HOST"),
        ("on-event", "[./tell-the-chat]"),
        ("events", "[finished, failed]"),
    ],
    keys: &[],
    help: "it holds `engines: { NAME: { cmd, args, dir, proto, init, options } }`, `build: { command, \
           binary, files }`, `on: nats://HOST` and `on-event: COMMAND`",
};

/// One engine of `harness.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineEntry {
    /// A program on PATH, a path seen from the file's folder, or `builtin`. A path that is not UTF-8 is
    /// text as by [`encode_path`](crate::text::path::encode_path).
    pub cmd: String,
    /// Arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// `uci` or `xboard`.
    #[serde(default, skip_serializing_if = "Protocol::is_uci")]
    pub proto: Protocol,
    /// Lines that are sent before anything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub init: Vec<String>,
    /// Working folder, seen from the file's folder.
    #[serde(default, with = "crate::text::path", skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// UCI options by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

/// The protocol of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The Chess Engine Communication Protocol, version 2, of xboard and WinBoard.
    Xboard,
}

impl Protocol {
    /// Whether it is UCI.
    pub fn is_uci(&self) -> bool {
        *self == Protocol::Uci
    }
}
