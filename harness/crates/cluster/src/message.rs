//! Messages: plain data in JSON; batches, results and returned batches are compressed by LZ4.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::manifest::{Artifacts, WrongBench};
use super::named;
use super::work::RemoteWork;
use harness_base::text::is_obeyed;
use harness_player::StartSettings;

/// Version of the messages; a worker of another version does not play.
pub const PROTOCOL: u32 = 6;

/// The header with the signature of a result, or of a status.
pub const SIGNATURE: &str = "Tench-Signature";

/// The header with the public key of who signed.
pub const KEY: &str = "Tench-Key";

/// The largest message of a coordinator, unpacked: a batch of 64 tasks of some positions each.
const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// The largest answer of a worker to one task, unpacked: two games of the most moves that are possible have
/// less.
pub const MAX_RESULT_BYTES: usize = 4 << 20;

/// The largest message by which a worker gives a batch back, unpacked.
pub const MAX_RETURNED_BYTES: usize = 64 << 10;

/// The largest status of a worker.
pub const MAX_STATUS_BYTES: usize = 16 << 10;

/// Cores that a worker can have.
pub const MAX_CORES: usize = 1_024;

/// Nodes a second that the linked engine can have on a core.
const MAX_SPEED: f64 = 1e9;

/// The largest noise that is shown, as a share of the speed.
const MAX_NOISE: f64 = 10.0;

/// The longest time since a worker joined: ten years.
const MAX_SECONDS: f64 = 315_360_000.0;

/// Most games that a worker can have finished.
const MAX_GAMES: u64 = 1_000_000_000_000;

/// The longest name of a worker, in characters.
pub const MAX_NAME: usize = 64;

/// A message as it is sent.
pub fn pack(message: &impl Serialize) -> Vec<u8> {
    let text = serde_json::to_vec(message).expect("messages are plain data");
    lz4_flex::compress_prepend_size(&text)
}

/// The message of bytes that were received; `None` if they are damaged.
pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    unpack_small(bytes, MAX_MESSAGE_BYTES)
}

/// As [`unpack`], of at most this many bytes unpacked.
pub fn unpack_small<T: DeserializeOwned>(bytes: &[u8], most: usize) -> Option<T> {
    serde_json::from_slice(&unpack_text(bytes, most)?).ok()
}

/// The text of a message of a coordinator.
pub(crate) fn unpack_batch(bytes: &[u8]) -> Option<Vec<u8>> {
    unpack_text(bytes, MAX_MESSAGE_BYTES)
}

/// The text of a message of at most this many bytes.
fn unpack_text(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let (length, packed) = lz4_flex::block::uncompressed_size(bytes).ok()?;
    // The sender says it: no memory is asked for that it only claims.
    let is_possible = length <= most && length <= packed.len().saturating_mul(255);
    if !is_possible {
        return None;
    }
    lz4_flex::decompress(packed, length).ok()
}

/// Tasks that one worker does, one after the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Batch<W: RemoteWork> {
    /// Version of the sender's messages.
    pub protocol: u32,
    /// Name of the run on the server.
    pub run: String,
    /// Shared configuration of all batches of the run.
    pub common: Shared<W>,
    /// The tasks.
    pub tasks: Vec<Assignment<W>>,
}

/// Shared configuration of all batches of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Shared<W: RemoteWork> {
    /// Rules of the tasks.
    #[serde(serialize_with = "named::write_rules", deserialize_with = "named::read_rules")]
    pub rules: W,
    /// How engines are started.
    pub start: Start,
    /// Cores that a task needs.
    pub threads: usize,
    /// Signature of the linked engine; set if it plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub builtin: Option<u64>,
    /// The speed that time limits are scaled to; `None`: they hold as they are on each worker.
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

/// How engines are started and supervised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    handshake: Duration,
    ready: Duration,
    /// Limit of an engine's memory in bytes.
    memory: Option<u64>,
}

impl From<&StartSettings> for Start {
    fn from(settings: &StartSettings) -> Start {
        let &StartSettings { handshake, ready, memory, .. } = settings;
        Start { handshake, ready, memory }
    }
}

impl Start {
    /// As settings of a player.
    pub fn settings(self) -> StartSettings {
        let Start { handshake, ready, memory } = self;
        StartSettings { handshake, ready, memory, ..StartSettings::default() }
    }
}

/// A task that is given out.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Assignment<W: RemoteWork> {
    /// Counts the times that the task was given out, from 0.
    pub attempt: u32,
    /// Known to the coordinator, and to the workers of the token that it is given out to: a result without
    /// it does not count.
    pub nonce: String,
    /// The task.
    #[serde(
        serialize_with = "named::write_task::<W, _>",
        deserialize_with = "named::read_task::<'de, W, _>"
    )]
    pub task: W::Task,
}

impl<W: RemoteWork> Assignment<W> {
    /// The number of its task.
    pub fn number(&self) -> u64 {
        W::number(&self.task)
    }
}

impl<W: RemoteWork> Batch<W> {
    /// Whether what comes of it depends on the speed of the machine.
    pub fn is_timed(&self) -> bool {
        let limits = |it: &Assignment<W>| self.common.rules.limits(&it.task);
        self.tasks.iter().flat_map(limits).any(|limit| limit.time().is_some())
    }
}

/// The result of a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct TaskResult<W: RemoteWork> {
    /// Version of the sender's messages.
    pub protocol: u32,
    /// Name of the run on the server.
    pub run: String,
    /// Number of the task.
    pub number: u64,
    /// That of the assignment.
    pub attempt: u32,
    /// That of the assignment.
    pub nonce: String,
    /// Name of the worker.
    pub worker: String,
    /// Wall time of the task.
    pub took: Duration,
    /// Its answer.
    #[serde(
        serialize_with = "named::write_answer::<W, _>",
        deserialize_with = "named::read_answer::<'de, W, _>"
    )]
    pub outcome: W::Answer,
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
    /// The number of workers that took it before, and sent no result: one of its tasks may end them.
    Silent(i64),
}

/// Status of a run, from its coordinator.
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

/// Status of a worker.
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
    /// The sandbox of engines.
    pub sandbox: String,
    /// Runs that it plays now.
    pub runs: Vec<String>,
    /// Games and positions that it has finished.
    pub games: u64,
    /// Those that ended by an engine's fault.
    pub faults: u64,
    /// Seconds since it joined.
    pub seconds: f64,
    /// Its activity where it does not play: `paused: ...`, `draining`; empty otherwise.
    #[serde(default)]
    pub state: String,
    /// User name of its token. The worker signs it with the rest, so that a status says nothing under
    /// another token.
    pub token: String,
}

impl Status {
    /// Of a worker of a token that has just joined, and plays nothing yet.
    pub fn joining(name: &str, token: &str, key: &str, cores: usize) -> Status {
        Status {
            protocol: PROTOCOL,
            name: name.to_owned(),
            key: key.to_owned(),
            cores,
            speed: 1e6,
            noise: 0.0,
            sandbox: "none".to_owned(),
            runs: Vec::new(),
            games: 0,
            faults: 0,
            seconds: 0.0,
            state: String::new(),
            token: token.to_owned(),
        }
    }

    /// Cuts what it claims to what a worker can have, and its texts to what can be shown in a line.
    pub(crate) fn bound(&mut self) {
        let number = |number: f64, most: f64| if number > 0.0 { number.min(most) } else { 0.0 };
        self.cores = self.cores.min(MAX_CORES);
        self.speed = number(self.speed, MAX_SPEED);
        self.noise = number(self.noise, MAX_NOISE);
        self.seconds = number(self.seconds, MAX_SECONDS);
        self.games = self.games.min(MAX_GAMES);
        self.faults = self.faults.min(self.games);
        self.runs.truncate(self.cores);
        let texts = [&mut self.name, &mut self.sandbox, &mut self.state];
        for text in texts.into_iter().chain(&mut self.runs) {
            if text.chars().any(is_obeyed) || text.chars().nth(MAX_NAME).is_some() {
                *text = text.chars().filter(|&it| !is_obeyed(it)).take(MAX_NAME).collect();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::board::Position;

    use super::*;
    use crate::work::{
        GamePairs, Question, Scores, ScoringTask, SelfPlay, SuiteSearch, SuiteTask, Visitor,
        try_each,
    };
    use harness_arena::{Conduct, PairJob, Side};
    use harness_data::generate::Recipe;
    use harness_player::{EngineSpec, Limit};
    use harness_suite::{Effort, Scoring};

    #[test]
    fn a_status_is_cut_to_what_a_worker_can_have() {
        let odd = Status {
            speed: 1e308,
            noise: -1e308,
            games: u64::MAX,
            faults: u64::MAX,
            seconds: f64::NAN,
            sandbox: "\u{1b}[31mroot\r\nx".to_owned(),
            runs: vec!["../\u{202e}".repeat(100); 5_000],
            ..Status::joining("\u{1b}]0;x\u{7}\u{202e}gnorw", "worker1", "K", usize::MAX)
        };
        let mut status = odd.clone();
        status.bound();
        assert_eq!((status.cores, status.games, status.faults), (MAX_CORES, MAX_GAMES, MAX_GAMES));
        assert_eq!((status.speed, status.noise, status.seconds), (MAX_SPEED, 0.0, 0.0));
        assert_eq!((&*status.name, &*status.sandbox), ("]0;xgnorw", "[31mrootx"));
        assert!(status.runs.len() == MAX_CORES && status.runs[0].chars().count() == MAX_NAME);
        let good = Status {
            games: 5,
            faults: 1,
            seconds: 60.0,
            ..Status::joining("a", "worker1", "K", 4)
        };
        let mut bound = good.clone();
        bound.bound();
        assert_eq!(bound, good);
    }

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

    /// A batch of one task of a kind.
    fn batch<W: RemoteWork>(rules: W, task: W::Task) -> Batch<W> {
        let secret = "b".to_owned();
        let objects = Default::default();
        let (files, folders, tablebases, sources, benches) = Default::default();
        let artifacts = Artifacts { secret, objects, files, folders, tablebases, sources, benches };
        let (start, builtin, reference) = Default::default();
        let common = Shared { rules, start, threads: 1, builtin, reference, artifacts };
        let tasks = vec![Assignment { attempt: 0, nonce: "n".to_owned(), task }];
        Batch { protocol: PROTOCOL, run: "r".to_owned(), common, tasks }
    }

    /// The text of a batch is what workers of the same protocol read, and of no other kind.
    fn check<W: RemoteWork>(batch: &Batch<W>, rules: &str, task: &str) {
        let text = serde_json::to_string(batch).expect("plain data");
        let head = format!(r#"{{"protocol":6,"run":"r","common":{{"rules":{{{rules}"#);
        assert!(text.starts_with(&head), "{text}");
        assert!(
            text.contains(&format!(r#""tasks":[{{"attempt":0,"nonce":"n","task":{{{task}"#)),
            "{text}"
        );
        let again: Batch<W> = serde_json::from_str(&text).expect("it is one");
        assert_eq!(serde_json::to_string(&again).expect("plain data"), text);
        struct Names<'a>(&'a str, Vec<&'static str>);
        impl Visitor for Names<'_> {
            type Output = ();
            fn visit<W: RemoteWork>(&mut self) -> Option<()> {
                if serde_json::from_str::<Batch<W>>(self.0).is_ok() {
                    self.1.push(W::NAMES.rules);
                }
                None
            }
        }
        let mut names = Names(&text, Vec::new());
        assert!(try_each(&mut names).is_none());
        assert_eq!(names.1, [W::NAMES.rules]);
    }

    #[test]
    fn messages_name_their_kind_of_work() {
        let engine = EngineSpec::builtin("a");
        let event = "e".to_owned();
        let conduct = Conduct::default();
        let side = |number| Side {
            number,
            name: "a".to_owned(),
            engine: engine.clone(),
            settings: Default::default(),
            limit: Limit::Nodes(1),
        };
        let job = PairJob {
            pair: 3,
            sides: [side(0), side(1)],
            opening: Default::default(),
            second_opening: None,
            colours: Default::default(),
            only: None,
        };
        let games = batch(GamePairs { event, conduct }, Box::new(job));
        check(&games, r#""games":{"event":"e","conduct":{"#, r#""pair":{"pair":3,"sides":[{"#);
        let effort = Effort { limit: Limit::Depth(2), hold: None };
        let search = SuiteSearch { scoring: Scoring::BestMove, effort, restart: true };
        let (id, epd) = ("x".to_owned(), "8/8 w - -".to_owned());
        let engine_3 = Box::new((3, engine.clone()));
        let task = SuiteTask { number: 4, engine: engine_3, id, epd, position: None };
        let task_text = r#""position":{"number":4,"engine":[3,{"#;
        check(&batch(search, task), r#""suite":{"scoring":"#, task_text);
        let recipe = Recipe::new(engine.clone(), 50).expect("a recipe");
        check(&batch(SelfPlay(recipe), 5), r#""self_play":{""#, r#""game":5}"#);
        let positions = vec![Position::startpos().into()];
        let task = ScoringTask { number: 6, positions };
        let scores = Scores { engine: Box::new(engine), limit: Limit::Nodes(1) };
        let key = Position::startpos().key();
        let fen = Position::startpos().fen(true);
        let text = format!(r#""positions":{{"number":6,"positions":[[{key},"{fen}"]]}}"#);
        check(&batch(scores, task), r#""scores":{"engine":{"#, &text);
    }

    #[test]
    fn a_position_with_another_key_is_no_question_that_is_answered() {
        let position = Position::startpos();
        let good = Question::from((position.key(), position.fen(true)));
        let other = Question::from((position.key() + 1, position.fen(true)));
        let text = |question: &Question| serde_json::to_string(question).expect("plain data");
        assert_eq!(text(&good), text(&position.into()));
        assert!(text(&other).contains("has another key here"), "{}", text(&other));
    }
}
