//! Self-play: games of an engine against itself, as training data.
//!
//! A game is the same whoever plays it, and [`Output`] gets the games in the order of their numbers: the
//! file is the same for any number of threads, and can be completed after an interruption.

mod file;
mod play;
mod recipe;
mod verify;

use shakmaty::ByColor;

pub use file::{Card, Output, card_path};
pub use play::play;
pub use recipe::{Recipe, named_files};
pub use verify::{NotOfRecipe, verify};

use super::game::Game;
use harness_player::pool::{Seats, Settings, Wanted};
use harness_player::{EngineSpec, Fault};

/// Starts the players of these seats, before the first game.
///
/// # Errors
/// When one of them cannot be started.
pub fn start_players(recipe: &Recipe, seats: &mut Seats<'_>) -> Result<(), Fault> {
    seats.two(both(&recipe.engine)).map(drop)
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
