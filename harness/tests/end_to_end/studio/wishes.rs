//! What sentences do with a game: moves that are named by what they did, signs that are taken away, a position or a game as
//! a file, rights to castle, a game from the position on the board; and games of runs that are found by what they are.

use serde_json::{Value, json};

use super::boards::{ask, empty_board, text, with_window};
use super::browser::Window;
use super::server::Studio;
use crate::common;

/// Loads moves into an empty board.
fn board_with(window: &Window, studio: &Studio, moves: &str, last: &str) {
    empty_board(window, studio);
    window.value("document.getElementById('share').open = true");
    window.fill("#pgn", moves);
    window.click("#load-pgn");
    window.until(&format!("{}.includes('{last}')", text("move-tree")));
}

fn fen_is(window: &Window, placed: &str) {
    window.until(&format!("document.getElementById('board-fen').value.startsWith('{placed}')"));
}

#[test]
fn a_move_is_found_by_what_it_did_and_taken_back_from_there() {
    with_window(|window, studio| {
        board_with(window, studio, "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 *", "Nf6");
        ask(window, "go to where White captured on d4");
        fen_is(window, "rnbqkbnr/pp2pppp/3p4/8/3NP3/8/PPP2PPP/RNBQKB1R b");
        ask(window, "go to the position just before Black took on d4");
        fen_is(window, "rnbqkbnr/pp2pppp/3p4/2p5/3PP3/5N2/PPP2PPP/RNBQKB1R b");
        ask(window, "jump to where Bxf7 was played");
        window.until(&format!("{}.includes('no such move was played')", text("understood")));
        ask(window, "mark 2...d6 with ?");
        window.click("#do-it");
        window.until(&format!("{}.includes('d6?')", text("move-tree")));
        ask(window, "take the question mark off 2...d6");
        window.click("#do-it");
        window.until(&format!("!{}.includes('d6?')", text("move-tree")));
        ask(window, "undo 4.Nxd4 and 4...Nf6");
        window.until(&format!("{}.includes('2 half-moves: 4. Nxd4 Nf6')", text("understood")));
        window.click("#do-it");
        window.until(&format!("!{}.includes('Nxd4')", text("move-tree")));
        assert!(
            window.value(&format!("return {}", text("move-tree"))).to_string().contains("cxd4")
        );
    });
}

/// Keeps what the page gives to the browser to save, in `saved`.
const KEEP: &str = "window.saved = []; URL.createObjectURL = (blob) => { window.saved.push(blob); return '#'; };
    HTMLAnchorElement.prototype.click = function () { window.names = [...(window.names ?? []), this.download]; };";

/// The picture that was saved last: its width, and the colours in the middle of four places, in eighths of it from the left
/// and the top.
const PICTURE: &str = "const done = arguments[arguments.length - 1];
    createImageBitmap(window.saved.at(-1)).then((image) => {
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const at = ([x, y]) => [...context.getImageData((x + 0.5) * image.width / 8, (y + 0.5) * image.width / 8, 1, 1).data];
      const free = ([x, y]) => [...context.getImageData((x + 0.06) * image.width / 8, (y + 0.5) * image.width / 8, 1, 1).data];
      done({ width: image.width, below: at([0, 7]), above: at([0, 0]), light: free([1, 3]), dark: free([2, 3]) });
    });";

#[test]
fn a_position_is_saved_as_a_picture_and_a_game_as_a_file() {
    with_window(|window, studio| {
        board_with(window, studio, "1. e4 e5 *", "e5");
        window.value(KEEP);
        ask(window, "a picture of the board please, black below, 400 px");
        window.until("window.saved.length === 1");
        let picture = window.value_async(PICTURE, Value::Null);
        assert_eq!(picture["width"], 400);
        let light = |place: &str| -> i64 {
            (0..3).map(|at| picture[place][at].as_i64().unwrap_or_default()).sum()
        };
        // A rook of Black below, one of White above; squares of the board's two colours.
        assert!(light("below") < 300 && light("above") > 600, "{picture}");
        assert_ne!(picture["light"], picture["dark"], "{picture}");
        assert_eq!(picture["light"][3], 255, "{picture}");
        // The board is as it was.
        window.until("document.querySelector('#board-frame .board text')?.textContent === 'a'");
        ask(window, "save the game as lesson7.pgn");
        window.until("window.saved.length === 2");
        assert_eq!(window.value("return window.names"), json!(["position.png", "lesson7.pgn"]));
        let pgn = "const done = arguments[arguments.length - 1]; window.saved[1].text().then(done)";
        let pgn = window.value_async(pgn, Value::Null);
        assert!(pgn.as_str().is_some_and(|text| text.contains("1. e4 e5")), "{pgn}");
    });
}

#[test]
fn rights_to_castle_are_taken_away_and_a_game_begins_where_the_board_is() {
    with_window(|window, studio| {
        board_with(window, studio, "1. e4 e5 2. Nf3 *", "Nf3");
        ask(window, "go to the end");
        fen_is(window, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b");
        ask(window, "set up the position without castling long for black");
        window.until("document.getElementById('edit-fen').value.includes(' b KQk ')");
        window.value("document.getElementById('editor').open = false");
        ask(window, "new game from this position, me as white, level 1");
        // The study of three half-moves goes only after a question.
        window.until("document.body.textContent.includes('Replace it')");
        window.click_text("Replace it");
        window.until("document.querySelector('.player.top .name').textContent.includes('builtin')");
        // It has moved from there.
        window.until("/^2…|^2\\. ?\\.\\.\\.|2\\.\\.\\./.test(document.getElementById('move-tree').textContent)");
    });
}

#[test]
fn games_of_runs_are_found_by_what_they_are() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let done = common::run(folder.path(), "match builtin builtin --nodes 60 --games 6 --quiet");
    assert!(done.status.success(), "{done:?}");
    let studio = Studio::start(folder.path());
    let list = |query: &str| -> Vec<String> {
        let games = || {
            let page = studio.get(&format!("/games?{query}")).body;
            let is_read = !page.contains("are being read") && !page.contains("in a moment");
            is_read.then_some(page)
        };
        let mut page = None;
        common::until("the list of games", || {
            page = games();
            page.is_some()
        });
        let page = page.unwrap_or_default();
        let links = page.split("<td><a href=\"").skip(1);
        links.map(|link| link.split('"').next().unwrap_or_default().to_owned()).collect()
    };
    let shortest = list("sort=plies");
    assert_eq!(shortest.len(), 6, "{shortest:?}");
    for (nth, game) in shortest.iter().enumerate() {
        let found = studio.get(&format!("/games/first?sort=plies&offset={nth}"));
        assert_eq!(found.status, 303, "{}", found.body);
        assert_eq!(found.header("location"), Some(game.as_str()));
    }
    assert_eq!(list("sort=plies&most=2"), shortest[..2]);
    // What one of them has won the other one has lost.
    let [first, second] = ["builtin", "builtin%232"];
    let sorted = |query: &str| {
        let mut games = list(query);
        games.sort_unstable();
        games
    };
    for (result, other) in [("won", "lost"), ("lost", "won"), ("drawn", "drawn")] {
        let of_first = sorted(&format!("player={first}&outcome={result}"));
        assert_eq!(of_first, sorted(&format!("player={second}&outcome={other}")), "{result}");
    }
    assert!(sorted(&format!("player={second}")).len() == 6);
    let white = list("colour=white").len();
    assert_eq!((white, list("colour=black").len()), (3, 3));
    let none = studio.get("/games/first?ending=crash");
    assert_eq!(none.status, 404);
    assert!(none.body.contains("a game like this"), "{}", none.body);
}
