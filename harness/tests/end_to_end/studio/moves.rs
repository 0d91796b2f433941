//! Moves on a board by click and click, by tap, by dragging: promotions and castling, in usual chess and in
//! Chess960.

use serde_json::json;

use super::boards::{ask, empty_board, text, with_window};
use super::browser::Window;

/// A pawn that is about to promote.
const PAWN: &str = "8/P6k/8/8/8/8/8/K7 w - - 0 1";

/// Sets a position up on the board that is open.
fn set_up(window: &Window, fen: &str) {
    window.value("document.getElementById('editor').open = true");
    window.until("document.getElementById('edit-fen').value !== ''");
    window.fill("#edit-fen", fen);
    window.click("#use-position");
    let placed = fen.split(' ').next();
    let shown = "document.getElementById('board-fen').value";
    // The moves of the case before are replaced.
    let closed = "!document.getElementById('editor').open";
    window.until(&format!("{closed} || document.getElementById('replace-yes')"));
    window.value("document.getElementById('replace-yes')?.click()");
    window.until(&format!("{closed} && {shown}.startsWith({})", json!(placed)));
    // The legal moves are known.
    window.until("document.querySelector('[data-legal]')");
}

/// Waits until the only move of the board is this one.
fn played(window: &Window, san: &str) {
    window.until(&format!("{}.includes({})", text("move-tree"), json!(san)));
}

#[derive(Clone, Copy, Debug)]
enum By {
    Click,
    Tap,
    Drag,
}

fn go(window: &Window, by: By, from: &str, to: &str) {
    match by {
        By::Click => [from, to].iter().for_each(|square| window.click_square(square)),
        By::Tap => [from, to].iter().for_each(|square| window.tap_square(square)),
        By::Drag => window.drag_piece(from, to),
    }
}

/// Is a choice of pieces open, and has it the focus?
const OPEN: &str = "document.querySelector('[role=dialog][aria-label=\"Promote on a8 to\"] button:focus')?.getAttribute('aria-label') === 'Queen'";

#[test]
fn a_pawn_promotes_by_click_by_tap_and_by_dragging_to_the_piece_that_is_chosen() {
    with_window(|window, studio| {
        empty_board(window, studio);
        for (by, piece, san) in [
            (By::Click, "Queen", "a8=Q"),
            (By::Click, "Knight", "a8=N"),
            (By::Tap, "Rook", "a8=R"),
            (By::Tap, "Queen", "a8=Q"),
            (By::Drag, "Bishop", "a8=B"),
        ] {
            set_up(window, PAWN);
            go(window, by, "a7", "a8");
            window.until(OPEN);
            // Nothing has been played yet, and the pawn waits on its square.
            assert_eq!(
                window.value("return document.querySelectorAll('#move-tree button').length"),
                json!(0),
                "{by:?}"
            );
            let choice = format!(".promotion [aria-label={piece}]");
            match by {
                By::Tap => window.tap(&choice),
                By::Click | By::Drag => window.click(&choice),
            }
            played(window, san);
        }
        // By keys: arrows, a letter; Escape and a click elsewhere leave the pawn where it was.
        for (keys, san) in [("\u{e015}\u{e007}", "a8=N"), ("b", "a8=B")] {
            set_up(window, PAWN);
            go(window, By::Click, "a7", "a8");
            window.until(OPEN);
            window.keys(".promotion :focus", keys);
            played(window, san);
        }
        set_up(window, PAWN);
        go(window, By::Click, "a7", "a8");
        window.until(OPEN);
        window.keys(".promotion :focus", "\u{e00c}");
        window.until("!document.querySelector('.promotion')");
        go(window, By::Tap, "a7", "a8");
        window.until(OPEN);
        window.click_square("e4");
        window.until("!document.querySelector('.promotion')");
        assert_eq!(
            window.value("return document.querySelectorAll('#move-tree button').length"),
            json!(0)
        );
    });
}

#[test]
fn a_black_pawn_promotes_on_a_board_that_is_turned_and_on_one_that_is_not() {
    with_window(|window, studio| {
        empty_board(window, studio);
        for turned in [false, true] {
            set_up(window, "k7/8/8/8/8/8/p6K/1N6 b - - 0 1");
            if turned {
                window.click("[data-go=flip]");
            }
            let at =
                |square: &'static str| if turned { mirrored(square) } else { square.to_owned() };
            go(window, By::Click, &at("a2"), &at("b1"));
            window.click(".promotion [aria-label=Rook]");
            played(window, "axb1=R");
        }
    });
}

/// The square that lies where another one does on a board that is turned.
fn mirrored(name: &str) -> String {
    let [file, rank] = [0, 1].map(|index| name.as_bytes()[index]);
    format!("{}{}", char::from(b'a' + b'h' - file), char::from(b'1' + b'8' - rank))
}

#[test]
fn the_king_castles_by_click_by_tap_and_by_dragging_in_chess960_too() {
    const USUAL: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    const BESIDE: &str = "4k3/8/8/8/8/8/8/1RK4R w KQ - 0 1";
    with_window(|window, studio| {
        empty_board(window, studio);
        for (fen, from, to, san) in [
            (USUAL, "e1", "g1", "O-O"),
            (USUAL, "e1", "h1", "O-O"),
            (USUAL, "e1", "c1", "O-O-O"),
            (USUAL, "e1", "a1", "O-O-O"),
            (BESIDE, "c1", "h1", "O-O"),
            (BESIDE, "c1", "g1", "O-O"),
            (BESIDE, "c1", "b1", "O-O-O"),
            // A step beside is no castling.
            (BESIDE, "c1", "d1", "Kd1"),
        ] {
            for by in [By::Click, By::Tap, By::Drag] {
                set_up(window, fen);
                go(window, by, from, to);
                played(window, san);
            }
        }
        // A rook that the king does not castle with is chosen instead.
        set_up(window, "4k3/8/8/8/8/8/8/1RK4R w - - 0 1");
        go(window, By::Click, "c1", "h1");
        window.click_square("h8");
        played(window, "Rh8");
    });
}

#[test]
fn legal_moves_are_marked_and_a_puzzle_is_answered_by_click() {
    with_window(|window, studio| {
        empty_board(window, studio);
        set_up(window, "4k3/8/8/8/8/5p2/8/4K1N1 w - - 0 1");
        window.click_square("g1");
        window.until("document.querySelectorAll('.targets circle').length === 2 && document.querySelectorAll('.targets .taken').length === 1");
        window.click_square("e8");
        window.until(&format!("{}.includes('not a legal move')", text("legal-note")));
        ask(window, "Nxf3");
        played(window, "Nxf3");
    });
}

#[test]
fn a_puzzle_is_solved_by_a_promotion_by_click_and_by_tap() {
    for by in [By::Click, By::Tap] {
        with_window(|window, studio| {
            let picked = studio.folder.join("reports/studio");
            std::fs::create_dir_all(&picked).expect("a folder");
            let position = "8/P6k/8/8/7r/8/8/1K6 w - - bm a8=Q; id \"own\";\n";
            std::fs::write(picked.join("positions.epd"), position).expect("written");
            window.open(&studio.url("/practice", 0));
            window.until(&format!("{}.startsWith('own')", text("puzzle-source")));
            window.until("document.querySelector('[data-legal]')");
            go(window, by, "a7", "a8");
            window.until(OPEN);
            window.tap(".promotion [aria-label=Queen]");
            window.until(&format!("{} === 'Solved.'", text("verdict")));
        });
    }
}
