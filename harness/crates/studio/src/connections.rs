//! The connections of the studio: how many, and how long a request may take to arrive.
//!
//! Each connection is an open file of the process. One that sends nothing, or a byte now and then, must not
//! keep others out: the head of a request has ten seconds, a body has to make progress, and where all places
//! are taken, the oldest connection that has asked for nothing yet gives way to the next one.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use harness_base::platform;
use harness_base::sync::lock;

/// Connections at a time, if the process may open as many files.
const MAX_CONNECTIONS: usize = 512;

/// Places that only this machine's own browsers get.
const RESERVED: usize = 4;

/// Time for the head of a request, also of the next one of a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Wait after the system has refused to accept a connection, as when no file can be opened.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// A connection that is open.
struct Open {
    /// It has sent a request.
    has_asked: Arc<AtomicBool>,
    end: Arc<Notify>,
}

/// Those that are open, by number: older ones have lower numbers.
#[derive(Default)]
struct Connections {
    open: BTreeMap<u64, Open>,
    next: u64,
}

impl Connections {
    /// Makes room for another one; `None` if there is none for it.
    fn add(&mut self, most: usize) -> Option<(u64, Arc<AtomicBool>, Arc<Notify>)> {
        if self.open.len() >= most {
            let silent = self.open.iter().find(|(_, one)| !one.has_asked.load(Ordering::Relaxed));
            let (&number, _) = silent?;
            if let Some(oldest) = self.open.remove(&number) {
                oldest.end.notify_one();
            }
        }
        let number = self.next;
        self.next += 1;
        let (has_asked, end) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
        let one = Open { has_asked: Arc::clone(&has_asked), end: Arc::clone(&end) };
        self.open.insert(number, one);
        Some((number, has_asked, end))
    }
}

/// Places for connections of others than this machine: a part of the files that the process may open.
fn places() -> usize {
    let files = platform::max_open_files().and_then(|most| usize::try_from(most).ok());
    files.map_or(MAX_CONNECTIONS, |files| (files / 2).clamp(8, MAX_CONNECTIONS))
}

/// Answers the requests of all connections, for ever.
///
/// # Errors
/// Never; the result is that of a server.
pub async fn serve(listener: TcpListener, routes: Router) -> io::Result<()> {
    let connections = Arc::new(Mutex::new(Connections::default()));
    let places = places();
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::debug!("no connection is accepted: {error}");
                tokio::time::sleep(RETRY_DELAY).await;
                continue;
            }
        };
        let most = if is_own(peer.ip()) { places + RESERVED } else { places };
        let added = lock(&connections).add(most);
        let Some((number, has_asked, end)) = added else {
            tracing::debug!("a connection of {peer} is closed: there are too many");
            continue;
        };
        let (connections, routes) = (Arc::clone(&connections), routes.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = answer(stream, routes, has_asked) => {}
                () = end.notified() => {}
            }
            lock(&connections).open.remove(&number);
        });
    }
}

/// Whether an address is one of this machine.
fn is_own(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Answers the requests of a connection.
async fn answer(stream: TcpStream, routes: Router, has_asked: Arc<AtomicBool>) {
    // A move is a small packet, which must not wait for the next one.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("{error}");
    }
    let routes = routes.layer(axum::middleware::map_request(move |request: Request<Body>| {
        has_asked.store(true, Ordering::Relaxed);
        std::future::ready(request)
    }));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes))
        .await;
    if let Err(error) = served {
        tracing::debug!("a connection has ended: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_that_has_asked_for_nothing_gives_way() {
        let mut connections = Connections::default();
        let mut asked = Vec::new();
        for _ in 0..3 {
            asked.push(connections.add(3).expect("there is room").1);
        }
        asked[0].store(true, Ordering::Relaxed);
        let (fourth, ..) = connections.add(3).expect("the second gives way");
        assert_eq!(connections.open.keys().copied().collect::<Vec<_>>(), [0, 2, fourth]);
        for one in connections.open.values() {
            one.has_asked.store(true, Ordering::Relaxed);
        }
        assert!(connections.add(3).is_none());
        assert!(connections.add(4).is_some());
    }

    #[test]
    fn this_machine_has_places_of_its_own() {
        for (address, own) in
            [("127.0.0.1", true), ("::1", true), ("::ffff:127.0.0.1", true), ("10.0.0.1", false)]
        {
            assert_eq!(is_own(address.parse().expect("an address")), own, "{address}");
        }
    }
}
