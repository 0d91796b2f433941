//! Parts of a run's result that are read from its games in the ledger: the games that its page shows,
//! and the shares of its workers.

use harness_arena::Termination;
use harness_games::viewed::{largest_fall, view};
use harness_ledger::{Ledger, LedgerError, StoredGame};
use harness_outcome::{ViewedGame, WorkerGame, WorkerShare, WorkerTally};

/// Contribution of each worker to a run; empty of a run of one process.
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
    ledger.each_result_of_workers(run, |game| {
        with_worker(&game, |game| {
            tally.add(game);
        });
        Ok::<_, LedgerError>(())
    })?;
    Ok(tally.shares())
}

/// Passes on a game as it counts for its worker, if one played it.
pub fn with_worker(game: &StoredGame, add: impl FnOnce(&WorkerGame<'_>)) {
    let Some(worker) = &game.worker else { return };
    let is_fault = Termination::from_key(&game.termination).is_some_and(Termination::is_fault);
    add(&WorkerGame {
        worker,
        // Other engines have other results.
        stratum: &[game.first(), game.second()].join("\n"),
        pair: game.pair,
        first_half_points: game.first_half_points,
        is_fault,
    });
}

/// Games of which those with the largest swings are on a page.
const LOOKED_AT: usize = 200;

/// Games that are in memory at the same time.
const AT_ONCE: usize = 25;

/// Games on a page.
const MAX_SHOWN_GAMES: usize = 6;

/// The games of a run that its page shows: of its first ones, those in which the loser's score fell
/// most at once. A damaged game is left out.
///
/// # Errors
/// When there is no such run or the ledger cannot be read.
pub fn shown_games(ledger: &Ledger, run: &str) -> Result<Vec<ViewedGame>, LedgerError> {
    let mut swings: Vec<(i32, StoredGame)> = Vec::new();
    let (mut last, mut left) = (0, LOOKED_AT);
    while left > 0 {
        let games = ledger.games_after(run, last, left.min(AT_ONCE))?;
        let Some((newest, _)) = games.last() else { break };
        (last, left) = (*newest, left.saturating_sub(games.len()));
        let swing = |(_, game)| Some((largest_fall(&game)?, game));
        swings.extend(games.into_iter().filter_map(swing));
        // Stable: of equal ones the earlier comes first.
        swings.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        // More than are shown, as some may be damaged.
        swings.truncate(2 * MAX_SHOWN_GAMES);
    }
    Ok(swings.iter().filter_map(|(_, game)| view(game).ok()).take(MAX_SHOWN_GAMES).collect())
}
