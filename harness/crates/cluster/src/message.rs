//! What is sent: plain data in JSON; batches, results and what is given back compressed by LZ4.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::scores::PlainAnswer;
use harness_arena::{Conduct, GameRecord, PairJob};
use harness_data::generate::Recipe;
use harness_outcome::SuiteResult;
use harness_player::{BuildRecipe, EngineSpec, Limit, StartSettings};
use harness_suite::{Effort, Scoring};

/// Version of the messages; a worker of another version does not play.
pub const PROTOCOL: u32 = 4;

/// The header with a result's signature.
pub const SIGNATURE: &str = "Tench-Signature";

/// The header with the public key of who signed.
pub const KEY: &str = "Tench-Key";

/// The largest message, unpacked: one of 64 games of a thousand moves.
const LARGEST: usize = 64 << 20;

/// A message as it is sent.
pub fn pack(message: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_vec(message).expect("messages are plain data");
    lz4_flex::compress_prepend_size(&text)
}

/// The message of bytes that were received; `None` if they are damaged.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (length, packed) = lz4_flex::block::uncompressed_size(bytes).ok()?;
    // The sender says it: no memory is asked for that it only claims.
    let is_possible = length <= LARGEST && length <= packed.len().saturating_mul(255);
    if !is_possible {
        return None;
    }
    serde_json::from_slice(&lz4_flex::decompress(packed, length).ok()?).ok()
}

/// Tasks that one worker does, one after the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// Version of the sender's messages.
    pub protocol: u32,
    /// Name of the run on the server.
    pub run: String,
    /// What all batches of the run share.
    pub common: Shared,
    /// The tasks.
    pub tasks: Vec<Assignment>,
}

/// What all batches of a run share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shared {
    /// Rules of the tasks.
    pub rules: Rules,
    /// How engines are started.
    pub start: Start,
    /// Cores that a task needs.
    pub threads: usize,
    /// Signature of the linked engine; set if it plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<u64>,
    /// What time limits are scaled to; `None`: they hold as they are on each worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Reference>,
    /// The engines, and the files that their options name.
    pub artifacts: Artifacts,
}

/// The speed that time limits are scaled to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Nodes a second of the linked engine on one core.
    pub nps: f64,
    /// Signature of that engine: speeds of another one are not comparable.
    pub signature: u64,
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
    /// SHA-256 of the packed working folders of engines, by folder.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
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
        let &StartSettings { handshake, ready, memory, .. } = settings;
        Start { handshake, ready, memory }
    }

    /// As settings of a player.
    pub fn settings(self) -> StartSettings {
        let Start { handshake, ready, memory } = self;
        StartSettings { handshake, ready, memory, ..StartSettings::default() }
    }
}

/// What all tasks of a run have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// Of a match, a test or a tuning run.
    Games {
        /// The event of the PGN.
        event: String,
        /// How games are played.
        conduct: Conduct,
    },
    /// Of a suite.
    Suite {
        /// How moves are scored.
        scoring: Scoring,
        /// Limit of a search.
        effort: Effort,
        /// Each position gets an engine that was started for it.
        restart: bool,
    },
    /// Of games to train on.
    SelfPlay(Box<Recipe>),
    /// Of positions to score.
    Scores {
        /// Who searches.
        engine: Box<EngineSpec>,
        /// Limit of a search.
        limit: Limit,
    },
}

/// One unit of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// A pair of games.
    Pair(Box<PairJob>),
    /// A position of a suite.
    Position {
        /// Its number in the run.
        number: u64,
        /// Who searches, and its number.
        engine: Box<(usize, EngineSpec)>,
        /// Its id in the suite.
        id: String,
        /// Its line.
        epd: String,
    },
    /// A game to train on.
    Game(u64),
    /// Positions to score.
    Positions {
        /// Its number in the run.
        number: u64,
        /// Key and FEN of each.
        positions: Vec<(u64, String)>,
    },
}

impl Rules {
    /// The folders of the tablebases that decide games.
    pub fn tablebases(&mut self) -> Option<&mut String> {
        let rule = match self {
            Rules::Games { conduct, .. } => &mut conduct.adjudication.tablebases,
            Rules::SelfPlay(recipe) => &mut recipe.adjudication.tablebases,
            Rules::Suite { .. } | Rules::Scores { .. } => return None,
        };
        rule.as_mut().map(|rule| &mut rule.folders)
    }
}

impl Batch {
    /// Whether what comes of it depends on the speed of the machine.
    pub fn is_timed(&self) -> bool {
        let is_timed = |limit: &Limit| limit.time().is_some();
        match &self.common.rules {
            Rules::Suite { effort, .. } => is_timed(&effort.limit),
            Rules::Scores { limit, .. } => is_timed(limit),
            _ => self.tasks.iter().any(|Assignment { task, .. }| match task {
                Task::Pair(job) => job.sides.iter().any(|side| is_timed(&side.limit)),
                _ => false,
            }),
        }
    }
}

impl Task {
    /// The task's number, which no other of the run has.
    pub fn number(&self) -> u64 {
        match self {
            Task::Pair(job) => job.pair,
            Task::Position { number, .. } | Task::Positions { number, .. } | Task::Game(number) => {
                *number
            }
        }
    }
}

/// What came of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The games of a pair that were asked for.
    Games(Vec<GameRecord>),
    /// The search of a position.
    Position(Box<SuiteResult>),
    /// A game to train on, in hex, as in a file of games without its head
    /// ([`formats::viri`](harness_data::formats::viri)).
    Game(String),
    /// Positions by their keys, in the order of the task.
    Scores(Vec<(u64, PlainAnswer)>),
}

/// A task that is given out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// Counts the times that the coordinator had to refuse a result, from 0.
    pub attempt: u32,
    /// The task.
    pub task: Task,
}

/// The result of a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskResult {
    /// Version of the sender's messages.
    pub protocol: u32,
    /// Name of the run on the server.
    pub run: String,
    /// Number of the task.
    pub number: u64,
    /// That of the assignment.
    pub attempt: u32,
    /// Name of the worker.
    pub worker: String,
    /// Wall time of the task.
    pub took: Duration,
    /// What came of it.
    pub outcome: Outcome,
}

/// A worker gives a batch back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Returned {
    /// Version of the sender's messages.
    pub protocol: u32,
    /// Name of the worker.
    pub worker: String,
    /// Numbers of the batch's tasks.
    pub tasks: Vec<u64>,
    /// Why.
    pub why: WhyReturned,
}

/// Why a worker gives a batch back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyReturned {
    /// It cannot play the run.
    CannotPlay(String),
    /// The bench of an engine has another number of nodes than at the coordinator's.
    WrongBench(WrongBench),
    /// So many workers took it before, and sent no result: one of its tasks may end them.
    Silent(i64),
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

/// What a coordinator says of its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunStatus {
    /// Name of the run on the server.
    pub run: String,
    /// Share of the workers, against other runs.
    pub priority: f64,
    /// It is over.
    #[serde(default)]
    pub is_over: bool,
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
    /// Standard deviation of the speed, as a share of it.
    pub noise: f64,
    /// What keeps engines from the machine.
    pub sandbox: String,
    /// Runs that it plays now.
    pub runs: Vec<String>,
    /// Games and positions that it has finished.
    pub games: u64,
    /// Those that ended by an engine's fault.
    pub faults: u64,
    /// Seconds since it joined.
    pub seconds: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_arrives_as_it_was_and_a_damaged_one_does_not() {
        let why = WhyReturned::CannotPlay("no cores".repeat(50));
        let returned =
            Returned { protocol: PROTOCOL, worker: "a".to_owned(), tasks: vec![1, 2], why };
        let bytes = pack(&returned);
        let unpacked: Returned = unpack(&bytes).expect("it is whole");
        assert_eq!((unpacked.worker, unpacked.why), (returned.worker, returned.why));
        for end in 0..bytes.len() {
            assert!(unpack::<Returned>(&bytes[..end]).is_none(), "{end}");
        }
        let mut claims = bytes;
        claims[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(unpack::<Returned>(&claims).is_none());
        assert!(unpack::<Returned>(b"no message").is_none());
    }
}
