//! Places on boards: what a link leads to, and where a note goes that is typed while the game changes.

use super::boards::{ask, empty_board, text};
use super::browser::{Window, driver};
use super::server::Studio;

const SHOWN: &str = "document.querySelector('#move-tree [aria-current]')?.textContent";

/// Plays moves on a board.
fn play(window: &Window, moves: &[&str]) {
    for san in moves {
        ask(window, san);
        window.until(&format!("{SHOWN} === '{san}'"));
    }
}

/// Clicks a move of the tree.
fn go_to(window: &Window, san: &str) {
    window.value(&format!(
        "[...document.querySelectorAll('#move-tree button')].find((one) => one.textContent === '{san}').click()"
    ));
    window.until(&format!("{SHOWN} === '{san}'"));
}

/// The path of the board of a window, without the position.
fn board_of(window: &Window) -> String {
    window.path().split('#').next().unwrap_or_default().to_owned()
}

#[test]
fn a_board_without_a_position_in_its_address_shows_the_game_and_follows_it() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let [white, guest] = [driver.window(false), driver.window(false)];
    white.resize(1280, 1000);
    white.open(&studio.url("/boards", 0));
    for (name, value) in [("black", "Human"), ("clock", "3+2")] {
        white
            .value(&format!("document.querySelector('#new-game [name={name}]').value = '{value}'"));
    }
    white.click("#new-game [value=game]");
    white.until("location.pathname.startsWith('/board/')");
    white.until("document.querySelectorAll('#board-frame use').length === 32");
    play(&white, &["e4", "e5"]);
    let board = board_of(&white);
    guest.open(&studio.url(&board, 1));
    guest.until(&format!("{SHOWN} === 'e5'"));
    play(&white, &["Nf3"]);
    guest.until(&format!("{SHOWN} === 'Nf3'"));
    // A link within the page leads to no other position.
    guest.value("document.querySelector('a.skip').click()");
    guest.until("location.hash === '#content'");
    guest.until(&format!("{SHOWN} === 'Nf3'"));
    // PGN has seconds.
    let pgn = studio.get(&format!("{board}/game.pgn")).body;
    assert!(pgn.contains("[TimeControl \"180+2\"]"), "{pgn}");
    assert_eq!((white.errors(), guest.errors()), (Vec::new(), Vec::new()));
    white.close();
    guest.close();
}

#[test]
fn a_link_and_a_note_that_is_typed_keep_their_move_when_the_studio_is_started_again() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(1280, 1000);
    empty_board(&window, &studio);
    play(&window, &["e4", "e5", "Nf3"]);
    window.click("[data-go=first]");
    play(&window, &["d4", "d5"]);
    go_to(&window, "Nf3");
    let path = window.path();
    let (board, place) = path.split_once('#').expect("a place");
    window.value("document.getElementById('annotate').open = true");
    window.fill("#comment", "note for Nf3");
    let port = studio.port().to_owned();
    studio.kill();
    let again = Studio::at(folder.path(), &port);
    window.click("#save-comment");
    crate::common::until("the note", || {
        again.get(&format!("{board}/game.pgn")).body.contains("2. Nf3 { note for Nf3 }")
    });
    let other = driver.window(false);
    other.open(&format!("{}#{place}", again.url(board, 0)));
    other.until(&format!("{SHOWN} === 'Nf3'"));
    other.close();
    window.close();
}

#[test]
fn a_note_replaces_none_of_another_window_without_a_word() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let [mine, theirs] = [driver.window(false), driver.window(false)];
    mine.resize(1280, 1000);
    theirs.resize(1280, 1000);
    empty_board(&mine, &studio);
    play(&mine, &["e4", "e5"]);
    let board = board_of(&mine);
    theirs.open(&studio.url(&board, 0));
    theirs.until("document.querySelectorAll('#board-frame use').length === 32");
    go_to(&theirs, "e5");
    for window in [&mine, &theirs] {
        window.value("document.getElementById('annotate').open = true");
    }
    let pgn = || studio.get(&format!("{board}/game.pgn")).body;
    mine.fill("#comment", "mine");
    theirs.fill("#comment", "theirs");
    theirs.click("#save-comment");
    crate::common::until("the note", || pgn().contains("{ theirs }"));
    mine.until(&format!("{}.includes('theirs')", text("move-tree")));
    mine.click("#save-comment");
    mine.until(&format!("{}.includes('“theirs” was saved')", text("legal-note")));
    assert!(pgn().contains("{ theirs }"));
    mine.click("#save-comment");
    crate::common::until("the note", || pgn().contains("{ mine }"));
    // Another game stands on the board: the note of a move that is not in it is said, and goes to no other move.
    mine.fill("#comment", "of a game that is gone");
    theirs.value("document.getElementById('share').open = true");
    theirs.fill("#pgn", "1. c4 g6 2. g3 Bg7");
    theirs.click("#load-pgn");
    theirs.until(
        "[...document.querySelectorAll('button')].some((one) => one.textContent === 'Replace it')",
    );
    theirs.click_text("Replace it");
    mine.until(&format!("{}.includes('“of a game that is gone”')", text("legal-note")));
    mine.until(&format!("{}.includes('Bg7')", text("move-tree")));
    mine.value("document.getElementById('save-comment').click()");
    assert!(!pgn().contains("gone"), "{}", pgn());
    mine.value("window.onbeforeunload = null");
    mine.close();
    theirs.close();
}

#[test]
fn the_editor_keeps_the_castling_of_chess960() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(1280, 1000);
    window.open(&studio.url("/boards", 0));
    window.value("document.querySelector('#new-game [name=chess960]').checked = true");
    let fen = "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w KQkq - 0 1";
    window.value(&format!("document.querySelector('#new-game [name=fen]').value = '{fen}'"));
    window.click("#new-game [value=study]");
    window.until("location.pathname.startsWith('/board/')");
    window.until("document.querySelectorAll('#board-frame use').length === 32");
    window.value("document.getElementById('editor').open = true");
    window.until("document.getElementById('edit-fen').value !== ''");
    window.value("document.querySelector('#palette > :last-child').click()");
    for (square, rights) in [("a2", "KQkq"), ("g1", "Qkq"), ("f8", "Q")] {
        window.click_square(square);
        window.until(&format!(
            "document.getElementById('edit-fen').value.split(' ')[2] === '{rights}'"
        ));
    }
    window.close();
}
