//! Boards in a browser: games to mate by dragging, by keyboard and in words; a position that is set
//! up; notes that are exported; openings by misspelt names; puzzles.

use serde_json::json;

use super::browser::{Window, driver, run};
use super::server::Studio;

/// White mates in two with his rooks, whatever Black does.
pub const LADDER: &str = "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1";

/// The text of an element.
pub fn text(id: &str) -> String {
    format!("document.getElementById('{id}').textContent")
}

/// Runs a test with a window on the studio of a folder of its own; there must be no error in its console
/// at the end. Without a browser it passes without a check.
pub fn with_window(test: impl AsyncFnOnce(&Window, &Studio)) {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    run(async {
        let window = driver.window(false).await;
        window.resize(1280, 1000).await;
        test(&window, &studio).await;
        assert_eq!(window.errors(&driver).await, [""; 0]);
        window.close().await;
    });
}

/// Opens an empty board in a folder's studio.
pub async fn empty_board(window: &Window, studio: &Studio) {
    window.open(&studio.url("/boards", 0)).await;
    window.click("#new-game [value=study]").await;
    window.until("location.pathname.startsWith('/board/')").await;
    window.until("document.querySelectorAll('#board-frame use').length === 32").await;
}

/// Begins a game from a position against the engine.
pub async fn game_from(window: &Window, studio: &Studio, fen: &str) {
    empty_board(window, studio).await;
    window.value("document.getElementById('editor').open = true").await;
    window.until("document.getElementById('edit-fen').value !== ''").await;
    window.fill("#edit-fen", fen).await;
    window.click("#use-position").await;
    window.until(&format!("document.getElementById('board-fen').value === {}", json!(fen))).await;
    window.value("document.getElementById('new-game').open = true").await;
    window.click("#new-game-form [name=here]").await;
    window.click("#new-game-form .primary").await;
    window
        .until("document.querySelector('.player.top .name').textContent.includes('builtin')")
        .await;
}

/// Waits until a game has been won by White with mate.
async fn won(window: &Window) {
    window.until(&format!("{}.includes('1-0')", text("move-tree"))).await;
    window.until(&format!("{}.includes('checkmate')", text("legal-note"))).await;
}

/// Says or types something at the top of the board.
pub async fn ask(window: &Window, sentence: &str) {
    window.fill("#ask-text", sentence).await;
    window.click("#ask .button").await;
}

#[test]
fn a_game_against_the_engine_is_won_by_dragging() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let studio = Studio::start(folder.path());
    run(async {
        let window = driver.window(false).await;
        window.resize(1280, 1000).await;
        game_from(&window, &studio, LADDER).await;
        window.drag_piece("a2", "a7").await;
        window.until(&format!("{}.includes('Kg8')", text("move-tree"))).await;
        // An illegal move goes back and is refused in words.
        window.drag_piece("b1", "c2").await;
        window.until(&format!("{}.includes('not a legal move')", text("legal-note"))).await;
        window.drag_piece("b1", "b8").await;
        won(&window).await;
        // The game is there after a restart, and in the list.
        let board = window.path().await;
        drop(studio);
        let studio = Studio::start(folder.path());
        window.open(&studio.url(board.split('#').next().unwrap_or_default(), 0)).await;
        window.until(&format!("{}.includes('Rb8#')", text("move-tree"))).await;
        window.open(&studio.url("/boards", 0)).await;
        window.until("document.body.textContent.includes('checkmate')").await;
        window.close().await;
    });
}

#[test]
fn a_game_against_the_engine_is_won_by_keyboard_and_another_in_words() {
    with_window(async |window, studio| {
        for moves in [
            ["Ra7\u{e007}", "Rb8\u{e007}"],
            ["rok to a seven\u{e007}", "move the rook to b8\u{e007}"],
        ] {
            game_from(window, studio, LADDER).await;
            window.keys("body", "/").await;
            window.keys("#ask-text", moves[0]).await;
            window.until(&format!("{}.includes('Kg8')", text("move-tree"))).await;
            window.keys("#ask-text", moves[1]).await;
            won(window).await;
        }
    });
}

#[test]
fn a_position_is_set_up_and_an_impossible_one_is_refused_in_words() {
    with_window(async |window, studio| {
        empty_board(window, studio).await;
        ask(window, "let me set up a position").await;
        window.until("document.getElementById('editor').open").await;
        window.click("[data-preset=empty]").await;
        window.click("#use-position").await;
        window.until(&format!("{}.includes('no position to play from')", text("legal-note"))).await;
        for (piece, square) in [("K", "e1"), ("k", "e8"), ("P", "e2")] {
            window.click(&format!("#palette [value={piece}]")).await;
            window.click_square(square).await;
        }
        window
            .until(
                "document.getElementById('edit-fen').value.startsWith('4k3/8/8/8/8/8/4P3/4K3 w')",
            )
            .await;
        window.click("#use-position").await;
        window
            .until(
                "document.getElementById('board-fen').value.startsWith('4k3/8/8/8/8/8/4P3/4K3 w')",
            )
            .await;
        window.drag_piece("e2", "e4").await;
        window.until(&format!("{}.includes('e4')", text("move-tree"))).await;
    });
}

#[test]
fn notes_on_a_game_are_exported_as_pgn() {
    with_window(async |window, studio| {
        empty_board(window, studio).await;
        for sentence in ["e4", "e5", "Nf3", "go back", "f4"] {
            ask(window, sentence).await;
            window.until("document.getElementById('ask-text').value === ''").await;
        }
        window.until("document.querySelectorAll('#move-tree button').length === 4").await;
        window.value("document.getElementById('annotate').open = true").await;
        window.click("[data-nag='5']").await;
        window.until("document.querySelector('[data-nag=\"5\"][aria-pressed=true]')").await;
        window.fill("#comment", "the gambit } of kings").await;
        window.click("#save-comment").await;
        window.until(&format!("{}.includes('of kings')", text("move-tree"))).await;
        window.click("#mark-move").await;
        window.until("document.querySelector('.board .arrow.green')").await;
        let board = window.path().await;
        let board = board.split('#').next().unwrap_or_default().to_owned();
        let pgn = studio.get(&format!("{board}/game.pgn")).body;
        for part in ["1. e4 e5 2. Nf3 (2. f4 $5", "[%cal Gf2f4]", "the gambit ) of kings"] {
            assert!(pgn.contains(part), "{part}: {pgn}");
        }
        // What was exported is read again.
        empty_board(window, studio).await;
        window.value("document.getElementById('share').open = true").await;
        window.fill("#pgn", &pgn).await;
        window.click("#load-pgn").await;
        window.until(&format!("{}.includes('of kings')", text("move-tree"))).await;
    });
}

#[test]
fn an_opening_is_chosen_by_a_misspelt_name_and_a_test_is_shown_before_it_starts() {
    with_window(async |window, studio| {
        empty_board(window, studio).await;
        ask(window, "show me the karo kann from blacks side").await;
        window.until(&format!("{}.includes('Caro-Kann Defense')", text("opening-name"))).await;
        window.until(&format!("{}.includes('c6')", text("move-tree"))).await;
        ask(window, "sprt builtin against builtin with 20000 nodes").await;
        window
            .until(&format!(
                "{}.includes('harness sprt builtin builtin --nodes 20000')",
                text("understood")
            ))
            .await;
        window.click("#understood a").await;
        window.until("location.pathname === '/start'").await;
        window.until("document.getElementById('yaml').value.includes('nodes: \"20000\"')").await;
    });
}

#[test]
fn a_puzzle_is_failed_comes_back_as_a_mistake_and_is_solved() {
    with_window(async |window, studio| {
        window.open(&studio.url("/practice?theme=tactics", 0)).await;
        window.until(&format!("{}.includes('Find the best move')", text("verdict"))).await;
        let puzzle = window.value(&format!("return {}", text("puzzle-source"))).await;
        window.keys("#answer-text", "nonsense\u{e007}").await;
        window.until(&format!("{}.includes('not a legal move')", text("verdict"))).await;
        window.click("#solution").await;
        window.until(&format!("{}.includes('The best move is')", text("verdict"))).await;
        let best = window
            .value(&format!("return {}.match(/best move is (.*?)\\. This/)[1]", text("verdict")))
            .await;
        let low = window.value(&format!("return {}", text("solver"))).await;
        window
            .value("document.querySelector('#practice-form [name=theme]').value = 'mistakes'")
            .await;
        window.click("#practice-form .primary").await;
        window.until(&format!("{}.includes('Find the best move')", text("verdict"))).await;
        assert_eq!(window.value(&format!("return {}", text("puzzle-source"))).await, puzzle);
        let best = best.as_str().expect("a move");
        window.keys("#answer-text", &format!("{best}\u{e007}")).await;
        window.until(&format!("{} === 'Solved.'", text("verdict"))).await;
        window.until(&format!("{} !== {low}", text("solver"))).await;
    });
}
