//! The studio in real use: back and forth, odd orders, small windows.

use serde_json::json;

use super::boards::{empty_board, text, with_window};
use super::browser::driver;
use super::server::Studio;
use crate::common;

/// The line below a board.
const SAID: &str = "document.getElementById('legal-note').textContent";

/// The FEN of the editor.
const EDITED: &str = "document.getElementById('edit-fen').value";

#[test]
fn the_end_of_a_study_is_said_of_its_last_position_alone_and_many_moves_are_deleted_after_a_question()
 {
    with_window(|window, studio| {
        empty_board(window, studio);
        for (from, to) in [("f2", "f3"), ("e7", "e5"), ("g2", "g4"), ("d8", "h4")] {
            window.until("document.querySelector('[data-legal]')");
            window.click_square(from);
            window.click_square(to);
            window.until(&format!(
                "document.getElementById('board-line').textContent.includes('{to}')"
            ));
        }
        window.until(&format!("{SAID} === '0-1: checkmate'"));
        window.keys("body", "\u{e012}");
        window.until(&format!("{SAID} === ''"));
        window.value("document.querySelector('[data-go=first]').click()");
        window.value("document.querySelector('[data-go=forward]').click()");
        window.until("document.getElementById('board-line').textContent.includes('f3')");
        window.value("document.querySelector('[data-edit=delete]').click()");
        window.until("document.getElementById('load-report').textContent.includes('4 half-moves would be deleted')");
        window.value("document.getElementById('replace-no').click()");
        assert!(
            window.value(&format!("return {}", text("move-tree"))).to_string().contains("Qh4#")
        );
    });
}

#[test]
fn pieces_are_dragged_in_the_editor_and_a_position_is_looked_at_before_the_question() {
    with_window(|window, studio| {
        empty_board(window, studio);
        window.click_square("e2");
        window.click_square("e4");
        window.until("document.getElementById('board-line').textContent.includes('e4')");
        window.value("document.getElementById('editor').open = true");
        window.until(&format!("{EDITED} !== ''"));
        window.value("document.querySelector('#palette [value=q]').click()");
        window.drag_piece("d1", "d3");
        window.until(&format!(
            "{EDITED}.startsWith('rnbqkbnr/pppppppp/8/8/4P3/3Q4/PPPP1PPP/RNB1KBNR')"
        ));
        window.click_square("h6");
        window.until(&format!("{EDITED}.startsWith('rnbqkbnr/pppppppp/7q/')"));
        window.fill("#edit-fen", "8/8/8/8/8/8/8/K7 w - - 0 1");
        window.click("#use-position");
        window.until(&format!("{SAID}.includes('missing king')"));
        assert_eq!(window.value("return document.getElementById('replace-yes')"), json!(null));
    });
}

#[test]
fn a_board_is_no_higher_than_a_phone_that_lies() {
    with_window(|window, studio| {
        empty_board(window, studio);
        let heights =
            "const board = document.querySelector('#board-frame').getBoundingClientRect();
            return [board.height, innerHeight, document.documentElement.scrollWidth - innerWidth]";
        for (width, height) in [(844, 500), (640, 520)] {
            window.resize(width, height);
            let found = window.value(heights);
            let of = |index: usize| found[index].as_f64().expect("a number");
            assert!(of(0) <= of(1) && of(2) <= 0.0, "{width}x{height}: {found}");
        }
    });
}

#[test]
fn a_command_line_leaves_the_fields_aside_and_a_form_that_was_checked_is_come_back_to() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.open(&studio.url("/start?kind=match", 0));
    window.until("document.getElementById('command-line').textContent.includes('harness match')");
    window.fill("#yaml", "harness match builtin builtin --depth 4 --games 6");
    window.until("document.getElementById('run-form').disabled");
    window.until("document.getElementById('command-line').textContent.includes('--depth=4')");
    window.click("#check");
    window.until("document.body.textContent.includes('Everything that it names is there')");
    window.click_text("suite");
    window.until("document.getElementById('yaml').value.includes('suite')");
    window.back();
    window.until("document.getElementById('yaml')?.value.includes('depth')");
    window.until("document.getElementById('command-line').textContent.includes('--depth=4')");
    assert!(window.errors().is_empty(), "{:?}", window.errors());
}

#[test]
fn ticks_outlast_searches_and_games_follow_the_list_that_they_were_opened_from() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    for line in
        ["match builtin builtin --nodes 30 --games 6 --quiet", "suite bk --nodes 100 --quiet"]
    {
        assert_eq!(common::run(folder.path(), line).status.code(), Some(0), "{line}");
    }
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.open(&studio.url("/", 0));
    let rows = "document.querySelectorAll('table.runs tbody tr').length";
    window.until(&format!("{rows} === 2"));
    for words in ["suite", "match"] {
        window.fill("#search", words);
        window.until(&format!("location.search.includes('{words}') && {rows} === 1"));
        window.click("table.runs input[type=checkbox]");
    }
    window.until("document.getElementById('ticked-elsewhere')?.textContent.includes('1 more')");
    window.click("#compare-selected");
    window.until("location.pathname === '/compare' && location.search.split('run=').length === 3");

    window.open(&studio.url("/games?sort=number", 0));
    window.until("document.querySelectorAll('#games tbody tr').length === 6");
    let paths = "return [...document.querySelectorAll('#games tbody tr')].map((row) => row.querySelector('a').pathname)";
    let paths = window.value(paths);
    window.value("document.querySelectorAll('#games tbody tr')[2].querySelector('a').click()");
    let link = |text: &str| {
        format!(
            "[...document.querySelectorAll('.game-head a')].find((it) => it.textContent === '{text}')?.getAttribute('href')"
        )
    };
    window.until(&format!("{} === {}", link("Next game"), paths[3]));
    window.until(&format!("{} === {}", link("Previous game"), paths[1]));
    window.until(&format!("{} === '/games?sort=number'", link("Back to the list")));
}
