//! What `match`, `sprt` and `resume` share: flags, progress and the printed result.

mod args;
mod watcher;

use serde_json::json;

pub use args::{DEFAULT_LIMIT, PlayArgs};
pub use watcher::watched;

use crate::arena::Format;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Failure, OrFail};
use crate::player;
use crate::report::terminal::match_text;
use crate::runs::games::{Finished, GamesRun, Request};
use crate::stats::Sprt;

/// What a command adds to the flags that are common to all.
pub struct Asked<'a> {
    /// The engines as the user wrote them.
    pub engines: &'a [String],
    /// Further names for them.
    pub roles: &'a [&'a str],
    /// Who meets whom.
    pub format: Format,
    /// Games that each two engines play at most.
    pub games: u64,
    /// The test, if there is one.
    pub sprt: Option<Sprt>,
}

/// The run that the flags ask for, with its engines found and built.
///
/// # Errors
/// When something asked for is not there or makes no sense.
pub fn plan(
    args: &PlayArgs,
    asked: &Asked<'_>,
    config: &Config,
    context: &Context,
) -> Result<GamesRun, Failure> {
    let engines = player::resolve_all(asked.engines, asked.roles, &args.options, config, context)
        .or_usage()?;
    let limits = args.limits(&engines, asked.engines, asked.roles).or_usage()?;
    GamesRun::plan(Request {
        engines,
        limits,
        format: asked.format,
        games: asked.games,
        sprt: asked.sprt,
        openings: args.openings(),
        conduct: args.conduct(),
        jobs: args.jobs.map(usize::from),
        event: args.event.clone(),
        starting: args.starting,
        showing: args.showing,
        collect: args.collect,
        command_line: None,
    })
}

/// Plays a planned run, and shows how it goes.
///
/// # Errors
/// When an engine cannot be started, a result cannot be kept, or the user interrupts.
pub fn start(run: GamesRun, context: &Context) -> Result<Finished, Failure> {
    watched(context, |sink| run.start(context, sink))
}

/// Prints a result as it was asked for.
///
/// # Errors
/// When it cannot be written.
pub fn print(finished: &Finished, context: &Context) -> Result<(), Failure> {
    let Finished { summary, collected, streamed } = finished;
    if *streamed {
        return Ok(());
    }
    if context.json {
        context.print(&format!("{}\n", json!(summary)))?;
    } else {
        context.print(&match_text(summary))?;
        collected.iter().try_for_each(|collected| context.print(&collected.to_string()))?;
    }
    Ok(())
}
