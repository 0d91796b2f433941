//! The connections of the studio: how many, and how long a request may take to arrive.
//!
//! Each connection is an open file of the process. One that sends nothing, or a byte now and then, must not
//! keep others out: the head of a request has ten seconds, a body has to make progress, what is written has
//! to be taken, and where all places are taken, the oldest connection without a token gives way to the next one, then the oldest of those who
//! only look.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use super::role::Role;
use super::timed::Timed;
use harness_base::platform;
use harness_base::sync::lock;

/// Connections at a time, if the process may open as many files.
const MAX_CONNECTIONS: usize = 512;

/// Places that only this machine's own browsers get.
const RESERVED: usize = 4;

/// Time for the head of a request, also of the next one of a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Time in which a client has to take something of what is written to it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// Wait after the system has refused to accept a connection, as when no file can be opened.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Role that the requests of a connection were admitted in, if one was.
#[derive(Clone, Debug, Default)]
pub struct Standing(Arc<AtomicU8>);

impl Standing {
    /// Notes that a request was admitted.
    pub fn admit(&self, role: Role) {
        let standing = match role {
            Role::View => 1,
            Role::Control => CONTROL,
        };
        self.0.fetch_max(standing, Ordering::Relaxed);
    }

    fn get(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The standing of a connection that controls: it gives way to none.
const CONTROL: u8 = 2;

/// A connection that is open.
struct Open {
    standing: Standing,
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
    fn add(&mut self, most: usize) -> Option<(u64, Standing, Arc<Notify>)> {
        if self.open.len() >= most {
            let weaker = self.open.iter().filter(|(_, one)| one.standing.get() < CONTROL);
            let (&number, _) = weaker.min_by_key(|(number, one)| (one.standing.get(), **number))?;
            if let Some(oldest) = self.open.remove(&number) {
                oldest.end.notify_one();
            }
        }
        let number = self.next;
        self.next += 1;
        let (standing, end) = (Standing::default(), Arc::new(Notify::new()));
        self.open.insert(number, Open { standing: standing.clone(), end: Arc::clone(&end) });
        Some((number, standing, end))
    }
}

/// Places for connections of others than this machine: a part of the files that the process may open.
fn places() -> usize {
    let files = platform::max_open_files().and_then(|most| usize::try_from(most).ok());
    files.map_or(MAX_CONNECTIONS, |files| (files / 2).clamp(8, MAX_CONNECTIONS))
}

/// Answers the requests of all connections; does not return.
pub async fn serve(listener: TcpListener, routes: Router) {
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
        let Some((number, standing, end)) = added else {
            tracing::debug!("a connection of {peer} is closed: there are too many");
            continue;
        };
        let (connections, routes) = (Arc::clone(&connections), routes.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = answer(stream, routes, standing) => {}
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
async fn answer(stream: TcpStream, routes: Router, standing: Standing) {
    // A move is a small packet, which must not wait for the next one.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!("{error}");
    }
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(standing.clone());
        routes.call(request)
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(Timed::new(stream, WRITE_TIMEOUT)), service)
        .await;
    if let Err(error) = served {
        tracing::debug!("a connection has ended: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_no_token_gives_way_then_who_only_looks() {
        let mut connections = Connections::default();
        let standings = [(); 3].map(|()| connections.add(3).expect("there is room").1);
        standings[0].admit(Role::View);
        standings[1].admit(Role::Control);
        let (fourth, standing, _) = connections.add(3).expect("the third gives way");
        assert_eq!(connections.open.keys().copied().collect::<Vec<_>>(), [0, 1, fourth]);
        standing.admit(Role::View);
        let (fifth, standing, _) = connections.add(3).expect("the first gives way");
        assert_eq!(connections.open.keys().copied().collect::<Vec<_>>(), [1, fourth, fifth]);
        standing.admit(Role::Control);
        let (last, standing, _) = connections.add(3).expect("who looks gives way");
        assert_eq!(connections.open.keys().copied().collect::<Vec<_>>(), [1, fifth, last]);
        standing.admit(Role::Control);
        standing.admit(Role::View);
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
