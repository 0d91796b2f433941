//! The stream of events of a browser, and the topics that its pages subscribe to.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use axum::{Extension, Router};
use futures_util::StreamExt;
use futures_util::stream::{Stream, unfold};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::refusal::{Refusal, answer, blocking, find};
use crate::assets::build;
use crate::boards::analysis::{self, MAX_ENGINES, MAX_LINES};
use crate::boards::board::Board;
use crate::boards::review::question;
use crate::error::StudioError;
use crate::fragments::Subject;
use crate::role::Role;
use crate::state::App;
use crate::streams::{MAX_TOPICS, Source, StreamReader};
use crate::topics::Outgoing;
use harness_games::tree::NodeId;

/// Shortest time between two updates of an analysis: 22 a second.
const UPDATE_INTERVAL: Duration = Duration::from_millis(45);

/// How often it is looked whether another studio has changed a board that a page shows.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// The routes of these pages.
pub fn routes() -> Router<Arc<App>> {
    Router::new().route("/events", get(open)).route("/events/{stream}", get(subscribe))
}

/// `/events`: the events of the topics that the browser sets; `/events?topic=run/ID`: with one from the
/// beginning.
///
/// # Errors
/// When no stream can be opened.
pub async fn open(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    RawQuery(query): RawQuery,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let reader = app.streams.open(build())?;
    set_topics(&app, role, &reader.name, &query.unwrap_or_default()).await?;
    let events = unfold(reader, |mut reader: StreamReader| async move {
        let text = reader.next().await?;
        Some((Ok(Event::default().data(text)), reader))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// `/events/STREAM?topic=A&topic=B&again=A`: sets the topics of a stream: `runs`, `run/ID`, `board/ID`,
/// `analysis/ID?node=N&engines=A,B&lines=L`. Those of `again` are sent from the beginning.
///
/// # Errors
/// When there is no such stream, or too many topics are asked for.
pub async fn subscribe(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    Path(stream): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Refusal> {
    set_topics(&app, role, &stream, &query.unwrap_or_default()).await?;
    Ok(answer(StatusCode::OK, &json!({})))
}

async fn set_topics(app: &Arc<App>, role: Role, stream: &str, query: &str) -> Result<(), Refusal> {
    let fields: Vec<(String, String)> =
        serde_urlencoded::from_str(query).map_err(|error| Refusal::wrong(error.to_string()))?;
    let of = |wanted: &str| -> BTreeSet<String> {
        let values = fields.iter().filter(|(name, _)| name == wanted);
        values.map(|(_, value)| value.clone()).collect()
    };
    let topics = of("topic");
    if topics.len() > MAX_TOPICS {
        return Err(Refusal::wrong(format!("more than {MAX_TOPICS} topics: close some pages")));
    }
    let missing = app.streams.missing(stream, &topics, &of("again"));
    let gone = || Refusal(StatusCode::NOT_FOUND, "this stream has ended".to_owned());
    for topic in missing.ok_or_else(gone)? {
        let (own, name) = (Arc::clone(app), topic.clone());
        // A board may have to be read.
        let source = blocking(move || Ok(source_of(&own, role, &name))).await?;
        app.streams.add(stream, topic, source);
    }
    Ok(())
}

/// The source of a topic.
fn source_of(app: &Arc<App>, role: Role, topic: &str) -> Source {
    let (kind, rest) = topic.split_once('/').unwrap_or((topic, ""));
    match kind {
        "runs" => Ok(app.topics.events(Subject::Runs).boxed()),
        "run" if !rest.is_empty() => {
            Ok(app.topics.events(Subject::Run(rest.to_owned(), role)).boxed())
        }
        "board" => board(app, rest),
        "analysis" => analysis_of(app, role, rest),
        _ => Err(format!("there is no topic `{topic}`")),
    }
}

/// The state of a board after every change.
fn board(app: &Arc<App>, id: &str) -> Source {
    let board = find(app, id).map_err(|Refusal(_, reason)| reason)?;
    let (first, receiver) = board.listen();
    let events =
        unfold((Some(first), receiver, board), |(first, mut receiver, board)| async move {
            let data = match first {
                Some(first) => first,
                None => match next_view(&board, &mut receiver).await {
                    Ok(view) => view.to_string(),
                    Err(RecvError::Closed) => return None,
                    // It was too slow: the newest state replaces what it missed.
                    Err(RecvError::Lagged(_)) => {
                        let (newest, again) = board.listen();
                        receiver = again;
                        newest
                    }
                },
            };
            Some((Outgoing { event: "board", data }, (None, receiver, board)))
        });
    Ok(events.boxed())
}

/// The next state of a board; another studio of the folder may have changed it.
async fn next_view(
    board: &Arc<Board>,
    receiver: &mut Receiver<Arc<str>>,
) -> Result<Arc<str>, RecvError> {
    loop {
        if let Ok(received) = timeout(LOOK_INTERVAL, receiver.recv()).await {
            return received;
        }
        let board = Arc::clone(board);
        if let Err(panic) = spawn_blocking(move || board.refresh()).await {
            std::panic::resume_unwind(panic.into_panic());
        }
    }
}

/// Query about a position.
#[derive(Deserialize)]
pub struct AnalysisQuery {
    /// Its node.
    #[serde(default)]
    pub node: u32,
    /// Names of engines, with commas.
    #[serde(default)]
    pub engines: String,
    /// Lines of each engine.
    #[serde(default)]
    pub lines: u32,
    /// The limit of a search for one answer, `depth=18`.
    #[serde(default)]
    pub limit: String,
}

impl AnalysisQuery {
    /// The engines that are asked: the built-in one where none is named.
    pub fn names(&self) -> Vec<String> {
        let names = self.engines.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<String> = names.take(MAX_ENGINES).map(str::to_owned).collect();
        if names.is_empty() { vec!["builtin".to_owned()] } else { names }
    }
}

/// Lines of engines in a position, until the page leaves it.
fn analysis_of(app: &Arc<App>, role: Role, rest: &str) -> Source {
    if role != Role::Control {
        return Err(StudioError::ReadOnly.to_string());
    }
    let (id, query) = rest.split_once('?').unwrap_or((rest, ""));
    let asked: AnalysisQuery =
        serde_urlencoded::from_str(query).map_err(|error| error.to_string())?;
    let board = find(app, id).map_err(|Refusal(_, reason)| reason)?;
    let lines = asked.lines.clamp(1, MAX_LINES);
    let asked_of = question(&board.state().tree, NodeId(asked.node), lines)?;
    let analysis = analysis::begin(&app.engines, &asked.names(), &asked_of);
    let events = unfold(analysis, |mut analysis| async move {
        analysis.found.changed().await.ok()?;
        let text = serde_json::to_string(&*analysis.found.borrow_and_update());
        let data = text.expect("plain data");
        tokio::time::sleep(UPDATE_INTERVAL).await;
        Some((Outgoing { event: "lines", data }, analysis))
    });
    Ok(events.boxed())
}
