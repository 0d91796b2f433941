//! Boards in a browser: games to mate by dragging, by keyboard and in words; a position that is set
//! up; notes that are exported; openings by misspelt names; puzzles.

use serde_json::json;

use super::browser::{Window, driver};
use super::server::Studio;

/// White mates in two with his rooks, whatever Black does.
pub const LADDER: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";

/// The text of an element.
pub fn text(id: &str) -> String {
    format!("document.getElementById('{id}').textContent")
}

/// Runs a test with a window on the studio of a folder of its own; there must be no error in its console
/// at the end. Without a browser it passes without a check.
pub fn with_window(test: impl FnOnce(&Window, &Studio)) {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(1280, 1000);
    test(&window, &studio);
    assert_eq!(window.errors(), [""; 0]);
    window.close();
}

/// Opens an empty board in a folder's studio.
pub fn empty_board(window: &Window, studio: &Studio) {
    window.open(&studio.url("/boards", 0));
    window.click("#new-game [value=study]");
    window.until("location.pathname.startsWith('/board/')");
    window.until("document.querySelectorAll('#board-frame use').length === 32");
}

/// Begins a game from a position against the engine.
pub fn game_from(window: &Window, studio: &Studio, fen: &str) {
    empty_board(window, studio);
    window.value("document.getElementById('editor').open = true");
    window.until("document.getElementById('edit-fen').value !== ''");
    window.fill("#edit-fen", fen);
    window.click("#use-position");
    window.until(&format!("document.getElementById('board-fen').value === {}", json!(fen)));
    window.value("document.getElementById('new-game').open = true");
    window.click("#new-game-form [name=here]");
    window.click("#new-game-form .primary");
    window.until("document.querySelector('.player.top .name').textContent.includes('builtin')");
}

/// Waits until a game has been won by White with mate.
fn won(window: &Window) {
    window.until(&format!("{}.includes('1-0')", text("move-tree")));
    window.until(&format!("{}.includes('checkmate')", text("legal-note")));
}

/// Says or types something at the top of the board.
pub fn ask(window: &Window, sentence: &str) {
    window.fill("#ask-text", sentence);
    window.click("#ask .button");
}

#[test]
fn a_game_against_the_engine_is_won_by_dragging() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(1280, 1000);
    game_from(&window, &studio, LADDER);
    window.drag_piece("a2", "a7");
    window.until(&format!("{}.includes('Kg8')", text("move-tree")));
    // An illegal move goes back and is refused in words.
    window.drag_piece("b1", "c2");
    window.until(&format!("{}.includes('not a legal move')", text("legal-note")));
    // Its name is code, without the marks of one.
    let note = "const note = document.getElementById('legal-note');
        return [note.querySelector('code')?.textContent, note.textContent.includes('`')]";
    assert_eq!(window.value(note), json!(["b1c2", false]));
    window.drag_piece("b1", "b8");
    won(&window);
    // The game is there after a restart, and in the list.
    let board = window.path();
    drop(studio);
    let studio = Studio::start(folder.path());
    window.open(&studio.url(board.split('#').next().unwrap_or_default(), 0));
    window.until(&format!("{}.includes('Rb8#')", text("move-tree")));
    window.open(&studio.url("/boards", 0));
    window.until("document.body.textContent.includes('checkmate')");
    window.close();
}

#[test]
fn a_game_against_the_engine_is_won_by_keyboard_and_another_in_words() {
    with_window(|window, studio| {
        for moves in [
            ["Ra7\u{e007}", "Rb8\u{e007}"],
            ["rok to a seven\u{e007}", "move the rook to b8\u{e007}"],
        ] {
            game_from(window, studio, LADDER);
            window.keys("body", "/");
            window.keys("#ask-text", moves[0]);
            window.until(&format!("{}.includes('Kg8')", text("move-tree")));
            window.keys("#ask-text", moves[1]);
            won(window);
        }
    });
}

#[test]
fn a_position_is_set_up_and_an_impossible_one_is_refused_in_words() {
    with_window(|window, studio| {
        empty_board(window, studio);
        ask(window, "let me set up a position");
        window.until("document.getElementById('editor').open");
        window.click("[data-preset=empty]");
        window.click("#use-position");
        window.until(&format!("{}.includes('no position to play from')", text("legal-note")));
        for (piece, square) in [("K", "e1"), ("k", "e8"), ("P", "e2")] {
            window.click(&format!("#palette [value={piece}]"));
            window.click_square(square);
        }
        window.until(
            "document.getElementById('edit-fen').value.startsWith('4k3/8/8/8/8/8/4P3/4K3 w')",
        );
        window.click("#use-position");
        window.until(
            "document.getElementById('board-fen').value.startsWith('4k3/8/8/8/8/8/4P3/4K3 w')",
        );
        window.drag_piece("e2", "e4");
        window.until(&format!("{}.includes('e4')", text("move-tree")));
    });
}

#[test]
fn a_position_is_set_up_in_words() {
    with_window(|window, studio| {
        empty_board(window, studio);
        let fen = "document.getElementById('edit-fen').value";
        ask(window, "clear the board and put a white king on e1 and a black king on e8");
        window.until(&format!("{fen}.startsWith('4k3/8/8/8/8/8/8/4K3 w')"));
        ask(window, "add a white pawn on e2");
        window.until(&format!("{fen}.startsWith('4k3/8/8/8/8/8/4P3/4K3 w')"));
        ask(window, "remove the pawn from e2");
        window.until(&format!("{fen}.startsWith('4k3/8/8/8/8/8/8/4K3 w')"));
        ask(window, "black to move");
        window.until(&format!("{fen}.startsWith('4k3/8/8/8/8/8/8/4K3 b')"));
        ask(window, "load 8/8/8/4k3/8/4K3/4P3/8 w - - 0 1");
        window.until(&format!("{fen} === '8/8/8/4k3/8/4K3/4P3/8 w - - 0 1'"));
        window.click("#use-position");
        window.until("document.getElementById('board-fen').value.startsWith('8/8/8/4k3')");
    });
}

#[test]
fn notes_on_a_game_are_exported_as_pgn() {
    with_window(|window, studio| {
        empty_board(window, studio);
        for sentence in ["e4", "e5", "Nf3", "go back", "f4"] {
            ask(window, sentence);
            window.until("document.getElementById('ask-text').value === ''");
        }
        let shown = "#move-tree [aria-current]";
        window.until(&format!("document.querySelector('{shown}')?.textContent === 'f4'"));
        window.value("document.getElementById('annotate').open = true");
        window.click("[data-nag='5']");
        window.until("document.querySelector('[data-nag=\"5\"][aria-pressed=true]')");
        window.fill("#comment", "the gambit } of kings");
        window.click("#save-comment");
        window.until(&format!("{}.includes('of kings')", text("move-tree")));
        window.click("#mark-move");
        window.until("document.querySelector('.board .arrow.green')");
        let board = window.path();
        let board = board.split('#').next().unwrap_or_default().to_owned();
        let pgn = studio.get(&format!("{board}/game.pgn")).body;
        for part in ["1. e4 e5 2. Nf3 (2. f4 $5", "[%cal Gf2f4]", "the gambit ) of kings"] {
            assert!(pgn.contains(part), "{part}: {pgn}");
        }
        // What was exported is read again.
        empty_board(window, studio);
        window.value("document.getElementById('share').open = true");
        window.fill("#pgn", &pgn);
        window.click("#load-pgn");
        window.until(&format!("{}.includes('of kings')", text("move-tree")));
    });
}

#[test]
fn what_is_typed_at_a_move_stays_there_until_it_is_saved() {
    with_window(|window, studio| {
        empty_board(window, studio);
        for sentence in ["e4", "e5"] {
            ask(window, sentence);
            let shown = "document.querySelector('#move-tree [aria-current]')?.textContent";
            window.until(&format!("{shown} === '{sentence}'"));
        }
        window.value("document.getElementById('annotate').open = true");
        let comment = "document.getElementById('comment').value";
        window.fill("#comment", "symmetrical");
        window.fill("#clock-after", "0:04:30");
        window.fill("#tags-form [name=White]", "Anderssen");
        // A new state, and another move and back.
        window.click("[data-nag='1']");
        window.until("document.querySelector('[data-nag=\"1\"][aria-pressed=true]')");
        assert_eq!(window.value(&format!("return {comment}")), "symmetrical");
        window.click("[data-go=back]");
        window.until(&format!("{comment} === ''"));
        // What is typed belongs to the move at which it was begun, also if another position is shown meanwhile.
        window.keys("#comment", "best");
        window.value("document.querySelector('[data-go=forward]').click()");
        window.until("document.querySelector('#move-tree [aria-current]').textContent === 'e5!'");
        window.keys("#comment", " by test");
        window.click("#save-comment");
        let tree = text("move-tree");
        window.until(&format!("{tree}.includes('best by test') && {tree}.includes('symmetrical')"));
        assert_eq!(
            window.value("return document.querySelector('[name=White]').value"),
            "Anderssen"
        );
        window.click("#tags-form .button");
        let players = "document.querySelector('.players, .player.bottom').textContent";
        window.until(&format!("{players}.includes('Anderssen')"));
        let board = window.path();
        let pgn = studio.get(&format!("{}/game.pgn", board.split('#').next().unwrap_or_default()));
        for part in
            ["[White \"Anderssen\"]", "{ best by test }", "e5 $1 { [%clk 0:04:30] symmetrical }"]
        {
            assert!(pgn.body.contains(part), "{part}: {}", pgn.body);
        }
    });
}

#[test]
fn an_opening_is_chosen_by_a_misspelt_name_and_a_test_is_shown_before_it_starts() {
    with_window(|window, studio| {
        empty_board(window, studio);
        ask(window, "show me the karo kann from blacks side");
        window.until(&format!("{}.includes('Caro-Kann Defense')", text("opening-name")));
        window.until(&format!("{}.includes('c6')", text("move-tree")));
        ask(window, "sprt builtin against builtin with 20000 nodes");
        window.until(&format!(
            "{}.includes('harness sprt builtin builtin --nodes 20000')",
            text("understood")
        ));
        window.click("#understood a");
        window.until("location.pathname === '/start'");
        window.until("document.getElementById('yaml').value.includes('nodes: \"20000\"')");
    });
}

#[test]
fn a_puzzle_is_failed_comes_back_as_a_mistake_and_is_solved() {
    with_window(|window, studio| {
        window.open(&studio.url("/practice?theme=tactics", 0));
        window.until(&format!("{}.includes('Find the best move')", text("verdict")));
        let puzzle = window.value(&format!("return {}", text("puzzle-source")));
        window.keys("#answer-text", "nonsense\u{e007}");
        window.until(&format!("{}.includes('not a legal move')", text("verdict")));
        window.click("#solution");
        window.until(&format!("{}.includes('The best move is')", text("verdict")));
        let best = window
            .value(&format!("return {}.match(/best move is (.*?)\\. This/)[1]", text("verdict")));
        let low = window.value(&format!("return {}", text("solver")));
        window.value("document.querySelector('#practice-form [name=theme]').value = 'mistakes'");
        window.click("#practice-form .primary");
        window.until(&format!("{}.includes('Find the best move')", text("verdict")));
        assert_eq!(window.value(&format!("return {}", text("puzzle-source"))), puzzle);
        let best = best.as_str().expect("a move");
        window.keys("#answer-text", &format!("{best}\u{e007}"));
        window.until(&format!("{} === 'Solved.'", text("verdict")));
        // Its solution was seen today.
        assert_eq!(window.value(&format!("return {}", text("solver"))), low);
    });
}

#[test]
fn an_unknown_engine_is_refused_before_a_game_begins_and_the_form_keeps_its_text() {
    with_window(|window, studio| {
        window.open(&studio.url("/boards", 0));
        window.until("document.querySelector('#new-game [name=level]')");
        window.fill("#new-game [name=black]", "no-such-engine");
        window.fill("#new-game [name=clock]", "5+3");
        window.fill("#new-game [name=opening]", "sicilian defense");
        window.click("#new-game [value=game]");
        window.until("document.querySelector('#wrong')?.textContent.includes('no-such-engine')");
        for (field, value) in
            [("black", "no-such-engine"), ("clock", "5+3"), ("opening", "sicilian defense")]
        {
            let kept = window
                .value(&format!("return document.querySelector('#new-game [name={field}]').value"));
            assert_eq!(kept, json!(value));
        }
        let boards = studio.folder.join("reports/boards");
        assert!(std::fs::read_dir(boards).map_or(0, Iterator::count) == 0);
        // The same on a board that is open.
        empty_board(window, studio);
        window.value("document.getElementById('new-game').open = true");
        window.fill("#new-game-form [name=black]", "no-such-engine");
        window.click("#new-game-form .primary");
        window.until(&format!("{}.includes('no-such-engine')", text("legal-note")));
        assert_eq!(
            window.value("return document.querySelector('#new-game-form [name=black]').value"),
            json!("no-such-engine")
        );
    });
}

#[test]
fn boards_are_searched_and_deleted_and_castling_is_chosen_in_the_editor() {
    with_window(|window, studio| {
        empty_board(window, studio);
        window.value("document.getElementById('editor').open = true");
        window.until("document.querySelectorAll('[data-castling]:checked').length === 4");
        window.click("[data-castling=Q]");
        window.click("[data-castling=k]");
        window.until("document.getElementById('edit-fen').value.includes(' w Kq ')");
        window.click("#use-position");
        window.until("document.getElementById('board-fen').value.includes(' w Kq ')");
        window.open(&studio.url("/boards", 0));
        let rows = "document.querySelectorAll('table.boards-list tbody tr').length";
        window.until(&format!("{rows} === 1"));
        window.fill("#search", "nobody");
        window.until(&format!("location.search.includes('q=nobody') && {rows} === 0"));
        window.fill("#search", "study");
        window.until(&format!("{rows} === 1"));
        window.value("window.confirm = () => true");
        window.click("table.boards-list .danger");
        window.until("document.body.textContent.includes('There are none yet')");
        // A name that leads elsewhere deletes nothing.
        let form = format!("csrf={}&do=delete&board=..%2F..%2Fx", studio.csrf());
        assert_eq!(studio.post("/boards", &form).status, 422);
    });
}
