//! What pages say of what is typed: what is not understood, what is cut off, what is left out.

use serde_json::json;

use super::boards::{ask, empty_board, text, with_window};
use super::server::Studio;
use crate::common::until;

/// A position that is cut off behind the side to move.
const CUT: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";

#[test]
fn what_was_not_understood_is_not_said_beside_what_is_done_next() {
    with_window(|window, studio| {
        empty_board(window, studio);
        let refused = || {
            ask(window, "blah blubb");
            window.until(&format!("{}.includes('not understood')", text("understood")));
        };
        let is_played = |san: &str| {
            window.until(&format!("{}.includes('{san}')", text("move-tree")));
            window.until(&format!("{} === ''", text("understood")));
        };
        refused();
        ask(window, "1. e4 e5");
        is_played("e5");
        refused();
        window.drag_piece("g1", "f3");
        is_played("Nf3");
        // Nor what was said of a text.
        ask(window, "8/8/8/8/8/8/8/8 w - - 0 1");
        window.until(&format!("{}.includes('no position')", text("load-report")));
        ask(window, "Nc6");
        window.until(&format!("{} === ''", text("load-report")));
    });
}

#[test]
fn a_position_that_is_cut_off_is_refused_in_the_form_and_in_the_editor() {
    with_window(|window, studio| {
        const MISSING: &str = "castling and the en passant square are missing";
        for what in ["game", "study"] {
            window.open(&studio.url("/boards", 0));
            window.until("document.querySelector('#new-game [name=fen]')");
            window.fill("#new-game [name=fen]", CUT);
            window.click(&format!("#new-game [value={what}]"));
            window.until(&format!(
                "document.getElementById('wrong')?.textContent.includes('{MISSING}')"
            ));
            let kept = window.value("return document.querySelector('#new-game [name=fen]').value");
            assert_eq!(kept, json!(CUT));
        }
        empty_board(window, studio);
        window.value("document.getElementById('editor').open = true");
        window.until("document.getElementById('edit-fen').value !== ''");
        window.fill("#edit-fen", CUT);
        window.click("#use-position");
        window.until(&format!("{}.includes('{MISSING}')", text("legal-note")));
        // What a button fills in is in the field.
        window.click("[data-preset=turn]");
        let fen = "document.getElementById('edit-fen').value";
        window.until(&format!("{fen}.endsWith('/RNBQKBNR b - -')"));
    });
}

#[test]
fn an_opening_is_played_into_from_a_position_of_it_and_refused_from_another() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let begin = |placed: &str| {
        let fen = format!("{placed} b KQkq - 0 1").replace(' ', "+");
        let game = "do=game&white=human&black=builtin&level=1&opening=sicilian+defence";
        studio.post("/boards", &format!("csrf={}&{game}&fen={fen}", studio.csrf()))
    };
    let made = begin("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    let board = made.header("location").expect("a board").to_owned();
    until("the move of the opening", || {
        studio.get(&format!("{board}/game.pgn")).body.contains("1... c5 *")
    });
    let refused = begin("rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR");
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("none of the opening"), "{}", refused.body);
}

#[test]
fn a_kind_of_puzzle_that_is_none_is_named() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    for (asked, said) in [
        ("mate_in=-3", "<code>-3</code> is no number of moves to a mate"),
        ("mate_in=99", "<code>99</code> is no number"),
        ("mate_in=0", "<code>0</code> is no number"),
        ("mate_in=abc", "<code>abc</code> is no number"),
        ("theme=foo", "There is no theme <code>foo</code>"),
        ("theme=mate&theme=foo&mate_in=2", "value=\"mate\" selected"),
        ("theme=mate&mate_in=2", "max=\"9\" value=\"2\""),
    ] {
        let page = studio.get(&format!("/practice?{asked}"));
        assert!(page.status == 200 && page.body.contains(said), "{asked}: {}", page.body);
    }
    let csrf = studio.csrf();
    let refused = studio.post("/practice/next?mate_in=-3", &format!("csrf={csrf}"));
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("no number of moves"), "{}", refused.body);
}

#[test]
fn a_board_is_deleted_in_words_after_a_question() {
    with_window(|window, studio| {
        empty_board(window, studio);
        ask(window, "delete this board");
        window.until(&format!("{}.includes('Delete this board')", text("understood")));
        window.click("#do-not");
        let boards = || std::fs::read_dir(studio.folder.join("reports/boards")).expect("there");
        let count = || boards().filter(|entry| is_board(entry.as_ref().expect("there"))).count();
        assert_eq!(count(), 1);
        ask(window, "delete this board");
        window.click("#do-it");
        window.until("location.pathname === '/boards'");
        assert_eq!(count(), 0);
    });
}

fn is_board(entry: &std::fs::DirEntry) -> bool {
    entry.path().extension().is_some_and(|ending| ending == "json")
}

#[test]
fn without_scripts_a_text_stands_in_place_of_what_would_do_nothing() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let made = studio.post("/boards", &format!("csrf={}&do=study", studio.csrf()));
    let board = made.header("location").expect("a board").to_owned();
    for (path, parts) in [
        (
            board.as_str(),
            ["class=\"board-columns needs-script\"", "class=\"needs-script\" id=\"ask\""],
        ),
        ("/practice", ["filter-form needs-script", "class=\"board-columns needs-script\""]),
    ] {
        let page = studio.get(path).body;
        assert!(page.contains("<noscript>") && page.contains("JavaScript"), "{path}");
        for part in parts {
            assert!(page.contains(part), "{path}: {part}");
        }
    }
}
