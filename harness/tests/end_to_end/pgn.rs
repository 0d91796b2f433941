//! Annotated games in PGN, read and written as the studio does, compared by python-chess.

use std::ffi::OsStr;
use std::fs;

use harness::data::tree::read_games;

use crate::common;

#[test]
fn annotated_games_are_equal_as_trees_after_they_were_read_and_written() {
    let Some(python) = common::python_with_chess() else { return };
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
