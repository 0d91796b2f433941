//! Runs on many machines, measured on one: how long an idle worker takes to its first result and a
//! stopped one to be idle; results a second through a `nats-server`, the coordinator and its ledger,
//! durable, with simulated workers, which take jobs and publish signed results as real ones do, and
//! play nothing; the processor time of the coordinator and the server, which is what such a fleet costs
//! where its workers are elsewhere, and the memory of the coordinator.
//!
//! `cargo bench -p tench-harness --bench cluster`; `-- 1000 100000` for that many workers and pairs. With
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
use std::path::Path;
use std::process::{Child, Command};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use harness::arena::{
    Colours, Conduct, Executor, GameRecord, Leg, LocalExecutor, Opening, Openings, OpeningsSpec,
    PairJob, Side,
};
use harness::cluster::keys::WorkerKey;
use harness::cluster::link::Link;
use harness::cluster::message::{Batch, PROTOCOL, Status, TaskResult, pack, unpack};
use harness::cluster::presence::Presence;
use harness::cluster::server::{Server, Setup};
use harness::cluster::work::{GamePairs, RemoteWork};
use harness::cluster::{Backend, Common, Coordinator, Token};
use harness::ledger::{Ledger, StoredGame};
use harness::player::{EngineSpec, Limit, StartSettings};
use harness::session::{ClusterAddress, Interrupt, Remote, Scaling};

/// Connections that the simulated workers share.
const CONNECTIONS: usize = 16;

/// The first word of the command line of the process with the simulated workers.
const SIMULATE: &str = "--simulate";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    if let [word, url, token, workers] = &words[..]
        && word == SIMULATE
    {
        return simulate_all(url, token, workers.parse().expect("a number"));
    }
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
    let token = |token: Option<Token>| token.expect("there is one").to_string();
    let place = Place {
        folder: folder.path(),
        url: tokens.url,
        coordinator: token(tokens.coordinator),
        worker: token(tokens.worker),
    };
    checking();
    latency(&place);
    throughput(&place, workers, pairs);
}

/// What it costs the coordinator to check the games of a pair on arrival.
fn checking() {
    let rules = GamePairs { event: "bench".to_owned(), conduct: Conduct::default() };
    let jobs: Vec<PairJob> = (0..OPENINGS.len() as u64).map(|pair| job(pair, 1_000)).collect();
    let answers: Vec<Vec<GameRecord>> =
        jobs.iter().map(|job| Leg::BOTH.map(|leg| game(job, leg)).to_vec()).collect();
    let begun = Instant::now();
    for (job, answer) in jobs.iter().zip(&answers) {
        rules.verify(&Box::new(job.clone()), answer).expect("they were played");
    }
    let micros = begun.elapsed().as_secs_f64() * 1e6 / jobs.len() as f64;
    println!("checking the games of a pair: {micros:.0} µs of the coordinator");
}

/// A server, and a folder for what its users write.
struct Place<'a> {
    folder: &'a Path,
    url: String,
    coordinator: String,
    worker: String,
}

impl Place<'_> {
    fn coordinator(&self, run: &str, interrupt: &Interrupt) -> Coordinator<GamePairs> {
        let engine = EngineSpec::builtin("a");
        let common = Common {
            run: run.to_owned(),
            engines: std::slice::from_ref(&engine),
            rules: &GamePairs { event: "bench".to_owned(), conduct: Conduct::default() },
            settings: &StartSettings::default(),
            threads: 1,
            reference: None,
            contributors: BTreeSet::new(),
        };
        let server = self.url.parse().expect("an address");
        let address = ClusterAddress::with_token(server, &self.coordinator);
        let remote = Remote {
            address,
            priority: 1.0,
            scaling: Scaling::Off,
            sources: false,
            verify: 0.0,
            starts_here: false,
        };
        Coordinator::new(&remote, &common, interrupt).expect("it starts")
    }
}

/// A child that is killed in the end.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn job(pair: u64, nodes: u64) -> PairJob {
    let side = |number| Side {
        number,
        name: "a".to_owned(),
        engine: EngineSpec::builtin("a"),
        settings: Default::default(),
        limit: Limit::Nodes(nodes),
    };
    PairJob {
        pair,
        sides: [side(0), side(1)],
        opening: opening(pair),
        second_opening: None,
        colours: Colours::default(),
        only: None,
    }
}

/// An idle worker gets a pair of games at one node a move; a busy one is stopped.
fn latency(place: &Place<'_>) {
    let line = ["work", &place.url, "--cores", "2", "--quiet", "--dir", "worker"];
    let mut worker = Command::new(env!("CARGO_BIN_EXE_harness"));
    worker.args(line).current_dir(place.folder).env("TENCH_TOKEN", &place.worker);
    let _worker = Process(worker.spawn().expect("it starts"));
    let server = place.url.parse().expect("an address");
    let address = ClusterAddress::with_token(server, &place.coordinator);
    let link = Link::connect(&address, "bench");
    let link = link.expect("connects");
    let presence = Presence::listen(&link).expect("it may");
    while presence.workers().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let (interrupt, setter) = Interrupt::manual().expect("a pipe");
    let mut coordinator = place.coordinator("latency", &interrupt);
    let mut times: Vec<f64> = Vec::new();
    for pair in 0..11 {
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        let mut one = std::iter::once(Box::new(job(pair, 1)));
        coordinator.run(&mut one, &mut |_| ControlFlow::Continue(())).expect("it is played");
        times.push(begun.elapsed().as_secs_f64());
    }
    // The first one starts the players.
    times.remove(0);
    times.sort_by(f64::total_cmp);
    println!("an idle worker's result of a pair at one node: {:.3} s (median of 10)", times[5]);
    let stopped = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        setter.set();
        Instant::now()
    });
    let mut long = (100..200).map(|pair| Box::new(job(pair, 1_000_000)));
    let ended = coordinator.run(&mut long, &mut |_| ControlFlow::Continue(()));
    assert!(ended.is_err(), "it was stopped");
    let stopped = stopped.join().expect("it does not fail");
    loop {
        presence.ask(&link).expect("connected");
        std::thread::sleep(Duration::from_millis(10));
        if presence.workers().iter().all(|worker| worker.runs.is_empty()) {
            break;
        }
    }
    println!("from the stop of a run to an idle worker: {:.3} s", stopped.elapsed().as_secs_f64());
}

/// Results a second, and the coordinator's memory.
fn throughput(place: &Place<'_>, workers: u64, pairs: u64) {
    let mut simulated = Command::new(std::env::current_exe().expect("its own path"));
    simulated.args([SIMULATE, &place.url, &place.worker, &workers.to_string()]);
    let _simulated = Process(simulated.spawn().expect("it starts"));
    let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
    let mut executor = Backend::Cluster(Box::new(place.coordinator("bench", &interrupt)));
    let ledger = Ledger::open(&place.folder.join("reports")).expect("a ledger");
    let run = ledger.start_run("match", &serde_json::json!({})).expect("a run");
    // Until all have joined, and know their games.
    std::thread::sleep(Duration::from_millis(8_000 + workers / 2));
    let before = (processor_time("self"), server_time());
    let (begun, mut kept, mut quarter) = (Instant::now(), 0, 0);
    let mut jobs = (0..pairs).map(|pair| Ok(job(pair, 1_000)));
    executor
        .play(&mut jobs, &mut |games| {
            let games: Vec<StoredGame> = games.into_iter().map(stored).collect();
            kept += ledger.record_games(&run, &games).expect("recorded");
            if kept as u64 >= pairs / 2 && quarter == 0 {
                quarter = memory();
            }
            ControlFlow::Continue(())
        })
        .expect("all are played");
    let seconds = begun.elapsed().as_secs_f64();
    assert_eq!(kept as u64, 2 * pairs);
    let spent = |before: f64, now: f64| 1e6 * (now - before) / pairs as f64;
    let coordinator = spent(before.0, processor_time("self"));
    let server = spent(before.1, server_time());
    println!(
        "processor time a result: {coordinator:.0} µs of the coordinator, {server:.0} µs of the server: \
         {:.0} results a second on two cores with the workers elsewhere",
        2e6 / (coordinator + server)
    );
    println!(
        "{workers} workers: {pairs} pairs in {seconds:.2} s, {:.0} a second; memory of the \
         coordinator {} MB after a quarter, {} MB at the end",
        pairs as f64 / seconds,
        quarter >> 10,
        memory() >> 10,
    );
}

/// Processor time of a process with all its threads, in seconds.
fn processor_time(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Behind the name in brackets come the state and 49 numbers: user and system time are the 12th and the 13th.
    let numbers = stat.rsplit_once(')').map_or("", |(_, numbers)| numbers);
    let ticks = numbers.split_whitespace().skip(11).take(2);
    let ticks: f64 = ticks.filter_map(|number| number.parse::<f64>().ok()).sum();
    ticks / 100.0
}

/// Processor time of the server that this process has started, in seconds.
fn server_time() -> f64 {
    let own = std::process::id().to_string();
    let is_server = |process: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let is_child = stat.rsplit(')').next().and_then(|it| it.split_whitespace().nth(1));
        stat.contains("(nats-server)") && is_child == Some(&own)
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut names = processes.filter_map(|entry| entry.file_name().into_string().ok());
    names.find(is_server).map_or(0.0, |process| processor_time(&process))
}

/// Memory of this process in kilobytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Simulates workers until the process is killed.
fn simulate_all(url: &str, token: &str, workers: u64) {
    LazyLock::force(&GAMES);
    let address = ClusterAddress::with_token(url.parse().expect("an address"), token);
    let links: Vec<Link> =
        (0..CONNECTIONS).map(|_| Link::connect(&address, "simulated").expect("connects")).collect();
    for worker in 0..workers {
        let of = worker as usize % CONNECTIONS;
        simulate(&links[of], worker);
    }
    loop {
        std::thread::park();
    }
}

/// Starts a worker of one core that knows all results.
fn simulate(link: &Link, number: u64) {
    let (client, jetstream) = (link.client.clone(), link.jetstream.clone());
    let token = link.token_name().to_owned();
    link.spawn(async move {
        let key = WorkerKey::random();
        let name = format!("simulated-{number}");
        let status = Status::joining(&name, &token, &key.public(), 1);
        let status = serde_json::to_vec(&status).expect("plain data");
        let headers = key.headers(&status);
        let subject = format!("tench.status.{token}.{}", key.public());
        let pull = format!("tench.pull.tench_jobs_{PROTOCOL}.{token}");
        let mut told = Instant::now() - Duration::from_secs(60);
        loop {
            if told.elapsed() > Duration::from_secs(4) {
                told = Instant::now();
                let (subject, status) = (subject.clone(), status.clone().into());
                let sent = client.publish_with_headers(subject, headers.clone(), status);
                sent.await.expect("sent");
            }
            let request = async_nats::Request::new()
                .inbox(client.new_inbox())
                .payload(r#"{"batch":1,"expires":30000000000}"#.into())
                .timeout(Some(Duration::from_secs(35)));
            let Ok(message) = client.send_request(pull.clone(), request).await else { continue };
            if message.reply.is_none() {
                continue;
            }
            let message = Message { message, context: jetstream.clone() };
            let batch: Batch<GamePairs> = unpack(&message.payload).expect("a batch");
            let mut answers = Vec::new();
            for assignment in &batch.tasks {
                let job = &assignment.task;
                let result = TaskResult::<GamePairs> {
                    protocol: PROTOCOL,
                    run: batch.run.clone(),
                    number: job.pair,
                    attempt: assignment.attempt,
                    nonce: assignment.nonce.clone(),
                    worker: name.clone(),
                    took: Duration::from_millis(2),
                    outcome: Leg::BOTH.map(|leg| game(job, leg)).to_vec(),
                };
                let text = pack(&result);
                let mut headers = HeaderMap::new();
                headers.insert("Tench-Key", key.public());
                headers.insert("Tench-Signature", key.sign(&text));
                let subject = format!(
                    "tench.results.{token}.{}.{}.{}",
                    batch.run, job.pair, assignment.attempt
                );
                let sent = jetstream.publish_with_headers(subject, headers, text.into()).await;
                answers.push(sent.expect("sent"));
            }
            for answer in answers {
                // Under load another worker may have had the batch, too.
                let _ = answer.await;
            }
            let _ = message.ack().await;
        }
    });
}

/// Openings of the pairs, one after the other and again from the first.
static OPENINGS: LazyLock<Vec<Opening>> = LazyLock::new(|| {
    let spec = OpeningsSpec { seed: 1, ..OpeningsSpec::default() };
    let openings = Openings::load(&spec).expect("openings");
    (0..200).map(|number| openings.get(number).expect("an opening")).collect()
});

/// The opening of a pair.
fn opening(pair: u64) -> Opening {
    OPENINGS[pair as usize % OPENINGS.len()].clone()
}

/// Games of a pair from each opening, which the simulated workers know from the start.
static GAMES: LazyLock<Vec<[GameRecord; 2]>> = LazyLock::new(|| {
    let (interrupt, _setter) = Interrupt::manual().expect("a pipe");
    let start = |engine: &EngineSpec, interrupt: &Interrupt| {
        harness::player::start(engine, &StartSettings::default(), interrupt)
    };
    let conduct = Conduct::default();
    let executor = LocalExecutor::new(&conduct, "bench", 1, &start, &interrupt);
    let mut games = Vec::new();
    executor
        .expect("it starts")
        .play(&mut (0..OPENINGS.len() as u64).map(|pair| Ok(job(pair, 50))), &mut |some| {
            games.extend(some);
            ControlFlow::Continue(())
        })
        .expect("they are played");
    games.sort_by_key(|game| (game.pair, game.leg));
    games.chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
});

/// A game of a pair.
fn game(job: &PairJob, leg: Leg) -> GameRecord {
    let games = &GAMES[job.pair as usize % GAMES.len()];
    let known = &games[usize::from(leg.index())];
    let round = |pair: u64| format!("[Round \"{}.{}\"]", pair + 1, leg.number());
    let pgn = known.pgn.replacen(&round(known.pair), &round(job.pair), 1);
    GameRecord { pair: job.pair, pgn, ..known.clone() }
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
