//! Moves on a board by click and click, by tap, by dragging: promotions and castling, in usual chess and in
//! Chess960.

use serde_json::json;

use super::boards::{ask, empty_board, text, with_window};
use super::browser::Window;
use super::server::Studio;
use crate::webdriver::{DOWN, ENTER, ESCAPE, LEFT, RIGHT, UP};

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

/// Opens a puzzle that is solved by a promotion on a8.
fn promotion_puzzle(window: &Window, studio: &Studio) {
    let picked = studio.folder.join("reports/studio");
    std::fs::create_dir_all(&picked).expect("a folder");
    let position = "8/P6k/8/8/7r/8/8/1K6 w - - bm a8=Q; id \"own\";\n";
    std::fs::write(picked.join("positions.epd"), position).expect("written");
    window.open(&studio.url("/practice", 0));
    window.until(&format!("{}.startsWith('own')", text("puzzle-source")));
    window.until("document.querySelector('[data-legal]')");
}

#[test]
fn a_puzzle_is_solved_by_a_promotion_by_click_and_by_tap() {
    for by in [By::Click, By::Tap] {
        with_window(|window, studio| {
            promotion_puzzle(window, studio);
            go(window, by, "a7", "a8");
            window.until(OPEN);
            window.tap(".promotion [aria-label=Queen]");
            window.until(&format!("{} === 'Solved.'", text("verdict")));
        });
    }
}

/// The board, which the keys go to.
const BOARD: &str = "#board-frame svg.board";

/// Presses keys on the board.
fn press(window: &Window, keys: &[&str]) {
    window.keys(BOARD, &keys.concat());
}

/// Waits until the board has said something.
fn said(window: &Window, part: &str) {
    let spoken = "document.querySelector('#board-frame [role=status]').textContent";
    window.until(&format!("{spoken}.includes({})", json!(part)));
}

#[test]
fn pieces_are_picked_up_and_moved_by_keys_alone() {
    with_window(|window, studio| {
        empty_board(window, studio);
        window.until("document.querySelector('[data-legal]')");
        press(window, &[UP]);
        said(window, "e2, white pawn");
        press(window, &[ENTER]);
        said(window, "white pawn on e2 picked up, 2 moves: e3 e4");
        press(window, &[UP, UP]);
        said(window, "e4, empty, may go here");
        press(window, &[" "]);
        played(window, "e4");
        // The caret stays where it is; on a board that is turned the arrows are, too.
        window.until("document.querySelector('[data-legal]')");
        press(window, &["f", DOWN, DOWN, DOWN]);
        said(window, "e7, black pawn");
        press(window, &[ENTER, UP, UP, ENTER]);
        played(window, "e5");
        press(window, &["f", RIGHT, DOWN, DOWN, DOWN, DOWN, RIGHT]);
        said(window, "g1, white knight");
        // Back with Escape, and put back on its own square.
        window.until("document.querySelector('[data-legal]')");
        press(window, &[ENTER, UP, ESCAPE]);
        said(window, "white knight put back on g1");
        press(window, &[DOWN, ENTER]);
        said(window, "picked up");
        press(window, &[ENTER]);
        said(window, "white knight put back on g1");
        // An illegal move, a piece of the other side, an empty square.
        press(window, &[ENTER, UP, UP, ENTER]);
        let note = text("legal-note");
        window.until(&format!("{note}.includes('not a legal move')"));
        press(window, &[UP, UP, UP, UP, UP, ENTER]);
        window.until(&format!("{note}.includes(\"White's turn\")"));
        press(window, &[DOWN, DOWN, ENTER]);
        said(window, "g6 is empty");
        // The board keeps the arrows until Escape; then they go through the moves.
        let shown = "document.querySelector('#move-tree [aria-current]')?.textContent";
        assert_eq!(window.value(&format!("return {shown}")), json!("e5"));
        press(window, &[ESCAPE]);
        window.until("document.activeElement === document.body");
        window.keys("body", LEFT);
        window.until(&format!("{shown} === 'e4'"));
        // Neither does a click take the arrows.
        window.click_square("g8");
        let focused = "return document.activeElement.localName";
        assert_eq!(window.value(focused), json!("body"));
        window.keys("body", LEFT);
        window.until(&format!("!{shown}"));
    });
}

#[test]
fn a_pawn_promotes_and_a_position_is_set_up_by_keys_alone() {
    with_window(|window, studio| {
        empty_board(window, studio);
        set_up(window, PAWN);
        press(window, &[UP, UP, UP, UP, UP, UP, ENTER]);
        said(window, "white pawn on a7 picked up");
        press(window, &[UP, ENTER]);
        window.until(OPEN);
        window.keys(".promotion :focus", "n");
        played(window, "a8=N");
        window.until(&format!("document.activeElement === document.querySelector('{BOARD}')"));
        // In the editor a piece is put where the caret is.
        window.value("document.getElementById('editor').open = true");
        window.until("document.getElementById('edit-fen').value !== ''");
        window.click("#palette [value=R]");
        press(window, &[DOWN, RIGHT, ENTER]);
        said(window, "b7, white rook");
        window.until("document.getElementById('edit-fen').value.startsWith('N7/1R5k/')");
    });
}

#[test]
fn a_puzzle_is_solved_by_keys_alone() {
    with_window(|window, studio| {
        promotion_puzzle(window, studio);
        press(window, &[LEFT, UP, UP, UP, UP, UP, UP, ENTER, UP, ENTER]);
        window.until(OPEN);
        window.keys(".promotion :focus", ENTER);
        window.until(&format!("{} === 'Solved.'", text("verdict")));
    });
}

/// Tones instead of sounds: their frequencies are in `tones`.
const TONES: &str = "window.tones = [];
    window.AudioContext = class {
        state = 'suspended'; currentTime = 0; destination = {};
        resume() { this.state = 'running'; }
        createOscillator() {
            const frequency = { value: 0 };
            return { frequency, connect: (to) => to, stop() {}, start: () => tones.push(`${this.state} ${frequency.value}`) };
        }
        createGain() {
            return { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: (to) => to };
        }
    };";

#[test]
fn moves_sound_where_sounds_are_on_and_nowhere_else() {
    with_window(|window, studio| {
        empty_board(window, studio);
        window.value(TONES);
        for sentence in ["e4", "d5"] {
            ask(window, sentence);
            played(window, sentence);
        }
        assert_eq!(window.value("return tones"), json!([]));
        window.value("document.getElementById('settings').open = true");
        window.click("#board-sounds");
        // It sounds at once, so that one hears what was switched on; taking sounds lower.
        window.until("tones.length === 1");
        window.drag_piece("e4", "d5");
        played(window, "exd5");
        window.until("tones.length === 2");
        assert_eq!(window.value("return tones"), json!(["running 330", "running 220"]));
        // It stays so on another page, and in puzzles.
        promotion_puzzle(window, studio);
        window.value(TONES);
        go(window, By::Click, "a7", "a8");
        window.until(OPEN);
        window.keys(".promotion :focus", ENTER);
        window.until("tones.length === 1");
        empty_board(window, studio);
        window.value(TONES);
        window.value("document.getElementById('settings').open = true");
        window.click("#board-sounds");
        ask(window, "e4");
        played(window, "e4");
        assert_eq!(window.value("return tones"), json!([]));
    });
}
