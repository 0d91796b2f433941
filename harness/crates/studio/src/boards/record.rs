//! Finished games of boards, kept in the ledger: all in one run of the kind `play`.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::board::Board;
use super::game::{Game, Seat};
use harness_games::tree::GameTree;
use harness_ledger::{Ledger, LedgerError, Run, StoredGame};
use harness_runs::kinds::boards::COMMAND;

/// Puts a game that is over into the ledger, once. A failure is logged: the board has the game.
pub fn keep(board: &Arc<Board>, reports: &Path) {
    let mut found = None;
    // Noted on the board first: a game that is in the ledger twice would count twice.
    let noted = board.change(|state| {
        let game = state.game.as_mut().filter(|game| !game.recorded && game.over.is_some());
        let game = game.ok_or(())?;
        game.recorded = true;
        found = Some(stored(game, &state.tree));
        Ok::<(), ()>(())
    });
    // Without moves there is nothing to keep.
    let Some(stored) = found.filter(|stored| noted.is_ok() && stored.plies > 0) else { return };
    if let Err(error) = write(reports, stored) {
        tracing::warn!("the game of board {} is not in the ledger: {error}", board.id);
    }
}

fn stored(game: &Game, tree: &GameTree) -> StoredGame {
    let half_points = match tree.result() {
        "1-0" => 2,
        "0-1" => 0,
        _ => 1,
    };
    let why = game.over.as_deref().unwrap_or_default();
    StoredGame {
        pair: 0,
        game: 0,
        white: game.seats[0].title(),
        black: game.seats[1].title(),
        // The first player is the person; of two of a kind it is White.
        first_is_white: game.seats[0] == Seat::Human || game.seats[1] != Seat::Human,
        first_half_points: half_points,
        termination: termination(why).to_owned(),
        plies: tree.main_line().len() as u32,
        milliseconds: game.begun.map_or(0, |begun| begun.elapsed().as_millis() as u64),
        pgn: tree.to_pgn(),
        worker: None,
    }
}

/// The key of an ending.
fn termination(why: &str) -> &'static str {
    match why {
        "checkmate" => "checkmate",
        "stalemate" => "stalemate",
        "threefold repetition" => "repetition",
        "fifty moves without progress" => "fifty_moves",
        "too little material" => "insufficient_material",
        "draw agreed" => "draw_agreed",
        why if why.contains("time") => "time_forfeit",
        why if why.contains("resigned") => "resignation",
        _ => "crash",
    }
}

fn write(reports: &Path, mut game: StoredGame) -> Result<(), LedgerError> {
    let ledger = Ledger::open(reports)?;
    let run = run(&ledger)?;
    if !game.first_is_white {
        game.first_half_points = 2 - game.first_half_points;
    }
    game.pair = ledger.count_games(run.id())?;
    ledger.record_games(&run, &[game])?;
    ledger.finish(&run, &json!({ "games": ledger.count_games(run.id())? }))
}

/// The run that holds the games; a new one if there is none, or another studio writes to it now.
fn run(ledger: &Ledger) -> Result<Run, LedgerError> {
    let runs = ledger.runs()?;
    let known = runs.iter().rev().find(|run| run.command == COMMAND);
    if let Some(known) = known {
        match ledger.reopen_run(&known.run) {
            Err(LedgerError::RunningNow(_)) => {}
            reopened => return reopened,
        }
    }
    ledger.start_run(COMMAND, &json!({ "what": "games that were played on boards" }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boards::shelf::Shelf;

    #[test]
    fn a_finished_game_is_in_the_ledger_once_and_another_after_it() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let shelf = Shelf::new(folder.path());
        let play = |seats: [Seat; 2], moves: &str| {
            let game = Game::new(seats, None, Vec::new());
            let board = shelf.make(GameTree::default(), Some(game)).expect("made");
            board
                .change(|state| {
                    let (game, tree) = state.running().expect("a game");
                    for uci in moves.split(' ') {
                        game.play(tree, uci.parse().expect("a move"))?;
                    }
                    Ok::<(), harness_games::tree::TreeError>(())
                })
                .expect("legal");
            keep(&board, folder.path());
            keep(&board, folder.path());
        };
        let engine = || Seat::Engine { name: "builtin".to_owned(), level: Some(1) };
        play([engine(), Seat::Human], "f2f3 e7e5 g2g4 d8h4");
        play([Seat::Human, Seat::Human], "f2f3 e7e5 g2g4 d8h4");
        // It is not over.
        play([Seat::Human, Seat::Human], "f2f3");
        let ledger = Ledger::open(folder.path()).expect("opens");
        let runs = ledger.runs().expect("read");
        assert_eq!((runs.len(), runs[0].command.as_str(), runs[0].games), (1, COMMAND, 2));
        let games = ledger.games(&runs[0].run).expect("read");
        assert_eq!((games[0].first_half_points, games[0].first_is_white), (2, false));
        assert_eq!((games[1].first_half_points, games[1].first_is_white), (0, true));
        assert_eq!(games[0].termination, "checkmate");
        assert!(games[0].pgn.contains("Qh4#"), "{}", games[0].pgn);
    }
}
