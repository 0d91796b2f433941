use serde_json::json;

use super::*;

fn game(pgn: &str, first_half_points: u8, termination: &str) -> StoredGame {
    StoredGame {
        pair: 11,
        game: 0,
        white: "new".to_owned(),
        black: "old".to_owned(),
        first_is_white: true,
        first_half_points,
        termination: termination.to_owned(),
        plies: 4,
        milliseconds: 100,
        pgn: pgn.to_owned(),
        worker: None,
    }
}

const FOOLS: &str = "[White \"new\"]\n[Black \"old\"]\n[Result \"0-1\"]\n\
    [WhiteTimeControl \"8+0.08\"]\n[BlackTimeControl \"nodes=5000\"]\n\n\
    1. f3 {book} e5 {-0.26/12 0.050s 12345n} 2. g4 {-0.75/3 1.000s 99n}\n\
    Qh4# {+M1/9 0.001s 7n, Black\nmates} 0-1\n\n";

#[test]
fn a_game_is_shown_in_this_form() {
    let viewed = view(&game(FOOLS, 0, "checkmate")).expect("sound");
    let expected = json!({
        "key": "12.1", "white": "new", "black": "old", "result": "0-1",
        "ending": "checkmate", "reason": "Black mates",
        "start": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "swing": null,
        "plies": [
            { "san": "f3", "uci": "f2f3",
              "fen": "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1",
              "cp": null, "score": null, "depth": null, "ms": null, "nodes": null,
              "clock": null, "book": true },
            { "san": "e5", "uci": "e7e5",
              "fen": "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2",
              "cp": 26, "score": "+0.26", "depth": 12, "ms": 50, "nodes": 12345,
              "clock": null, "book": false },
            { "san": "g4", "uci": "g2g4",
              "fen": "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
              "cp": -75, "score": "-0.75", "depth": 3, "ms": 1000, "nodes": 99,
              "clock": 7160, "book": false },
            { "san": "Qh4#", "uci": "d8h4",
              "fen": "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
              "cp": -29_999, "score": "-M1", "depth": 9, "ms": 1, "nodes": 7,
              "clock": null, "book": false },
        ],
    });
    assert_eq!(serde_json::to_value(&viewed).expect("serialises"), expected);
}

#[test]
fn the_swing_is_the_loser_s_move_before_the_fall_and_falls_come_largest_first() {
    let pgn = "[FEN \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\"]\n\n\
        1... e5 {+0.10/1 0s} 2. Nf3 {+9.00/1 0s} Nc6 {-0.90/1 0s} 3. Bc4 {-9.00/1 0s} \
        a6 {-M4/1 0s} 4. O-O {0.00/1 0s} 1-0";
    let viewed = view(&game(pgn, 2, "adjudicated_win")).expect("sound");
    assert_eq!((viewed.swing, viewed.ending.as_str()), (Some(2), "adjudicated win"));
    let found = falls(&viewed, 50);
    let found: Vec<_> = found.iter().map(|fall| (fall.ply, fall.from, fall.to)).collect();
    assert_eq!(found, [(2, -90, -1000), (0, 10, -90)]);
    assert_eq!(falls(&viewed, 101).len(), 1);
    let drawn = view(&game(pgn, 1, "adjudicated_draw")).expect("sound");
    assert_eq!(drawn.swing, Some(1), "of White, in a draw");
}

#[test]
fn chess960_castles_by_taking_the_rook() {
    let pgn = "[Variant \"Chess960\"]\n[FEN \"4k3/8/8/8/8/8/8/5KR1 w G - 0 1\"]\n\n1. O-O 1-0";
    let viewed = view(&game(pgn, 2, "adjudicated_win")).expect("sound");
    assert_eq!((viewed.plies[0].uci.as_str(), viewed.variant), ("f1g1", Some("Chess960")));
    assert_eq!(viewed.plies[0].fen, "4k3/8/8/8/8/8/8/5RK1 b - - 1 1");
    let standard = "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. O-O 1-0";
    let viewed = view(&game(standard, 2, "adjudicated_win")).expect("sound");
    assert_eq!((viewed.plies[0].uci.as_str(), viewed.variant), ("e1g1", None));
}

#[test]
fn a_game_without_a_move_has_its_reason() {
    let viewed = view(&game("[White \"a\"]\n\n{White crashes (no output)} 0-1", 0, "crash"));
    let viewed = viewed.expect("sound");
    assert_eq!((viewed.plies.len(), viewed.reason.as_str()), (0, "White crashes (no output)"));
}

#[test]
fn a_long_reason_and_games_of_other_programs_are_read() {
    let long = "word ".repeat(200);
    let pgn =
        format!("1. e4 $1 (1. d4 {{+9.99/9}}) {{ [%eval 0.17] }} e5 {{+0.10/3 0.2s, {long}}} *");
    let viewed = view(&game(&pgn, 1, "repetition")).expect("sound");
    assert_eq!(viewed.reason, long.trim());
    assert_eq!((viewed.plies[0].cp, viewed.plies[1].cp), (Some(17), Some(-10)));
}

#[test]
fn a_damaged_game_is_an_error_with_its_key() {
    for (pgn, reason) in [
        ("", "no game"),
        ("[FEN \"8/8\"]\n\n1. e4 *", "FEN"),
        ("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *", "legal position"),
        ("[Variant \"Shogi\"]\n\n1. e4 *", "Shogi"),
        ("1. e4 e5 2. Ke3 *", "`Ke3` (ply 3) is illegal"),
    ] {
        let error = view(&game(pgn, 1, "repetition")).expect_err(pgn).to_string();
        assert!(error.contains("game 12.1") && error.contains(reason), "{error}");
    }
    assert!(view(&game(FOOLS, 3, "checkmate")).is_err());
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(pgn in "\\PC{0,200}", cut in 0..FOOLS.len(), put in "\\PC{0,9}") {
        let _ = view(&game(&pgn, 1, "x"));
        let _ = view(&game(&format!("{}{put}{}", &FOOLS[..cut], &FOOLS[cut..]), 0, "x"));
    }
}

#[test]
fn the_commands_of_a_comment_are_scores_and_clocks_and_no_text() {
    let pgn = "[TimeControl \"180+2\"]\n\n\
        1. e4 {[%clk 0:03:01.8]} e5 {[%eval 0.28,14] [%clk 0:02:59]} 2. Ke2 {[%clk 0:02:50]} \
        Nf6 {[%eval #-2,9] [%clk 0:02:58]} 0-1";
    let viewed = view(&game(pgn, 0, "resignation")).expect("sound");
    assert_eq!(viewed.reason, "");
    let scores: Vec<Option<&str>> = viewed.plies.iter().map(|ply| ply.score.as_deref()).collect();
    assert_eq!(scores, [None, Some("+0.28"), None, Some("-M3")]);
    let clocks: Vec<Option<u64>> = viewed.plies.iter().map(|ply| ply.clock).collect();
    assert_eq!(clocks, [Some(181_800), Some(179_000), Some(170_000), Some(178_000)]);
}
