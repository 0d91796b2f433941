//! Files of a run on the server: a stream with a name that cannot be guessed, in which each part of a file
//! is the message of a subject of its own.
//!
//! A worker reads a part by its subject, which is the only way in which it may read a stream. The server's
//! own object store would need consumers, whose messages go to whatever subject their maker names.

use std::path::Path;
use std::time::{Duration, Instant};

use async_nats::jetstream::stream::{Config, StorageType};
use async_nats::{HeaderMap, StatusCode};

use super::ClusterError;
use super::link::Link;
use super::manifest::Artifacts;
use super::subjects;
use harness_base::session::Interrupt;

/// Bytes of a part.
const PART_BYTES: usize = 512 << 10;

/// How long the files of a run are kept whose coordinator was killed.
const FILE_AGE: Duration = Duration::from_secs(14 * 24 * 3600);

/// A part that has not come after this time is asked for again.
const PART_TIMEOUT: Duration = Duration::from_secs(3);

/// A file of which nothing comes for so long does not come at all.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Wait before a part is asked for again that the server did not have.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Makes the stream of a run's files.
///
/// # Errors
/// When the server refuses.
pub fn make(link: &Link, secret: &str) -> Result<(), ClusterError> {
    let config = Config {
        name: subjects::files_stream(secret),
        subjects: vec![format!("tench.files.{secret}.>")],
        storage: StorageType::File,
        max_messages_per_subject: 1,
        allow_direct: true,
        max_age: FILE_AGE,
        ..Config::default()
    };
    let made = link.wait(link.jetstream.create_stream(config));
    made.map(drop).map_err(|error| ClusterError::request("store the engines", error))
}

/// Puts a file into the stream of a run.
///
/// # Errors
/// When the server refuses.
pub fn put(link: &Link, secret: &str, hash: &str, content: &[u8]) -> Result<(), ClusterError> {
    let failed = |error: String| ClusterError::request("store the engines", error);
    link.wait(async {
        for number in 0..parts(content.len() as u64) {
            let from = number * PART_BYTES;
            let part = content[from..content.len().min(from + PART_BYTES)].to_vec();
            let subject = subjects::file(secret, hash, number);
            let sent = link.jetstream.publish(subject, part.into()).await;
            let sent = sent.map_err(|error| failed(error.to_string()))?;
            sent.await.map_err(|error| failed(error.to_string()))?;
        }
        Ok(())
    })
}

/// Whether the files of a run are there.
pub fn is_there(link: &Link, secret: &str) -> bool {
    link.wait(link.jetstream.get_stream(subjects::files_stream(secret))).is_ok()
}

/// Removes the files of a run. That they are gone already is no error, nor a server that does not answer:
/// it forgets them in time.
pub fn remove(link: &Link, secret: &str) {
    let removed = link.wait(link.jetstream.delete_stream(subjects::files_stream(secret)));
    if let Err(error) = removed {
        tracing::debug!("cannot remove the files of a run: {error}");
    }
}

/// The number of parts of a file of this many bytes.
fn parts(bytes: u64) -> usize {
    (bytes as usize).div_ceil(PART_BYTES).max(1)
}

/// Fetches a file of a run to a path; its content is not checked.
///
/// # Errors
/// When it does not come, or cannot be written.
pub fn fetch(
    link: &Link,
    artifacts: &Artifacts,
    hash: &str,
    to: &Path,
    interrupt: &Interrupt,
) -> Result<(), ClusterError> {
    let bytes = artifacts.objects.get(hash).copied().unwrap_or_default();
    let written = |source| ClusterError::file("write", to, source);
    let mut file = std::fs::File::create(to).map_err(written)?;
    for number in 0..parts(bytes) {
        let part = fetch_part(link, &artifacts.secret, hash, number, interrupt)?;
        std::io::Write::write_all(&mut file, &part).map_err(written)?;
    }
    Ok(())
}

/// Fetches a part of a file.
fn fetch_part(
    link: &Link,
    secret: &str,
    hash: &str,
    number: usize,
    interrupt: &Interrupt,
) -> Result<Vec<u8>, ClusterError> {
    let subject = link.requests().file(secret, hash, number);
    let begun = Instant::now();
    loop {
        if interrupt.is_set() {
            return Err(ClusterError::Interrupted);
        }
        let request = link.client.request(subject.clone(), "".into());
        let reason = match link.wait_for(PART_TIMEOUT, request) {
            Some(Ok(answer)) if is_part(answer.headers.as_ref(), answer.status) => {
                return Ok(answer.payload.to_vec());
            }
            Some(Ok(_)) => "it does not have it".to_owned(),
            Some(Err(error)) => error.to_string(),
            None => "it does not answer".to_owned(),
        };
        // Of a file that is removed meanwhile, the rest never comes.
        if begun.elapsed() > STALL_TIMEOUT {
            return Err(ClusterError::request("send a file of the run", reason));
        }
        std::thread::sleep(RETRY_DELAY);
    }
}

/// Whether an answer is a stored message: the server names its stream then.
fn is_part(headers: Option<&HeaderMap>, status: Option<StatusCode>) -> bool {
    status.is_none() && headers.is_some_and(|headers| headers.get("Nats-Stream").is_some())
}
