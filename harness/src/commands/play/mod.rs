//! What `match` and `sprt` share: flags, planning and playing.

mod args;

pub use args::PlayArgs;

use super::watch::{self, print_match};
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::kinds::Event;
use crate::runs::games::{GamesRun, Sink};

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
