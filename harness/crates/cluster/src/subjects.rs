//! Names of streams, subjects and consumers on the server.
//!
//! | subject | from, to | on |
//! |---|---|---|
//! | `tench.jobs.RUN` | coordinator, one of the workers | stream `tench_jobs`, a work queue |
//! | `tench.results.RUN.TASK.ATTEMPT` | worker, coordinator | stream `tench_results`, one message a subject |
//! | `tench.results.RUN.returned.KEY_NUMBER` | worker, coordinator | the same |
//! | `tench.stop.RUN` | coordinator, all workers | not stored |
//! | `tench.ping`, `tench.status.KEY` | who asks, all workers; a worker, all | not stored |
//! | `tench.runs.RUN` | coordinator, the others and who asks | not stored |
//! | `tench.quarantine.KEY` | who decides, all | stream `tench_quarantine`, the last of each |

/// The stream of jobs.
pub const JOBS: &str = "tench_jobs";
/// The stream of results.
pub const RESULTS: &str = "tench_results";
/// The stream of quarantined workers.
pub const QUARANTINE: &str = "tench_quarantine";
/// The consumer of [`JOBS`] that all workers share.
pub const WORKERS: &str = "workers";
/// A worker that gets this answers with its status.
pub const PING: &str = "tench.ping";
/// The status of all workers.
pub const ALL_STATUS: &str = "tench.status.*";
/// The status of all runs.
pub const ALL_RUNS: &str = "tench.runs.*";
/// An order to any run to end.
pub const ALL_STOPS: &str = "tench.stop.*";

/// Jobs of a run.
pub fn jobs(run: &str) -> String {
    format!("tench.jobs.{run}")
}

/// Result of a task.
pub fn result(run: &str, number: u64, attempt: u32) -> String {
    format!("tench.results.{run}.{number}.{attempt}")
}

/// A batch that a worker gives back; `number` is that of the batch's message on [`JOBS`].
pub fn returned(run: &str, key: &str, number: u64) -> String {
    format!("tench.results.{run}.returned.{key}_{number}")
}

/// All batches of a run that were given back.
pub fn all_returned(run: &str) -> String {
    format!("tench.results.{run}.returned.*")
}

/// Results of a run, and batches that were given back.
pub fn results(run: &str) -> String {
    format!("tench.results.{run}.>")
}

/// The order to end a run.
pub fn stop(run: &str) -> String {
    format!("tench.stop.{run}")
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
pub fn status(key: &str) -> String {
    format!("tench.status.{key}")
}
