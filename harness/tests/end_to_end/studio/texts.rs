//! Texts that are pasted, typed and uploaded: what is read of them is said, what is not as well, and
//! nothing is replaced without a question.

use std::io::Write;

use flate2::write::GzEncoder;
use serde_json::json;

use super::boards::{ask, empty_board, text, with_window};
use super::browser::Window;

/// Pastes a text on the page, outside of its fields.
fn paste(window: &Window, pasted: &str) {
    window.value(&format!(
        "const data = new DataTransfer(); data.setData('text/plain', {});
         document.body.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true }}))",
        json!(pasted)
    ));
}

fn report_has(words: &str) -> String {
    format!("{}.includes({})", text("load-report"), json!(words))
}

/// The moves of the list, without their numbers.
fn moves_are(san: &str) -> String {
    let buttons = "[...document.querySelectorAll('#move-tree button')]";
    format!("{buttons}.map((button) => button.textContent.trim()).join(' ') === {}", json!(san))
}

#[test]
fn moves_of_every_notation_come_to_an_empty_board_and_are_named() {
    with_window(|window, studio| {
        for (pasted, said) in [
            ("1. e4 e5 2. Sf3 Sc6 3. Lb5", "letters of German"),
            ("1. e4 e5 2. ♘f3 ♞c6 3. ♗b5", "3 moves"),
            ("e2e4 e7e5 g1f3 b8c6 f1b5", "3 moves"),
            ("1.e4 e5 2.Cf3 Cc6 3.Ab5", "letters of Spanish"),
        ] {
            empty_board(window, studio);
            paste(window, pasted);
            window.until(&moves_are("e4 e5 Nf3 Nc6 Bb5"));
            window.until(&report_has(said));
        }
        // A FEN sets the position, pasted and typed.
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let shown = format!("document.getElementById('board-fen').value === {}", json!(fen));
        empty_board(window, studio);
        paste(window, fen);
        window.until(&shown);
        window.until(&report_has("a position, White to move"));
        empty_board(window, studio);
        ask(window, fen);
        window.until(&shown);
        // Moves that follow each other are played from where the board is.
        ask(window, "e4 Kd7 e5");
        window.until(&moves_are("e4 Kd7 e5"));
    });
}

#[test]
fn a_comment_that_turns_the_direction_of_writing_leaves_the_moves_beside_it() {
    with_window(|window, studio| {
        empty_board(window, studio);
        paste(window, "1. e4 {\u{202e}turned} e5 2. Nf3 *");
        window.until(&moves_are("e4 e5 Nf3"));
        // The comment, and the moves behind it from left to right.
        let places = window.value(
            "const [, reply, knight] = document.querySelectorAll('#move-tree button');
             const words = [reply, knight].map((button) => button.getBoundingClientRect());
             return words[0].x < words[1].x || words[0].y < words[1].y",
        );
        assert_eq!(places, true);
        let comment = "[...document.querySelectorAll('#move-tree *')].find((one) => one.children.length === 0 && one.textContent.includes('turned'))";
        let direction = window.value(&format!("return getComputedStyle({comment}).unicodeBidi"));
        assert_eq!(direction, "isolate");
    });
}

#[test]
fn what_is_no_game_is_refused_in_words_and_leaves_the_board_alone() {
    with_window(|window, studio| {
        empty_board(window, studio);
        ask(window, "e4");
        window.until(&moves_are("e4"));
        let passwd = "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/bin/sh\n";
        let random: String = (0..5_000_u32)
            .map(|at| char::from(at.wrapping_mul(2_654_435_761).to_be_bytes()[0] & 0x7f))
            .collect();
        for (pasted, said) in [
            ("hello world", "neither a game in PGN nor moves nor a position"),
            (passwd, "neither a game in PGN nor moves nor a position"),
            (random.as_str(), "no text but a file of another kind"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "is no position"),
        ] {
            window.value("document.getElementById('load-report').textContent = ''");
            paste(window, pasted);
            window.until(&report_has(said));
            window.until(&moves_are("e4"));
        }
    });
}

#[test]
fn nothing_is_replaced_and_nothing_dropped_without_a_question() {
    with_window(|window, studio| {
        empty_board(window, studio);
        ask(window, "e4");
        window.until(&moves_are("e4"));
        // Two games, over a board with moves.
        let two = "[White \"Ann\"]\n\n1. d4 d5 *\n\n[White \"Bob\"]\n\n1. c4 c5 1-0\n";
        window.value("document.getElementById('share').open = true");
        window.fill("#pgn", two);
        window.click("#load-pgn");
        window.until(&report_has("2 games"));
        window.until(&report_has("would be replaced"));
        window.until(&moves_are("e4"));
        window.value(
            "const list = document.getElementById('load-game'); list.value = '2';
             list.dispatchEvent(new Event('change'))",
        );
        window.until(&report_has("Number 2: Bob"));
        window.click("#load-here");
        window.until(&moves_are("c4 c5"));
        // What cannot be read is named before it is loaded.
        paste(window, "1. e4 e5 2. Nf3 Xx9 3. Bb5");
        window.until(&report_has("Xx9"));
        window.until(&moves_are("c4 c5"));
        window.click("#load-there");
        window.until(&moves_are("e4 e5 Nf3"));
        // A position that is set up over moves is asked about, too.
        window.value("document.getElementById('editor').open = true");
        window.until("document.getElementById('edit-fen').value !== ''");
        window.click("[data-preset=start]");
        window.click("#use-position");
        window.until(&report_has("would be replaced"));
        window.click("#replace-no");
        window.until(&moves_are("e4 e5 Nf3"));
    });
}

#[test]
fn an_upload_without_a_game_is_refused_and_one_of_the_same_name_is_asked_about() {
    with_window(|window, studio| {
        let folder = tempfile::tempdir().expect("temporary folder");
        let upload = |name: &str, content: &[u8]| {
            let file = folder.path().join(name);
            std::fs::write(&file, content).expect("written");
            window.open(&studio.url("/pgn", 0));
            window.keys("#pgn-upload [type=file]", &file.display().to_string());
            window.click("#pgn-upload .button");
        };
        upload("prose.pgn", b"hello world");
        window.until(&format!("{}.includes('is not kept')", text("upload-state")));
        upload("a.pgn", b"1. e4 *\n");
        window.until("location.pathname === '/pgn/games'");
        upload("a.pgn", b"1. d4 *\n\n1. c4 *\n");
        window.until(&format!("{}.includes('already')", text("upload-state")));
        window.click("#upload-replace");
        window.until("location.pathname === '/pgn/games'");
        window.until("document.querySelectorAll('table.games tbody tr').length === 2");
        window.open(&studio.url("/pgn", 0));
        let page = "document.body.textContent";
        window.until(&format!("{page}.includes('a.pgn') && !{page}.includes('prose.pgn')"));
        let mut packed = GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(b"1. d4 *\n\n1. c4 *\n\n1. Nf3 *\n").expect("packed");
        let packed = packed.finish().expect("packed");
        upload("cut.pgn.gz", &packed[..packed.len() - 9]);
        window.until(&format!("{}.includes('is not kept')", text("upload-state")));
        upload("b.pgn.gz", &packed);
        window.until("location.search === '?file=b.pgn'");
        window.until("document.querySelectorAll('table.games tbody tr').length === 3");
    });
}
