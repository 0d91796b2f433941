//! Text and moves that would be lost without a word: it is said, or asked first.

use serde_json::json;

use super::boards::{ask, empty_board, game_from, text, with_window};
use super::browser::Window;
use super::server::Studio;

/// A position in which White has moves to play and level 1 answers at once.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn moves(window: &Window, count: usize) {
    window.until(&format!("document.querySelectorAll('#move-tree button').length === {count}"));
}

#[test]
fn what_pgn_changes_of_a_comment_is_said_while_it_is_typed() {
    with_window(|window, studio| {
        empty_board(window, studio);
        ask(window, "e4");
        moves(window, 1);
        window.value("document.getElementById('annotate').open = true");
        let said = text("comment-changed");
        window.keys("#comment", "plain");
        assert_eq!(window.value(&format!("return {said}")), json!(""));
        window.keys("#comment", " {braces}");
        window.until(&format!("{said}.includes('( and )')"));
        window.keys("#comment", "\nmore");
        window.until(&format!("{said}.includes('lines are joined')"));
        window.click("#save-comment");
        window.until(&format!("{}.includes('plain (braces) more')", text("move-tree")));
        window.until(&format!("{said} === ''"));
    });
}

#[test]
fn what_does_not_fit_into_a_field_is_said_below_it() {
    with_window(|window, studio| {
        empty_board(window, studio);
        window.value("document.getElementById('annotate').open = true");
        let cut = "document.querySelector('.cut-off')";
        window.fill("#comment", &"x".repeat(9_998));
        window.keys("#comment", "12");
        assert_eq!(window.value(&format!("return {cut}")), json!(null));
        window.keys("#comment", "34");
        window.until(&format!("{cut}?.textContent.includes('10,000 characters')"));
        window.keys("#comment", "\u{e003}");
        window.until(&format!("!{cut}"));
    });
}

#[test]
fn moves_that_are_taken_back_are_named_and_counted_as_they_were_said() {
    with_window(|window, studio| {
        game_from(window, studio, START);
        for (san, count) in [("e4", 2), ("d4", 4), ("Nf3", 6)] {
            ask(window, san);
            moves(window, count);
        }
        // Two moves of one's own with the replies, four half-moves; three half-moves are four.
        for (sentence, left) in [("undo my last two moves", 2), ("take back", 0)] {
            ask(window, sentence);
            let gone = if left == 2 { "4 half-moves: 2. d4" } else { "2 half-moves: 1. e4" };
            window.until(&format!("{}.includes('Take back {gone}')", text("understood")));
            window.click("#do-it");
            moves(window, left);
            window.until(&format!("{}.includes('Taken back: {gone}')", text("legal-note")));
        }
        for (san, count) in [("e4", 2), ("d4", 4)] {
            ask(window, san);
            moves(window, count);
        }
        ask(window, "take back until my pawn is on d2 again");
        window.until(&format!("{}.includes('Take back 2 half-moves: 2. d4')", text("understood")));
        window.click("#do-it");
        moves(window, 2);
        ask(window, "d4");
        moves(window, 4);
        ask(window, "take the last four plies back");
        window.until(&format!("{}.includes('Take back 4 half-moves: 1. e4')", text("understood")));
        window.click("#do-it");
        moves(window, 0);
    });
}

#[test]
fn notes_that_go_with_moves_are_asked_about() {
    with_window(|window, studio| {
        game_from(window, studio, START);
        ask(window, "e4");
        moves(window, 2);
        window.value("document.getElementById('annotate').open = true");
        window.fill("#comment", "symmetrical");
        window.click("#save-comment");
        window.until(&format!("{}.includes('symmetrical')", text("move-tree")));
        let question = "document.getElementById('load-report').textContent";
        window.click("[data-do=takeback]");
        window.until(&format!("{question}.includes('1 move with notes would be lost')"));
        window.click("#replace-no");
        window.until(&format!("{question} === ''"));
        moves(window, 2);
        window.click("[data-do=takeback]");
        window.until("document.getElementById('replace-yes')");
        window.click("#replace-yes");
        moves(window, 0);
    });
}

#[test]
fn a_board_that_is_deleted_elsewhere_says_so_and_does_not_come_back() {
    with_window(|window, studio| {
        game_from(window, studio, START);
        let board = window.path();
        let id = board.trim_start_matches("/board/").split('#').next().unwrap_or_default();
        let form = format!("csrf={}&do=delete&board={id}", studio.csrf());
        assert_eq!(studio.post("/boards", &form).status, 303);
        window.until(&format!("{}.includes('was deleted')", text("legal-note")));
        // What studios lock stays.
        let boards = std::fs::read_dir(studio.folder.join("reports/boards")).expect("a folder");
        let names: Vec<_> = boards.map(|file| file.expect("an entry").file_name()).collect();
        assert_eq!(names, ["lock"]);
    });
}

#[test]
fn games_and_positions_of_training_data_are_shown_and_analysed() {
    let Some(driver) = super::browser::driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    for line in [
        "data generate --games 6 --nodes 60 --seed 1 -o games.vf --quiet",
        "data view games.vf -o games.csv --quiet",
    ] {
        let done = crate::common::run(folder.path(), line);
        assert_eq!(done.status.code(), Some(0), "{}", crate::common::shown(&done));
    }
    let runs = crate::common::json(&crate::common::run(folder.path(), "runs --json"));
    let id = runs[0]["run"].as_str().expect("an id").to_owned();
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(1280, 1000);
    window.open(&studio.url(&format!("/run/{id}/"), 0));
    window.click_text("Training data");
    window.until("document.querySelectorAll('[data-viewer][data-mounted]').length === 4");
    window.click("a[rel=next]");
    window.until("document.querySelectorAll('[data-viewer][data-mounted]').length === 2");
    window.click(".viewer .analyse");
    window.until("location.pathname.startsWith('/board/')");
    window.until("document.getElementById('analysis').open");
    window.until("document.querySelectorAll('#move-tree button').length > 4");
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}
