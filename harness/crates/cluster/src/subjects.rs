//! Names of streams, subjects and consumers on the server.
//!
//! The workers of a token are an account of their own on the server (`server/configuration.rs`), which
//! reaches what this table says is theirs, and nothing else. TOKEN is the user name of their token.
//!
//! | subject | from, to | on |
//! |---|---|---|
//! | `tench.jobs.PROTOCOL.TOKEN.RUN` | coordinator, one of the token's workers | stream `tench_jobs_PROTOCOL`, a work queue with a consumer for each token |
//! | `tench.results.TOKEN.RUN.TASK.ATTEMPT` | worker, coordinator | stream `tench_results_TOKEN`, one message a subject |
//! | `tench.results.TOKEN.RUN.returned.KEY_NUMBER` | worker, coordinator | the same |
//! | `tench.stop.TOKEN.RUN` | coordinator, the token's workers | not stored |
//! | `tench.end.TOKEN.KEY` | who quarantines a worker, that worker | not stored |
//! | `tench.ping` | who asks, all workers | not stored |
//! | `tench.status.TOKEN.KEY` | a worker, coordinators | not stored |
//! | `tench.runs.RUN` | coordinator, the others and who asks | not stored |
//! | `tench.quarantine.KEY` | who decides, coordinators | stream `tench_quarantine`, the last of each |
//! | `tench.files.SECRET.HASH.NUMBER` | coordinator, workers that know the secret | stream `tench_files_SECRET`, one for a run |
//! | `tench.pull.STREAM.TOKEN`, `tench.lease.STREAM.TOKEN` | a worker, the server | the token's consumer of jobs |
//! | `tench.file.STREAM.SUBJECT` | a worker, the server | the last message of that subject |
//!
//! The last two lines are the server's `$JS.API.CONSUMER.MSG.NEXT`, `$JS.API.CONSUMER.INFO` and
//! `$JS.API.DIRECT.GET` under names of the worker's account.

use super::message::PROTOCOL;

/// Beginning of the names of the streams of results.
pub const RESULTS_PREFIX: &str = "tench_results_";
/// Beginning of the names of the streams of files.
pub const FILES_PREFIX: &str = "tench_files_";
/// The stream of quarantined workers.
pub const QUARANTINE: &str = "tench_quarantine";
/// A worker that gets this answers with its status.
pub const PING: &str = "tench.ping";
/// The status of all workers.
pub const ALL_STATUS: &str = "tench.status.*.*";
/// The status of all runs.
pub const ALL_RUNS: &str = "tench.runs.*";

/// The stream of jobs.
pub fn jobs_stream() -> String {
    format!("tench_jobs_{PROTOCOL}")
}

/// The stream of the results of a token's workers.
pub fn results_stream(token: &str) -> String {
    format!("{RESULTS_PREFIX}{token}")
}

/// The stream of the files of a run.
pub fn files_stream(secret: &str) -> String {
    format!("{FILES_PREFIX}{secret}")
}

/// Jobs of a run for the workers of a token; `*` for a run: of all runs.
pub fn jobs(token: &str, run: &str) -> String {
    format!("tench.jobs.{PROTOCOL}.{token}.{run}")
}

/// Result of a task.
pub fn result(token: &str, run: &str, number: u64, attempt: u32) -> String {
    format!("tench.results.{token}.{run}.{number}.{attempt}")
}

/// A batch that a worker gives back; `number` is that of the batch's message on the stream of jobs.
pub fn returned(token: &str, run: &str, key: &str, number: u64) -> String {
    format!("tench.results.{token}.{run}.returned.{key}_{number}")
}

/// All batches of a run that the workers of a token gave back.
pub fn all_returned(token: &str, run: &str) -> String {
    format!("tench.results.{token}.{run}.returned.*")
}

/// Results of a run, and batches that were given back; `>` for a run: of all runs.
pub fn results(token: &str, run: &str) -> String {
    format!("tench.results.{token}.{run}.>")
}

/// The order to end a run.
pub fn stop(token: &str, run: &str) -> String {
    format!("tench.stop.{token}.{run}")
}

/// The order to a worker to end.
pub fn end(token: &str, key: &str) -> String {
    format!("tench.end.{token}.{key}")
}

/// Status of a run.
pub fn run(run: &str) -> String {
    format!("tench.runs.{run}")
}

/// The quarantine of a worker.
pub fn quarantine(key: &str) -> String {
    format!("tench.quarantine.{key}")
}

/// Status of a worker.
pub fn status(token: &str, key: &str) -> String {
    format!("tench.status.{token}.{key}")
}

/// A part of a file of a run.
pub fn file(secret: &str, hash: &str, number: usize) -> String {
    format!("tench.files.{secret}.{hash}.{number}")
}

/// The subjects by which a worker asks the server.
pub struct Requests {
    /// Its messages go through an account of its token.
    is_confined: bool,
}

impl Requests {
    /// Of a worker with a token; without one the server is a user's own, which has no accounts.
    pub fn new(is_confined: bool) -> Requests {
        Requests { is_confined }
    }

    /// Asks for a batch.
    pub fn pull(&self, token: &str) -> String {
        let stream = jobs_stream();
        match self.is_confined {
            true => format!("tench.pull.{stream}.{token}"),
            false => format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{token}"),
        }
    }

    /// Asks for the consumer's configuration.
    pub fn lease(&self, token: &str) -> String {
        let stream = jobs_stream();
        match self.is_confined {
            true => format!("tench.lease.{stream}.{token}"),
            false => format!("$JS.API.CONSUMER.INFO.{stream}.{token}"),
        }
    }

    /// Asks for a part of a file.
    pub fn file(&self, secret: &str, hash: &str, number: usize) -> String {
        let (stream, subject) = (files_stream(secret), file(secret, hash, number));
        match self.is_confined {
            true => format!("tench.file.{stream}.{subject}"),
            false => format!("$JS.API.DIRECT.GET.{stream}.{subject}"),
        }
    }
}
