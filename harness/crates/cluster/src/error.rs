//! Errors of distributed runs.

use miette::Diagnostic;
use thiserror::Error;

use super::manifest::WrongBench;
use super::token::ParseTokenError;
use harness_base::failure::Failure;
use harness_base::hint::reports_command;
use harness_player::BuildError;

/// Why something could not be done with a server or worker.
#[derive(Debug, Error, Diagnostic)]
pub enum ClusterError {
    /// No server answers.
    #[error("no NATS server answers at {url}: {reason}")]
    #[diagnostic(help("`harness serve` starts one; is a firewall between here and there?"))]
    NoServer {
        /// Its address.
        url: String,
        /// The cause.
        reason: String,
    },
    /// The server does not let this user in.
    #[error("the server at {url} refuses the token")]
    #[diagnostic(help("`harness serve` prints the tokens; one of a coordinator starts runs"))]
    Refused {
        /// Its address.
        url: String,
    },
    /// No token where one is needed.
    #[error("there is no token for {url}")]
    #[diagnostic(help(
        "set TENCH_TOKEN to the coordinator's token that `harness serve` printed; on the server's \
         own machine it is found without"
    ))]
    NoToken {
        /// Its address.
        url: String,
    },
    /// An address of a file, and a token that its server need not prove anything for.
    #[error(
        "harness.yaml names {url}, and the token has no fingerprint of the server's certificate: it \
         would be sent to whoever answers there"
    )]
    #[diagnostic(help("say `--on {url}` yourself, or `--on here`"))]
    Unproven {
        /// Address of the server.
        url: String,
    },
    /// A worker's token where a run is to be started.
    #[error("the token for {url} is a worker's: it plays games, and starts no runs")]
    #[diagnostic(help("set TENCH_TOKEN to the coordinator's token that `harness serve` printed"))]
    WorkersToken {
        /// Address of the server.
        url: String,
    },
    /// The coordinator's token where games are to be played.
    #[error(
        "the token for {url} is the coordinator's: it starts runs, whose jobs workers get by tokens of their own"
    )]
    #[diagnostic(help(
        "say `-t worker1...`, which `harness serve` printed; `harness serve --new-token` makes another one"
    ))]
    CoordinatorsToken {
        /// Address of the server.
        url: String,
    },
    /// Another server than that of the token.
    #[error(
        "the server at {url} is not the one that the token is of: its certificate is another one"
    )]
    #[diagnostic(help(
        "was it set up again? `harness serve` prints the tokens of now; if not, who is it that answers there?"
    ))]
    OtherServer {
        /// Its address.
        url: String,
    },
    /// A text that is no token.
    #[error(transparent)]
    Token(#[from] ParseTokenError),
    /// A request to the server failed.
    #[error("the NATS server cannot {what}: {reason}")]
    #[diagnostic(help("its log says more; what was finished is kept"))]
    Request {
        /// The request.
        what: &'static str,
        /// Its answer.
        reason: String,
    },
    /// The server's disk has no room for the results of a token's workers.
    #[error("the NATS server has no room for results of the workers with the token of {token}")]
    #[diagnostic(help(
        "`harness serve --disk SIZE` gives it more; `harness serve --revoke` ends tokens that are not used"
    ))]
    NoRoom {
        /// User name of the token.
        token: String,
    },
    /// A file of the worker or the server.
    #[error("cannot {what} {path}: {source}")]
    File {
        /// The action that failed.
        what: &'static str,
        /// The file.
        path: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// `nats-server` is not installed, or does not start.
    #[error("cannot start nats-server: {reason}")]
    #[diagnostic(help(
        "install it (Debian: `apt install nats-server`; or from nats.io), or say --nats-server FILE"
    ))]
    NoNatsServer {
        /// The cause.
        reason: String,
    },
    /// `nats-server` ended as it started.
    #[error("nats-server has ended ({reason})")]
    #[diagnostic(help(
        "--host wants an address of this machine, and --port one that no other program listens at; nats.log in the server's \
         folder has more"
    ))]
    ServerEnded {
        /// Its status, and the last line of its log.
        reason: String,
    },
    /// A worker cannot play a run.
    #[error("worker {worker} cannot play: {reason}")]
    #[diagnostic(help(
        "`harness workers` shows the workers; finished games are kept, and {} continues",
        reports_command("resume", "last")
    ))]
    CannotPlay {
        /// Its name.
        worker: String,
        /// Its reason.
        reason: String,
    },
    /// A server that runs already.
    #[error("`harness serve` runs already with the state in {folder}")]
    #[diagnostic(help("--new-token and --revoke change its tokens while it runs"))]
    AlreadyServing {
        /// Folder of its state.
        folder: String,
    },
    /// A token that does not exist.
    #[error("there is no token worker{number}; valid are {valid}")]
    #[diagnostic(help("`harness serve --revoke NUMBER`: 3 revokes worker3's"))]
    NoSuchToken {
        /// The number that was asked for.
        number: usize,
        /// The tokens that workers may use.
        valid: String,
    },
    /// A worker was quarantined while a run was played to which it has contributed.
    #[error("worker {worker} was quarantined")]
    #[diagnostic(help("{} plays its pairs again, by others", reports_command("resume", "last")))]
    Quarantined {
        /// Its name, and its public key.
        worker: String,
    },
    /// An engine that a worker cannot build.
    #[error("cannot build {engine}: {reason}")]
    NotBuilt {
        /// Its name.
        engine: String,
        /// The cause.
        reason: String,
    },
    /// The sources of a revision cannot be sent.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NoSources(#[from] BuildError),
    /// A bench that does not end well on a worker.
    #[error("cannot check the bench of {engine}: {reason}")]
    NoBench {
        /// Name of the engine.
        engine: String,
        /// The cause.
        reason: String,
    },
    /// The bench of an engine has another number of nodes than at the coordinator's.
    #[error("{0}")]
    WrongBench(WrongBench),
    /// The run or the worker ended while an engine was built.
    #[error("interrupted")]
    Interrupted,
    /// A run with something that only one machine can have.
    #[error("{what} works on this machine only")]
    #[diagnostic(help(
        "`harness docs many-machines` says what workers play; run this without --on"
    ))]
    OnlyHere {
        /// Its name.
        what: &'static str,
    },
}

impl ClusterError {
    /// The error of a request.
    pub(super) fn request(what: &'static str, reason: impl std::fmt::Display) -> ClusterError {
        ClusterError::Request { what, reason: reason.to_string() }
    }

    /// The error of a file.
    pub fn file(
        what: &'static str,
        path: &std::path::Path,
        source: std::io::Error,
    ) -> ClusterError {
        ClusterError::File { what, path: path.display().to_string(), source }
    }
}

impl From<ClusterError> for Failure {
    fn from(error: ClusterError) -> Failure {
        match error {
            ClusterError::NoToken { .. }
            | ClusterError::Token(_)
            | ClusterError::WorkersToken { .. }
            | ClusterError::CoordinatorsToken { .. }
            | ClusterError::NoSuchToken { .. }
            | ClusterError::OnlyHere { .. } => Failure::Usage(error.into()),
            ClusterError::NoSources(BuildError::Interrupted) => {
                Failure::Interrupted("nothing was played yet".to_owned())
            }
            _ => Failure::Failed(error.into()),
        }
    }
}
