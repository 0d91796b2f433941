//! `harness stop`: ending a run of another process.

use clap::Args;
use miette::miette;

use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::hint::reports_command;
use crate::ledger::{Ledger, Status};
use crate::live::{Request, ask};

/// Ends a running run after the games in progress.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness stop last
  harness stop 20261121-143015-sprt --now

What is finished is kept: `harness resume RUN` continues. `harness runs` lists the runs; the process
itself ends with exit status 130, as after Ctrl-C.")]
pub struct StopArgs {
    /// A run's id, the beginning of one, or `last`: the newest that is running.
    #[arg(value_name = "RUN")]
    run: String,
    /// Abandon the games in progress.
    #[arg(long)]
    now: bool,
}

/// Runs the command.
///
/// # Errors
/// When there is no such run, or it is not running.
pub fn run(args: &StopArgs, context: &Context) -> Result<Exit, Failure> {
    // A run that was started later may have ended.
    let run = Ledger::open_to_read(&context.reports)?
        .facts_of(&args.run, |row| row.status == Status::Running)?;
    if run.status != Status::Running {
        return Err(Failure::Usage(miette!(
            help = format!("{} lists the runs and their states", reports_command("runs", "")),
            "run `{}` is {}, not running",
            run.id,
            run.status
        )));
    }
    let request = if args.now { Request::Stop } else { Request::Finish };
    let asked = ask(&context.reports, &run.id, request);
    if !asked.map_err(|error| Failure::Failed(miette!("{error}")))? {
        return Err(Failure::Failed(miette!(
            help = "end it with Ctrl-C in its terminal, or on its machine",
            "the process of run `{}` cannot be reached from here",
            run.id
        )));
    }
    context.say(&format!(
        "{} ends after {}",
        run.id,
        if args.now { "nothing more" } else { "the games in progress" }
    ));
    Ok(Exit::Good)
}
