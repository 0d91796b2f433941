//! `nats-server` as a child process, with the configuration that runs need.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::ClusterError;
use super::certificate;
use super::link::Link;
use super::token::{Role, Token};
use crate::session::{ClusterAddress, Interrupt};
use crate::system;

/// Where packages install the server; some PATHs lack them.
const FOLDERS: [&str; 2] = ["/usr/sbin", "/usr/local/bin"];

/// How long a server may take to start.
const START: Duration = Duration::from_secs(15);

/// Wait before a server that has ended is started again.
const AGAIN: Duration = Duration::from_millis(500);

/// What a server is started with.
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
    /// The program; `None`: `nats-server` on PATH or in a system folder.
    pub program: Option<PathBuf>,
}

/// The secrets of a server, in its folder.
#[derive(Clone, Serialize, Deserialize)]
struct Secrets {
    /// Its address, as programs on this machine reach it.
    url: String,
    /// Secret of the coordinators.
    coordinator: String,
    /// Secrets of workers by number; `None`: revoked.
    workers: Vec<Option<String>>,
    /// Fingerprint of the certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
}

/// Change of the workers' tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenChange {
    /// Makes another one.
    New,
    /// Revokes that of a number.
    Revoke(usize),
}

/// A server that runs.
pub struct Server {
    setup: Setup,
    program: PathBuf,
    secrets: Secrets,
    child: Child,
}

/// The folder of the server's state unless another is named.
pub fn default_folder() -> PathBuf {
    system::state().unwrap_or_default().join("server")
}

/// The token of a server that was started on this machine, if it is at this address.
pub fn token_of_this_machine(url: &str, role: Role) -> Option<Token> {
    let secrets = Secrets::read(&default_folder()).ok()?;
    let port = |url: &str| url.rsplit_once(':').map(|(_, port)| port.to_owned());
    let is_local = ["//127.0.0.1", "//localhost"].iter().any(|host| url.contains(host));
    let same = secrets.url == url || is_local && port(url) == port(&secrets.url);
    if same { secrets.token(role) } else { None }
}

impl Secrets {
    fn new(url: String, fingerprint: Option<String>) -> Secrets {
        Secrets { url, coordinator: secret(), workers: vec![Some(secret())], fingerprint }
    }

    fn file(folder: &Path) -> PathBuf {
        folder.join("tokens.json")
    }

    fn read(folder: &Path) -> io::Result<Secrets> {
        serde_json::from_slice(&fs::read(Secrets::file(folder))?).map_err(io::Error::other)
    }

    fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(self).map_err(io::Error::other)?;
        write_private(&Secrets::file(folder), &text)
    }

    /// The token of a role; of workers the newest.
    fn token(&self, role: Role) -> Option<Token> {
        let (user, secret) = match role {
            Role::Coordinator => ("coordinator".to_owned(), Some(self.coordinator.clone())),
            Role::Worker => {
                let newest = self.workers.iter().rposition(Option::is_some)?;
                (format!("worker{}", newest + 1), self.workers[newest].clone())
            }
        };
        Some(Token { user, secret: secret?, fingerprint: self.fingerprint.clone() })
    }
}

fn secret() -> String {
    format!("{:032x}", rand::rng().random::<u128>())
}

/// Writes a file that only its owner may read.
fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let part = path.with_extension("part");
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&part)?;
    file.write_all(content)?;
    fs::rename(part, path)
}

impl Setup {
    fn url(&self) -> String {
        let host = if self.host == "0.0.0.0" { "127.0.0.1" } else { &self.host };
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
        match change {
            Some(TokenChange::New) => secrets.workers.push(Some(secret())),
            Some(TokenChange::Revoke(number)) => {
                if let Some(worker) =
                    number.checked_sub(1).and_then(|at| secrets.workers.get_mut(at))
                {
                    *worker = None;
                }
            }
            None => {}
        }
        secrets.write(&self.folder).map_err(failed)?;
        let configuration = self.folder.join("nats.conf");
        let text = self.configuration(&secrets);
        write_private(&configuration, text.as_bytes())
            .map_err(|source| ClusterError::file("write", &configuration, source))?;
        Ok(secrets)
    }

    /// The server's configuration. Workers may pull jobs, publish results, and read objects whose
    /// bucket they know; they may not list streams, make or change them, or read each other's
    /// results.
    fn configuration(&self, secrets: &Secrets) -> String {
        let Setup { folder, host, port, .. } = self;
        let folder = folder.display();
        let mut text = format!(
            "# Written by `harness serve`; changes are lost.\n\
             host: \"{host}\"\nport: {port}\npid_file: \"{folder}/nats.pid\"\n\
             max_payload: 8MB\nmax_pending: 256MB\n\
             jetstream {{ store_dir: \"{folder}/jetstream\" }}\n"
        );
        if self.tls {
            text += &format!(
                "tls {{ cert_file: \"{folder}/certificate.pem\", key_file: \"{folder}/key.pem\" }}\n"
            );
        }
        text += &format!(
            "authorization {{\n  users: [\n    {{ user: coordinator, password: \"{}\" }}\n",
            secrets.coordinator
        );
        for (index, secret) in secrets.workers.iter().enumerate() {
            let Some(secret) = secret else { continue };
            let user = format!("worker{}", index + 1);
            text += &format!(
                "    {{ user: {user}, password: \"{secret}\", permissions: {} }}\n",
                permissions(&user)
            );
        }
        text + "  ]\n}\n"
    }
}

/// What a worker may publish and hear.
fn permissions(user: &str) -> String {
    let may_send = [
        "tench.results.>",
        "tench.status.*",
        "$JS.API.CONSUMER.INFO.tench_jobs.workers",
        "$JS.API.CONSUMER.MSG.NEXT.tench_jobs.workers",
        "$JS.ACK.tench_jobs.workers.>",
        // Objects, by the name of their bucket, which is secret.
        "$JS.API.STREAM.INFO.*",
        "$JS.API.STREAM.MSG.GET.*",
        "$JS.API.DIRECT.GET.>",
        "$JS.API.CONSUMER.CREATE.*",
        "$JS.API.CONSUMER.CREATE.*.>",
        "$JS.API.CONSUMER.DELETE.*.*",
        "$JS.FC.>",
    ];
    let ours = ["tench_jobs", "tench_results", "tench_quarantine"];
    let of_ours = ours.iter().flat_map(|stream| {
        [
            format!("$JS.API.STREAM.INFO.{stream}"),
            format!("$JS.API.STREAM.MSG.GET.{stream}"),
            format!("$JS.API.DIRECT.GET.{stream}"),
            format!("$JS.API.DIRECT.GET.{stream}.>"),
            format!("$JS.API.CONSUMER.CREATE.{stream}"),
            format!("$JS.API.CONSUMER.CREATE.{stream}.>"),
            format!("$JS.API.CONSUMER.DELETE.{stream}.*"),
        ]
    });
    let list = |subjects: Vec<String>| {
        let quoted: Vec<String> = subjects.iter().map(|it| format!("\"{it}\"")).collect();
        format!("[{}]", quoted.join(", "))
    };
    let inbox = format!("_INBOX_{user}.>");
    let may_hear =
        ["tench.ping", "tench.stop.*", "tench.quarantine.*", &inbox].map(str::to_owned).to_vec();
    format!(
        "{{ publish: {{ allow: {}, deny: {} }}, subscribe: {{ allow: {} }} }}",
        list(may_send.map(str::to_owned).to_vec()),
        list(of_ours.collect()),
        list(may_hear),
    )
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
        end_predecessor(&setup.folder);
        let secrets = setup.prepare(change)?;
        let child = spawn(&program, &setup)?;
        let mut server = Server { setup, program, secrets, child };
        let lease = server.setup.lease;
        server.wait_until_ready()?.make_streams(lease)?;
        Ok(server)
    }

    /// The address for programs on this machine.
    pub fn url(&self) -> &str {
        &self.secrets.url
    }

    /// A token; of workers the newest.
    pub fn token(&self, role: Role) -> Option<Token> {
        self.secrets.token(role)
    }

    /// The numbers of the workers' tokens that are valid.
    pub fn worker_tokens(&self) -> Vec<usize> {
        let valid = self.secrets.workers.iter().enumerate().filter(|(_, secret)| secret.is_some());
        valid.map(|(index, _)| index + 1).collect()
    }

    fn wait_until_ready(&mut self) -> Result<Link, ClusterError> {
        let begun = Instant::now();
        let token = self.secrets.token(Role::Coordinator).map(|token| token.to_string());
        let address = ClusterAddress { url: self.secrets.url.clone(), token };
        loop {
            match Link::connect(&address, "harness serve") {
                Ok(link) => return Ok(link),
                Err(error) if begun.elapsed() > START => return Err(error),
                Err(_) => {}
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                let log = fs::read_to_string(self.setup.folder.join("nats.log"));
                let log = log.unwrap_or_default();
                let last = log.lines().last().unwrap_or("it printed nothing").to_owned();
                return Err(ClusterError::NoNatsServer { reason: format!("{status}: {last}") });
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs until the user interrupts; a server that ends is started again, and `report` is told.
    ///
    /// # Errors
    /// When it cannot be started again.
    pub fn run(mut self, interrupt: &Interrupt, report: &dyn Fn(&str)) -> Result<(), ClusterError> {
        while !interrupt.is_set() {
            std::thread::sleep(Duration::from_millis(100));
            if let Ok(Some(status)) = self.child.try_wait() {
                report(&format!("nats-server has ended ({status}); it is started again"));
                std::thread::sleep(AGAIN);
                self.child = spawn(&self.program, &self.setup)?;
            }
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let id = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        let asked = id.map(|id| rustix::process::kill_process(id, rustix::process::Signal::TERM));
        if asked.is_some_and(|asked| asked.is_ok()) {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_secs(10) {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        // It ends one way or the other.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ends the server that a killed `harness serve` has left, if there is one.
fn end_predecessor(folder: &Path) {
    let Ok(text) = fs::read_to_string(folder.join("nats.pid")) else { return };
    let Some(id) = text.trim().parse().ok().and_then(rustix::process::Pid::from_raw) else {
        return;
    };
    let process = PathBuf::from(format!("/proc/{}", id.as_raw_nonzero()));
    let configuration = folder.join("nats.conf");
    let is_ours = || {
        let words = fs::read(process.join("cmdline")).unwrap_or_default();
        let mut words = words.split(|&byte| byte == 0);
        words.any(|word| word == configuration.as_os_str().as_encoded_bytes())
    };
    let begun = Instant::now();
    while is_ours() && begun.elapsed() < Duration::from_secs(10) {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
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
