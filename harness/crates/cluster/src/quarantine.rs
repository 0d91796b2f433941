//! Workers whose results do not count.

use std::collections::BTreeMap;

use futures_util::StreamExt;

use super::ClusterError;
use super::link::Link;
use super::results;
use super::subjects::{self, QUARANTINE};

/// The quarantined workers: names by public key.
///
/// # Errors
/// When the server cannot be asked.
pub fn list(link: &Link) -> Result<BTreeMap<String, String>, ClusterError> {
    let failed = |error: String| ClusterError::request("list quarantined workers", error);
    link.wait(async {
        let stream = link.jetstream.get_stream(QUARANTINE).await;
        let stream = stream.map_err(|error| failed(error.to_string()))?;
        let subjects = stream.info_with_subjects(subjects::quarantine("*")).await;
        let mut subjects = subjects.map_err(|error| failed(error.to_string()))?;
        let mut workers = BTreeMap::new();
        while let Some(subject) = subjects.next().await {
            let (subject, _) = subject.map_err(|error| failed(error.to_string()))?;
            let last = stream.get_last_raw_message_by_subject(&subject).await;
            let name = last.map_err(|error| failed(error.to_string()))?.payload;
            let key = subject.rsplit('.').next().unwrap_or_default().to_owned();
            workers.insert(key, String::from_utf8_lossy(&name).into_owned());
        }
        Ok(workers)
    })
}

/// Quarantines a worker: it ends, and its results do not count. To be repeated when one still comes.
///
/// # Errors
/// When the server refuses.
pub fn add(link: &Link, key: &str, name: &str) -> Result<(), ClusterError> {
    let sent = link.wait(async {
        let sent = link.jetstream.publish(subjects::quarantine(key), name.to_owned().into()).await;
        sent.map_err(|error| error.to_string())?.await.map_err(|error| error.to_string())
    });
    // Which token it has is not known of one that is not there.
    for token in results::tokens(link)? {
        let end = link.client.publish(subjects::end(&token, key), "".into());
        // It is sent again when a result of it comes.
        let _ = link.wait(end);
    }
    sent.map(drop).map_err(|error| ClusterError::request("quarantine a worker", error))
}

/// Lets a worker play again.
///
/// # Errors
/// When the server refuses.
pub fn remove(link: &Link, key: &str) -> Result<(), ClusterError> {
    let purged = link.wait(async {
        let stream = link.jetstream.get_stream(QUARANTINE).await.map_err(|e| e.to_string())?;
        let purge = stream.purge().filter(subjects::quarantine(key)).await;
        purge.map_err(|error| error.to_string())
    });
    purged.map(drop).map_err(|error| ClusterError::request("release a worker", error))
}
