//! Every line that the program reports can be played, and ends where the game ends.

mod client;
mod line_checks;

use std::io::Write as _;
use std::process::Command;

use line_checks::check::Search;
use line_checks::game::Game;
use line_checks::searches::{Plan, run};

#[test]
fn lines_end_where_the_game_ends_mates_have_their_length_and_ranks_are_distinct() {
    let plan = Plan { positions: 60, ways: 3, games: 4, nodes: 4_000 };
    let mut counts = [0; 3];
    let mut faults = Vec::new();
    run(plan, &mut |search| {
        for (sum, count) in counts.iter_mut().zip(search.counts()) {
            *sum += count;
        }
        let context = format!("{}; {}", search.game.position_command(), search.go);
        faults.extend(search.faults().into_iter().map(|fault| format!("{context}: {fault}")));
    });
    assert!(faults.is_empty(), "{} faults, the first: {}", faults.len(), faults[0]);
    let [lines, mates, bounds] = counts;
    assert!(lines > 2_000 && mates > 200 && bounds * 20 < mates, "{counts:?}");
}

#[test]
fn python_chess_finds_no_fault_either() {
    let named = std::env::var_os("CHESS_PYTHON");
    let python = named.clone().unwrap_or_else(|| "python3".into());
    let has_chess = Command::new(&python).args(["-c", "import chess"]).output();
    if !has_chess.is_ok_and(|output| output.status.success()) {
        assert!(named.is_none(), "{} has no python-chess", python.display());
        println!("skipped: no Python has python-chess; CHESS_PYTHON names one");
        return;
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut transcript = file.as_file();
    run(Plan { positions: 20, ways: 4, games: 2, nodes: 2_000 }, &mut |search| {
        writeln!(transcript, "{}", search.to_json()).expect("written");
    });
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lines_against_chess.py");
    let output = Command::new(python).arg(script).arg(file.path()).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.ends_with(" searches, 0 faults\n"), "{text}");
}

/// The faults of a search with this output.
fn faults(fen: &str, moves: &str, multipv: usize, output: &[&str]) -> String {
    let mut game = Game::new(fen, false).expect("a position");
    for m in moves.split_whitespace() {
        game = game.played(m);
    }
    let output = output.iter().map(|&line| line.to_owned()).collect();
    let search = Search { game, multipv, search_moves: Vec::new(), go: "go".into(), output };
    search.faults().join("; ")
}

#[test]
fn the_checks_find_each_kind_of_fault() {
    let queen = "7k/8/8/8/8/8/Q7/K7 w - - 0 1";
    let back_rank = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 90";
    let shuffle = "a2a3 h8h7 a3a2 h7h8";
    let twice = &*format!("{shuffle} {shuffle}")[..shuffle.len() + 5].to_owned();
    let bare = "8/8/8/8/8/8/1k1p4/3K4 w - - 0 1";
    let cases: &[(&str, &str, usize, &[&str], &str)] = &[
        (queen, "", 1, &["info depth 2 score cp 9 pv a2a3 h8h7", "bestmove a2a3 ponder h8h7"], ""),
        (queen, "", 1, &["info depth 1 score cp 9 pv a2h1", "bestmove a2h1"], "a2h1 is not legal"),
        (queen, "", 1, &["info depth 1 score cp 9 pv a2a3", "bestmove a2a4"], "not the beginning"),
        (queen, "", 1, &["info depth 1 score cp 9 pv a2a3 h8h7", "bestmove a2a3"], "not the begin"),
        (queen, "", 1, &["bestmove 0000"], "is no move"),
        (
            queen,
            twice,
            1,
            &["info depth 4 score cp 9 pv h8h7 a3a2 h7h8 a2b2", "bestmove h8h7 ponder a3a2"],
            "goes on with a2b2 after threefold repetition",
        ),
        (
            back_rank,
            "",
            1,
            &["info depth 4 score cp 9 pv d1e1 g8f8", "bestmove d1e1 ponder g8f8"],
            "after the fifty-move rule",
        ),
        (back_rank, "", 1, &["info depth 4 score mate 1 pv d1d8", "bestmove d1d8"], ""),
        (back_rank, "", 1, &["info depth 4 score mate 2 pv d1d8", "bestmove d1d8"], "no mate in 2"),
        (back_rank, "", 1, &["info depth 4 score mate 2 lowerbound pv d1d8", "bestmove d1d8"], ""),
        (
            bare,
            "",
            1,
            &["info depth 4 score cp 0 pv d1d2 b2b3", "bestmove d1d2 ponder b2b3"],
            "after insufficient material",
        ),
        (
            queen,
            "",
            2,
            &[
                "info depth 1 multipv 1 score cp 9 pv a2a3",
                "info depth 1 multipv 2 score cp 8 pv a2a3",
                "bestmove a2a3",
            ],
            "the same move",
        ),
        (
            queen,
            "",
            2,
            &[
                "info depth 1 multipv 1 score cp 8 pv a2a3",
                "info depth 1 multipv 2 score mate 9 upperbound pv a2a4",
                "bestmove a2a3",
            ],
            "does not come first",
        ),
        (
            queen,
            "",
            2,
            &[
                "info depth 2 multipv 1 score cp 8 pv a2a3",
                "info depth 3 multipv 1 score cp 8 pv a2a3",
                "info depth 3 multipv 2 score cp 7 pv a2a4",
                "bestmove a2a3",
            ],
            "not complete",
        ),
    ];
    for (fen, moves, multipv, output, expected) in cases {
        let found = faults(fen, moves, *multipv, output);
        let right = if expected.is_empty() { found.is_empty() } else { found.contains(expected) };
        assert!(right, "{fen} {output:?}: `{found}`, not `{expected}`");
    }
}
