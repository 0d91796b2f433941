//! `harness resume`: going on with a run that ended early.

use clap::Args;

use super::{gate, loop_, play, sprt, suite, tune};
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::ledger::{Ledger, Resumed};
use crate::runs::{Kind, games};

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
    let Resumed { run, command, plan } = ledger.resume_run(&args.run)?;
    let Some(kind) = Kind::from_key(&command) else {
        return Err(Failure::Usage(miette::miette!(
            help = "a newer harness may know how",
            "a run of `{command}` cannot be resumed"
        )));
    };
    match kind {
        Kind::Gate => gate::resume(&ledger, &run, plan, context),
        Kind::Loop => loop_::resume(&ledger, &run, plan, context),
        Kind::Match | Kind::Sprt => {
            let finished =
                play::watched(context, |sink| games::resume(&ledger, &run, plan, context, sink))?;
            play::print(&finished, context)?;
            Ok(sprt::exit(&finished.summary))
        }
        Kind::Suite => suite::resume(&ledger, &run, plan, context),
        Kind::Tune => tune::resume(&ledger, &run, plan, context),
    }
}
