//! `harness history`: what was measured of each commit.

use std::path::PathBuf;

use clap::Args;

use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::files::write_file;
use crate::kinds::history::history;
use crate::report::history::history_text;
use crate::report::html::history_page;

/// What was measured of each commit: bench, speed, suites and Elo, with charts.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness history                          # a table, and reports/history.html with charts
  harness history --json | jq '.commits[] | [.commit, .bench]'

It knows what the ledger knows: gates, and suites, matches and SPRTs of git revisions (`harness
suite wac HEAD`), bisections too. Of a suite the newest result with a limit is shown. Games against the
same commit with the same limit, options, book and variant are counted together; those at fixed nodes or
depth that were played again from the same openings are counted once, since their moves are the same.
Other matches have rows of their own. Games of runs that are not finished count, too, and their number is
beside the games; a part of a suite or a gate does not. A commit that nothing was measured of is left out.")]
pub struct HistoryArgs {
    /// The newest commit to show.
    #[arg(value_name = "REV", default_value = "HEAD")]
    revision: String,
    /// Most commits to look back.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    commits: u32,
    /// Where the page goes [default: history.html in the reports folder].
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// When the current folder is in no repository, or the ledger cannot be read.
pub fn run(args: &HistoryArgs, context: &Context) -> Result<Exit, Failure> {
    let history = history(&context.reports, &args.revision, args.commits)?;
    let page = args.output.clone().unwrap_or_else(|| context.reports.join("history.html"));
    let help = "name a file that can be written with `-o FILE.html`";
    write_file(&page, history_page(&history).file(), Some(help))?;
    context.show(&history, || match history.commits.is_empty() {
        true => {
            "Nothing was measured of any commit yet. `harness gate` measures HEAD, and so does\n\
                 `harness suite wac HEAD`.\n"
                .to_owned()
        }
        false => format!("{}Charts: {}\n", history_text(&history), page.display()),
    })
}
