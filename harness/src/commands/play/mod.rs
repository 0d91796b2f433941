//! What `match` and `sprt` share: flags, planning and playing.

mod args;

pub use args::{DEFAULT_LIMIT, PlayArgs};

use super::watch::{self, print_match};
use crate::arena::Format;
use crate::config::Config;
use crate::context::Context;
use crate::failure::{Exit, Failure, OrFail};
use crate::kinds::Event;
use crate::player;
use crate::runs::games::{GamesRun, Request, Sink};
use crate::stats::Sprt;

/// What `match` and `sprt` each add to the common flags.
pub struct Contest<'a> {
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

/// The run that the flags describe, with its engines found and built.
///
/// # Errors
/// When an engine or a file is missing, or the flags make no sense.
pub fn plan(
    args: &PlayArgs,
    contest: &Contest<'_>,
    config: &Config,
    context: &Context,
) -> Result<GamesRun, Failure> {
    let engines =
        player::resolve_all(contest.engines, contest.roles, &args.options, config, context)
            .or_usage()?;
    let limits = args.limits(&engines, contest.engines, contest.roles).or_usage()?;
    GamesRun::plan(Request {
        engines,
        limits,
        format: contest.format,
        games: contest.games,
        sprt: contest.sprt,
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

/// Plays a planned run, shows how it goes, and prints the result.
///
/// # Errors
/// When an engine does not start, a result cannot be kept, or the user interrupts.
pub fn start(run: GamesRun, context: &Context) -> Result<Exit, Failure> {
    print_match(&watched(context, |sink| run.start(context, sink))?, context)
}

/// Plays with a sink that shows what happens.
///
/// # Errors
/// Those of `play`; and when a line of the stream could not be written.
pub fn watched<T>(
    context: &Context,
    play: impl FnOnce(&Sink<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    watch::watched(context, |sink| play(&|event| sink(&Event::Games(event))))
}
