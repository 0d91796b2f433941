//! `nats-server` as a child process, with the configuration that runs need.

mod configuration;
pub(super) mod secrets;

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use self::configuration::accounts_for;
use self::secrets::Secrets;
pub use self::secrets::{TokenChange, Tokens, default_folder};
use super::ClusterError;
use super::certificate;
use super::link::{LaneSettings, Link, Room};
use super::token::Role;
use harness_base::files::write_private;
use harness_base::platform;
use harness_base::session::{ClusterAddress, Interrupt};
use harness_base::system;

/// Where packages install the server; some PATHs lack them.
const FOLDERS: [&str; 2] = ["/usr/sbin", "/usr/local/bin"];

/// How long a server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(15);

/// Results of the workers of one token that wait on the server, at most, in bytes: what one of them may
/// fill its disk with.
const MAX_RESULT_BYTES_STORED: u64 = 1 << 30;

/// Least such bytes on a server with little space.
const LEAST_RESULT_BYTES: u64 = 1 << 20;

/// How often the server's log is looked at.
const POLL_INTERVAL: Duration = Duration::from_secs(3);

/// Wait before a server that has ended is started again.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Settings of a server.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Folder of its state: configuration, tokens, streams.
    pub folder: PathBuf,
    /// Address to listen at.
    pub host: String,
    /// Port to listen at.
    pub port: u16,
    /// Encrypt connections.
    pub tls: bool,
    /// A worker that is silent for this long loses its batch to another one.
    pub lease: Duration,
    /// Most bytes of jobs, results and engines on its disk; `None`: three quarters of what is free.
    pub disk: Option<u64>,
    /// The program; `None`: `nats-server` on PATH or in a system folder.
    pub program: Option<PathBuf>,
}

/// A server that runs.
pub struct Server {
    setup: Setup,
    program: PathBuf,
    secrets: Secrets,
    child: Child,
    /// Number of the accounts of workers' tokens that it was started with.
    accounts: usize,
    /// Held as long as it runs: two servers would fight for the folder.
    _lock: File,
}

impl Setup {
    fn url(&self) -> String {
        let host = match self.host.as_str() {
            "0.0.0.0" | "::" | "[::]" => "127.0.0.1".to_owned(),
            host if host.contains(':') && !host.starts_with('[') => format!("[{host}]"),
            host => host.to_owned(),
        };
        format!("nats://{host}:{}", self.port)
    }

    /// Secrets and certificate; made if they are not there.
    fn prepare(&self, change: Option<TokenChange>) -> Result<Secrets, ClusterError> {
        let failed = |source| ClusterError::file("write", &self.folder, source);
        fs::create_dir_all(self.folder.join("jetstream")).map_err(failed)?;
        let mut secrets = match Secrets::read(&self.folder) {
            Ok(secrets) => secrets,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Secrets::new(self.url(), None),
            Err(error) => {
                return Err(ClusterError::file("read", &Secrets::file(&self.folder), error));
            }
        };
        secrets.url = self.url();
        if self.tls && secrets.fingerprint.is_none() {
            let made = certificate::make().map_err(io::Error::other).map_err(failed)?;
            let files = [("certificate.pem", &made.certificate), ("key.pem", &made.key)];
            for (name, text) in files {
                write_private(&self.folder.join(name), text.as_bytes()).map_err(failed)?;
            }
            secrets.fingerprint = Some(made.fingerprint);
        }
        if !self.tls {
            secrets.fingerprint = None;
        }
        if let Some(change) = change {
            secrets.apply(change)?;
        }
        secrets.write(&self.folder).map_err(failed)?;
        self.configure(&secrets, accounts_for(secrets.workers.len()))?;
        Ok(secrets)
    }

    /// Writes the server's configuration, with accounts for this many tokens of workers.
    fn configure(&self, secrets: &Secrets, accounts: usize) -> Result<(), ClusterError> {
        let path = self.folder.join("nats.conf");
        write_private(&path, self.configuration(secrets, accounts).as_bytes())
            .map_err(|source| ClusterError::file("write", &path, source))
    }
}

impl Server {
    /// Starts a server, and makes its streams.
    ///
    /// # Errors
    /// When `nats-server` is not there or does not start.
    pub fn start(setup: Setup, change: Option<TokenChange>) -> Result<Server, ClusterError> {
        let program = match &setup.program {
            Some(program) => program.clone(),
            None => system::program("nats-server", &FOLDERS).ok_or_else(|| {
                ClusterError::NoNatsServer {
                    reason: "it is not on PATH, nor in /usr/sbin".to_owned(),
                }
            })?,
        };
        let lock = lock(&setup.folder)?.ok_or_else(|| ClusterError::AlreadyServing {
            folder: setup.folder.display().to_string(),
        })?;
        end_predecessor(&setup.folder);
        let secrets = setup.prepare(change)?;
        let child = spawn(&program, &setup)?;
        let accounts = accounts_for(secrets.workers.len());
        let mut server = Server { setup, program, secrets, child, accounts, _lock: lock };
        server.make_streams()?;
        Ok(server)
    }

    /// Waits until it answers, and makes the streams that it lacks. While it takes over a configuration it
    /// refuses some, as if an account had none.
    fn make_streams(&mut self) -> Result<(), ClusterError> {
        let begun = Instant::now();
        loop {
            let made = self.wait_until_ready().and_then(|link| self.make_lanes(&link));
            match made {
                Ok(()) | Err(ClusterError::NoRoom { .. } | ClusterError::ServerEnded { .. }) => {
                    return made;
                }
                Err(error) if begun.elapsed() <= START_TIMEOUT => {
                    tracing::debug!("{error}");
                    std::thread::sleep(RETRY_DELAY);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes the streams of jobs, and those of each token that is not revoked. All have as many bytes: where
    /// the disk has too little for another one, each gets half.
    fn make_lanes(&self, link: &Link) -> Result<(), ClusterError> {
        let Setup { lease, disk, .. } = self.setup;
        link.make_streams()?;
        let name = |at: usize| format!("worker{}", at + 1);
        let workers = self.secrets.workers.iter().enumerate();
        let (used, revoked): (Vec<_>, Vec<_>) = workers.partition(|(_, secret)| secret.is_some());
        for (at, _) in revoked {
            link.shrink_results(&name(at), LEAST_RESULT_BYTES)?;
        }
        let tokens: Vec<String> = used.into_iter().map(|(at, _)| name(at)).collect();
        let mut most = result_bytes(disk, tokens.len());
        loop {
            let settings = LaneSettings { lease, most_bytes: Some(most) };
            let mut full = None;
            for token in &tokens {
                if link.make_lane(token, &settings)? == Room::TooLittle {
                    full = Some(token);
                }
            }
            match full {
                None => return Ok(()),
                Some(_) if most > LEAST_RESULT_BYTES => most /= 2,
                Some(token) => return Err(ClusterError::NoRoom { token: token.clone() }),
            }
        }
    }

    /// Its tokens.
    pub fn tokens(&self) -> Tokens {
        self.secrets.tokens()
    }

    fn wait_until_ready(&mut self) -> Result<Link, ClusterError> {
        let begun = Instant::now();
        let url = &self.secrets.url;
        let server = url.parse().map_err(|error| ClusterError::request("listen at", error))?;
        let token = self.secrets.token(Role::Coordinator).map(|token| token.to_string());
        let address = ClusterAddress::with_token(server, &token.unwrap_or_default());
        loop {
            // One that cannot listen ends soon.
            std::thread::sleep(Duration::from_millis(50));
            if let Ok(Some(status)) = self.child.try_wait() {
                let log = fs::read_to_string(self.setup.folder.join("nats.log"));
                let log = log.unwrap_or_default();
                let last = log.lines().last().unwrap_or("it printed nothing").to_owned();
                return Err(ClusterError::ServerEnded { reason: format!("{status}: {last}") });
            }
            match Link::of_coordinator_once(&address, "harness serve") {
                Ok(link) => return Ok(link),
                Err(error) if begun.elapsed() > START_TIMEOUT => return Err(error),
                Err(_) => {}
            }
        }
    }

    /// Errors in its log, without their times.
    fn errors(&self) -> Vec<String> {
        let log = fs::read_to_string(self.setup.folder.join("nats.log")).unwrap_or_default();
        let errors = log.lines().filter_map(|line| line.split_once("[ERR] ").map(|(_, it)| it));
        errors.map(str::to_owned).collect()
    }

    /// Runs until the user interrupts; a server that ends is started again, and `report` is called.
    ///
    /// # Errors
    /// When it cannot be started again.
    pub fn run(mut self, interrupt: &Interrupt, report: &dyn Fn(&str)) -> Result<(), ClusterError> {
        let mut said = BTreeSet::new();
        let mut looked = Instant::now();
        while !interrupt.is_set() {
            std::thread::sleep(Duration::from_millis(100));
            self.follow_changes(report)?;
            if looked.elapsed() > POLL_INTERVAL {
                looked = Instant::now();
                for error in self.errors() {
                    if said.insert(error.clone()) {
                        report(&format!("nats-server: {error}"));
                    }
                }
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                report(&format!("nats-server has ended ({status}); it is started again"));
                std::thread::sleep(RETRY_DELAY);
                self.child = spawn(&self.program, &self.setup)?;
                // It may have lost its disk.
                self.make_streams()?;
            }
        }
        Ok(())
    }
}

impl Server {
    /// Takes over tokens that another process has made or revoked; who has a revoked one is
    /// disconnected. Runs of others do not end if a new one gets no streams.
    fn follow_changes(&mut self, report: &dyn Fn(&str)) -> Result<(), ClusterError> {
        // It is replaced at once, and never half written.
        let Ok(secrets) = Secrets::read(&self.setup.folder) else { return Ok(()) };
        if secrets.workers == self.secrets.workers {
            return Ok(());
        }
        self.secrets.workers = secrets.workers;
        let needed = accounts_for(self.secrets.workers.len());
        if needed > self.accounts {
            self.accounts = needed;
            self.setup.configure(&self.secrets, needed)?;
            end(&mut self.child);
            self.child = spawn(&self.program, &self.setup)?;
        } else {
            self.setup.configure(&self.secrets, self.accounts)?;
            // If it has just ended, it is started with the new configuration.
            let _ = platform::reload_process(self.child.id());
        }
        if let Err(error) = self.make_streams() {
            report(&format!("{error}; workers with a new token wait for a coordinator"));
        }
        Ok(())
    }
}

/// Bytes of results of each token: of a disk with a limit a quarter, and all tokens together
/// half of it, so that there is room for jobs and engines.
fn result_bytes(disk: Option<u64>, tokens: usize) -> u64 {
    let most = disk.map_or(MAX_RESULT_BYTES_STORED, |disk| {
        (disk / 4).min(disk / 2 / u64::try_from(tokens.max(1)).unwrap_or(u64::MAX))
    });
    most.max(LEAST_RESULT_BYTES)
}

/// The lock of a server's folder; `None` if a server runs with it.
fn lock(folder: &Path) -> Result<Option<File>, ClusterError> {
    let path = folder.join("lock");
    let failed = |source| ClusterError::file("write", &path, source);
    fs::create_dir_all(folder).map_err(failed)?;
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(source)) => Err(failed(source)),
    }
}

/// Changes the workers' tokens of a server that runs with this folder, and gives the new ones; the
/// server follows. `None` if none runs.
///
/// # Errors
/// When the folder cannot be read or written, or there is no token to revoke.
pub fn change_tokens(folder: &Path, change: TokenChange) -> Result<Option<Tokens>, ClusterError> {
    if lock(folder)?.is_some() {
        return Ok(None);
    }
    let failed = |what, source| ClusterError::file(what, &Secrets::file(folder), source);
    let mut secrets = Secrets::read(folder).map_err(|error| failed("read", error))?;
    secrets.apply(change)?;
    secrets.write(folder).map_err(|error| failed("write", error))?;
    let tokens = secrets.tokens();
    await_token(&tokens);
    Ok(Some(tokens))
}

/// Waits until a server lets workers with a token in, so that the first that uses it is not refused. One
/// that takes longer has its own trouble, and says so where it runs.
fn await_token(tokens: &Tokens) {
    let (Some(token), Ok(server)) = (&tokens.worker, tokens.url.parse()) else { return };
    let address = ClusterAddress::with_token(server, &token.to_string());
    let begun = Instant::now();
    while begun.elapsed() < START_TIMEOUT && Link::connect(&address, "harness serve").is_err() {
        std::thread::sleep(Duration::from_millis(100));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Ends a server, which closes its files first.
fn end(child: &mut Child) {
    if platform::end_process(child.id()) {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(10) {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    // It ends one way or the other.
    let _ = child.kill();
    let _ = child.wait();
}

/// Ends the server that a killed `harness serve` has left, if there is one.
fn end_predecessor(folder: &Path) {
    let Ok(text) = fs::read_to_string(folder.join("nats.pid")) else { return };
    let Ok(process) = text.trim().parse() else { return };
    let configuration = folder.join("nats.conf");
    let is_ours = || {
        let words = platform::words_of(process);
        words.iter().any(|word| word == configuration.as_os_str().as_encoded_bytes())
    };
    let begun = Instant::now();
    while is_ours() && begun.elapsed() < Duration::from_secs(10) {
        // It may have ended meanwhile.
        let _ = platform::end_process(process);
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn spawn(program: &Path, setup: &Setup) -> Result<Child, ClusterError> {
    let failed = |reason: String| ClusterError::NoNatsServer { reason };
    let log = fs::File::create(setup.folder.join("nats.log"));
    let log = log.map_err(|error| failed(error.to_string()))?;
    let mut command = Command::new(program);
    command.arg("-c").arg(setup.folder.join("nats.conf"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    command.spawn().map_err(|error| failed(format!("{}: {error}", program.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_share_half_of_the_disk() {
        const MB: u64 = 1 << 20;
        for (disk, tokens, expected) in [
            (None, 1, MAX_RESULT_BYTES_STORED),
            (Some(4_000 * MB), 1, 1_000 * MB),
            (Some(4_000 * MB), 2, 1_000 * MB),
            (Some(4_000 * MB), 5, 400 * MB),
            (Some(3 * MB), 16, MB),
            (Some(4_000 * MB), 0, 1_000 * MB),
        ] {
            assert_eq!(result_bytes(disk, tokens), expected, "{disk:?} {tokens}");
        }
    }
}
