//! Annotated games in PGN, read and written as the studio does, compared by python-chess.

use std::ffi::OsStr;
use std::fs;

use harness::games::tree::read_games;

use crate::common;
use crate::needs::python_with_chess;

#[test]
fn annotated_games_are_equal_as_trees_after_they_were_read_and_written() {
    let Some(python) = python_with_chess() else { return };
    let program = |arguments: &[&OsStr]| common::python(&python, "pgn_round_trip.py", arguments);
    let games = program(&["write".as_ref(), "200".as_ref()]);
    let copies = read_games(games.as_bytes()).map(|game| game.expect("a sound game").to_pgn());
    let copies: String = copies.collect();
    let folder = tempfile::tempdir().expect("a folder");
    let [before, after] = ["before.pgn", "after.pgn"].map(|name| folder.path().join(name));
    fs::write(&before, &games).expect("written");
    fs::write(&after, copies).expect("written");
    let told = program(&["compare".as_ref(), before.as_ref(), after.as_ref()]);
    assert!(told.starts_with("200 games, "), "{told}");
    assert!(told.trim_end().ends_with("positions: equal as trees"), "{told}");
}

#[expect(dead_code, reason = "its `main`")]
#[path = "../../examples/pgn_games.rs"]
mod pgn_games;

#[test]
fn games_in_all_spellings_are_read_as_they_were_meant_and_as_python_chess_reads_them() {
    // With more than 20,000 games.
    const TEXTS: &str = "12600";
    const SEED: &str = "46";
    let Some(python) = python_with_chess() else { return };
    let program = |arguments: &[&OsStr]| common::python(&python, "pgn_against_chess.py", arguments);
    let texts = program(&["write".as_ref(), TEXTS.as_ref(), SEED.as_ref()]);
    let read = texts.lines().map(|line| pgn_games::games(&pgn_games::bytes(line)));
    let read: String = read.map(|games| format!("{games}\n")).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("read");
    fs::write(&file, read).expect("written");
    let told = program(&["compare".as_ref(), TEXTS.as_ref(), SEED.as_ref(), file.as_ref()]);
    // With --nocapture: how many differences are explained, and by what.
    println!("{told}");
    assert!(told.contains(", 0 wrong"), "{told}");
}
