//! A connection to the server, for code that blocks.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_nats::connection::State;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

use super::ClusterError;
use super::lease_key::LeaseKey;
use super::message::MAX_RESULT_BYTES;
use super::server::secrets;
use super::subjects::{self, QUARANTINE, Requests};
use super::token::{Role, Token};
use harness_base::address::Credentials;
use harness_base::secret;
use harness_base::session::{ClusterAddress, NamedBy};

/// A worker that is silent for this long loses its batch to another one, unless the server is
/// started with another time.
pub const DEFAULT_LEASE: Duration = Duration::from_secs(20);

/// How long results of a run that is not resumed are kept.
const RESULT_AGE: Duration = Duration::from_secs(14 * 24 * 3600);

/// Unacknowledged batches of all workers together.
const MAX_PENDING: i64 = 1_000_000;

/// Wait before a second try at a server that has refused the token.
const RELOAD_DELAY: Duration = Duration::from_millis(500);

/// How long a server that does not answer is tried again.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);

/// It is tried so often at least: a try ends after five seconds without an answer, and packets may be lost.
const LEAST_TRIES: usize = 3;

/// Wait before it is tried again.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Unacknowledged publishes of this process.
const MAX_IN_FLIGHT: usize = 512;

/// A connection; it is made again by itself after an interruption.
pub struct Link {
    runtime: Runtime,
    /// The server.
    pub client: Client,
    /// Its streams.
    pub jetstream: Context,
    /// Wakes those who wait for an answer when the connection was made again: a server that was
    /// restarted has forgotten the question.
    pub reconnected: Arc<Notify>,
    /// How often the connection was made.
    connections: Arc<AtomicU64>,
    /// Who has connected.
    user: User,
}

/// Who has connected.
struct User {
    /// The user name of the token.
    name: String,
    /// The token's secret; empty without one.
    secret: String,
    /// The server is one of `harness serve`, whose workers have accounts of their own.
    has_token: bool,
}

/// Name in subjects of workers without a token, on a server that a user runs without `harness serve`.
const NO_TOKEN: &str = "anyone";

/// Settings of the streams that the workers of a token use.
#[derive(Clone, Copy, Debug)]
pub struct LaneSettings {
    /// A worker that is silent for this long loses its batch.
    pub lease: Duration,
    /// Bytes of results that wait on the server at most; `None`: as many as it was made with, or its disk.
    pub most_bytes: Option<u64>,
}

/// Whether the server could set aside the bytes of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// It has.
    Enough,
    /// Its disk has too little for that many.
    TooLittle,
}

impl Default for LaneSettings {
    fn default() -> LaneSettings {
        LaneSettings { lease: DEFAULT_LEASE, most_bytes: None }
    }
}

impl Link {
    /// Connects. `name` is what the server's log calls it.
    ///
    /// # Errors
    /// When no server answers, or it refuses the token.
    pub fn connect(address: &ClusterAddress, name: &str) -> Result<Link, ClusterError> {
        Link::connect_as(&access_of(address, Role::Coordinator)?, address, name)
    }

    fn connect_as(
        access: &Access,
        address: &ClusterAddress,
        name: &str,
    ) -> Result<Link, ClusterError> {
        let begun = Instant::now();
        let mut tries = 0;
        loop {
            tries += 1;
            match Link::try_connect(access, address, name) {
                Err(ClusterError::Refused { .. }) => {
                    // A server that takes over changed tokens refuses everybody for a moment.
                    std::thread::sleep(RELOAD_DELAY);
                    return Link::try_connect(access, address, name);
                }
                // `harness serve` may be starting it again.
                Err(ClusterError::NoServer { .. })
                    if tries < LEAST_TRIES || begun.elapsed() < CONNECT_TIMEOUT =>
                {
                    std::thread::sleep(RETRY_DELAY);
                }
                result => return result,
            }
        }
    }

    fn try_connect(
        access: &Access,
        address: &ClusterAddress,
        name: &str,
    ) -> Result<Link, ClusterError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| ClusterError::request("start a thread for", error))?;
        let reconnected = Arc::new(Notify::new());
        let waiting = Arc::clone(&reconnected);
        let connections = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&connections);
        let mut options = ConnectOptions::new()
            .event_callback(move |event| {
                if matches!(event, Event::Connected) {
                    counter.fetch_add(1, Ordering::Relaxed);
                    waiting.notify_waiters();
                }
                std::future::ready(())
            })
            .name(name)
            .max_reconnects(None)
            // The user has named one server: another one that it names gets no token.
            .ignore_discovered_servers()
            .require_tls(address.server.is_encrypted())
            .request_timeout(Some(Duration::from_secs(10)));
        let user = access.user();
        options = access.clone().apply(options);
        let url = address.server.to_string();
        let client =
            runtime.block_on(options.connect(url.as_str())).map_err(|error| {
                match error.kind() {
                    ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                        ClusterError::Refused { url: url.clone() }
                    }
                    _ if access.is_pinned() && is_other_certificate(&error) => {
                        ClusterError::OtherServer { url: url.clone() }
                    }
                    _ => ClusterError::NoServer { url: url.clone(), reason: error.to_string() },
                }
            })?;
        // It starts a task.
        let inside = runtime.enter();
        let jetstream = jetstream::ContextBuilder::new()
            .max_ack_inflight(MAX_IN_FLIGHT)
            .backpressure_on_inflight(true)
            .build(client.clone());
        drop(inside);
        Ok(Link { reconnected, connections, user, runtime, client, jetstream })
    }

    /// As [`of_coordinator`](Self::of_coordinator), without waiting for a server that does not answer.
    ///
    /// # Errors
    /// As [`of_coordinator`](Self::of_coordinator).
    pub fn of_coordinator_once(address: &ClusterAddress, name: &str) -> Result<Link, ClusterError> {
        Link::try_connect(&of_role(Role::Coordinator, address)?, address, name)
    }

    /// As [`connect`](Self::connect), to start runs: a worker's token does not do.
    ///
    /// # Errors
    /// As [`connect`](Self::connect), and with a worker's token.
    pub fn of_coordinator(address: &ClusterAddress, name: &str) -> Result<Link, ClusterError> {
        Link::connect_as(&of_role(Role::Coordinator, address)?, address, name)
    }

    /// As [`connect`](Self::connect), to play games: the coordinator's token does not do. Without one it is the newest of the
    /// workers of a server of this machine.
    ///
    /// # Errors
    /// As [`connect`](Self::connect), and with the coordinator's token.
    pub fn of_worker(address: &ClusterAddress, name: &str) -> Result<Link, ClusterError> {
        Link::connect_as(&of_role(Role::Worker, address)?, address, name)
    }

    /// Whether the server answers; after an interruption the connection is made again by itself.
    pub fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// How often the connection was made: more than at the last look if the server was away.
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Waits for an asynchronous value.
    pub fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// As [`wait`](Self::wait), for this long at most.
    pub fn wait_for<T>(&self, time: Duration, future: impl Future<Output = T>) -> Option<T> {
        // Timers are made within the runtime.
        self.runtime.block_on(async { tokio::time::timeout(time, future).await.ok() })
    }

    /// Starts a task in the background; it ends with the link.
    pub fn spawn<F>(&self, task: F) -> tokio::task::JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        self.runtime.spawn(task)
    }

    /// The user name of the token, as subjects have it.
    pub fn token_name(&self) -> &str {
        &self.user.name
    }

    /// The subjects by which a worker asks the server.
    pub(crate) fn requests(&self) -> Requests {
        Requests::new(self.user.has_token)
    }

    /// The key of a run's leases: coordinators with the same token have the same.
    pub(crate) fn lease_key(&self, run: &str) -> LeaseKey {
        LeaseKey::new(&self.user.secret, run)
    }

    /// Makes the streams of jobs and of quarantined workers, if they are not there. A coordinator may, a
    /// worker may not.
    ///
    /// # Errors
    /// When the server refuses, or has no JetStream.
    pub fn make_streams(&self) -> Result<(), ClusterError> {
        let jobs = Config {
            name: subjects::jobs_stream(),
            subjects: vec![subjects::jobs("*", "*")],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            max_age: RESULT_AGE,
            ..Config::default()
        };
        let quarantine = Config {
            name: QUARANTINE.to_owned(),
            subjects: vec![subjects::quarantine("*")],
            max_messages_per_subject: 1,
            storage: StorageType::File,
            ..Config::default()
        };
        self.wait(async {
            for config in [jobs, quarantine] {
                let made = self.jetstream.get_or_create_stream(config).await;
                made.map_err(|error| ClusterError::request("make the streams of jobs", error))?;
            }
            Ok(())
        })
    }

    /// Leaves the results of a token's workers no more than these bytes, if it has any.
    ///
    /// # Errors
    /// When the server refuses.
    pub fn shrink_results(&self, token: &str, most_bytes: u64) -> Result<(), ClusterError> {
        let changed = self.wait(async {
            let stream = self.jetstream.get_stream(subjects::results_stream(token)).await;
            let Ok(stream) = stream else { return Ok(()) };
            let mut config = stream.cached_info().config.clone();
            config.max_bytes = most_bytes as i64;
            self.jetstream.update_stream(config).await.map(drop)
        });
        changed.map_err(|error| ClusterError::request("shrink the streams of results", error))
    }

    /// Makes what the workers of a token use, if it is not there: their consumer of jobs, and the stream of
    /// their results, which is theirs alone, so that no other token suffers if it is full. One that is there
    /// gets the bytes that the settings name.
    ///
    /// # Errors
    /// As [`make_streams`](Self::make_streams), which comes first.
    pub fn make_lane(&self, token: &str, settings: &LaneSettings) -> Result<Room, ClusterError> {
        let failed = |error: String| ClusterError::request("make the streams of results", error);
        let consumer = pull::Config {
            durable_name: Some(token.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: settings.lease,
            max_ack_pending: MAX_PENDING,
            max_waiting: MAX_PENDING,
            filter_subject: subjects::jobs(token, "*"),
            ..pull::Config::default()
        };
        let results = Config {
            name: subjects::results_stream(token),
            subjects: vec![subjects::results(token, "*")],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            storage: StorageType::File,
            max_age: RESULT_AGE,
            max_message_size: MAX_RESULT_BYTES as i32,
            max_bytes: settings.most_bytes.map_or(-1, |bytes| bytes as i64),
            ..Config::default()
        };
        self.wait(async {
            let jobs = self.jetstream.get_stream(subjects::jobs_stream()).await;
            let jobs = jobs.map_err(|error| failed(error.to_string()))?;
            let made = jobs.get_or_create_consumer(token, consumer).await;
            made.map_err(|error| failed(error.to_string()))?;
            let made = match settings.most_bytes {
                Some(_) => self.jetstream.create_or_update_stream(results).await.map(drop),
                None => self.jetstream.get_or_create_stream(results).await.map(drop),
            };
            match made {
                Ok(()) => Ok(Room::Enough),
                Err(error) if has_no_room(&error) => Ok(Room::TooLittle),
                Err(error) => Err(failed(error.to_string())),
            }
        })
    }
}

/// Whether a server refuses a stream for the bytes that it sets aside.
fn has_no_room(error: &CreateStreamError) -> bool {
    let of_space = [ErrorCode::STORAGE_RESOURCES_EXCEEDED, ErrorCode::ACCOUNT_RESOURCES_EXCEEDED];
    matches!(error.kind(), CreateStreamErrorKind::JetStream(it) if of_space.contains(&it.error_code()))
}

impl Drop for Link {
    fn drop(&mut self) {
        // What was published without waiting for an answer leaves the process.
        let _ = self.wait_for(Duration::from_secs(1), self.client.flush());
    }
}

/// Credentials for a server.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Access {
    /// A token of `harness serve`.
    Token(Token),
    /// Access to a server of others.
    Foreign(Credentials),
}

impl Access {
    /// Who connects with it.
    fn user(&self) -> User {
        match self {
            Access::Token(token) => {
                User { name: token.user.clone(), secret: token.secret.clone(), has_token: true }
            }
            Access::Foreign(credentials) => {
                let key = match credentials {
                    Credentials::Token(key) | Credentials::User(_, key) => key,
                };
                let secret = key.secret().to_owned();
                User { name: NO_TOKEN.to_owned(), secret, has_token: false }
            }
        }
    }

    /// Whether it is a token that names the certificate of its server.
    fn is_pinned(&self) -> bool {
        matches!(self, Access::Token(token) if token.fingerprint.is_some())
    }

    fn apply(self, options: ConnectOptions) -> ConnectOptions {
        match self {
            Access::Token(token) => {
                // A worker hears the answers to its own requests only.
                let inbox = format!("_INBOX_{}", token.user);
                let options = options.user_and_password(token.user, token.secret);
                let options = options.custom_inbox_prefix(inbox);
                match token.fingerprint {
                    Some(fingerprint) => options
                        .require_tls(true)
                        .tls_client_config(super::certificate::trusting(&fingerprint)),
                    None => options,
                }
            }
            Access::Foreign(Credentials::Token(key)) => options.token(key.secret().to_owned()),
            Access::Foreign(Credentials::User(user, password)) => {
                options.user_and_password(user, password.secret().to_owned())
            }
        }
    }
}

/// Whether a server was there whose certificate is not the one of the token.
fn is_other_certificate(error: &async_nats::ConnectError) -> bool {
    error.to_string().contains("invalid peer certificate")
}

/// The access to the server at an address, of which a token is of this role.
fn of_role(role: Role, address: &ClusterAddress) -> Result<Access, ClusterError> {
    let access = access_of(address, role)?;
    let url = address.server.to_string();
    match &access {
        Access::Token(token) if token.role() != role => Err(match role {
            Role::Coordinator => ClusterError::WorkersToken { url },
            Role::Worker => ClusterError::CoordinatorsToken { url },
        }),
        _ => Ok(access),
    }
}

/// What is shown to the server at an address: what the command line says, the token of the
/// environment, or that of this role of the server of this machine.
fn access_of(address: &ClusterAddress, role: Role) -> Result<Access, ClusterError> {
    let variable = std::env::var(secret::CLUSTER_TOKEN).ok();
    let of_this_machine = || secrets::token_of_this_machine(&address.server, role);
    choose_access(address, variable.as_deref(), of_this_machine)
}

fn choose_access(
    address: &ClusterAddress,
    variable: Option<&str>,
    of_this_machine: impl FnOnce() -> Option<Token>,
) -> Result<Access, ClusterError> {
    let url = || address.server.to_string();
    if let Some(credentials) = &address.credentials {
        return Ok(match credentials {
            Credentials::Token(key) => match key.secret().parse() {
                Ok(token) => Access::Token(token),
                Err(_) => Access::Foreign(credentials.clone()),
            },
            // A token in the form of an address.
            Credentials::User(user, password) => {
                match format!("{user}.{}", password.secret()).parse() {
                    Ok(token) => Access::Token(token),
                    Err(_) => Access::Foreign(credentials.clone()),
                }
            }
        });
    }
    let Some(text) = variable else {
        let own = of_this_machine().map(Access::Token);
        return own.ok_or_else(|| ClusterError::NoToken { url: url() });
    };
    let token: Token = text.parse()?;
    // With a fingerprint the server has to prove who it is before it is sent anything.
    let is_proven = token.fingerprint.is_some() || address.server.is_this_machine();
    if address.named_by == NamedBy::File && !is_proven {
        return Err(ClusterError::Unproven { url: url() });
    }
    Ok(Access::Token(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "coordinator.0123456789abcdef0123456789abcdef";

    fn address(text: &str, named_by: NamedBy) -> ClusterAddress {
        let given: harness_base::address::GivenAddress = text.parse().expect(text);
        ClusterAddress { named_by, ..given.into() }
    }

    #[test]
    fn a_file_does_not_decide_who_gets_a_token() {
        let proven = format!("{PLAIN}.{}", "ab".repeat(32));
        for (at, named_by, token, is_sent) in [
            ("evil.example.org", NamedBy::File, PLAIN, false),
            ("evil.example.org:4222", NamedBy::File, &proven, true),
            ("evil.example.org", NamedBy::User, PLAIN, true),
            ("127.0.0.1", NamedBy::File, PLAIN, true),
            ("127.0.0.1.example.org", NamedBy::File, PLAIN, false),
        ] {
            let access = choose_access(&address(at, named_by), Some(token), || None);
            assert_eq!(access.is_ok(), is_sent, "{at} {named_by:?}");
        }
    }

    #[test]
    fn what_the_command_line_says_comes_before_the_environment_and_this_machine() {
        let own = || -> Option<Token> { PLAIN.replace('0', "9").parse().ok() };
        let variable: Token = PLAIN.parse().expect("a token");
        let chosen = |at: &str, variable: Option<&str>| {
            choose_access(&address(at, NamedBy::User), variable, own).expect(at)
        };
        assert_eq!(chosen("box", Some(PLAIN)), Access::Token(variable.clone()));
        assert_eq!(Some(chosen("box", None)), own().map(Access::Token));
        let of_address = chosen(&format!("{PLAIN}@box"), None);
        assert_eq!(of_address, Access::Token(variable));
        // The user and the password of an address may be a token, too.
        let (user, secret) = PLAIN.split_once('.').expect("two parts");
        let in_two = chosen(&format!("nats://{user}:{secret}@box"), None);
        assert_eq!(in_two, Access::Token(PLAIN.parse().expect("a token")));
        let foreign = chosen("nats://me:hush@box", Some(PLAIN));
        assert!(matches!(&foreign, Access::Foreign(Credentials::User(me, _)) if me == "me"));
        assert!(!format!("{foreign:?}").contains("hush"));
        assert!(matches!(chosen("hush@box", None), Access::Foreign(Credentials::Token(_))));
        let none = choose_access(&address("box", NamedBy::User), None, || None);
        assert!(matches!(none, Err(ClusterError::NoToken { .. })));
    }
}
