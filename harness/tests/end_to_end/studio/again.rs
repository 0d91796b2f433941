//! Boards of a studio that is started again, and of two studios that work in one folder.

use super::boards::{empty_board, text, with_window};
use super::server::Studio;
use crate::common::{engine_that_plays, until, write_program};

/// Begins a game of a person with White against an engine, and plays 1. e4; gives the path of the board.
fn game_with_one_move(studio: &Studio, engine: &str) -> String {
    let csrf = studio.csrf();
    let form = format!("csrf={csrf}&do=game&white=human&black={engine}&level=1");
    let made = studio.post("/boards", &form);
    let board = made.header("location").expect("a board").to_owned();
    play(studio, &board, 0, "e2e4");
    board
}

fn play(studio: &Studio, board: &str, node: u32, uci: &str) {
    let form = format!("csrf={}&node={node}&uci={uci}", studio.csrf());
    let answer = studio.post(&format!("{board}/do/move"), &form);
    assert_eq!(answer.status, 200, "{uci}: {}", answer.body);
}

fn pgn(studio: &Studio, board: &str) -> String {
    studio.get(&format!("{board}/game.pgn")).body
}

#[test]
fn an_engine_that_was_to_move_when_the_studio_ended_moves_when_it_is_started_again() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut studio = Studio::start(folder.path());
    let board = game_with_one_move(&studio, "builtin");
    studio.kill();
    let again = Studio::start(folder.path());
    // The list begins no search.
    assert_eq!(again.get("/boards").status, 200);
    assert_eq!(again.get(&board).status, 200);
    until("the engine's move", || !pgn(&again, &board).contains("1. e4 *"));
    assert!(pgn(&again, &board).contains("1. e4 "));
}

#[test]
fn an_engine_that_is_gone_when_the_studio_is_started_again_loses_no_game() {
    let folder = tempfile::tempdir().expect("temporary folder");
    // It never has a move.
    let program = folder.path().join("thinker");
    write_program(&program, &engine_that_plays("thinker", "e7e5").replace("go*)", "none)"));
    let config = folder.path().join("harness.yaml");
    let text = format!("engines:\n  mine: {{ cmd: {} }}\n", program.display());
    std::fs::write(&config, text).expect("written");
    let mut studio = Studio::start(folder.path());
    let board = game_with_one_move(&studio, "mine");
    studio.kill();
    std::fs::remove_file(&config).expect("it is there");
    let again = Studio::start(folder.path());
    until("the reason", || again.get(&board).body.contains("Black was not asked"));
    assert!(pgn(&again, &board).contains("1. e4 *"));
}

#[test]
fn two_studios_of_a_folder_keep_the_moves_of_both() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let studios = [(); 2].map(|()| Studio::start(folder.path()));
    let [one, other] = &studios;
    let made = one.post("/boards", &format!("csrf={}&do=study", one.csrf()));
    let board = made.header("location").expect("a board").to_owned();
    // The other one has read the board before it is changed.
    assert!(pgn(other, &board).contains('*'));
    play(one, &board, 0, "e2e4");
    play(other, &board, 1, "e7e5");
    play(one, &board, 2, "g1f3");
    for studio in &studios {
        let pgn = pgn(studio, &board);
        assert!(pgn.contains("1. e4 e5 2. Nf3"), "{pgn}");
    }
}

#[test]
fn an_open_page_follows_what_another_studio_does_and_loses_none_of_it() {
    with_window(|window, studio| {
        empty_board(window, studio);
        let board = window.path();
        let board = board.split('#').next().unwrap_or_default().to_owned();
        let has = |san: &str| format!("{}.includes('{san}')", text("move-tree"));
        window.drag_piece("e2", "e4");
        window.until(&has("e4"));
        let other = Studio::start(&studio.folder);
        play(&other, &board, 1, "e7e5");
        window.until(&has("e5"));
        window.click("[data-go=last]");
        window.until(&format!("{}.includes('e5')", text("board-line")));
        window.drag_piece("g1", "f3");
        window.until(&has("Nf3"));
        assert!(pgn(&other, &board).contains("1. e4 e5 2. Nf3"));
        // What is on no board any more is said.
        let deleted = other.post(&format!("{board}/do/remove"), &format!("csrf={}", other.csrf()));
        assert_eq!(deleted.status, 200, "{}", deleted.body);
        window.until(&format!("{}.includes('This board was deleted')", text("legal-note")));
    });
}
