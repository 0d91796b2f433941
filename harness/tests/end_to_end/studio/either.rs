//! A sentence that may mean two things: which one is asked, and chosen with the mouse and with keys.

use super::boards::{ask, empty_board, text, with_window};

/// A round may be one game of each two engines, or two.
const ROUNDS: &str = "round robin of stockfish, ethereal and toga2, 10 rounds";

#[test]
fn of_two_meanings_one_is_chosen_with_the_mouse_and_with_keys() {
    with_window(|window, studio| {
        empty_board(window, studio);
        let asks = format!("{}.startsWith('Did you mean')", text("understood"));
        let runs = |games: u32| {
            format!(
                "document.querySelector('#understood a')?.href.includes('games%3A%20{games}%0A')"
            )
        };
        ask(window, ROUNDS);
        window.until(&asks);
        window.click("#understood button:last-of-type");
        window.until(&runs(10));
        // The first one has the focus, and the next is a tab away.
        ask(window, ROUNDS);
        window.until(&asks);
        window.keys("#understood button:focus", "\u{e007}");
        window.until(&runs(20));
        ask(window, ROUNDS);
        window.until(&asks);
        window.keys("#understood button:focus", "\u{e004}");
        window.keys("#understood button:focus", "\u{e007}");
        window.until(&runs(10));
        // What only shows something is not asked.
        ask(window, "who is better?");
        window.until(&format!("!{}.startsWith('Did you mean')", text("understood")));
        // The same for programs.
        let path = window.path();
        let path = path.split('#').next().unwrap_or_default();
        let csrf = studio.csrf();
        let answer = |sentence: &str| -> serde_json::Value {
            let form = format!("csrf={csrf}&text={}", sentence.replace(' ', "+"));
            let answer = studio.post(&format!("{path}/ask"), &form);
            assert_eq!(answer.status, 200);
            serde_json::from_str(&answer.body).expect("JSON")
        };
        let value = answer(ROUNDS);
        assert_eq!(value["slots"]["games"], 20);
        assert_eq!(value["others"][0]["slots"]["games"], 10);
        let run = value["others"][0]["run"].as_str().unwrap_or_default();
        assert!(run.contains("games: 10\n"), "{run}");
        // White moves: a hint for Black and a threat of White are answered for the other side, which is said.
        for (sentence, shown) in [
            ("best move for black here", "Hint for White, whose move it is"),
            ("best move for white here", "Hint"),
            ("what is white threatening", "The threat of Black: it is White's move"),
            ("what is black threatening", "The threat"),
        ] {
            assert_eq!(answer(sentence)["shown"], shown, "{sentence}");
        }
    });
}
