//! Analysis in a browser: lines of several engines, what the network sees, tablebases, a reviewed game.

use super::boards::{ask, empty_board, text, with_window};
use super::browser::{driver, run};
use super::server::Studio;
use crate::common::MOCK;

#[test]
fn engines_analyse_side_by_side_and_lines_are_played() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let config = format!("engines:\n  mock: {{ cmd: {MOCK} }}\n");
    std::fs::write(folder.path().join("harness.yaml"), config).expect("written");
    let studio = Studio::start(folder.path());
    run(async {
        let window = driver.window(false).await;
        window.resize(1280, 1000).await;
        empty_board(&window, &studio).await;
        window.fill("#engines", "builtin, mock").await;
        window.fill("#lines", "3").await;
        window.value("document.getElementById('analysis').open = true").await;
        window.until("document.querySelectorAll('#engine-lines .engine').length === 2").await;
        window
            .until("document.querySelectorAll('#engine-lines .engine:first-child li').length === 3")
            .await;
        window.until("document.querySelector('.board .arrow.best')").await;
        window.until("!document.getElementById('evaluation-bar').hidden").await;
        // A line that is pointed at is shown, one that is clicked is played.
        let fen = "document.getElementById('board-fen').value";
        let before = window.value(&format!("return {fen}")).await;
        // The lines may be drawn anew between two steps: all in one.
        window.value("document.querySelector('#engine-lines li button').click()").await;
        window.until(&format!("{fen} !== {before}")).await;
        window.click("#show-seen").await;
        window.until("document.querySelectorAll('.seen-layer span').length === 30").await;
        window.until(&format!("{}.includes('without a search')", text("seen-note"))).await;
        assert_eq!(window.errors(&driver).await, [""; 0]);
        window.close().await;
    });
}

#[test]
fn a_reviewed_game_has_its_mistakes_named_and_is_commented_on() {
    with_window(async |window, studio| {
        empty_board(window, studio).await;
        window.value("document.getElementById('share').open = true").await;
        window.fill("#pgn", "1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0").await;
        window.click("#load-pgn").await;
        window.until(&format!("{}.includes('Qxe5')", text("move-tree"))).await;
        ask(window, "comment on this game").await;
        window.until(&format!("{}.includes('Ke7??')", text("mistakes"))).await;
        window.until(&format!("{}.includes('It turned at 2… Ke7??')", text("understood"))).await;
        window.until(&format!("{}.includes('White: accuracy')", text("understood"))).await;
        ask(window, "go back to the start").await;
        ask(window, "who is better?").await;
        window.until(&format!("{}.includes('Best play')", text("understood"))).await;
    });
}
