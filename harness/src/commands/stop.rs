//! `harness stop`: ending a run of another process.

use std::thread;
use std::time::Duration;

use clap::Args;
use miette::miette;

use super::resume;
use super::rule::{LEVEL, level};
use super::watch::shown;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::hint::reports_command;
use crate::kinds::{self, Kind};
use crate::ledger::{Ledger, RunFacts, Status};
use crate::live::{Request, ask};
use crate::runs::games::{RuleChange, Underway};

/// Ends a running run after what is in progress.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harness stop last
  harness stop 20261121-143015-sprt --now
  harness stop 20261121-143015-sprt --futile         # only if it is futile: rejects
  harness stop last --futile=0.2 --check             # only say whether

What is finished is kept: `harness resume RUN` continues. `harness runs` lists the runs; the process
itself ends with exit status 130, as after Ctrl-C.

Who stops an SPRT because it looks bad, and continues it when it looks good, ruins its error rates. With
--futile it ends only where the probability that it still accepts, were its upper hypothesis the truth
(its conditional power), is below the level, and has its verdict then: rejected. However often one
looks, the error of the first kind does not rise, and that of the second kind is at most
beta / (1 - LEVEL) (Lan, Simon and Halperin, 1982). Exit status: 0 rejected, 3 not futile: it goes on.
`harness sprt --stop-futile` fixes the same before the first game, and --plan prints what it costs.")]
pub struct StopArgs {
    /// A run's id, the beginning of one, or `last`: the newest that is running.
    #[arg(value_name = "RUN")]
    run: String,
    /// Abandon what is in progress.
    #[arg(long)]
    now: bool,
    /// End an SPRT, running or interrupted, with its rejection, if its conditional power is below a level
    /// [default with the flag: 0.1].
    #[arg(
        long,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = LEVEL,
        value_parser = level,
        conflicts_with = "now"
    )]
    futile: Option<f64>,
    /// With --futile: say whether it is, and stop nothing.
    #[arg(long, requires = "futile")]
    check: bool,
}

/// Runs the command.
///
/// # Errors
/// When there is no such run, or it is not running.
pub fn run(args: &StopArgs, context: &Context) -> Result<Exit, Failure> {
    if let Some(level) = args.futile {
        return stop_futile(args, level, context);
    }
    // A run that was started later may have ended.
    let run = Ledger::open_to_read(&context.reports)?
        .facts_of(&args.run, |row| row.status == Status::Running && row.part_of.is_none())?;
    if run.status != Status::Running {
        return Err(Failure::Usage(miette!(
            help = format!("{} lists the runs and their states", reports_command("runs", "")),
            "run `{}` is {}, not running",
            run.id,
            run.status
        )));
    }
    request_end(&run.id, if args.now { Request::Stop } else { Request::Finish }, context)?;
    context.say(&match args.now {
        true => format!("{} ends at once", run.id),
        false => ending(&run),
    });
    Ok(Exit::Good)
}

/// What a run does that was asked to end.
fn ending(run: &RunFacts) -> String {
    let kind = Kind::by_key(&run.command).unwrap_or(&Kind::PLAIN);
    match kind.finishes_at_once {
        true => format!("{} ends; what is done is kept", run.id),
        false => format!("{} ends after the {} in progress", run.id, kind.in_progress),
    }
}

/// Asks the process of a run to end it.
fn request_end(run: &str, request: Request, context: &Context) -> Result<(), Failure> {
    let asked = ask(&context.reports, run, request);
    if asked.map_err(|error| Failure::Failed(miette!("{error}")))? {
        return Ok(());
    }
    Err(Failure::Failed(miette!(
        help = "end it with Ctrl-C in its terminal, or on its machine",
        "the process of run `{run}` cannot be reached from here"
    )))
}

/// How often a process that was asked to end is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Ends a test that is futile with its rejection.
fn stop_futile(args: &StopArgs, level: f64, context: &Context) -> Result<Exit, Failure> {
    let find = |query: &str| {
        Ledger::open_to_read(&context.reports)?
            .facts_of(query, |row| row.status != Status::Finished)
    };
    let run = find(&args.run)?;
    if run.status == Status::Finished {
        return Err(Failure::Usage(miette!("run `{}` is finished", run.id)));
    }
    if !is_futile(&run, level, context)? {
        return Ok(Exit::Undecided);
    }
    if args.check {
        return Ok(Exit::Good);
    }
    if run.status == Status::Running {
        request_end(&run.id, Request::Finish, context)?;
        context.say(&ending(&run));
        while find(&run.id)?.status == Status::Running {
            thread::sleep(LOOK);
        }
    }
    let run = find(&run.id)?;
    if run.status == Status::Finished {
        context.say(&format!("{} came to its own end", run.id));
        return Ok(Exit::Good);
    }
    // The games that were in progress count, too.
    if !is_futile(&run, level, context)? {
        context.say(&format!("{} continues it", reports_command("resume", &run.id)));
        return Ok(Exit::Undecided);
    }
    let ledger = Ledger::open_existing(&context.reports)?;
    let change = RuleChange { stop_futile: Some(level), ..RuleChange::default() };
    let resumed = resume::changed(&ledger, &run.id, &change, context)?;
    shown(context, |sink| kinds::resume(&ledger, resumed, context, sink))?;
    Ok(Exit::Good)
}

/// Whether a test is futile at a level; says its conditional power.
fn is_futile(run: &RunFacts, level: f64, context: &Context) -> Result<bool, Failure> {
    let ledger = Ledger::open_to_read(&context.reports)?;
    let test = Underway::of_run(&ledger, run).or_usage()?;
    let is_futile = test.is_futile(level).or_usage()?;
    let word = if is_futile { "futile" } else { "not futile" };
    context.say(&format!(
        "{}: {word} at {level}: after {} games of at most {} it would accept with {:.1} % if elo1 were the \
         truth",
        run.id,
        test.pairs.games(),
        2 * test.max,
        100.0 * test.conditional_power()
    ));
    Ok(is_futile)
}
