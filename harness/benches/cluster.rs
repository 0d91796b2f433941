//! Results a second through a `nats-server`, the coordinator and its ledger, durable, with simulated
//! workers: they take jobs and publish signed results as real ones do, and play nothing.
//!
//! `cargo bench -p harness --bench cluster`; `-- 1000 100000` for that many workers and pairs. With
//! `--test`, as `cargo test --benches` calls it, ten workers and a thousand pairs. Needs `nats-server`.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this is no part of the product"
)]

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{Consumer, pull};
use futures_util::StreamExt;
use harness::arena::{Conduct, Executor, GameRecord, Leg, Opening, PairJob, Side, Termination};
use harness::cluster::keys::WorkerKey;
use harness::cluster::link::Link;
use harness::cluster::message::{Batch, Outcome, PROTOCOL, Rules, Status, Task, TaskResult};
use harness::cluster::server::{Server, Setup};
use harness::cluster::{ClusterExecutor, Common, Coordinator, Role, Token};
use harness::ledger::{Ledger, StoredGame};
use harness::player::{EngineSpec, Limit, StartSettings};
use harness::session::{ClusterAddress, Interrupt};
use harness::stats::GameScore;

/// Connections that the simulated workers share.
const CONNECTIONS: usize = 16;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let short = words.iter().any(|word| word == "--test");
    let number = |at: usize, default: u64| {
        words.get(at).and_then(|word| word.parse().ok()).unwrap_or(default)
    };
    let (workers, pairs) = if short { (10, 1_000) } else { (number(0, 1_000), number(1, 100_000)) };
    let folder = tempfile::tempdir().expect("a folder");
    let port =
        TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
    let setup = Setup {
        folder: folder.path().join("server"),
        host: "127.0.0.1".to_owned(),
        port,
        tls: true,
        lease: Duration::from_secs(20),
        disk: None,
        program: None,
    };
    let server = match Server::start(setup, None) {
        Ok(server) => server,
        Err(error) => {
            println!("not measured: {error}");
            return;
        }
    };
    let tokens = server.tokens();
    let address = |role| ClusterAddress {
        url: tokens.url.clone(),
        token: match role {
            Role::Coordinator => tokens.coordinator.as_ref().map(Token::to_string),
            Role::Worker => tokens.worker.as_ref().map(Token::to_string),
        },
    };
    let over = Arc::new(AtomicBool::new(false));
    let links: Vec<Link> = (0..CONNECTIONS)
        .map(|_| Link::connect(&address(Role::Worker), "simulated").expect("connects"))
        .collect();
    for worker in 0..workers {
        simulate(&links[worker as usize % CONNECTIONS], worker, &over);
    }
    let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
    let engine = EngineSpec::builtin("a");
    let common = Common {
        run: "bench".to_owned(),
        engines: std::slice::from_ref(&engine),
        rules: Rules::Games { event: "bench".to_owned(), conduct: Conduct::default() },
        settings: &StartSettings::default(),
        threads: 1,
        contributors: BTreeSet::new(),
    };
    let coordinator = Coordinator::new(&address(Role::Coordinator), &common, &interrupt);
    let mut executor = ClusterExecutor(coordinator.expect("it starts"));
    let ledger = Ledger::open(&folder.path().join("reports")).expect("a ledger");
    let run = ledger.start_run("match", &serde_json::json!({})).expect("a run");
    let side = |number| Side {
        number,
        name: "a".to_owned(),
        engine: engine.clone(),
        settings: Default::default(),
        limit: Limit::Nodes(1_000),
    };
    let sides = [side(0), side(1)];
    let mut jobs = (0..pairs).map(|pair| {
        Ok(PairJob { pair, sides: sides.clone(), opening: Opening::default(), only: None })
    });
    std::thread::sleep(Duration::from_secs(1));
    let (begun, mut kept) = (Instant::now(), 0);
    executor
        .play(&mut jobs, &mut |games| {
            let games: Vec<StoredGame> = games.into_iter().map(stored).collect();
            kept += ledger.record_games(&run, &games).expect("recorded");
            ControlFlow::Continue(())
        })
        .expect("all are played");
    let seconds = begun.elapsed().as_secs_f64();
    assert_eq!(kept as u64, 2 * pairs);
    println!(
        "{workers} workers: {pairs} pairs in {seconds:.2} s, {:.0} a second",
        pairs as f64 / seconds
    );
    over.store(true, Ordering::Relaxed);
}

/// Starts a worker of one core that knows all results.
fn simulate(link: &Link, number: u64, over: &Arc<AtomicBool>) {
    let (client, jetstream, over) = (link.client.clone(), link.jetstream.clone(), Arc::clone(over));
    link.spawn(async move {
        let key = WorkerKey::random();
        let name = format!("simulated-{number}");
        let status = Status {
            protocol: PROTOCOL,
            name: name.clone(),
            key: key.public(),
            cores: 1,
            speed: 1e6,
            sandbox: "none".to_owned(),
            runs: Vec::new(),
            games: 0,
            faults: 0,
            seconds: 1.0,
        };
        let status = serde_json::to_vec(&status).expect("plain data");
        let subject = format!("tench.status.{}", key.public());
        let mut told = Instant::now() - Duration::from_secs(60);
        let consumer: Consumer<pull::Config> = jetstream
            .get_consumer_from_stream("workers", "tench_jobs")
            .await
            .expect("the consumer");
        while !over.load(Ordering::Relaxed) {
            if told.elapsed() > Duration::from_secs(4) {
                told = Instant::now();
                client.publish(subject.clone(), status.clone().into()).await.expect("sent");
            }
            let batch = consumer.batch().max_messages(1).expires(Duration::from_secs(3));
            let Some(Ok(message)) = batch.messages().await.expect("it may").next().await else {
                continue;
            };
            let batch: Batch = serde_json::from_slice(&message.payload).expect("a batch");
            let mut answers = Vec::new();
            for assignment in &batch.tasks {
                let Task::Pair(job) = &assignment.task else { continue };
                let result = TaskResult {
                    protocol: PROTOCOL,
                    run: batch.run.clone(),
                    number: job.pair,
                    attempt: assignment.attempt,
                    worker: name.clone(),
                    took: Duration::from_millis(2),
                    outcome: Outcome::Games(Leg::BOTH.map(|leg| game(job, leg)).to_vec()),
                };
                let text = serde_json::to_vec(&result).expect("plain data");
                let mut headers = HeaderMap::new();
                headers.insert("Tench-Key", key.public());
                headers.insert("Tench-Signature", key.sign(&text));
                let subject =
                    format!("tench.results.{}.{}.{}", batch.run, job.pair, assignment.attempt);
                let sent = jetstream.publish_with_headers(subject, headers, text.into()).await;
                answers.push(sent.expect("sent"));
            }
            for answer in answers {
                answer.await.expect("stored");
            }
            message.ack().await.expect("acknowledged");
        }
    });
}

/// A game of sixty moves.
fn game(job: &PairJob, leg: Leg) -> GameRecord {
    let moves: String =
        (1..=60).map(|n| format!("{n}. Nf3 {{+0.12/9 0.012s}} Nf6 {{-0.10/9 0.012s}} ")).collect();
    let [white, black] = if leg == Leg::First { [0, 1] } else { [1, 0] };
    GameRecord {
        pair: job.pair,
        leg,
        white,
        black,
        result: GameScore::Draw,
        termination: Termination::Repetition,
        reason: "Draw by repetition".to_owned(),
        plies: 120,
        took: Duration::from_millis(1),
        nodes: [Some(1_000); 2],
        pgn: format!("[Event \"bench\"]\n[Result \"1/2-1/2\"]\n\n{moves}1/2-1/2\n\n"),
        worker: None,
    }
}

fn stored(game: GameRecord) -> StoredGame {
    StoredGame {
        pair: game.pair,
        game: game.leg.index(),
        white: "a".to_owned(),
        black: "b".to_owned(),
        first_is_white: game.leg == Leg::First,
        first_half_points: 1,
        termination: game.termination.key().to_owned(),
        plies: game.plies,
        milliseconds: 1,
        pgn: game.pgn,
        worker: game.worker,
    }
}
