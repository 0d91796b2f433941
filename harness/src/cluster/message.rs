//! What is sent: plain data in JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::arena::{Conduct, GameRecord, PairJob};
use crate::player::StartSettings;

/// Version of the messages; a worker of another version does not play.
pub const PROTOCOL: u32 = 1;

/// The header with a result's signature.
pub const SIGNATURE: &str = "Tench-Signature";

/// The header with the public key of who signed.
pub const KEY: &str = "Tench-Key";

/// Pairs that one worker plays, one after the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// Version of the sender's messages.
    pub protocol: u32,
    /// Name of the run on the server.
    pub run: String,
    /// What all batches of the run share.
    pub common: Shared,
    /// The pairs.
    pub pairs: Vec<Assignment>,
}

/// What all batches of a run share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shared {
    /// The event of the PGN.
    pub event: String,
    /// Rules of the games.
    pub conduct: Conduct,
    /// How engines are started.
    pub start: Start,
    /// Cores that a game needs.
    pub threads: usize,
    /// Signature of the linked engine; set if it plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<u64>,
    /// The engines, and the files that their options name.
    pub artifacts: Artifacts,
}

/// Files of a run in the object store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifacts {
    /// The bucket.
    pub bucket: String,
    /// Names of its objects: the SHA-256 of each file.
    pub objects: BTreeSet<String>,
    /// SHA-256 of the files that options name, by the option's value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// How engines are started and supervised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    handshake: Duration,
    ready: Duration,
    /// Limit of an engine's memory in bytes.
    memory: Option<u64>,
}

impl Start {
    /// Of the settings of a player.
    pub fn of(settings: &StartSettings) -> Start {
        let StartSettings { handshake, ready, memory, .. } = *settings;
        Start { handshake, ready, memory }
    }

    /// As settings of a player.
    pub fn settings(self) -> StartSettings {
        let Start { handshake, ready, memory } = self;
        StartSettings { handshake, ready, memory, ..StartSettings::default() }
    }
}

/// A pair to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// Counts the times that the coordinator had to refuse a result, from 0.
    pub attempt: u32,
    /// The pair.
    pub job: PairJob,
}

/// The result of a pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairResult {
    /// Version of the sender's messages.
    pub protocol: u32,
    /// Name of the run on the server.
    pub run: String,
    /// Number of the pair.
    pub pair: u64,
    /// That of the assignment.
    pub attempt: u32,
    /// Name of the worker.
    pub worker: String,
    /// The games that were asked for.
    pub games: Vec<GameRecord>,
}

/// A worker gives a batch back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Returned {
    /// Version of the sender's messages.
    pub protocol: u32,
    /// Name of the worker.
    pub worker: String,
    /// Numbers of the batch's pairs.
    pub pairs: Vec<u64>,
    /// Why.
    pub why: WhyReturned,
}

/// Why a worker gives a batch back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyReturned {
    /// It cannot play the run.
    CannotPlay(String),
    /// So many workers took it before, and sent no result: one of its pairs may end them.
    Silent(i64),
}

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Version of its messages.
    pub protocol: u32,
    /// Its name.
    pub name: String,
    /// Its public key.
    pub key: String,
    /// Cores that it offers.
    pub cores: usize,
    /// Nodes a second of the linked engine on one core, with all cores at work.
    pub speed: f64,
    /// What keeps engines from the machine.
    pub sandbox: String,
    /// Runs that it plays now.
    pub runs: Vec<String>,
    /// Games that it has finished.
    pub games: u64,
    /// Games of it that ended by an engine's fault.
    pub faults: u64,
    /// Seconds since it joined.
    pub seconds: f64,
}
