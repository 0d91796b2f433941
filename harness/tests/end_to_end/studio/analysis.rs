//! Analysis in a browser: lines of several engines, what the network sees, tablebases, a reviewed game.

use super::boards::{ask, empty_board, text, with_window};
use super::browser::driver;
use super::server::Studio;
use crate::common::{self, MOCK, json, shown};
use crate::webdriver::RIGHT;

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
    // Numbers of lines that cannot be are the nearest that can.
    for (lines, count) in [("-1", 1), ("999", 8), ("", 1)] {
        window.fill("#lines", lines);
        window.value("document.getElementById('lines').dispatchEvent(new Event('change'))");
        let shown = "document.querySelectorAll('#engine-lines .engine:first-child li').length";
        window.until(&format!("{shown} === {count}"));
    }
    window.until(&format!("{}.includes('without a search')", text("seen-note")));
    // A page that is loaded again continues the analysis.
    let address = studio.url(window.path().split('#').next().unwrap_or_default(), 0);
    window.open(&studio.url("/boards", 0));
    window.open(&address);
    window.until("document.getElementById('analysis').open");
    window.until("document.querySelector('#engine-lines li')");
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}

#[test]
fn on_a_phone_the_lines_are_seen_together_with_the_board() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(500, 780);
    empty_board(&window, &studio);
    window.value("document.getElementById('analysis').open = true");
    window.until("document.querySelectorAll('#engine-lines li').length === 2");
    let seen = "(() => {
        const [board, lines, buttons] = ['#board-frame', '#engine-lines', '[data-go]'].map((part) => document.querySelector(part).getBoundingClientRect());
        return board.top >= 0 && lines.top >= board.bottom && lines.bottom <= Math.min(buttons.top, innerHeight);
    })()";
    window.until(seen);
    // A wide page has them in the panel, beside the board.
    window.resize(1280, 780);
    window.until("document.querySelector('#analysis #engine-lines li')");
    window.resize(500, 780);
    window.until(seen);
    window.value("document.getElementById('analysis').open = false");
    window.until("!document.querySelector('#engine-lines').hasChildNodes()");
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

#[test]
fn the_graph_grows_while_moves_are_analysed_and_leads_to_them() {
    with_window(|window, studio| {
        empty_board(window, studio);
        window.value("document.getElementById('share').open = true");
        window.fill("#pgn", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *");
        window.click("#load-pgn");
        window.until(&format!("{}.includes('Ba4')", text("move-tree")));
        window.value("document.getElementById('analysis').open = true");
        window.click("[data-go=first]");
        let path = "document.querySelector('#board-graph .curve')?.getAttribute('d')";
        for (ply, number) in
            ["1… ", "2. ", "2… ", "3. ", "3… ", "4. ", "4… "].into_iter().enumerate()
        {
            window.click("[data-go=forward]");
            let line = "document.querySelector('#engine-lines li')?.textContent";
            window.until(&format!("{line}.includes('{number}')"));
            // The first score alone is no graph.
            let points = format!("{path}?.match(/[ML]/g).length === {}", ply + 1);
            window.until(if ply == 0 {
                "document.getElementById('board-graph').hidden"
            } else {
                &points
            });
        }
        // What is pointed at is named with its score; a click goes there, and the keys continue from it.
        window.point_at(".graph-area", 0.5, false);
        let tip = "document.querySelector('.graph-tip').textContent";
        window.until(&format!("/^2… Nc6 [+−]/.test({tip}) || {tip}"));
        let named = window.value(&format!("return {tip}"));
        assert!(named.as_str().is_some_and(|tip| tip.starts_with("2… Nc6 ")), "{named}");
        window.point_at(".graph-area", 0.5, true);
        let shown = "document.querySelector('#move-tree [aria-current]')?.textContent";
        window.until(&format!("{shown} === 'Nc6'"));
        window.keys(".graph-area", RIGHT);
        window.until(&format!("{shown} === 'Bb5'"));
        window.until("document.querySelector('.graph-area').getAttribute('aria-valuenow') === '5'");
        // A graph that is in use is drawn on, and stays.
        window.value("window.area = document.querySelector('.graph-area')");
        window.click("[data-go=last]");
        window.until(&format!("{path}.match(/[ML]/g).length === 8"));
        assert_eq!(window.value("return area.isConnected"), true);
    });
}

#[test]
fn a_game_of_chess960_is_analysed_with_its_castling() {
    with_window(|window, studio| {
        let line = "match builtin builtin --nodes 200 --games 2 --chess960 --max-moves 60 --quiet";
        let played = common::run(&studio.folder, line);
        assert_eq!(played.status.code(), Some(0), "{}", shown(&played));
        let run = json(&common::run(&studio.folder, "runs --json"))[0]["run"].clone();
        let run = run.as_str().expect("an id");
        window.open(&studio.url(&format!("/run/{run}/game/1.1"), 0));
        window.click(".analyse");
        window.until("location.pathname.startsWith('/board/')");
        window.until("document.querySelectorAll('#move-tree button').length > 20");
        window.until("document.querySelector('#engine-lines li')");
    });
}
