//! Parts of a run's result that are read from its games in the ledger: the games that its page shows,
//! and the shares of its workers.

use crate::arena::Termination;
use crate::data::viewed::{falls, view};
use crate::ledger::{Ledger, LedgerError};
use crate::outcome::{ViewedGame, WorkerShare, WorkerTally};

/// What each worker contributed to a run; empty of a run of one process.
///
/// # Errors
/// When there is no such run or the ledger cannot be read.
pub fn worker_shares(ledger: &Ledger, run: &str) -> Result<Vec<WorkerShare>, LedgerError> {
    // A run is played by workers from its first game on, or by none.
    let first = ledger.games_after(run, 0, 1)?;
    if first.iter().all(|(_, game)| game.worker.is_none()) {
        return Ok(Vec::new());
    }
    let mut tally = WorkerTally::default();
    ledger.each_game_of_workers(run, &mut |worker, pair, first_half_points, termination| {
        let is_fault = Termination::from_key(termination).is_some_and(Termination::is_fault);
        tally.add(worker, pair, first_half_points, is_fault);
    })?;
    Ok(tally.shares())
}

/// Games of which those with the largest swings are on a page.
const LOOKED_AT: usize = 200;

/// Games on a page.
const SHOWN: usize = 6;

/// The games of a run that its page shows: of its first ones, those in which the loser's score fell
/// most at once. A damaged game is left out.
///
/// # Errors
/// When there is no such run or the ledger cannot be read.
pub fn shown_games(ledger: &Ledger, run: &str) -> Result<Vec<ViewedGame>, LedgerError> {
    let games = ledger.games_after(run, 0, LOOKED_AT)?;
    let viewed = games.iter().filter_map(|(_, game)| view(game).ok());
    let mut swings: Vec<(i32, ViewedGame)> =
        viewed.filter_map(|game| Some((falls(&game, 0).first()?.size, game))).collect();
    swings.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    Ok(swings.into_iter().take(SHOWN).map(|(_, game)| game).collect())
}
