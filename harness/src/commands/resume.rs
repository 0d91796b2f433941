//! `harness resume`: resumes a run that ended early.

use clap::Args;

use super::watch::shown;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::kinds;
use crate::ledger::Ledger;

/// Goes on with a run that was interrupted or killed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness resume last
  harness resume 20261121-143015-sprt

What is finished is kept and not done again; the plan is the one the run was started with. It
prints, and exits, as the resumed command would have. `harness runs` lists the runs.")]
pub struct ResumeArgs {
    /// A run's id, the beginning of one, or `last`.
    #[arg(value_name = "RUN")]
    run: String,
}

/// Runs the command.
///
/// # Errors
/// When there is no such run, it is finished or running, and as the resumed command.
pub fn run(args: &ResumeArgs, context: &Context) -> Result<Exit, Failure> {
    let ledger = Ledger::open_existing(&context.reports)?;
    let resumed = ledger.resume_run(&args.run)?;
    shown(context, |sink| kinds::resume(&ledger, resumed, context, sink))
}
