//! What a worker's token does not allow.

use async_nats::jetstream;
use harness::cluster::link::Link;

use super::{Cluster, started};
use crate::common::{harness, json, shown, until};
use crate::needs::nats_server;

#[test]
fn a_worker_may_do_nothing_but_work() {
    if !nats_server() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = Cluster::start(folder.path());
    let boss = Link::connect(&cluster.address(&cluster.coordinator), "boss").expect("connects");
    let link = Link::connect(&cluster.address(&cluster.worker), "worker").expect("connects");
    let bucket =
        jetstream::object_store::Config { bucket: "tench-secret".to_owned(), ..Default::default() };
    boss.wait(async {
        let store = boss.jetstream.create_object_store(bucket).await.expect("a bucket");
        store.put("engine", &mut &b"content"[..]).await.expect("an object");
        let sent = boss.jetstream.publish("tench.results.r.1.0", "result".into()).await;
        sent.expect("sent").await.expect("stored");
    });
    link.wait(async {
        let mut context = link.jetstream.clone();
        context.set_timeout(std::time::Duration::from_millis(700));
        let context = &context;
        // A job is not taken: there is no answer.
        let sent = context.publish("tench.jobs.r", "job".into()).await;
        let answer = sent.expect("sent");
        let waited = tokio::time::timeout(std::time::Duration::from_secs(2), answer).await;
        assert!(!matches!(waited, Ok(Ok(_))), "a worker has published a job");
        // Names of buckets are secret, as is what others have published.
        assert!(context.get_stream("tench_results").await.is_err());
        assert!(context.get_stream("tench_jobs").await.is_err());
        let names: Vec<_> = futures_util::TryStreamExt::try_collect(context.stream_names())
            .await
            .unwrap_or_default();
        let names: Vec<String> = names;
        assert!(names.is_empty(), "{names:?}");
        assert!(context.delete_stream("tench_results").await.is_err());
        assert!(context.delete_object_store("tench-secret").await.is_err());
        let own = jetstream::stream::Config { name: "mine".to_owned(), ..Default::default() };
        assert!(context.create_stream(own).await.is_err());
        // With the name, which is in the run's jobs, it can be read.
        let store = link.jetstream.get_object_store("tench-secret").await.expect("the bucket");
        let mut object = store.get("engine").await.expect("the object");
        let mut content = Vec::new();
        tokio::io::AsyncReadExt::read_to_end(&mut object, &mut content).await.expect("read");
        assert_eq!(content, b"content");
        let mut another = &b"another"[..];
        let put = store.put("engine", &mut another);
        let put = tokio::time::timeout(std::time::Duration::from_secs(2), put).await;
        assert!(!matches!(put, Ok(Ok(_))), "a worker has replaced an engine");
    });
    let jobs = boss.wait(async {
        let stream = boss.jetstream.get_stream("tench_jobs").await.expect("a stream");
        stream.get_info().await.expect("its state").state.messages
    });
    assert_eq!(jobs, 0);
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
    cluster.work("one");
    json(&cluster.command("match builtin builtin --nodes 1 --games 2 --json").output().unwrap());
    for name in ["one.log", "server/nats.log"] {
        let text = std::fs::read_to_string(folder.join(name)).expect("a file");
        assert!(!text.contains(&secret), "{name}: {text}");
    }
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
