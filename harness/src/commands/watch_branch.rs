//! `harness watch`: a gate of every commit of a branch.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::json;

use super::watch::watched;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::gate::watch::{Listener, WatchRequest, Watched, watch};
use crate::gate::{FILE_NAME, Verdict};
use crate::kinds::gate::{exit_of, show};
use crate::kinds::{RunEvent, RunSink};
use crate::player::Commit;
use crate::runs::notices::Ending;

/// Tests every commit of a branch, as it comes.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness watch main                            # each new commit against the one before it
  harness watch origin/main --fetch --every 300 # of the repository that this one was cloned from
  harness watch main --against v1.2 --last 20   # the last 20 commits first, against a release
  harness watch main --once --hook './tell-the-chat'

A commit passes the gate of `gate.yaml` (`harness gate init` writes one) or does not; one that does
not build fails. Commits whose gate is in the ledger are not tested again, so that the history is
filled in after a pause. The hook is a shell command that gets each result as a line of JSON:
`hash, subject, verdict, problems[], run, base`; the next commit waits for it, ten minutes at most.
`--on-event` takes the events of each gate, and nothing waits for it. `harness history` shows what was measured of each
commit, `harness bisect` finds the commit of a loss that no single gate could see.

Exit status with --once: 0 all passed, 1 some failed, 3 some undecided; without: 130 after Ctrl-C.")]
pub struct WatchArgs {
    /// The branch.
    #[arg(value_name = "BRANCH", default_value = "HEAD")]
    branch: String,
    /// What commits are compared with [default: the commit before].
    #[arg(long, value_name = "REV")]
    against: Option<String>,
    /// The last N commits are tested, too, if they were not before.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    last: u32,
    /// Seconds between two looks for new commits.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = RangedU64ValueParser::<u64>::new().range(1..=86_400))]
    every: u64,
    /// Run `git fetch` before each look.
    #[arg(long)]
    fetch: bool,
    /// Look once and end.
    #[arg(long, conflicts_with = "every")]
    once: bool,
    /// A shell command that gets each result as JSON.
    #[arg(long, value_name = "COMMAND")]
    hook: Option<String>,
    /// The configuration of the gate.
    #[arg(long, value_name = "FILE", default_value = FILE_NAME)]
    config: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// When there is no such branch, the configuration makes no sense, or the user interrupts.
pub fn run(args: &WatchArgs, context: &Context) -> Result<Exit, Failure> {
    let request = WatchRequest {
        branch: args.branch.clone(),
        against: args.against.clone(),
        file: args.config.clone(),
        last: args.last,
        every: (!args.once).then(|| Duration::from_secs(args.every)),
        fetch: args.fetch,
        hook: args.hook.clone(),
    };
    let mut list = Vec::new();
    let watching = |sink: &RunSink<'_>| {
        let mut shown = ResultPrinter { context, sink, list: &mut list };
        watch(&request, context, &|event| show(event, sink), &mut shown)
    };
    watched(context, watching, |()| Ending::default())?;
    if context.json {
        context.print(&format!("{}\n", json!({ "commits": list })))?;
    }
    let is = |verdict| list.iter().any(|watched: &Watched| watched.verdict == verdict);
    Ok(match (is(Verdict::Failed), is(Verdict::Undecided)) {
        (true, _) => Exit::Bad,
        (false, true) => Exit::Undecided,
        (false, false) => Exit::Good,
    })
}

/// Prints each result.
struct ResultPrinter<'a> {
    context: &'a Context,
    sink: &'a RunSink<'a>,
    list: &'a mut Vec<Watched>,
}

impl Listener for ResultPrinter<'_> {
    fn begins(&mut self, commit: &Commit) {
        self.context.say(&format!("{} {}", commit.short(), commit.subject));
    }

    fn tested(&mut self, watched: &Watched) -> Result<(), Failure> {
        if !self.context.json {
            let verdict = match watched.verdict {
                Verdict::Passed => "passed",
                Verdict::Failed => "FAILED",
                Verdict::Undecided => "undecided",
            };
            let problems: String =
                watched.problems.iter().map(|problem| format!("\n  {problem}")).collect();
            let Commit { subject, .. } = &watched.commit;
            let line = format!("{} {verdict}: {subject}{problems}\n", watched.commit.short());
            self.context.print(&line)?;
        }
        let exit = exit_of(watched.verdict);
        (self.sink)(&RunEvent::Ended { summary: &json!(watched), exit });
        self.list.push(watched.clone());
        Ok(())
    }

    fn warns(&mut self, text: &str) {
        self.context.warn(text);
    }
}
