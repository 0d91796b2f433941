//! Shared flags, planning and playing of `match` and `sprt`.

mod args;
mod engines;
mod output;

pub use args::PlayArgs;

use super::watch::shown;
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::kinds;
use crate::runs::games::GamesRun;
use crate::stats::Sprt;

/// Says that an odd number of games is rounded up: each opening is played twice.
pub fn say_rounded(flag: &str, games: u64, context: &Context) {
    if games % 2 == 1 {
        context.say(&format!(
            "note: {flag} {games} becomes {}: each opening is played twice, with colours swapped",
            games + 1
        ));
    }
}

/// Says that a test of a number of games cannot be decided by them.
pub fn say_undecidable(sprt: &Sprt, max_games: u64, context: &Context) {
    let fewest = sprt.fewest_pairs().saturating_mul(2);
    if max_games < fewest {
        context.say(&format!(
            "note: --max-games {max_games} cannot decide the test: even if one engine won all games it would \
             take {fewest}"
        ));
    }
}

/// Plays a planned run, shows how it goes, and prints the result.
///
/// # Errors
/// When an engine does not start, a result cannot be kept, or the user interrupts.
pub fn start(run: GamesRun, context: &Context) -> Result<Exit, Failure> {
    shown(context, |sink| kinds::games::start(run, context, sink))
}
