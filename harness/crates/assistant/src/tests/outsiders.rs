//! Kinds of sentences that an outside tester's 200 were not understood by.

use serde_json::json;

use super::*;

/// The moves of White at the start of a game.
fn first_moves() -> Context {
    let mut legal = Vec::new();
    for file in 'a'..='h' {
        for rank in [3, 4] {
            legal.push((format!("{file}2{file}{rank}"), format!("{file}{rank}")));
        }
    }
    for (from, to) in [("b1", "a3"), ("b1", "c3"), ("g1", "f3"), ("g1", "h3")] {
        legal.push((format!("{from}{to}"), format!("N{to}")));
    }
    Context { legal, ..Context::default() }
}

#[test]
fn a_move_is_named_by_its_side_of_the_board_and_by_how_far_a_pawn_goes() {
    for (text, uci) in [
        ("push the king's pawn two squares", "e2e4"),
        ("queen's pawn one square please", "d2d3"),
        ("the queen's bishop's pawn two forward", "c2c4"),
        ("push the pawn in front of the king two squares", "e2e4"),
        ("move the b pawn one step", "b2b3"),
        ("i wanna move my queens knight to c three", "b1c3"),
        ("my kingside knight goes to h3", "g1h3"),
        ("the b1 horse jumps to a3", "b1a3"),
        ("kngiht too f3", "g1f3"),
        ("knight golf one to foxtrot three", "g1f3"),
        ("move the king knight to the h file", "g1h3"),
        ("the king's pawn to the fourth rank", "e2e4"),
        ("play the english move with the c pawn one square only", "c2c3"),
        ("nigth to c3", "b1c3"),
        ("pwan to e4", "e2e4"),
        ("hrose to f3", "g1f3"),
    ] {
        let found = understand(text, &first_moves());
        assert_eq!(found.slots.get("uci"), Some(&json!(uci)), "{text}: {found:?}");
    }
    for text in ["push the king's pawn three squares", "my king's knight to c3", "queen d1 to h5"] {
        let found = understand(text, &first_moves());
        assert_eq!(found.slots.get("uci"), None, "{text}: {found:?}");
    }
}

#[test]
fn forms_signs_comments_and_names_of_runs_are_understood() {
    for (text, intent, slots) in [
        (
            "gate my work against main before I merge",
            Intent::Gate,
            json!({ "engine": ".", "base": "main" }),
        ),
        ("gate against v1.2", Intent::Gate, json!({ "base": "v1.2" })),
        (
            "make 20000 training games at 5000 nodes with builtin, save to data/gen1.vf",
            Intent::Generate,
            json!({ "engine": "builtin", "games": 20000, "limit": "nodes=5000", "output": "data/gen1.vf" }),
        ),
        ("train a net with net.yaml", Intent::Train, json!({ "file": "net.yaml" })),
        ("start the loop of loop.yaml", Intent::Loop, json!({ "file": "loop.yaml" })),
        (
            "mark my last move as a blunder",
            Intent::MarkMove,
            json!({ "sign": "??", "place": "last" }),
        ),
        (
            "put an exclamation mark on 23...Rxe4",
            Intent::MarkMove,
            json!({ "sign": "!", "move": 23, "side": "black", "san": "Rxe4" }),
        ),
        (
            "write \"too slow\" next to white's move 9",
            Intent::CommentMove,
            json!({ "text": "too slow", "move": 9, "side": "white" }),
        ),
        ("remove the comment on move 8", Intent::CommentMove, json!({ "remove": true, "move": 8 })),
        (
            "call run 9 \"lmr retune\"",
            Intent::DescribeRun,
            json!({ "run": "9", "name": "lmr retune" }),
        ),
        (
            "tag the last run with baseline",
            Intent::DescribeRun,
            json!({ "run": "last", "note": "baseline" }),
        ),
        ("game 37 of run 5", Intent::OpenGame, json!({ "game": 37, "run": "5" })),
        (
            "which runs are running",
            Intent::OpenPage,
            json!({ "page": "runs", "status": "running" }),
        ),
        ("jump to black's 17th move", Intent::GoTo, json!({ "move": 17, "side": "black" })),
        ("raise the level by two", Intent::SetLevel, json!({ "level": "higher", "by": 2 })),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!((found.intent, json!(found.slots)), (intent, slots), "{text}: {found:?}");
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn what_changes_runs_or_moves_is_asked_about_and_what_has_no_flag_is_named() {
    for text in [
        "stop run 7",
        "resume run 7",
        "delete run 7",
        "call run 7 \"x\"",
        "mark my last move as a blunder",
    ] {
        assert_eq!(understand(text, &Context::default()).confirm, Confirm::Always, "{text}");
    }
    for (text, named) in [
        ("weiss with 2 threads against toga2 with 1 thread, 20 games", "2 threads"),
        ("bratko-kopec and the strategic test suite on weiss", "strategic test suite"),
        ("weiss against toga2, 60 games, tablebases in /tb", "/tb"),
        ("train a net from data.bin for 30 epochs", "30 epochs"),
        ("cma-es over search.yaml, population 16", "16"),
        ("weiss against toga2, 20 games, pgn to out.pgn", "out.pgn"),
        ("a hint, but don't tell me the whole move", "move"),
        ("turn the board around and set the level to 6", "board|level"),
    ] {
        let found = understand(text, &Context::default());
        let is_named = |part: &String| named.split('|').any(|named| part.contains(named));
        assert!(found.unread.iter().any(is_named), "{text}: {found:?}");
    }
}

#[test]
fn signs_that_are_written_are_put_at_moves() {
    for (text, sign, number) in [
        ("put !? on black's 7th move", "!?", 7),
        ("give move 12 of white ??", "??", 12),
        ("!! for white move 5", "!!", 5),
        ("mark move 9 of black with ?", "?", 9),
        ("white's eighteenth move gets a !", "!", 18),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::MarkMove, "{text}: {found:?}");
        assert_eq!(found.slots["sign"], sign, "{text}: {found:?}");
        assert_eq!(found.slots["move"], number, "{text}: {found:?}");
    }
}

#[test]
fn a_run_that_is_named_is_never_the_last_one() {
    for (text, run) in [
        ("delete run 20261128-1530", "20261128-1530"),
        ("open run 20261128", "20261128"),
        ("stop run lmr-test", "lmr-test"),
        ("delete run foo", "foo"),
        ("resume run 7", "7"),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.slots["run"], run, "{text}: {found:?}");
    }
    let found = understand("compare runs 20261128-0910 and 20261128-1145", &Context::default());
    assert_eq!(found.slots["runs"], serde_json::json!(["20261128-0910", "20261128-1145"]));
}

#[test]
fn a_refused_option_is_not_set() {
    for text in [
        "sprt dev against main, but not chess960",
        "sprt dev against main, not with 2 threads",
        "sprt dev against main without 2 threads",
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::Sprt, "{text}: {found:?}");
        let has = |slot| found.slots.contains_key(slot);
        assert!(!has("chess960") && !has("threads"), "{text}: {found:?}");
    }
}

#[test]
fn a_level_is_shown_with_its_rating_and_the_one_that_was_asked_for() {
    for (text, shown) in [
        ("blitz game 3 minutes no increment against 2000 rated opponent", "level 7 (Elo 2000)"),
        ("new game at 1350 elo", "level 4 (Elo 1400, nearest to 1350)"),
        ("set the opponent to 1350 elo", "Level 4 (Elo 1400, nearest to 1350)"),
        ("new game against level 9", "level 9"),
    ] {
        let found = understand(text, &Context::default()).shown;
        assert!(found.contains(shown), "{text}: {found}");
    }
}
