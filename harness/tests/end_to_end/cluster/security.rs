//! What a worker's token does not allow.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::jetstream;
use futures_util::StreamExt;
use harness::cluster::link::Link;
use harness::cluster::message::{PROTOCOL, Status};

use super::raw::{Raw, SetOnDrop};
use super::{Cluster, started};
use crate::common::{harness, json, shown, until};
use crate::needs::{nats_server, skip_forbidden};

/// Makes streams of others, and of files whose name is a secret.
fn fill(boss: &Link) {
    boss.make_lane("worker2", &Default::default()).expect("it may");
    boss.wait(async {
        let files = jetstream::stream::Config {
            name: "tench_files_secret".to_owned(),
            subjects: vec!["tench.files.secret.>".to_owned()],
            allow_direct: true,
            ..Default::default()
        };
        boss.jetstream.create_stream(files).await.expect("a stream");
        for (subject, content) in [
            ("tench.files.secret.engine.0".to_owned(), "content"),
            ("tench.results.worker2.r.1.0".to_owned(), "result"),
            (format!("tench.jobs.{PROTOCOL}.worker2.r"), "job"),
            (format!("tench.jobs.{PROTOCOL}.worker1.r"), "own job"),
            ("tench.quarantine.KEY".to_owned(), "name"),
        ] {
            let sent = boss.jetstream.publish(subject, content.into()).await;
            sent.expect("sent").await.expect("stored");
        }
    });
}

#[test]
fn a_worker_may_do_nothing_but_work() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = Cluster::start(folder.path());
    let boss = Link::connect(&cluster.address(&cluster.coordinator), "boss").expect("connects");
    fill(&boss);
    let raw = Raw::connect(&cluster, "worker");
    let link = &raw.link;
    let ask = |subject: &str, payload: &str| {
        let request = link.client.request(subject.to_owned(), payload.to_owned().into());
        let answer = link.wait_for(Duration::from_millis(700), request)?.ok()?;
        let text = String::from_utf8_lossy(&answer.payload).into_owned();
        // An account without streams is told so.
        (!text.contains("not enabled for account") && answer.status.is_none()).then_some(text)
    };
    // Every subject of the interface of streams, on what is there.
    let streams = [
        format!("tench_jobs_{PROTOCOL}"),
        "tench_results_worker1".to_owned(),
        "tench_results_worker2".to_owned(),
        "tench_quarantine".to_owned(),
        "tench_files_secret".to_owned(),
    ];
    let of_stream = [
        "STREAM.CREATE",
        "STREAM.UPDATE",
        "STREAM.INFO",
        "STREAM.DELETE",
        "STREAM.PURGE",
        "STREAM.MSG.GET",
        "STREAM.MSG.DELETE",
        "STREAM.SNAPSHOT",
        "STREAM.RESTORE",
        "STREAM.PEER.REMOVE",
        "STREAM.LEADER.STEPDOWN",
        "CONSUMER.CREATE",
        "CONSUMER.NAMES",
        "CONSUMER.LIST",
        "DIRECT.GET",
    ];
    let of_consumer = [
        "CONSUMER.CREATE",
        "CONSUMER.DURABLE.CREATE",
        "CONSUMER.DELETE",
        "CONSUMER.INFO",
        "CONSUMER.MSG.NEXT",
        "CONSUMER.LEADER.STEPDOWN",
    ];
    let mut subjects = vec![
        "$JS.API.INFO".to_owned(),
        "$JS.API.STREAM.NAMES".to_owned(),
        "$JS.API.STREAM.LIST".to_owned(),
        "$JS.API.ACCOUNT.PURGE.TENCH".to_owned(),
        "$JS.API.SERVER.REMOVE".to_owned(),
        "$SYS.REQ.SERVER.PING".to_owned(),
        "$SYS.REQ.ACCOUNT.TENCH.CONNZ".to_owned(),
        "tench.quarantine.KEY".to_owned(),
        "tench.jobs.x".to_owned(),
        format!("tench.jobs.{PROTOCOL}.worker1.r"),
        "tench.results.worker2.r.2.0".to_owned(),
        "tench.stop.worker1.r".to_owned(),
        "tench.stop.worker2.r".to_owned(),
        "tench.end.worker2.KEY".to_owned(),
        "tench.status.worker2.KEY".to_owned(),
        "tench.runs.r".to_owned(),
        "tench.ping".to_owned(),
        "tench.files.secret.engine.0".to_owned(),
        format!("tench.pull.tench_jobs_{PROTOCOL}.worker2"),
        format!("tench.lease.tench_jobs_{PROTOCOL}.worker2"),
        format!("$JS.ACK.tench_jobs_{PROTOCOL}.worker2.1.1.1.1.0"),
        "tench.file.tench_results_worker2.tench.results.worker2.r.1.0".to_owned(),
        "tench.file.*.tench.files.secret.engine.0".to_owned(),
        format!("tench.file.tench_jobs_{PROTOCOL}.tench.jobs.{PROTOCOL}.worker2.r"),
        "tench.file.tench_quarantine.tench.quarantine.KEY".to_owned(),
    ];
    for stream in &streams {
        subjects.extend(of_stream.map(|request| format!("$JS.API.{request}.{stream}")));
        for consumer in ["worker1", "worker2"] {
            let of_this = |request| format!("$JS.API.{request}.{stream}.{consumer}");
            subjects.extend(of_consumer.map(of_this));
        }
    }
    let answered: Vec<(String, String)> = std::thread::scope(|scope| {
        let asked: Vec<_> = subjects
            .chunks(16)
            .map(|some| {
                let ask = &ask;
                scope.spawn(move || {
                    let answer = |subject: &String| Some((subject.clone(), ask(subject, "")?));
                    some.iter().filter_map(answer).collect::<Vec<_>>()
                })
            })
            .collect();
        asked.into_iter().flat_map(|it| it.join().expect("it does not fail")).collect()
    });
    assert!(answered.is_empty(), "{answered:?}");
    // What it may: its own jobs, its own results, and files whose secret it knows.
    assert_eq!(raw.pull().expect("its job").payload, "own job");
    let stored = ask("tench.results.worker1.r.1.0", "x").expect("it is stored");
    assert!(stored.contains("tench_results_worker1"), "{stored}");
    let content = ask("tench.file.tench_files_secret.tench.files.secret.engine.0", "");
    assert_eq!(content.as_deref(), Some("content"));
    // Nothing of the others has changed.
    boss.wait(async {
        for (stream, expected) in streams.iter().zip([2, 1, 1, 1, 1]) {
            let stream = boss.jetstream.get_stream(stream).await.expect("it is there");
            assert_eq!(stream.get_info().await.expect("its state").state.messages, expected);
        }
        let stream = boss.jetstream.get_stream("tench_results_worker2").await.expect("a stream");
        assert!(stream.get_raw_message(1).await.is_ok());
    });
}

/// A server does not ask whether who sends a request may publish to its reply subject.
#[test]
fn no_answer_of_the_server_reaches_a_subject_that_a_worker_may_not_publish_to() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = Cluster::start(folder.path());
    let boss = Link::connect(&cluster.address(&cluster.coordinator), "boss").expect("connects");
    fill(&boss);
    let mut heard = boss.wait(boss.client.subscribe("tench.>")).expect("it may");
    boss.wait(boss.client.flush()).expect("it is sent");
    let raw = Raw::connect(&cluster, "worker");
    let requests = [
        format!("tench.pull.tench_jobs_{PROTOCOL}.worker1"),
        format!("tench.lease.tench_jobs_{PROTOCOL}.worker1"),
        format!("$JS.ACK.tench_jobs_{PROTOCOL}.worker1.1.1.1.1.0"),
        "tench.file.tench_files_secret.tench.files.secret.engine.0".to_owned(),
        "tench.file.tench_files_secret.tench.files.secret.none.0".to_owned(),
        "tench.results.worker1.r.7.0".to_owned(),
        "$JS.API.STREAM.INFO.nothing".to_owned(),
        "$JS.API.CONSUMER.INFO.nothing.nothing".to_owned(),
        format!("$JS.API.CONSUMER.INFO.tench_jobs_{PROTOCOL}.worker1"),
        "$JS.API.INFO".to_owned(),
    ];
    let targets = [
        "tench.quarantine.OTHER",
        "tench.jobs.x",
        "tench.stop.worker1.r",
        "tench.stop.worker2.r",
        "tench.end.worker2.KEY",
        "tench.runs.r",
        "tench.ping",
        "tench.status.worker2.KEY",
        "tench.results.worker2.r.9.0",
        "tench.files.secret.engine.0",
        &format!("tench.jobs.{PROTOCOL}.worker2.r"),
    ];
    let link = &raw.link;
    link.wait(async {
        for request in &requests {
            for target in targets {
                let (request, target) = (request.clone(), target.to_owned());
                let sent = link.client.publish_with_reply(request, target, "".into()).await;
                sent.expect("it is sent");
            }
        }
        link.client.flush().await.expect("it is sent");
    });
    let mut reached = Vec::new();
    while let Some(message) = boss.wait_for(Duration::from_secs(1), heard.next()).flatten() {
        // Its own result is what it may publish.
        if !message.subject.starts_with("tench.results.worker1.") {
            reached.push(message.subject.to_string());
        }
    }
    assert!(reached.is_empty(), "{reached:?}");
}

/// It ended each worker that took it, one after the other.
#[test]
fn a_job_that_cannot_be_read_ends_no_worker() {
    let Some((_folder, mut cluster)) = started(&["one"]) else { return };
    let boss = Link::connect(&cluster.address(&cluster.coordinator), "boss").expect("connects");
    for content in ["", "no job", "{\"protocol\": 99}"] {
        let subject = format!("tench.jobs.{PROTOCOL}.worker1.r");
        boss.wait(async {
            let sent = boss.jetstream.publish(subject, content.into()).await;
            sent.expect("sent").await.expect("stored");
        });
    }
    let line = "match builtin builtin --nodes 5 --games 4 --no-probe --json";
    let played = json(&cluster.command(line).output().expect("it runs"));
    assert_eq!(played["games"], 4);
    assert!(cluster.workers[0].try_wait().expect("it is ours").is_none(), "it has ended");
}

/// What a worker says of itself, in each field that a message has.
#[test]
fn a_status_of_another_worker_or_of_any_size_does_no_harm() {
    let Some((folder, cluster)) = started(&["one"]) else { return };
    let raw = Raw::connect(&cluster, "liar");
    let key = raw.key.public();
    let own = format!("tench.status.worker1.{key}");
    let status = |key: &str, name: &str, cores: &str| {
        format!(
            "{{\"protocol\":{PROTOCOL},\"name\":\"{name}\",\"key\":\"{key}\",\"cores\":{cores},\
             \"speed\":1e300,\"noise\":0,\"sandbox\":\"{name}\",\"runs\":[],\"games\":0,\"faults\":0,\
             \"seconds\":0,\"token\":\"worker1\"}}"
        )
    };
    let odd = status(&key, "\\u001b[2J\\u202e\\n", "1000000000");
    for text in [
        status("OTHER", "x", "4"),
        status(&key, &"x".repeat(1_000_000), "4"),
        "{".repeat(100_000),
        odd.replace("worker1", "coordinator"),
        odd.clone(),
    ] {
        raw.say_bytes(&own, text.into_bytes());
    }
    for number in 0..5_000 {
        let text = status(&format!("K{number}"), "many", "1000000000");
        raw.send(&format!("tench.status.worker1.K{number}"), text.into_bytes());
    }
    raw.say_bytes(&own, odd.into_bytes());
    let output = cluster.command("workers --json").output().expect("it runs");
    let workers = json(&output)["workers"].as_array().expect("a list").clone();
    let named = |name: &str| workers.iter().find(|worker| worker["name"] == name).cloned();
    assert!(workers.len() <= 2 && named("one").is_some(), "{workers:?}");
    assert!(workers.iter().all(|worker| worker["token"] == "worker1" && worker["key"] != "OTHER"));
    if let Some(odd) = named("[2J") {
        assert_eq!((odd["cores"].as_u64(), odd["speed"].as_f64()), (Some(1_024), Some(1e9)));
    }
    assert!(!shown(&output).contains(['\u{1b}', '\u{202e}']));
    let line = "match builtin builtin --nodes 50 --games 20 --no-probe --json";
    assert_eq!(json(&cluster.command(line).output().expect("it runs"))["games"], 20);
    drop(folder);
}

/// A quarantine of what it called itself would be that of the other.
#[test]
fn no_worker_speaks_for_the_key_of_another() {
    let Some((_folder, cluster)) = started(&["one", "other"]) else { return };
    let list = |cluster: &Cluster| {
        let workers = json(&cluster.command("workers --json").output().expect("it runs"));
        workers["workers"].as_array().expect("a list").clone()
    };
    let key = list(&cluster)[0]["key"].as_str().expect("a key").to_owned();
    let raw = Raw::connect(&cluster, "mask");
    let of_another = Status::joining("mask", "worker1", &key, 1_000);
    let elsewhere = Status::joining("mask", "worker2", &raw.key.public(), 1_000);
    let signed = serde_json::to_vec(&of_another).expect("plain data");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _end = SetOnDrop(&over);
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                raw.say(&of_another);
                raw.send(&format!("tench.status.worker1.{key}"), signed.clone());
                raw.say(&elsewhere);
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        let names: Vec<String> = list(&cluster).iter().map(|it| it["name"].to_string()).collect();
        assert_eq!(names, ["\"one\"", "\"other\""]);
        let output = cluster.command("workers --quarantine mask").output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    });
}

/// Each subscription of its own inbox multiplies what the server keeps for a connection that reads nothing.
#[test]
fn a_connection_of_workers_has_a_bounded_number_of_subscriptions() {
    const MANY: usize = 6_000;
    let Some((_folder, cluster)) = started(&[]) else { return };
    let raw = Raw::connect(&cluster, "many");
    let link = &raw.link;
    let inbox = link.client.new_inbox();
    let heard = link.wait(async {
        let mut heard = Vec::new();
        for _ in 0..MANY {
            heard.push(link.client.subscribe(inbox.clone()).await.expect("it is sent"));
        }
        link.client.flush().await.expect("it is sent");
        let request = format!("tench.lease.tench_jobs_{PROTOCOL}.worker1");
        let sent = link.client.publish_with_reply(request, inbox, "".into()).await;
        sent.expect("it is sent");
        heard
    });
    std::thread::sleep(Duration::from_secs(2));
    let mut answers = 0;
    for mut one in heard {
        answers += usize::from(link.wait_for(Duration::ZERO, one.next()).flatten().is_some());
    }
    assert!(answers > 0 && answers <= 4_096, "{answers}");
}

/// Each reserved a quarter of the disk, and the fifth ended the server for good.
#[test]
fn a_server_has_room_for_many_tokens() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut cluster = Cluster::start_with(folder, "--disk 64MB");
    cluster.work("one");
    let change = |words: &str| {
        let line = format!("serve --dir server --port {} {words}", cluster.port);
        let output = harness(folder, line.split(' ')).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
        shown(&output)
    };
    // At once: the server reads its configuration again while it makes the streams of the one before.
    let mut text = String::new();
    for _ in 0..7 {
        text = change("--new-token");
    }
    change("--revoke 3");
    let last = text.split_whitespace().find(|word| word.starts_with("worker8."));
    cluster.worker = last.expect("the new token is printed").to_owned();
    cluster.work("eighth");
    assert!(cluster.server.try_wait().expect("it is ours").is_none(), "it has ended");
    let boss = Link::connect(&cluster.address(&cluster.coordinator), "boss").expect("connects");
    let most = |token: &str| {
        let stream = boss.wait(boss.jetstream.get_stream(format!("tench_results_{token}")));
        stream.ok().map(|stream| stream.cached_info().config.max_bytes)
    };
    until("all tokens have the same room", || {
        [1, 2, 4, 5, 6, 7, 8].iter().all(|it| most(&format!("worker{it}")) == Some((64 << 20) / 14))
    });
    assert!(most("worker3").is_none_or(|bytes| bytes == 1 << 20));
    let line = "match builtin builtin --nodes 50 --games 8 --no-probe --json";
    assert_eq!(json(&cluster.command(line).output().expect("it runs"))["games"], 8);
}

#[test]
fn a_wrong_token_is_refused_and_no_secret_is_logged() {
    let Some((folder, mut cluster)) = started(&[]) else { return };
    let folder = folder.path();
    let join = |token: &str, url: &str| {
        let line = format!("work {url} --cores 1 --dir w --quiet");
        harness(folder, line.split(' ')).env("TENCH_TOKEN", token).output().expect("it runs")
    };
    let secret = cluster.worker.split('.').nth(1).expect("a secret").to_owned();
    let wrong = cluster.worker.replace(&secret, &"0".repeat(32));
    let output = join(&wrong, &cluster.url());
    assert_eq!(output.status.code(), Some(4), "{}", shown(&output));
    assert!(shown(&output).contains("refuses the token"), "{}", shown(&output));
    // Another server that says it is this one has another certificate.
    let (rest, fingerprint) = cluster.worker.rsplit_once('.').expect("a fingerprint");
    let other = format!("{rest}.{}", "0".repeat(fingerprint.len()));
    let output = join(&other, &cluster.url());
    assert_eq!(output.status.code(), Some(4), "{}", shown(&output));
    assert!(!shown(&output).contains(&secret), "{}", shown(&output));
    assert!(shown(&output).contains("certificate is another one"), "{}", shown(&output));
    // The coordinator's gets no jobs.
    let output = join(&cluster.coordinator, &cluster.url());
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(shown(&output).contains("is the coordinator's"), "{}", shown(&output));
    cluster.work("one");
    json(&cluster.command("match builtin builtin --nodes 1 --games 2 --json").output().unwrap());
    for name in ["one.log", "server/nats.log"] {
        let text = std::fs::read_to_string(folder.join(name)).expect("a file");
        assert!(!text.contains(&secret), "{name}: {text}");
    }
}

/// Whatever holds a secret of an address, nothing that is kept does.
#[test]
fn a_secret_in_an_address_is_kept_nowhere() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut cluster = Cluster::start_with(folder, "--no-tls");
    cluster.work("one");
    let secret = cluster.coordinator.split('.').nth(1).expect("a secret").to_owned();
    let url = format!("nats://coordinator:{secret}@127.0.0.1:{}", cluster.port);
    let line = format!("match builtin builtin --nodes 5 --games 4 --no-probe --json --on {url}");
    let output = harness(folder, line.split(' ')).output().expect("it runs");
    assert_eq!(json(&output)["games"], 4);
    assert!(!shown(&output).contains(&secret), "{}", shown(&output));
    let mut folders = vec![folder.join("reports")];
    let mut files = 0;
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let content = std::fs::read(&path).expect("a file");
            let holds = content.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!holds, "{}", path.display());
        }
    }
    assert!(files > 4);
}

/// The host is what stands behind the last `@`: a token of this machine goes nowhere else.
#[test]
fn the_token_of_this_machine_is_sent_to_no_other_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // An address that is not the loopback's; nothing is sent to find it.
    let address = std::net::UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    let Some(host) = address.ok().map(|it| it.ip()).filter(|it| !it.is_loopback()) else {
        return skip_forbidden("an address besides the loopback's");
    };
    let listener = std::net::TcpListener::bind((host, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let heard = std::thread::spawn(move || {
        let mut heard = Vec::new();
        listener.set_nonblocking(true).expect("it can be");
        let until = std::time::Instant::now() + Duration::from_secs(6);
        while std::time::Instant::now() < until {
            let Ok((mut stream, _)) = listener.accept() else {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            let info = b"INFO {\"server_id\":\"x\",\"version\":\"2.9.0\",\"proto\":1,\"headers\":true,\"max_payload\":1048576}\r\n";
            let _ = std::io::Write::write_all(&mut stream, info);
            let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
            let _ = std::io::Read::read_to_end(&mut stream, &mut heard);
        }
        String::from_utf8_lossy(&heard).into_owned()
    });
    let secret = "0123456789abcdef0123456789abcdef";
    let state = folder.join("state/tench/server");
    std::fs::create_dir_all(&state).expect("a folder");
    let tokens = format!(
        "{{\"url\":\"nats://127.0.0.1:{port}\",\"coordinator\":\"{secret}\",\"workers\":[\"{secret}\"]}}"
    );
    std::fs::write(state.join("tokens.json"), tokens).expect("a file");
    for url in [format!("nats://127.0.0.1@{host}:{port}"), format!("nats://{host}:{port}")] {
        let yaml = format!("on: {url}\n");
        std::fs::write(folder.join("harness.yaml"), yaml).expect("a file");
        for on in [format!(" --on {url}"), String::new()] {
            let line = format!("match builtin builtin --nodes 5 --games 2 --no-probe{on}");
            let mut command = harness(folder, line.split(' '));
            command.env("XDG_STATE_HOME", folder.join("state")).env_remove("TENCH_TOKEN");
            let output = command.output().expect("it runs");
            assert!(!output.status.success(), "{}", shown(&output));
        }
    }
    let heard = heard.join().expect("it does not fail");
    assert!(!heard.contains(secret), "{heard}");
}

#[test]
fn tokens_are_made_and_revoked_while_the_server_runs() {
    let Some((folder, mut cluster)) = started(&["one"]) else { return };
    let folder = folder.path();
    let change = |words: &str| {
        let line = format!("serve --dir server --port {} {words}", cluster.port);
        harness(folder, line.split(' ')).output().expect("it runs")
    };
    let made = change("--new-token");
    assert_eq!(made.status.code(), Some(0), "{}", shown(&made));
    let text = shown(&made);
    let second = text.split_whitespace().find(|word| word.starts_with("worker2."));
    let second = second.expect("the new token is printed").to_owned();
    let unknown = change("--revoke 7");
    assert_eq!(unknown.status.code(), Some(2), "{}", shown(&unknown));
    assert!(shown(&unknown).contains("worker1, worker2"), "{}", shown(&unknown));
    let revoked = change("--revoke 1");
    assert_eq!(revoked.status.code(), Some(0), "{}", shown(&revoked));
    until("the worker with the revoked token is gone", || {
        let workers = json(&cluster.command("workers --json").output().expect("it runs"));
        workers["workers"].as_array().expect("a list").is_empty()
    });
    // A second server of the folder would fight with the first.
    let another = change("--lease 3s");
    assert_eq!(another.status.code(), Some(4), "{}", shown(&another));
    assert!(shown(&another).contains("runs already"), "{}", shown(&another));
    cluster.worker = second;
    cluster.work("two");
    // A worker's token starts no run.
    let mut started = cluster.command("match builtin builtin --nodes 1 --games 2 --no-probe");
    let output = started.env("TENCH_TOKEN", &cluster.worker).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(shown(&output).contains("is a worker's"), "{}", shown(&output));
}
