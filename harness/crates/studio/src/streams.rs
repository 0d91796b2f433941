//! Streams of server-sent events: one for each browser, with the topics that its open pages subscribe to.
//!
//! A browser allows six connections to a server. A stream has any number of topics, which a request of its
//! browser sets.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use rand::TryRngCore;
use rand::rngs::OsRng;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::topics::Outgoing;
use harness_base::sync::lock;

/// Events that may wait for a slow browser before its topics wait.
const QUEUE_LENGTH: usize = 64;

/// Maximum number of topics of a stream.
pub const MAX_TOPICS: usize = 256;

/// Where the events of a topic come from, or why there are none.
pub type Source = Result<BoxStream<'static, Outgoing>, String>;

/// The open streams, by their names.
#[derive(Clone, Default)]
pub struct Streams(Arc<Mutex<HashMap<String, OpenStream>>>);

struct OpenStream {
    sender: mpsc::Sender<String>,
    /// The tasks that pass on the events of the topics.
    topics: BTreeMap<String, AbortHandle>,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.topics.values().for_each(AbortHandle::abort);
    }
}

/// The end of a stream that its browser reads. The stream ends with the value.
pub struct StreamReader {
    streams: Streams,
    /// The name by which its topics are set: no one else knows it.
    pub name: String,
    receiver: mpsc::Receiver<String>,
}

impl Drop for StreamReader {
    fn drop(&mut self) {
        lock(&self.streams.0).remove(&self.name);
    }
}

impl StreamReader {
    /// The next event: JSON with its topic, its name and its data.
    pub async fn next(&mut self) -> Option<String> {
        self.receiver.recv().await
    }
}

impl Streams {
    /// Opens a stream without topics; its first event is `hello` with its name and this build.
    ///
    /// # Errors
    /// When the system has no random numbers; in words for people.
    pub fn open(&self, build: &str) -> Result<StreamReader, String> {
        let mut bytes = [0; 16];
        OsRng.try_fill_bytes(&mut bytes).map_err(|error| error.to_string())?;
        let name: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let (sender, receiver) = mpsc::channel(QUEUE_LENGTH);
        let hello = json!({ "stream": name, "build": build }).to_string();
        // The queue is empty, and its other end is here.
        let _ = sender.try_send(event("", &Outgoing { event: "hello", data: hello }));
        let stream = OpenStream { sender, topics: BTreeMap::new() };
        lock(&self.0).insert(name.clone(), stream);
        Ok(StreamReader { streams: self.clone(), name, receiver })
    }

    /// The topics of `wanted` that a stream does not have yet, and those of `again` that it has: their sources
    /// are to be opened. The topics that are not wanted end. `None` without such a stream.
    pub fn missing(
        &self,
        name: &str,
        wanted: &BTreeSet<String>,
        again: &BTreeSet<String>,
    ) -> Option<Vec<String>> {
        let mut streams = lock(&self.0);
        let stream = streams.get_mut(name)?;
        stream.topics.retain(|topic, task| {
            let stays = wanted.contains(topic) && !again.contains(topic);
            if !stays {
                task.abort();
            }
            stays
        });
        let missing = wanted.iter().filter(|topic| !stream.topics.contains_key(*topic));
        Some(missing.cloned().collect())
    }

    /// Adds a topic to a stream, if it is still open. Where it has no source the browser gets `refused`.
    pub fn add(&self, name: &str, topic: String, source: Source) {
        let mut streams = lock(&self.0);
        let Some(stream) = streams.get_mut(name) else { return };
        let sender = stream.sender.clone();
        let own = topic.clone();
        let task = tokio::spawn(async move {
            let mut source = source.unwrap_or_else(|reason| refused(&reason));
            while let Some(outgoing) = source.next().await {
                // The browser has left.
                if sender.send(event(&own, &outgoing)).await.is_err() {
                    return;
                }
            }
        });
        if let Some(before) = stream.topics.insert(topic, task.abort_handle()) {
            before.abort();
        }
    }
}

fn refused(reason: &str) -> BoxStream<'static, Outgoing> {
    let data = json!({ "error": reason }).to_string();
    futures_util::stream::iter([Outgoing { event: "refused", data }]).boxed()
}

/// An event as JSON. Its data is JSON already.
fn event(topic: &str, outgoing: &Outgoing) -> String {
    let (topic, name) = (json!(topic), json!(outgoing.event));
    format!("{{\"topic\":{topic},\"event\":{name},\"data\":{}}}", outgoing.data)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn source(texts: &[&str]) -> Source {
        let events: Vec<Outgoing> = texts
            .iter()
            .map(|text| Outgoing { event: "said", data: json!(text).to_string() })
            .collect();
        Ok(futures_util::stream::iter(events).boxed())
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    async fn next(reader: &mut StreamReader) -> Value {
        let text = reader.next().await.expect("an event");
        serde_json::from_str(&text).expect("JSON")
    }

    #[tokio::test]
    async fn topics_of_a_stream_are_added_sent_again_refused_and_ended() {
        let streams = Streams::default();
        let mut reader = streams.open("b1").expect("opens");
        let hello = next(&mut reader).await;
        assert_eq!(hello["data"], json!({ "stream": reader.name, "build": "b1" }));
        let name = reader.name.clone();
        let missing = |wanted: &[&str], again: &[&str]| {
            streams.missing(&name, &set(wanted), &set(again)).expect("it is open")
        };
        assert_eq!(missing(&["a", "b"], &["a"]), ["a", "b"]);
        streams.add(&name, "a".to_owned(), source(&["one"]));
        assert_eq!(
            next(&mut reader).await,
            json!({ "topic": "a", "event": "said", "data": "one" })
        );
        streams.add(&name, "b".to_owned(), Err("there is no `b`".to_owned()));
        let refused =
            json!({ "topic": "b", "event": "refused", "data": { "error": "there is no `b`" } });
        assert_eq!(next(&mut reader).await, refused);
        assert!(missing(&["a", "b"], &[]).is_empty());
        assert_eq!(missing(&["a", "b"], &["a"]), ["a"]);
        assert_eq!(missing(&["b", "c"], &["x"]), ["c"]);
        assert_eq!(missing(&["a", "b"], &[]), ["a"]);
    }

    #[tokio::test]
    async fn a_stream_that_its_browser_has_left_has_no_topics() {
        let streams = Streams::default();
        let reader = streams.open("b1").expect("opens");
        let name = reader.name.clone();
        // A source that does not end by itself: it is dropped with the stream.
        let (sender, receiver) = mpsc::channel::<Outgoing>(1);
        let endless = futures_util::stream::unfold(receiver, |mut receiver| async move {
            receiver.recv().await.map(|outgoing| (outgoing, receiver))
        });
        streams.add(&name, "a".to_owned(), Ok(endless.boxed()));
        drop(reader);
        sender.closed().await;
        assert!(streams.missing(&name, &set(&["a"]), &set(&[])).is_none());
    }
}
