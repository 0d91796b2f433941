//! Server-sent events: what changes on an open page.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{Stream, unfold};
use serde_json::json;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::assets::build;
use super::error::StudioError;
use super::fragments::Subject;
use super::role::Role;
use super::state::App;
use super::topics::{Outgoing, Topics};

/// A page that listens.
struct Listener {
    topics: Arc<Topics>,
    subject: Subject,
    /// To be sent before what is received.
    first: VecDeque<Outgoing>,
    receiver: Receiver<Arc<Outgoing>>,
}

/// `/events/runs`, `/events/run/ID`.
///
/// A page that connects again gets all it must know, so that it misses nothing.
///
/// # Errors
/// When no page has this topic.
pub async fn stream(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path(topic): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, StudioError> {
    let subject = match topic.split_once('/') {
        None if topic == "runs" => Subject::Runs,
        Some(("run", id)) if !id.is_empty() => Subject::Run(id.to_owned(), role),
        _ => return Err(StudioError::NotFound("such page".to_owned())),
    };
    let (first, receiver) = app.topics.subscribe(&subject);
    let mut first = VecDeque::from(first);
    first.push_front(Outgoing { event: "hello", data: json!({ "build": build() }).to_string() });
    let listener = Listener { topics: Arc::clone(&app.topics), subject, first, receiver };
    let events = unfold(listener, |mut listener| async move {
        let outgoing = listener.next().await?;
        let event = Event::default().event(outgoing.event).data(outgoing.data);
        Some((Ok(event), listener))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

impl Listener {
    async fn next(&mut self) -> Option<Outgoing> {
        loop {
            if let Some(outgoing) = self.first.pop_front() {
                return Some(outgoing);
            }
            match self.receiver.recv().await {
                Ok(outgoing) => return Some((*outgoing).clone()),
                Err(RecvError::Closed) => return None,
                // It was too slow: what it missed is replaced by how things stand.
                Err(RecvError::Lagged(_)) => {
                    let (first, receiver) = self.topics.subscribe(&self.subject);
                    (self.first, self.receiver) = (first.into(), receiver);
                }
            }
        }
    }
}
