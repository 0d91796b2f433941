//! Games in a browser: against the engine with all that belongs to a game, between two browsers, and
//! with a language model at hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::boards::{ask, empty_board, text, with_window};
use super::browser::{Driver, Window, driver};
use super::server::Studio;
use crate::common::{self, harness};

/// Begins a game of the page of boards with these fields.
fn begin(window: &Window, studio: &Studio, fields: &[(&str, &str)]) {
    window.open(&studio.url("/boards", 0));
    window.until("document.querySelector('#new-game [name=level]')");
    for (name, value) in fields {
        window
            .value(&format!("document.querySelector('#new-game [name={name}]').value = '{value}'"));
    }
    window.click("#new-game [value=game]");
    window.until("location.pathname.startsWith('/board/')");
    window.until("document.getElementById('board-fen').value !== ''");
}

/// Moves in the list.
fn moves(count: usize) -> String {
    format!("document.querySelectorAll('#move-tree button').length === {count}")
}

pub fn tree_has(san: &str) -> String {
    format!("{}.includes('{san}')", text("move-tree"))
}

pub fn note_has(words: &str) -> String {
    format!("{}.includes('{words}')", text("legal-note"))
}

/// White's and Black's windows on a game that they play against each other, and its path.
pub fn two_players(driver: &Driver, studio: &Studio) -> ([Window; 2], String) {
    let [white, black] = [driver.window(false), driver.window(true)];
    for window in [&white, &black] {
        window.resize(1280, 1000);
    }
    begin(&white, studio, &[("black", "human"), ("clock", "30+0")]);
    let board = white.path();
    let board = board.split('#').next().unwrap_or_default().to_owned();
    for (window, side) in [(&white, "white"), (&black, "black")] {
        window.open(&studio.url(&format!("{board}?as={side}"), 0));
        window.until("document.querySelectorAll('#board-frame use').length === 32");
    }
    ([white, black], board)
}

#[test]
fn a_game_follows_a_misspelt_opening_with_premove_take_back_hint_draw_and_resignation() {
    with_window(|window, studio| {
        begin(window, studio, &[("level", "1"), ("opening", "sisilian defence")]);
        ask(window, "e4");
        // The opening's reply comes without a search.
        window.until(&tree_has("c5"));
        ask(window, "Nf3");
        // The engine thinks for a second: a premove waits for it. No reply forbids this one.
        window.until(&tree_has("Nf3"));
        window.drag_piece("a2", "a3");
        window.until(&tree_has("a3"));
        window.until("!document.getElementById('legal-note').textContent.includes('thinks')");
        window.click("[data-do=draw]");
        window.until(&note_has("plays on"));
        window.click("[data-do=takeback]");
        window.until(&format!("{} || {}", moves(4), moves(2)));
        window.click("[data-do=hint]");
        window.until("document.querySelector('.board .arrow.green')");
        // A slip of the finger resigns no game.
        window.value("window.confirm = () => false");
        window.click("[data-do=resign]");
        window.value("window.confirm = () => true");
        window.until("!document.getElementById('legal-note').textContent.includes('resigned')");
        window.click("[data-do=resign]");
        window.until(&note_has("White resigned"));
        // It is kept: as PGN, and among the games of the ledger.
        let board = window.path();
        let pgn =
            studio.get(&format!("{}/game.pgn", board.split('#').next().unwrap_or_default())).body;
        assert!(pgn.contains("[Result \"0-1\"]") && pgn.contains("1. e4 c5"), "{pgn}");
        // The page says it before the ledger has it.
        common::until("the game", || studio.get("/games").body.contains("resignation"));
        window.open(&studio.url("/games", 0));
        window.until("document.body.textContent.includes('resignation')");
        window.open(&studio.url("/", 0));
        window.until("document.body.textContent.includes('games on boards')");
        window.click_text("games on boards");
        window.until("document.querySelector('#result table')");
    });
}

#[test]
fn two_browsers_play_each_other_with_clocks_and_who_looks_only_cannot_move() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let ([white, black], board) = two_players(&driver, &studio);
    let guest = driver.window(false);
    guest.open(&studio.url(&board, 1));
    guest.until("document.querySelectorAll('#board-frame use').length === 32");
    // Black cannot move for White; what he drags in White's turn is a premove.
    black.until(&note_has("You play black"));
    black.drag_black_piece("d2", "d3");
    black.drag_black_piece("e7", "e5");
    black.until(&note_has("Premove e7e5"));
    white.drag_piece("f2", "f3");
    black.until(&tree_has("e5"));
    white.until(&tree_has("e5"));
    // The clock of who is to move runs.
    let clock = "document.querySelector('.player.bottom .clock').textContent";
    white.until(&format!("{clock} !== '' && !{clock}.startsWith('30:')"));
    ask(&white, "offer a draw");
    white.click("#do-it");
    black.until(&note_has("White offers a draw"));
    ask(&white, "g4");
    black.until(&tree_has("g4"));
    ask(&black, "Qh4");
    guest.until(&tree_has("0-1"));
    let offered = "return document.querySelectorAll('#ask, [data-do], #new-game').length";
    assert_eq!(guest.value(offered), json!(0));
    for window in [white, black, guest] {
        window.close();
    }
}

#[test]
fn a_piece_that_is_dragged_stays_under_the_pointer_when_the_opponent_moves() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let ([white, black], _) = two_players(&driver, &studio);
    ask(&white, "e4");
    for window in [&white, &black] {
        window.until(&tree_has("e4"));
    }
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_secs(1));
            ask(&black, "e5");
        });
        white.drag_piece_and_hold("g1", "f3", Duration::from_secs(4));
    });
    black.until(&tree_has("Nf3"));
    for window in [white, black] {
        window.close();
    }
}

#[test]
fn chess960_begins_anywhere_and_what_is_heard_is_played() {
    with_window(|window, studio| {
        empty_board(window, studio);
        ask(window, "new game of chess 960 as white against level 1");
        window.until("document.querySelector('.player.top .name').textContent.includes('level 1')");
        // A browser that hears, and what it says.
        let hears = "window.webkitSpeechRecognition = class extends EventTarget {
            start() {
                const event = new Event('result');
                event.results = [[{ transcript: window.said }]];
                this.dispatchEvent(event);
            }
        };
        window.SpeechRecognition = undefined;
        window.spoken = [];
        speechSynthesis.speak = (words) => window.spoken.push(words.text);
        document.getElementById('settings').open = true;
        document.getElementById('speak').click();
        window.said = 'pawn a four';";
        window.value(hears);
        window.click("#listen");
        window.until(&tree_has("a4"));
        window.until("window.spoken.some((text) => text.includes('a4'))");
        let board = window.path();
        let pgn =
            studio.get(&format!("{}/game.pgn", board.split('#').next().unwrap_or_default())).body;
        assert!(pgn.contains("[Variant \"Chess960\"]") && pgn.contains("1. a4"), "{pgn}");
    });
}

/// A server that speaks the protocol of language models: each answer is one of these messages.
fn model(messages: Vec<serde_json::Value>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}/v1", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for message in messages {
            let Ok((stream, _)) = listener.accept() else { return };
            let mut reader = BufReader::new(&stream);
            let (mut length, mut line) = (0, String::new());
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                if let Some(number) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                    length = number.trim().parse().expect("a number");
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            assert!(String::from_utf8_lossy(&body).contains("play_opening"));
            let answer = json!({ "choices": [{ "message": message }] }).to_string();
            let head =
                format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}", answer.len());
            let _ = write!(&stream, "{head}\r\n\r\n{answer}");
        }
    });
    address
}

#[test]
fn what_is_not_understood_goes_to_a_model_only_if_one_is_configured() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let call = |name: &str, arguments: &str| json!({ "content": null, "tool_calls": [{ "function": { "name": name, "arguments": arguments } }] });
    let url = model(vec![
        call("play_opening", "{\"opening\": \"kings gambit\"}"),
        call("erase_everything", "{}"),
        json!({ "content": "It is a <b>fish</b>." }),
    ]);
    const WISH: &str = "xqzt blorf wumpus";
    let window = driver.window(false);
    let off = Studio::start(folder.path());
    empty_board(&window, &off);
    ask(&window, WISH);
    window.until(&format!("{}.includes('not understood')", text("understood")));
    drop(off);
    let mut command = harness(folder.path(), ["studio", "--port", "0"]);
    command.env("TENCH_ASSISTANT_URL", &url).env("TENCH_ASSISTANT_MODEL", "small");
    command.env("TENCH_ASSISTANT_KEY", "sk-secret");
    let studio = Studio::of(command);
    empty_board(&window, &studio);
    ask(&window, WISH);
    // It is shown, and done when it is clicked.
    window.until(&format!("{}.includes('Play the King')", text("understood")));
    assert_eq!(
        window.value("return document.querySelectorAll('#move-tree button').length"),
        json!(0)
    );
    window.click("#understood button");
    window.until(&tree_has("f4"));
    ask(&window, WISH);
    window.until(&format!("{}.includes('no function')", text("understood")));
    ask(&window, WISH);
    window.until(&format!("{}.includes('It is a <b>fish</b>.')", text("understood")));
    assert!(studio.get("/help").body.contains("is sent to small at 127.0.0.1"));
    window.close();
}
