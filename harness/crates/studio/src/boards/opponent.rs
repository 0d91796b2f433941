//! Moves of engines in a game.

use std::sync::Arc;
use std::thread;

use shakmaty::Color;
use shakmaty::uci::UciMove;

use super::board::{Board, Search};
use super::engines::{Cancel, Engines};
use super::game::{Game, Seat, name, won_by};
use super::{levels, record};
use harness_games::tree::{GameTree, eval_text};
use harness_player::{EngineSpec, Info, Score};

/// Lets the engine that is to move, if one is, search for its move; an older search ends.
pub fn wake(board: &Arc<Board>, engines: &Arc<Engines>) {
    // From now on it is asked after every change.
    let _ = board.is_asleep();
    let cancel = board.supersede(Search::Move);
    if to_move(board).is_none() {
        return;
    }
    let board = Arc::clone(board);
    let engines = Arc::clone(engines);
    thread::spawn(move || {
        while !cancel.is_set() && to_move(&board).is_some() {
            if let Err(error) = play(&board, &engines, &cancel) {
                give_up(&board, &cancel, &error);
            }
            record::keep(&board, engines.reports());
        }
    });
}

/// As [`wake`], once, on a board that was read from its file: the studio may have ended while an engine was to move.
/// One that does not start now loses no game by that; the board says so.
pub fn wake_sleeping(board: &Arc<Board>, engines: &Arc<Engines>) {
    if !board.is_asleep() {
        return;
    }
    let Some((side, seat)) = to_move(board) else { return };
    let (board, engines) = (Arc::clone(board), Arc::clone(engines));
    thread::spawn(move || match spec(&engines, &seat).and_then(|spec| engines.take(&spec)) {
        Ok(engine) => {
            engines.keep(engine);
            wake(&board, &engines);
        }
        // Its move may have been taken back meanwhile.
        Err(error) if to_move(&board).is_some() => {
            board.tell_unasked(format!("{} was not asked: {error}", name(side)));
        }
        Err(_) => {}
    });
}

/// The engine that is to move, and its side.
fn to_move(board: &Board) -> Option<(Color, Seat)> {
    let state = board.state();
    let game = state.game.as_ref().filter(|game| game.engine_to_move(&state.tree))?;
    let side = Game::turn(&state.tree);
    Some((side, game.seat(side).clone()))
}

/// The engine of a seat with the options of its level.
pub fn spec(engines: &Engines, seat: &Seat) -> Result<EngineSpec, String> {
    let Seat::Engine { name, level } = seat else { return Err("no engine plays here".to_owned()) };
    let mut spec = engines.spec(name)?;
    if let Some(elo) = level.and_then(levels::elo) {
        spec.options.insert("UCI_LimitStrength".to_owned(), "true".to_owned());
        spec.options.insert("UCI_Elo".to_owned(), elo.to_string());
    }
    Ok(spec)
}

/// The moves of a game.
fn moves(tree: &GameTree) -> Vec<UciMove> {
    let line = tree.main_line();
    let played = line.iter().filter_map(|id| tree.node(*id).ok()?.played.as_ref());
    played.map(|played| played.uci).collect()
}

/// Searches for a move and plays it, unless the game has changed meanwhile.
fn play(board: &Board, engines: &Engines, cancel: &Arc<Cancel>) -> Result<(), String> {
    let (seat, start, moves, go, steered, chess960, side) = {
        let state = board.state();
        let tree = &state.tree;
        let Some(game) = &state.game else { return Ok(()) };
        let side = Game::turn(tree);
        let seat = game.seat(side).clone();
        let go = game.go(tree);
        let steered = game.steered(tree);
        (seat, tree.start_fen(), moves(tree), go, steered, tree.is_chess960(), side)
    };
    if let Some(uci) = steered {
        return apply(board, cancel, uci, None);
    }
    let mut engine = engines.take(&spec(engines, &seat)?)?;
    // What it knows of its earlier moves of the game stays.
    if moves.len() < 2 {
        engine.new_game(chess960).map_err(|error| error.to_string())?;
    }
    let reply = engine.search(&start, &moves, &go, cancel, &mut |_| {});
    if cancel.is_set() {
        // One that had to be ended is not kept.
        if reply.is_ok() {
            engines.keep(engine);
        }
        return Ok(());
    }
    let reply = reply.map_err(|error| error.to_string())?;
    engines.keep(engine);
    apply(board, cancel, reply.best_move, Some((side.is_white(), &reply.info)))
}

fn apply(
    board: &Board,
    cancel: &Cancel,
    uci: UciMove,
    evaluation: Option<(bool, &Info)>,
) -> Result<(), String> {
    board.change(|state| {
        if cancel.is_set() {
            return Ok(());
        }
        let Some((game, tree)) = state.running() else { return Ok(()) };
        let id = game.play(tree, uci)?;
        let Some((white, info)) = evaluation else { return Ok(()) };
        if let Some(score) = info.score {
            game.last_scores[usize::from(!white)] = Some(centipawns(score));
            let seen = score.for_white(Color::from_white(white));
            tree.annotations_mut(id)?.eval = Some(eval_text(seen, info.depth));
        }
        Ok::<(), String>(())
    })?;
    Ok(())
}

fn centipawns(score: Score) -> i32 {
    match score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) => moves.signum() * 10_000,
    }
}

/// An engine that cannot move loses the game: it could not be played on.
fn give_up(board: &Board, cancel: &Cancel, error: &str) {
    let ended = board.change(|state| {
        if cancel.is_set() {
            return Ok(());
        }
        let Some((game, tree)) = state.running() else { return Ok(()) };
        let side = Game::turn(tree);
        let why = format!("{} failed: {error}", name(side));
        game.end(tree, (won_by(side.other()), why));
        Ok::<(), String>(())
    });
    ended.expect("it gives no error");
}
