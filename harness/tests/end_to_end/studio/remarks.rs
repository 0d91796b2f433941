//! Signs and comments at moves, and names of runs, that are written in words.

use super::boards::{ask, empty_board, text};
use super::browser::driver;
use super::server::Studio;
use crate::common;

#[test]
fn signs_comments_and_names_of_runs_are_written_in_words() {
    let Some(driver) = driver() else { return };
    let folder = tempfile::tempdir().expect("temporary folder");
    let done = common::run(folder.path(), "match builtin builtin --nodes 60 --games 4 --quiet");
    assert!(done.status.success());
    let mut studio = Studio::start(folder.path());
    let window = driver.window(false);
    window.resize(1280, 1000);
    empty_board(&window, &studio);
    window.value("document.getElementById('share').open = true");
    window.fill("#pgn", "1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0");
    window.click("#load-pgn");
    let tree_has = |part: &str| format!("{}.includes('{part}')", text("move-tree"));
    window.until(&tree_has("Qxe5"));
    // Each is asked about first.
    ask(&window, "mark move 2 of black with ??");
    window.click("#do-it");
    window.until(&tree_has("Ke7??"));
    ask(&window, "comment on move 2 of black: it loses at once");
    window.click("#do-it");
    window.until(&tree_has("it loses at once"));
    ask(&window, "mark move 9 of white as good");
    window.click("#do-it");
    window.until(&format!("{}.includes('There is no move 9 of white')", text("understood")));
    ask(&window, "call the last match smoke test");
    window.click("#do-it");
    window.until(&format!("{}.endsWith('done.')", text("understood")));
    assert!(studio.get("/").body.contains("smoke test"));
    assert_eq!(window.errors(), [""; 0]);
    // What fails after the second step is said, too.
    ask(&window, "call the last match another test");
    window.until("document.getElementById('do-it')");
    studio.kill();
    window.click("#do-it");
    window.until(&format!("{}.includes('The studio does not answer')", text("understood")));
    window.close();
}
