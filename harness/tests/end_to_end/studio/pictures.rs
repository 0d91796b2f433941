//! A position from a picture: a screenshot of a board comes to the editor of another one.

use serde_json::json;

use super::axe::violations;
use super::boards::{empty_board, text, with_window};
use super::browser::Window;
use super::server::Studio;
use crate::needs;

const PICTURES: [(&[u8], &str); 2] = [
    (
        include_bytes!("../../../crates/picture/src/reading/pictures/white.png"),
        "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R",
    ),
    (
        include_bytes!("../../../crates/picture/src/reading/pictures/black.png"),
        "2r3k1/5ppp/p3p3/1p1bP3/3Q4/P4N2/1P1q1PPP/4R1K1",
    ),
];

/// Pastes or drops a file of these bytes on the page.
fn give(window: &Window, event: &str, name: &str, kind: &str, bytes: &[u8]) {
    window.value(&format!(
        "const file = new File([new Uint8Array({})], '{name}', {{ type: '{kind}' }});
         const data = new DataTransfer(); data.items.add(file);
         const init = {{ bubbles: true, cancelable: true }};
         const given = '{event}' === 'paste' ? new ClipboardEvent('paste', {{ ...init, clipboardData: data }})
           : new DragEvent('drop', {{ ...init, dataTransfer: data }});
         document.body.dispatchEvent(given)",
        json!(bytes)
    ));
}

fn placement_is(field: &str, placement: &str) -> String {
    format!("document.getElementById('{field}').value.split(' ')[0] === {}", json!(placement))
}

#[test]
fn a_screenshot_that_is_pasted_dropped_or_chosen_becomes_the_position() {
    with_window(|window, studio| {
        for (event, (bytes, placement)) in ["paste", "drop"].into_iter().zip(PICTURES) {
            empty_board(window, studio);
            give(window, event, "board.png", "image/png", bytes);
            window.until(&placement_is("edit-fen", placement));
            window.click("#use-position");
            window.until(&placement_is("board-fen", placement));
        }
        empty_board(window, studio);
        let folder = tempfile::tempdir().expect("temporary folder");
        let file = folder.path().join("board.png");
        std::fs::write(&file, PICTURES[0].0).expect("written");
        window.value("document.getElementById('editor').open = true");
        window.keys("#picture-file", &file.display().to_string());
        window.until(&placement_is("edit-fen", PICTURES[0].1));
        // What was read may be seen from the other side, and back.
        window.click("#picture-turn");
        let turned: String = PICTURES[0].1.chars().rev().collect();
        window.until(&placement_is("edit-fen", &turned));
        window.click("#picture-turn");
        window.until(&placement_is("edit-fen", PICTURES[0].1));
        if let Some(script) = needs::axe() {
            assert_eq!(violations(window, &script), [""; 0]);
        }
    });
}

#[test]
fn squares_in_doubt_are_framed_until_a_choice_or_a_click_settles_them() {
    with_window(|window, studio| {
        empty_board(window, studio);
        // The server's answer with two squares in doubt.
        window.value(
            "const fetched = window.fetch;
             window.fetch = async (place, init) => {
               const answer = await fetched(place, init);
               if (!String(place).startsWith('/picture')) return answer;
               const value = await answer.json();
               for (const square of value.squares) {
                 square.uncertain = ['e1', 'd4'].includes(square.square);
                 if (square.square === 'd4') Object.assign(square, { alternative: 'B' });
               }
               return new Response(JSON.stringify(value), { status: 200 });
             };",
        );
        give(window, "paste", "board.png", "image/png", PICTURES[0].0);
        let framed = |count: usize| {
            format!("document.querySelectorAll('#board-frame .square-mark').length === {count}")
        };
        window.until(&framed(2));
        window.until(&format!("{}.includes('2 squares')", text("picture-doubts")));
        window.click("#picture-doubts [aria-label='d4 is white bishop']");
        window.until(&framed(1));
        let changed = PICTURES[0].1.replace("3P1B2", "3B1B2");
        window.until(&placement_is("edit-fen", &changed));
        window.click("#palette [value=K]");
        window.click_square("e1");
        window.until(&framed(0));
        window.until(&format!("{}.includes('No square is in doubt')", text("picture-doubts")));
    });
}

#[test]
fn what_is_no_picture_of_a_board_is_refused_in_words() {
    with_window(|window, studio| {
        empty_board(window, studio);
        for (bytes, kind, words) in [
            (&PICTURES[0].0[..900], "image/png", "damaged or incomplete"),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", "an SVG drawing"),
            (b"GIF89a", "image/gif", "a GIF file"),
        ] {
            give(window, "drop", "file", kind, bytes);
            window.until(&format!("{}.includes({})", text("picture-report"), json!(words)));
        }
    });
}

#[test]
fn a_picture_is_taken_from_our_own_pages_alone_and_within_limits() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let csrf = studio.csrf();
    let status =
        |csrf: &str, body: &str| studio.post(&format!("/picture?csrf={csrf}"), body).status;
    assert_eq!(status("wrong", "x"), 403);
    assert_eq!(status(&csrf, "no picture"), 422);
    let view = [studio.cookie(&studio.tokens[1])];
    let refused = studio.send(&format!("POST /picture?csrf={csrf}"), &view, "x");
    assert_eq!(refused.status, 403, "{}", refused.body);
}
