//! Finished games of boards, kept in the ledger: all in one run of the kind `play`.

use std::path::Path;
use std::slice;
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;

use super::board::Board;
use super::game::{Game, LedgerPlace, Seat};
use harness_games::tree::GameTree;
use harness_ledger::{Ledger, LedgerError, Run, StoredGame};
use harness_runs::kinds::boards::COMMAND;

/// How often a run is opened that another studio writes to; the ledger waits some time for it each time.
const MAX_ATTEMPTS: usize = 10;

/// Puts a game that is over into the ledger, once: where it ended before it takes the same place. A failure is
/// logged: the board has the game.
pub fn keep(board: &Arc<Board>, reports: &Path) {
    let mut found = None;
    // Noted on the board first: a game that is in the ledger twice would count twice.
    let noted = board.change(|state| {
        let game = state.game.as_mut().filter(|game| !game.recorded && game.over.is_some());
        let game = game.ok_or(())?;
        game.recorded = true;
        found = Some((stored(game, &state.tree), game.place.clone(), game.begun));
        Ok::<(), ()>(())
    });
    let Some((stored, place, begun)) = found.filter(|_| noted.is_ok()) else { return };
    // Without moves there is nothing to keep, unless the ledger has it with some.
    if stored.plies == 0 && place.is_none() {
        return;
    }
    match write(reports, stored, place.as_ref()) {
        Ok(now) if place.as_ref() != Some(&now) => note_place(board, now, begun),
        Ok(_) => {}
        Err(error) => {
            tracing::warn!("the game of board {} is not in the ledger: {error}", board.id)
        }
    }
}

/// Notes on the board where the ledger has its game, unless another one has begun since.
fn note_place(board: &Board, place: LedgerPlace, begun: Option<Instant>) {
    let noted = board.change(|state| {
        let game = state.game.as_mut().filter(|game| game.begun == begun);
        game.ok_or(())?.place = Some(place);
        Ok::<(), ()>(())
    });
    if noted.is_err() {
        tracing::debug!("the game of board {} is no longer on it", board.id);
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

fn write(
    reports: &Path,
    mut game: StoredGame,
    place: Option<&LedgerPlace>,
) -> Result<LedgerPlace, LedgerError> {
    let ledger = Ledger::open(reports)?;
    if !game.first_is_white {
        game.first_half_points = 2 - game.first_half_points;
    }
    if let Some(place) = place {
        game.pair = place.pair;
        if replace(&ledger, &place.run, &game)? {
            return Ok(place.clone());
        }
    }
    let run = run(&ledger)?;
    game.pair = ledger.count_games(run.id())?;
    ledger.record_games(&run, slice::from_ref(&game))?;
    ledger.finish(&run, &json!({ "games": ledger.count_games(run.id())? }))?;
    Ok(LedgerPlace { run: run.id().to_owned(), pair: game.pair })
}

/// Puts a game in its place of a run; `false` where the run or the game was deleted.
fn replace(ledger: &Ledger, run: &str, game: &StoredGame) -> Result<bool, LedgerError> {
    let mut attempts = 1..MAX_ATTEMPTS;
    loop {
        match ledger.reopen_run(run) {
            Ok(run) => return ledger.replace_game(&run, game),
            Err(LedgerError::UnknownRun { .. } | LedgerError::NoRuns { .. }) => return Ok(false),
            // Another studio writes a game into it.
            Err(LedgerError::RunningNow(_)) if attempts.next().is_some() => {}
            Err(error) => return Err(error),
        }
    }
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
    use crate::boards::action::Action;
    use crate::boards::new_game::NewGame;
    use crate::boards::shelf::Shelf;
    use crate::boards::take_back::TakeBack;

    /// Plays moves on a board, and keeps the game if it is over.
    fn play(board: &Arc<Board>, reports: &Path, moves: &str) {
        let played = board.change(|state| {
            let (game, tree) = state.running().expect("a game");
            for uci in moves.split(' ') {
                game.play(tree, uci.parse().expect("a move"))?;
            }
            Ok::<(), harness_games::tree::TreeError>(())
        });
        played.expect("legal");
        keep(board, reports);
    }

    fn act(board: &Arc<Board>, reports: &Path, action: Action) {
        board.change(|state| state.act(action)).expect("it can be made");
        keep(board, reports);
    }

    #[test]
    fn a_game_that_is_taken_back_and_ends_again_is_one_game_with_its_last_result() {
        const MATE: &str = "f2f3 e7e5 g2g4 d8h4";
        let folder = tempfile::tempdir().expect("temporary folder");
        let reports = folder.path();
        let shelf = Shelf::new(reports);
        let people = || Some(Game::new([Seat::Human, Seat::Human], None, Vec::new()));
        let board = shelf.make(GameTree::default(), people()).expect("made");
        let ledger = || {
            let ledger = Ledger::open(reports).expect("opens");
            let run = ledger.runs().expect("read")[0].run.clone();
            let games = ledger.games(&run).expect("read");
            let ends = games.into_iter().map(|game| (game.termination, game.first_half_points));
            (ends.collect::<Vec<_>>(), ledger.version().expect("read"))
        };
        let back = || Action::TakeBack(TakeBack::Moves(1));
        play(&board, reports, MATE);
        let (first, version) = ledger();
        assert_eq!(first, [("checkmate".to_owned(), 0)]);
        act(&board, reports, back());
        play(&board, reports, "d8h4");
        let (again, newer) = ledger();
        assert_eq!(again, first);
        // Whoever has read the games before notices.
        assert_ne!(version, newer);
        act(&board, reports, back());
        // The studio is started again.
        let board = Shelf::new(reports).get(&board.id).expect("readable").expect("there");
        act(&board, reports, Action::Resign(Some(shakmaty::Color::Black)));
        assert_eq!(ledger().0, [("resignation".to_owned(), 2)]);
        // A new game is another one.
        act(&board, reports, Action::New(NewGame::default()));
        play(&board, reports, MATE);
        assert_eq!(ledger().0.len(), 2);
        // What was deleted meanwhile is not in the way.
        act(&board, reports, back());
        let all = Ledger::open(reports).expect("opens");
        all.delete(&all.runs().expect("read")[0].run).expect("deleted");
        act(&board, reports, Action::Resign(None));
        assert_eq!(ledger().0, [("resignation".to_owned(), 2)]);
    }

    #[test]
    fn a_finished_game_is_in_the_ledger_once_and_another_after_it() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let shelf = Shelf::new(folder.path());
        let play = |seats: [Seat; 2], moves: &str| {
            let game = Game::new(seats, None, Vec::new());
            let board = shelf.make(GameTree::default(), Some(game)).expect("made");
            play(&board, folder.path(), moves);
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
