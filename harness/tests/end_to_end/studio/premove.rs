//! Moves in the turn of the other player.

use super::browser::{Window, driver};
use super::play::{note_has, tree_has, two_players};
use super::server::Studio;

/// Loads the page of a board again.
fn reload(window: &Window) {
    window.value("window.isOld = true; location.reload()");
    window.until("!window.isOld && document.querySelectorAll('#board-frame use').length > 2");
}

#[test]
fn a_premove_is_kept_when_the_page_is_loaded_again_and_one_that_is_dropped_is_named() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let ([white, black], _) = two_players(&driver, &studio);
    let premove = |from: &str, to: &str| {
        black.drag_black_piece(from, to);
        black.until(&note_has(&format!("Premove {from}{to}")));
    };
    premove("e7", "e5");
    reload(&black);
    black.until(&note_has("Premove e7e5"));
    white.drag_piece("e2", "e4");
    for window in [&white, &black] {
        window.until(&tree_has("e5"));
    }
    premove("b8", "c6");
    black.click("[data-go=first]");
    black.until(&note_has("The premove b8c6 is dropped: another position is shown"));
    black.click("[data-go=last]");
    // A pawn stands in its way, whatever White does.
    premove("e5", "e4");
    white.drag_piece("g1", "f3");
    black.until(&note_has("The premove e5e4 is dropped. e5e4 is not a legal move here"));
    black.drag_black_piece("b8", "c6");
    white.until(&tree_has("Nc6"));
    premove("g8", "f6");
    // Of two people the last half-move goes, and it is no reply.
    white.click("[data-do=takeback]");
    black.until(&note_has("The premove g8f6 is dropped: the game has gone another way"));
    black.until(&format!("!({})", tree_has("Nc6")));
    for window in [white, black] {
        window.close();
    }
}
