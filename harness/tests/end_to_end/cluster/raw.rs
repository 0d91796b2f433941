//! A worker by hand: what anybody with a worker's token can send to the server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream::Message;
use harness::arena::{GameRecord, Leg, Termination};
use harness::cluster::keys::WorkerKey;
use harness::cluster::link::Link;
use harness::cluster::message::{
    Assignment, Batch, PROTOCOL, Returned, Status, TaskResult, WhyReturned, pack, unpack,
};
use harness::cluster::work::GamePairs;
use harness::stats::GameScore;
use serde::Serialize;

use super::Cluster;

/// A connection with a worker's token, and a key.
pub struct Raw {
    pub link: Link,
    pub key: WorkerKey,
    name: String,
    token: String,
}

/// Ends a thread that looks at it, also when an assertion fails.
pub struct SetOnDrop<'a>(pub &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A game that White won by checkmate after these moves.
pub fn game(of: &Assignment<GamePairs>, leg: Leg, result: GameScore, moves: &str) -> GameRecord {
    let job = &of.task;
    let [white, black] = match leg {
        Leg::First => [0, 1],
        Leg::Second => [1, 0],
    };
    GameRecord {
        pair: job.pair,
        leg,
        white: job.sides[white].number,
        black: job.sides[black].number,
        result,
        termination: Termination::Checkmate,
        reason: "a lie".to_owned(),
        plies: 2,
        took: Duration::from_millis(400),
        nodes: [None; 2],
        pgn: moves.to_owned(),
        worker: None,
    }
}

impl Raw {
    /// Connects with a cluster's token for workers.
    pub fn connect(cluster: &Cluster, name: &str) -> Raw {
        Raw::with_token(cluster, &cluster.worker, name)
    }

    /// Connects with a token.
    pub fn with_token(cluster: &Cluster, token: &str, name: &str) -> Raw {
        let link = Link::connect(&cluster.address(token), name).expect("connects");
        let token = link.token_name().to_owned();
        Raw { link, key: WorkerKey::random(), name: name.to_owned(), token }
    }

    /// Publishes without waiting for an answer.
    pub fn send(&self, subject: &str, payload: Vec<u8>) {
        self.link.wait(async {
            let sent = self.link.client.publish(subject.to_owned(), payload.into()).await;
            sent.expect("it is sent");
            self.link.client.flush().await.expect("it is sent");
        });
    }

    /// Says to be there with so many cores.
    pub fn join(&self, cores: usize) {
        self.say(&Status::joining(&self.name, &self.token, &self.key.public(), cores));
    }

    /// Sends a status under the key that it names, signed with its own.
    pub fn say(&self, status: &Status) {
        let subject = format!("tench.status.{}.{}", self.token, status.key);
        self.say_bytes(&subject, serde_json::to_vec(status).expect("plain data"));
    }

    /// Sends something signed, without waiting for an answer.
    pub fn say_bytes(&self, subject: &str, bytes: Vec<u8>) {
        let headers = self.key.headers(&bytes);
        self.link.wait(async {
            let client = &self.link.client;
            let sent = client.publish_with_headers(subject.to_owned(), headers, bytes.into());
            sent.await.expect("it is sent");
            client.flush().await.expect("it is sent");
        });
    }

    /// Takes a batch, if there is one soon.
    pub fn pull(&self) -> Option<Message> {
        let subject = format!("tench.pull.tench_jobs_{PROTOCOL}.{}", self.token);
        let client = &self.link.client;
        // A job comes under its own subject.
        let request = async_nats::Request::new()
            .inbox(client.new_inbox())
            .payload(r#"{"batch":1,"expires":300000000}"#.into());
        let request = client.send_request(subject, request);
        let answer = self.link.wait_for(Duration::from_secs(3), request)?.ok()?;
        let context = self.link.jetstream.clone();
        answer.reply.is_some().then_some(Message { message: answer, context })
    }

    /// Publishes something signed; gives the server's answer, if there is one.
    pub fn publish(&self, subject: &str, message: &impl Serialize) -> Option<String> {
        self.publish_bytes(subject, pack(message))
    }

    /// As [`publish`](Self::publish), of bytes as they are.
    pub fn publish_bytes(&self, subject: &str, bytes: Vec<u8>) -> Option<String> {
        let headers = self.key.headers(&bytes);
        let subject = subject.to_owned();
        let sent = self.link.client.request_with_headers(subject, headers, bytes.into());
        let answer = self.link.wait_for(Duration::from_secs(3), sent)?.ok()?;
        Some(String::from_utf8_lossy(&answer.payload).into_owned())
    }

    /// The subject of the result of a task.
    pub fn subject(&self, run: &str, number: u64, attempt: u32) -> String {
        format!("tench.results.{}.{run}.{number}.{attempt}", self.token)
    }

    /// Answers a task with these games.
    pub fn answer(&self, run: &str, of: &Assignment<GamePairs>, games: Vec<GameRecord>) {
        let result = TaskResult::<GamePairs> {
            protocol: PROTOCOL,
            run: run.to_owned(),
            number: of.task.pair,
            attempt: of.attempt,
            nonce: of.nonce.clone(),
            worker: self.name.clone(),
            took: Duration::from_millis(800),
            outcome: games,
        };
        self.publish(&self.subject(run, of.task.pair, of.attempt), &result);
    }

    /// Gives a batch back.
    pub fn give_back(&self, message: &Message, why: WhyReturned) {
        let batch: Batch<GamePairs> = unpack(&message.payload).expect("a batch");
        let returned = Returned {
            protocol: PROTOCOL,
            worker: self.name.clone(),
            tasks: batch.tasks.iter().map(Assignment::number).collect(),
            why,
        };
        let number = message.info().expect("a job").stream_sequence;
        let (token, key) = (&self.token, self.key.public());
        let subject = format!("tench.results.{token}.{}.returned.{key}_{number}", batch.run);
        self.publish(&subject, &returned).expect("it is stored");
        self.link.wait(message.ack()).expect("it may");
    }

    /// Takes batches, and has each answered, until it is over.
    pub fn work(&self, over: &AtomicBool, answer: &dyn Fn(&Raw, &Message)) {
        while !over.load(Ordering::Relaxed) {
            self.join(1);
            if let Some(message) = self.pull() {
                answer(self, &message);
            }
        }
    }
}
