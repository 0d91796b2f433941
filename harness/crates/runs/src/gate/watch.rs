//! Gates of every commit of a branch, as they come.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::run::{COMMAND, GateRequest, GateRun, Sink, read_checks};
use harness_base::config::{Config, Hook, HookEvent};
use harness_base::failure::{Failure, OrFail};
use harness_base::hooks::{Notice, PlacedHook, deliver};
use harness_base::session::Session;
use harness_ledger::{Ledger, LedgerError, Status};
use harness_outcome::gate::{GateReport, Verdict};
use harness_player::{Commit, fetch, last_commits, resolve};

/// Seconds that a hook may take: the next commit waits for it.
const HOOK_SECONDS: u16 = 600;

/// Commits of the branch that a look lists, unless more are asked for at first.
const LISTED: u32 = 1_000;

/// How long the wait for new commits sleeps before it looks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Plain description of a watch.
#[derive(Clone, Debug)]
pub struct WatchRequest {
    /// A branch, such as `main` or `origin/main`.
    pub branch: String,
    /// The base of each comparison; `None`: the one before it.
    pub against: Option<String>,
    /// The configuration of the gate.
    pub file: PathBuf,
    /// Commits up to the newest that are tested if they were not before.
    pub last: u32,
    /// Time between two looks at the branch; `None`: look once.
    pub every: Option<Duration>,
    /// Run `git fetch` before each look.
    pub fetch: bool,
    /// A shell command that gets each result as JSON.
    pub hook: Option<String>,
}

/// A commit that was tested.
#[derive(Clone, Debug, Serialize)]
pub struct Watched {
    /// The commit.
    #[serde(flatten)]
    pub commit: Commit,
    /// The verdict of its gate; failed if it does not build, undecided if its base does not.
    pub verdict: Verdict,
    /// Names of the checks that did not pass, with what they saw.
    pub problems: Vec<String>,
    /// The run of its gate; `None` if it or its base does not build.
    pub run: Option<String>,
    /// The base of the comparison.
    pub base: String,
}

/// Receiver of the results of a watch.
pub trait Listener {
    /// A commit is about to be tested.
    fn begins(&mut self, commit: &Commit);
    /// A commit was tested.
    ///
    /// # Errors
    /// When it cannot be shown.
    fn tested(&mut self, watched: &Watched) -> Result<(), Failure>;
    /// Something that is no reason to end.
    fn warns(&mut self, text: &str);
}

/// Tests the commits of a branch that were not tested before; with `every`, until the user interrupts.
///
/// # Errors
/// When there is no such branch, the configuration makes no sense, a result cannot be kept, or the
/// user interrupts.
pub fn watch(
    request: &WatchRequest,
    session: &Session,
    sink: &Sink<'_>,
    listener: &mut dyn Listener,
) -> Result<(), Failure> {
    let mut seen: Option<BTreeSet<String>> = None;
    let mut is_missing = false;
    loop {
        if request.fetch
            && let Err(reason) = fetch()
        {
            listener.warns(&format!("git fetch failed: {reason}"));
        }
        match last_commits(&request.branch, request.last.max(LISTED)) {
            Ok(commits) => {
                is_missing = false;
                let known = seen.get_or_insert_with(|| known_before(&commits, request, session));
                for commit in commits {
                    if known.insert(commit.hash.clone()) {
                        one(request, session, sink, listener, commit)?;
                    }
                }
            }
            // It was there: a branch that is made again, or renamed, comes back.
            Err(error) if seen.is_some() => {
                if !std::mem::replace(&mut is_missing, true) {
                    listener.warns(&format!("{error}; the watch goes on"));
                }
            }
            Err(error) => return Err(error).or_usage(),
        }
        let Some(every) = request.every else { return Ok(()) };
        wait(every, session)?;
    }
}

/// Commits that the first look leaves out: those whose gate is finished, and those before the last ones that are asked for.
/// `commits` are the listed ones, the newest at the end.
fn known_before(commits: &[Commit], request: &WatchRequest, session: &Session) -> BTreeSet<String> {
    let mut known = tested(session).unwrap_or_default();
    let before = commits.len().saturating_sub(request.last as usize);
    known.extend(commits[..before].iter().map(|commit| commit.hash.clone()));
    known
}

/// The part of a report that says which commit it is about.
#[derive(Deserialize)]
struct TestedCommit {
    commit: Option<String>,
}

/// Commits whose gate is finished.
fn tested(session: &Session) -> Result<BTreeSet<String>, LedgerError> {
    let ledger = Ledger::open_to_read(&session.reports)?;
    let mut commits = BTreeSet::new();
    for row in ledger.runs()? {
        if row.command == COMMAND && row.status == Status::Finished {
            let summary = ledger.facts(&row.run)?.summary;
            let read = summary.and_then(|summary| TestedCommit::deserialize(summary).ok());
            commits.extend(read.and_then(|tested| tested.commit));
        }
    }
    Ok(commits)
}

fn one(
    request: &WatchRequest,
    session: &Session,
    sink: &Sink<'_>,
    listener: &mut dyn Listener,
    commit: Commit,
) -> Result<(), Failure> {
    listener.begins(&commit);
    // A wrong configuration is wrong for every commit: nothing is built for it.
    read_checks(&request.file)?;
    let base = request.against.clone().unwrap_or_else(|| format!("{}~1", commit.hash));
    let gate = GateRequest {
        file: request.file.clone(),
        engine: commit.hash.clone(),
        base: Some(base.clone()),
    };
    let watched = match find_obstacle(request, &commit, &base, session)? {
        Some((verdict, problem)) => {
            Watched { commit, verdict, problems: vec![problem], run: None, base }
        }
        None => of_report(commit, GateRun::plan(&gate, session)?.start(session, sink)?),
    };
    listener.tested(&watched)?;
    if let Some(command) = &request.hook
        && let Err(reason) = hook(command, &watched)
    {
        listener.warns(&format!("the hook `{command}` failed: {reason}"));
    }
    Ok(())
}

/// The result of a commit that has no gate, and the reason: it does not build, or its base does not, or it is the first.
///
/// # Errors
/// When there is no base of the name that was asked for, or the user interrupts.
fn find_obstacle(
    request: &WatchRequest,
    commit: &Commit,
    base: &str,
    session: &Session,
) -> Result<Option<(Verdict, String)>, Failure> {
    let config = Config::find().or_usage()?;
    for (revision, verdict) in [(&*commit.hash, Verdict::Failed), (base, Verdict::Undecided)] {
        let Err(error) = resolve(revision, &config, session) else { continue };
        let is_of_it = error.is_failed_build()
            || error.has_no_recipe()
            || (request.against.is_none() && revision == base && error.is_no_revision());
        if !is_of_it {
            return Err(error.into());
        }
        let problem = match verdict {
            Verdict::Undecided => format!("it cannot be compared with {base}: {error}"),
            _ => error.to_string(),
        };
        return Ok(Some((verdict, problem)));
    }
    Ok(None)
}

fn of_report(commit: Commit, report: GateReport) -> Watched {
    let problems = report.checks.iter().filter(|check| check.verdict != Verdict::Passed);
    let problems = problems.map(|check| format!("{}: {}", check.name, check.detail)).collect();
    Watched { commit, verdict: report.verdict, problems, run: report.run, base: report.base }
}

/// Gives a result to a shell command, as a line of JSON on its standard input.
fn hook(command: &str, watched: &Watched) -> Result<(), String> {
    let hook = Hook { timeout: HOOK_SECONDS, ..Hook::new(command.to_owned()) };
    let run = watched.run.clone().unwrap_or_default();
    let line = format!("{}\n", json!(watched));
    let notice = Notice { event: HookEvent::Finished, run, line };
    let placed = PlacedHook { hook, folder: None };
    deliver(&placed, &notice, &|| None).map_err(|error| error.to_string())
}

fn wait(every: Duration, session: &Session) -> Result<(), Failure> {
    let until = Instant::now() + every;
    while Instant::now() < until {
        if session.interrupt.is_finishing() {
            let text = "the branch is watched no longer; every result is in the ledger";
            return Err(Failure::Interrupted(text.to_owned()));
        }
        thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}
