//! Fragments of open pages, rendered again when something has changed.
//!
//! A topic is what a page shows: the list of runs, or one run. All pages of a topic share one thread
//! that renders, which ends after the last of them.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::stream::{Stream, unfold};
use serde_json::json;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::fragments::{Fragment, Subject, fragments};
use super::hub::Hub;
use super::results::Results;
use super::role::Role;
use harness_base::sync::lock;
use harness_ledger::Ledger;
use harness_runs::live::Board;

/// How often a topic looks whether something has changed.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How often the ledger is asked for changes that no process tells of.
const LEDGER_INTERVAL: Duration = Duration::from_millis(500);

/// Shortest time between two renderings of the same topic.
const RENDER_INTERVAL: Duration = Duration::from_secs(2);

/// Events that may wait for a slow page before it is sent everything again.
const QUEUE_LENGTH: usize = 256;

/// An event of a page.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Its name.
    pub event: &'static str,
    /// JSON.
    pub data: String,
}

/// The open pages.
pub struct Topics {
    reports: PathBuf,
    hub: Arc<Hub>,
    results: Arc<Results>,
    csrf: String,
    topics: Mutex<HashMap<Subject, Arc<Topic>>>,
}

struct Topic {
    sender: broadcast::Sender<Arc<Outgoing>>,
    /// Fragments as they were sent last.
    shown: Mutex<HashMap<&'static str, String>>,
}

/// A page that listens.
struct Listener {
    topics: Arc<Topics>,
    subject: Subject,
    /// To be sent before what is received.
    first: VecDeque<Outgoing>,
    receiver: broadcast::Receiver<Arc<Outgoing>>,
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

impl Topics {
    /// None are open.
    pub fn new(reports: &Path, hub: &Arc<Hub>, results: &Arc<Results>, csrf: &str) -> Arc<Topics> {
        let reports = reports.to_owned();
        let csrf = csrf.to_owned();
        let topics = Mutex::default();
        let own = Arc::clone(hub);
        let results = Arc::clone(results);
        let topics = Arc::new(Topics { reports, hub: own, results, csrf, topics });
        let pages = Arc::downgrade(&topics);
        hub.send_boards_to(Box::new(move |run, boards| {
            if let Some(topics) = pages.upgrade() {
                topics.send_boards(run, boards);
            }
        }));
        topics
    }

    /// The events of a page: those that bring it up to date, and all from now on. One that is too slow gets
    /// everything again.
    pub fn events(self: &Arc<Topics>, subject: Subject) -> impl Stream<Item = Outgoing> + use<> {
        let (first, receiver) = self.subscribe(&subject);
        let topics = Arc::clone(self);
        let listener = Listener { topics, subject, first: first.into(), receiver };
        unfold(listener, |mut listener| async move {
            let outgoing = listener.next().await?;
            Some((outgoing, listener))
        })
    }

    /// The events of a page from now on, and those that bring it up to date.
    fn subscribe(
        self: &Arc<Topics>,
        subject: &Subject,
    ) -> (Vec<Outgoing>, broadcast::Receiver<Arc<Outgoing>>) {
        let (topic, receiver) = {
            let mut topics = self.topics();
            let topic = topics.entry(subject.clone()).or_insert_with(|| {
                let (sender, _) = broadcast::channel(QUEUE_LENGTH);
                let topic = Arc::new(Topic { sender, shown: Mutex::default() });
                let topics = Arc::clone(self);
                let subject = subject.clone();
                let own = Arc::clone(&topic);
                thread::spawn(move || topics.render(&subject, &own));
                topic
            });
            (Arc::clone(topic), topic.sender.subscribe())
        };
        (self.up_to_date(subject, &topic), receiver)
    }

    /// All that a page that has just connected, or was too slow, must know.
    fn up_to_date(&self, subject: &Subject, topic: &Topic) -> Vec<Outgoing> {
        let mut events = Vec::new();
        if let Subject::Run(id, _) = subject {
            let boards = self.hub.run(id).map(|run| run.boards).unwrap_or_default();
            let boards: Vec<_> = boards.values().map(board_json).collect();
            events.push(Outgoing { event: "boards", data: json!(boards).to_string() });
        }
        let shown = lock(&topic.shown);
        events.extend(shown.iter().map(|(id, html)| fragment(id, html)));
        events
    }

    fn topics(&self) -> MutexGuard<'_, HashMap<Subject, Arc<Topic>>> {
        lock(&self.topics)
    }

    /// Renders a topic whenever it has changed, until no page shows it.
    fn render(&self, subject: &Subject, topic: &Topic) {
        let mut known = None;
        let mut looked = Instant::now();
        let mut ledger_version = None;
        loop {
            {
                let mut topics = self.topics();
                if topic.sender.receiver_count() == 0 {
                    topics.remove(subject);
                    return;
                }
            }
            if ledger_version.is_none() || looked.elapsed() >= LEDGER_INTERVAL {
                looked = Instant::now();
                ledger_version = Some(self.ledger_version(subject));
            }
            let version = (self.version(subject), ledger_version.clone());
            if known.as_ref() != Some(&version) {
                known = Some(version);
                let begun = Instant::now();
                self.send(
                    topic,
                    fragments(&self.reports, &self.hub, &self.results, &self.csrf, subject),
                );
                thread::sleep(RENDER_INTERVAL.saturating_sub(begun.elapsed()).max(POLL_INTERVAL));
            } else {
                thread::sleep(POLL_INTERVAL);
            }
        }
    }

    fn version(&self, subject: &Subject) -> Option<u64> {
        match subject {
            Subject::Runs => Some(self.hub.version()),
            Subject::Run(id, _) => self.hub.version_of(id),
        }
    }

    /// Version of the ledger, for changes that no process announces.
    fn ledger_version(&self, subject: &Subject) -> Option<String> {
        let ledger = Ledger::open_to_read(&self.reports).ok()?;
        match subject {
            Subject::Runs => Some(format!("{:?}", ledger.version().ok()?)),
            Subject::Run(id, _) => ledger.progress_of(id).ok().map(|known| format!("{known:?}")),
        }
    }

    fn send(&self, topic: &Topic, fragments: Vec<Fragment>) {
        let mut shown = lock(&topic.shown);
        for (id, html) in fragments {
            if shown.get(id) != Some(&html) {
                // Without a page it is there for the next one.
                let _ = topic.sender.send(Arc::new(fragment(id, &html)));
                shown.insert(id, html);
            }
        }
    }

    fn send_boards(&self, run: &str, boards: &[Board]) {
        let topics: Vec<Arc<Topic>> = [Role::Control, Role::View]
            .into_iter()
            .filter_map(|role| self.topics().get(&Subject::Run(run.to_owned(), role)).cloned())
            .collect();
        if topics.is_empty() {
            return;
        }
        for outgoing in boards.iter().flat_map(board_events).map(Arc::new) {
            for topic in &topics {
                // Without a page there is no subscriber.
                let _ = topic.sender.send(Arc::clone(&outgoing));
            }
        }
    }
}

fn fragment(id: &str, html: &str) -> Outgoing {
    Outgoing { event: "fragment", data: json!({ "id": id, "html": html }).to_string() }
}

fn board_json(board: &Board) -> serde_json::Value {
    json!({
        "key": board.key, "white": board.white, "black": board.black, "fen": board.fen,
        "last": board.last.as_ref().map(|last| &last.uci), "ply": board.ply,
        "score": { "white": board.scores[0], "black": board.scores[1] },
        "clock": { "white": null, "black": null },
    })
}

/// Events of a board: its game begins, moves or ends.
fn board_events(board: &Board) -> Vec<Outgoing> {
    let mut events = Vec::new();
    match &board.last {
        None => events.push(Outgoing { event: "begin", data: board_json(board).to_string() }),
        Some(last) => {
            let side = usize::from(!last.by_white);
            let mover = if last.by_white { "white" } else { "black" };
            let data = json!({
                "key": board.key, "fen": board.fen, "uci": last.uci, "san": last.san,
                "side": mover, "score": board.scores[side],
                "depth": last.depth, "clock": null, "ply": board.ply, "at": board.at,
                "white": board.white, "black": board.black,
            });
            events.push(Outgoing { event: "move", data: data.to_string() });
        }
    }
    if let Some([result, ending]) = &board.ended {
        let data = json!({ "key": board.key, "result": result, "ending": ending });
        events.push(Outgoing { event: "end", data: data.to_string() });
    }
    events
}
