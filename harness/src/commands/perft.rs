//! `harness perft`: the linked engine's move generator against known counts.

use std::num::NonZeroUsize;
use std::thread;

use clap::Args;
use thiserror::Error;

use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::report::{bar, perft_text};
use crate::suite::perft::PerftRun;

/// Move-generator counts: the leaves of the legal move tree against known ones.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness perft                         both built-in suites, standard chess and Chess960
  harness perft perft960 --max-nodes 1M
  harness perft my.epd --jobs 8 --json

A line of a file is a FEN and the counts by depth: `FEN ;D1 20 ;D2 400 ;D3 8902`.

The exit status is 1 when a count differs.")]
pub struct PerftArgs {
    /// `perft`, `perft960` or a file; both built-in suites when none is given.
    #[arg(value_name = "SUITE|FILE.epd")]
    suites: Vec<String>,
    /// Leave out counts above this; k, M and G may follow the number.
    #[arg(long, value_name = "NODES", default_value = "100M", value_parser = parse_nodes)]
    max_nodes: u64,
    /// How many counts at a time; all cores when not given.
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// Runs the command.
///
/// # Errors
/// When a suite cannot be read, when there is nothing to count, or on interruption.
pub fn run(args: &PerftArgs, context: &Context) -> Result<Exit, Failure> {
    let run = PerftRun::plan(&args.suites, args.max_nodes).or_usage()?;
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let jobs = args.jobs.map_or_else(cores, NonZeroUsize::get);
    let style = "{elapsed_precise} {wide_bar} {percent:>3} %  {per_sec}  {eta} left";
    let progress = bar(run.nodes(), style, context.quiet);
    let report = run.start(jobs, &context.interrupt, &|nodes| progress.inc(nodes));
    progress.finish_and_clear();
    let report = report?;
    context.show(&report, || perft_text(&report))?;
    Ok(if report.mismatches.is_empty() { Exit::Good } else { Exit::Bad })
}

/// A text that is no number of nodes.
#[derive(Debug, PartialEq, Error)]
enum ParseNodesError {
    #[error("expected a number like 5000, 100k, 100M or 2G")]
    NoNumber,
    #[error("too many nodes")]
    TooMany,
}

/// A number of nodes like `5000`, `100k`, `100M` or `2G`.
fn parse_nodes(text: &str) -> Result<u64, ParseNodesError> {
    let units = [(['k', 'K'], 1_000), (['m', 'M'], 1_000_000), (['g', 'G'], 1_000_000_000)];
    let with_unit =
        units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (digits, factor) = with_unit.unwrap_or((text, 1));
    let number: u64 = digits.parse().map_err(|_| ParseNodesError::NoNumber)?;
    number.checked_mul(factor).ok_or(ParseNodesError::TooMany)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::{Interrupt, Session};
    use crate::hooks::Hooks;
    use std::sync::Arc;

    #[test]
    fn the_exit_status_shows_whether_all_counts_agree() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let (interrupt, _setter) = Interrupt::manual().unwrap();
        let session =
            Session { reports: "unused".into(), probe: true, quiet: true, on: None, interrupt };
        let context = Context { session, json: false, hooks: Arc::new(Hooks::default()) };
        let file = tempfile::NamedTempFile::new().unwrap();
        let suites = vec![file.path().display().to_string()];
        let args = PerftArgs { suites, max_nodes: 1_000, jobs: NonZeroUsize::new(2) };
        for (count, exit) in [("D2 400", Exit::Good), ("D2 401", Exit::Bad)] {
            std::fs::write(file.path(), format!("{START} ;D1 20 ;{count} ;D6 119060324")).unwrap();
            assert_eq!(run(&args, &context).unwrap(), exit, "{count}");
        }
    }

    #[test]
    fn nodes_are_read_with_their_unit() {
        assert_eq!(parse_nodes("5000"), Ok(5_000));
        assert_eq!(parse_nodes("100M"), Ok(100_000_000));
        for bad in ["", "M", "1T", "-1", "1.5M", "é", "99999999999999999999", "99999999999G"] {
            assert!(parse_nodes(bad).is_err(), "{bad}");
        }
    }
}
