//! `harness resume`: resumes a run that ended early.

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::choice::choice;
use super::rule::{LEVEL, level};
use super::watch::shown;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::kinds;
use crate::ledger::{Ledger, Resumed};
use crate::runs::games::{RuleChange, change_rule};
use crate::stats::Shape;

/// Goes on with a run that was interrupted or killed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness resume last
  harness resume 20261121-143015-sprt
  harness resume last --max-games 80000      # an SPRT that ended without a verdict, too
  harness resume last --bounds falling       # its rest has bounds that meet

What is finished is kept and not done again; the plan is the one the run was started with. It
prints, and exits, as the resumed command would have. `harness runs` lists the runs.

The rule of an SPRT may be changed where no error rate rises. More games leave its bounds as they are.
Other bounds are computed for the rest, from the LLR where it stands, with the error rates that the
rest had (the conditional error principle of Mueller and Schaefer, 2001); both are printed. Giving up
(--stop-futile) accepts less and never more. A decided test, and fewer games than it has, are refused.
The run stays one run with one verdict; `run.yaml` keeps the changes.")]
pub struct ResumeArgs {
    /// A run's id, the beginning of one, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
    /// Other bounds for the rest of an SPRT.
    #[arg(long, value_name = "FORM", value_parser = choice::<Shape>())]
    bounds: Option<Shape>,
    /// Another number of games of an SPRT, which may be finished without a verdict.
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u64>::new().range(1..=1_000_000_000))]
    max_games: Option<u64>,
    /// Let an SPRT reject from here on where it would accept with less than this probability even if its
    /// upper hypothesis were the truth [default with the flag: 0.1].
    #[arg(
        long,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = LEVEL,
        value_parser = level
    )]
    stop_futile: Option<f64>,
}

/// Runs the command.
///
/// # Errors
/// When there is no such run, it is finished or running, and as the resumed command.
pub fn run(args: &ResumeArgs, context: &Context) -> Result<Exit, Failure> {
    let ledger = Ledger::open_existing(&context.reports)?;
    let change = RuleChange {
        bounds: args.bounds,
        max_games: args.max_games,
        stop_futile: args.stop_futile,
    };
    let resumed = match change.is_none() {
        true => ledger.resume_run(&args.run)?,
        false => changed(&ledger, &args.run, &change, context)?,
    };
    shown(context, |sink| kinds::resume(&ledger, resumed, context, sink))
}

/// Takes up a run with another rule of its test, and says what changed.
pub(super) fn changed(
    ledger: &Ledger,
    query: &str,
    change: &RuleChange,
    context: &Context,
) -> Result<Resumed, Failure> {
    let facts = ledger.facts(query)?;
    let run = ledger.reopen_run(&facts.id)?;
    let (plan, changed) = change_rule(ledger, &run, change)?;
    let [before, after] = changed.errors;
    context.say(&format!(
        "{}: after {} pairs, {}; from there on it errs with {:.4} at elo0 and {:.4} at elo1 (before: \
         {:.4} and {:.4})",
        run.id(),
        changed.pairs,
        changed.what,
        after[0],
        after[1],
        before[0],
        before[1]
    ));
    Ok(Resumed { run, command: facts.command, plan })
}
