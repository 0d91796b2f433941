//! Pages of a studio that has ended: for every request the page says that the studio does not answer. Boards that
//! are open continue with a restarted one.

use super::boards::{ask, empty_board, text};
use super::browser::driver;
use super::server::Studio;

#[test]
fn a_studio_that_has_ended_is_named_wherever_it_is_asked() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut studio = Studio::start(folder.path());
    let board = driver.window(false);
    board.resize(1280, 1000);
    empty_board(&board, &studio);
    let others = ["/practice", "/start?kind=tune"].map(|page| {
        let window = driver.window(false);
        window.open(&studio.url(page, 0));
        window
    });
    let [practice, form] = &others;
    practice.until(&format!("{}.includes('Find the best move')", text("verdict")));
    form.until(&format!("{}.includes('harness tune')", text("command-line")));
    studio.kill();
    let says = |id: &str| format!("{}.includes('The studio does not answer')", text(id));
    // A move, a hint, and a wish in words.
    board.drag_piece("e2", "e4");
    board.until(&says("legal-note"));
    board.value("document.getElementById('legal-note').textContent = ''");
    board.click("[data-do=hint]");
    board.until(&says("legal-note"));
    ask(&board, "turn the engine on");
    board.until(&says("understood"));
    practice.click("#solution");
    practice.until(&says("verdict"));
    form.value("document.getElementById('run-file').open = true");
    form.click("#read-parameters");
    form.until(&says("file-state"));
    form.fill("[data-flag=games]", "12");
    form.until(&says("command-line"));
    board.close();
    others.into_iter().for_each(super::browser::Window::close);
}

#[test]
fn an_open_board_goes_on_with_a_studio_that_was_started_again() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut studio = Studio::start(folder.path());
    let board = driver.window(false);
    board.resize(1280, 1000);
    empty_board(&board, &studio);
    let shows = |move_text: &str| format!("{}.includes('{move_text}')", text("move-tree"));
    for (from, to, shown) in [("d2", "d4", "d4"), ("d7", "d5", "d5"), ("c2", "c4", "c4")] {
        board.drag_piece(from, to);
        board.until(&shows(shown));
    }
    let port = studio.port().to_owned();
    studio.kill();
    let again = Studio::at(folder.path(), &port);
    // It counts the changes from the beginning, and the first one is shown.
    board.drag_piece("e7", "e6");
    board.until(&shows("e6"));
    // A request that was sent before the page had followed: its nodes are others than those of now.
    let late = format!("csrf={}&since=1&node=0&uci=a2a3", again.csrf());
    let path = board.path();
    let path = path.split('#').next().unwrap_or_default();
    let answer = again.post(&format!("{path}/do/move"), &late);
    assert_eq!(answer.status, 409);
    assert!(answer.body.starts_with("{\"behind\":{"), "{}", answer.body);
    board.drag_piece("b1", "c3");
    board.until(&shows("Nc3"));
    assert_eq!(board.value(&format!("return !{}.includes('a3')", text("move-tree"))), true);
    board.close();
}
