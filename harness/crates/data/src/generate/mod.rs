//! Self-play: games of an engine against itself, as training data.
//!
//! Several threads play. The games are returned in the order of their numbers, so that the file is
//! the same for any number of threads, and can be completed after an interruption.

mod file;
mod play;
mod recipe;

use std::ops::ControlFlow;

use shakmaty::ByColor;

pub use file::{Card, Output, card_path};
pub use play::play;
pub use recipe::{Recipe, named_files};

use super::game::Game;
use harness_base::context::Interrupt;
use harness_player::pool::{Ended, InOrder, Pool, Seats, Settings, Start, Wanted};
use harness_player::{EngineSpec, Fault};

/// Plays the games with these numbers, `jobs` at the same time, and passes them to `keep` in their
/// order until it breaks.
///
/// # Errors
/// When a player fails; the games before it were kept.
pub fn generate<E>(
    recipe: &Recipe,
    numbers: std::ops::Range<u64>,
    jobs: usize,
    start: &Start<'_>,
    interrupt: &Interrupt,
    keep: &mut dyn FnMut(Game) -> Result<ControlFlow<()>, E>,
) -> Result<(), Failed<E>> {
    let pool = Pool::new(jobs, interrupt, |interrupt| Seats::new(start, interrupt));
    let mut pool = pool.map_err(Failed::NotStarted)?;
    for seats in pool.workers() {
        seats.two(both(&recipe.engine)).map_err(Failed::NotStarted)?;
    }
    let work =
        |seats: &mut Seats<'_>, number| play_with(recipe, number, seats).map(|game| (number, game));
    let mut order = InOrder::from(numbers.start);
    let ended = pool.run(numbers, work, &mut |(number, game)| {
        order.put(number, game);
        while let Some((_, game)) = order.take() {
            if keep(game)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    });
    ended.map_err(|ended| match ended {
        Ended::Interrupted => Failed::Interrupted,
        Ended::Worker(fault) => Failed::Player(fault),
        Ended::Keeper(error) => Failed::Keeper(error),
    })
}

/// Plays game number `number` of a recipe with players of these seats.
///
/// # Errors
/// When a player fails.
pub fn play_with(recipe: &Recipe, number: u64, seats: &mut Seats<'_>) -> Result<Game, Fault> {
    play(recipe, number, seats.two(both(&recipe.engine))?)
}

/// Two players of the engine, each with its own hash table.
fn both(engine: &EngineSpec) -> ByColor<Wanted<'_>> {
    const NONE: &Settings = &Settings::new();
    let wanted = |number| Wanted { number, engine, settings: NONE };
    ByColor { white: wanted(0), black: wanted(1) }
}

/// Why there are no more games.
#[derive(Debug)]
pub enum Failed<E> {
    /// The players could not be started: no game was played.
    NotStarted(Fault),
    /// The user interrupted it.
    Interrupted,
    /// A player failed.
    Player(Fault),
    /// A game cannot be kept.
    Keeper(E),
}
