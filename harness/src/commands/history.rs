//! `harness history`: what was measured of each commit.

use std::path::PathBuf;

use clap::Args;

use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::files::{try_to_write, write_file};
use crate::kinds::history::history;
use crate::report::history::history_text;
use crate::report::html::history_page;
use crate::report::strength::strength_text;
use crate::runs::strength::strength;

/// What was measured of each commit: bench, speed, suites and Elo, with charts.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness history                          # a table, and reports/history.html with charts
  harness history --json | jq '.commits[] | [.commit, .bench]'
  harness history --elo                    # strength over commits and tags, as one curve
  harness history --elo --since v0.1       # what each commit gained since a release

It knows what the ledger knows: gates, and suites, matches and SPRTs of git revisions (`harness
suite wac HEAD`), bisections too. Of a suite the newest result with a limit is shown. Games against the
same commit with the same limit, options, book and variant are counted together; those at fixed nodes or
depth that were played again from the same openings are counted once, since their moves are the same.
Other matches have rows of their own. Games of runs that are not finished count, too, and their number is
beside the games; a part of a suite or a gate does not. A commit that nothing was measured of is left out.

With --elo all matches and SPRTs of the ledger give one curve: a joint model of commits, other engines and
limits, with 95 % intervals and without the bias of tests that stopped. Commits that no game connects are
said to be apart, not chained. `harness docs ratings` has the model, its sources, and when not to use it.")]
pub struct HistoryArgs {
    /// The newest commit to show.
    #[arg(value_name = "REV", default_value = "HEAD")]
    revision: String,
    /// Most commits to look back.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    commits: u32,
    /// Strength over commits and tags as one curve, from all games of the ledger together.
    #[arg(long)]
    elo: bool,
    /// With --elo: the revision that strengths are relative to [default: the oldest one with games].
    #[arg(long, value_name = "REV", requires = "elo")]
    since: Option<String>,
    /// Where the page goes [default: history.html in the reports folder].
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When the current folder is in no repository, the ledger cannot be read, or with --elo no games connect
/// the commits.
pub fn run(args: &HistoryArgs, context: &Context) -> Result<Exit, Failure> {
    args.output.as_deref().map(try_to_write).transpose()?;
    let history = history(&context.reports, &args.revision, args.commits)?;
    let since = args.since.as_deref();
    let curve = strength(&context.reports, &args.revision, args.commits, since);
    let curve = if args.elo { Some(curve?) } else { curve.ok() };
    let page = args.output.clone().unwrap_or_else(|| context.reports.join("history.html"));
    let help = "name a file that can be written with `-o FILE.html`";
    write_file(&page, history_page(&history, curve.as_ref()).file(), Some(help))?;
    if let Some(curve) = curve.filter(|_| args.elo) {
        let chart = format!("Chart: {}\n", page.display());
        return context.show(&curve, || strength_text(&curve) + &chart);
    }
    context.show(&history, || match history.commits.is_empty() {
        true => {
            "Nothing was measured of any commit yet. `harness gate` measures HEAD, and so does\n\
                 `harness suite wac HEAD`.\n"
                .to_owned()
        }
        false => format!("{}Charts: {}\n", history_text(&history), page.display()),
    })
}
