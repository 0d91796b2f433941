//! Games that the linked engine plays against itself, to learn from.
//!
//! Several threads play; the games come in the order of their numbers, so that the file is the same
//! however many threads there are, and making it can go on where it was broken off.

mod file;
mod play;
mod recipe;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

pub use file::{Card, CardError, Output, card_path};
pub use play::{Seats, play};
pub use recipe::Recipe;

use super::game::Game;
use crate::player::Fault;

/// Games that a thread may be ahead of the file.
const AHEAD: usize = 64;

/// Plays the games with these numbers, and gives them to `keep` in their order until it breaks off.
///
/// # Errors
/// When a player fails; the games before were kept.
pub fn generate<E>(
    recipe: &Recipe,
    numbers: std::ops::Range<u64>,
    seats: Vec<Seats>,
    keep: &mut dyn FnMut(Game) -> Result<ControlFlow<()>, E>,
) -> Result<(), Failed<E>> {
    let stop = AtomicBool::new(false);
    let threads = seats.len().max(1) as u64;
    thread::scope(|scope| {
        let mut hands: Vec<Receiver<Result<Game, Fault>>> = Vec::new();
        for (thread, seats) in (0..).zip(seats) {
            let (sender, receiver) = sync_channel(AHEAD);
            let own = (numbers.start + thread..numbers.end).step_by(threads as usize);
            let stop = &stop;
            scope.spawn(move || work(recipe, own, seats, stop, &sender));
            hands.push(receiver);
        }
        let mut take = || {
            for (number, hand) in numbers.clone().zip((0..hands.len()).cycle()) {
                let Ok(played) = hands[hand].recv() else { return Err(Failed::Lost(number)) };
                if keep(played.map_err(Failed::Player)?).map_err(Failed::Keeper)?.is_break() {
                    break;
                }
            }
            Ok(())
        };
        let taken = take();
        stop.store(true, Ordering::Relaxed);
        // Whoever waits to hand over a game is let go.
        drop(hands);
        taken
    })
}

/// Why there are no more games.
#[derive(Debug)]
pub enum Failed<E> {
    /// A player failed or was interrupted.
    Player(Fault),
    /// They cannot be kept.
    Keeper(E),
    /// The thread that was to play this game is gone.
    Lost(u64),
}

fn work(
    recipe: &Recipe,
    numbers: impl Iterator<Item = u64>,
    mut seats: Seats,
    stop: &AtomicBool,
    hand: &SyncSender<Result<Game, Fault>>,
) {
    for number in numbers {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let played = play(recipe, number, &mut seats);
        let failed = played.is_err();
        if hand.send(played).is_err() || failed {
            return;
        }
    }
}
