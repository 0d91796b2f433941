//! Analysis in a browser: lines of several engines, what the network sees, tablebases, a reviewed game.

use super::boards::{ask, empty_board, text, with_window};
use super::browser::driver;
use super::server::Studio;
use crate::common::MOCK;

#[test]
fn engines_analyse_side_by_side_and_lines_are_played() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let config = format!("engines:\n  mock: {{ cmd: {MOCK} }}\n");
    std::fs::write(folder.path().join("harness.yaml"), config).expect("written");
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(1280, 1000);
    empty_board(&window, &studio);
    window.fill("#engines", "builtin, mock");
    window.fill("#lines", "3");
    window.value("document.getElementById('analysis').open = true");
    window.until("document.querySelectorAll('#engine-lines .engine').length === 2");
    window.until("document.querySelectorAll('#engine-lines .engine:first-child li').length === 3");
    window.until("document.querySelector('.board .arrow.best')");
    window.until("!document.getElementById('evaluation-bar').hidden");
    // A line that is pointed at is shown, one that is clicked is played.
    let fen = "document.getElementById('board-fen').value";
    let before = window.value(&format!("return {fen}"));
    // The lines may be drawn anew between two steps: all in one.
    window.value("document.querySelector('#engine-lines li button').click()");
    window.until(&format!("{fen} !== {before}"));
    window.click("#show-seen");
    window.until("document.querySelectorAll('.seen-layer span').length === 30");
    window.until(&format!("{}.includes('without a search')", text("seen-note")));
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}

#[test]
fn a_reviewed_game_has_its_mistakes_named_and_is_commented_on() {
    with_window(|window, studio| {
        empty_board(window, studio);
        window.value("document.getElementById('share').open = true");
        window.fill("#pgn", "1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0");
        window.click("#load-pgn");
        window.until(&format!("{}.includes('Qxe5')", text("move-tree")));
        ask(window, "comment on this game");
        window.until(&format!("{}.includes('Ke7??')", text("mistakes")));
        window.until(&format!("{}.includes('It turned at 2… Ke7??')", text("understood")));
        window.until(&format!("{}.includes('White: accuracy')", text("understood")));
        ask(window, "go back to the start");
        ask(window, "who is better?");
        window.until(&format!("{}.includes('Best play')", text("understood")));
    });
}
