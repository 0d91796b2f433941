//! Moves and pieces that are described with other words than they are said with, signs, corrections and questions about the
//! position, by a writer outside.

use serde_json::json;

use super::*;

#[test]
fn sentences_of_a_seventh_writer_are_right() {
    let (right, silent) = scored(include_str!("../../../../tests/assistant/writers_second.tsv"));
    assert!(right >= 181, "{right} of 181");
    assert!(silent.is_empty(), "{silent:#?}");
}

/// The moves of a position, as engines and as people write them, and its FEN.
fn on_board(legal: &[(&str, &str)], fen: &str) -> Context {
    let legal = legal.iter().map(|(uci, san)| ((*uci).to_owned(), (*san).to_owned())).collect();
    Context { legal, fen: fen.to_owned(), ..Context::default() }
}

#[test]
fn a_question_about_the_position_is_answered_and_one_about_a_move_plays_none() {
    for (text, shown) in [
        ("whose turn is it in this position?", "it is White's move"),
        ("who is to move here?", "it is White's move"),
        ("is castling still possible for me?", "White cannot castle now, but may do so later"),
        ("how many pawns am I down?", "White has 8 pawns, Black 5 pawns"),
    ] {
        assert_eq!(understand(text, &promoting()).shown, shown, "{text}");
    }
    let found = understand("would h4 weaken my king too much?", &promoting());
    assert!(found.shown.starts_with("a question plays no move"), "{found:?}");
}

/// 1.e4 d5 2.exd5 c6 3.dxc6 Nf6 4.cxb7 Nbd7, and some moves of White.
fn promoting() -> Context {
    let legal = [
        ("b7a8q", "bxa8=Q"),
        ("b7a8n", "bxa8=N"),
        ("b7c8q", "bxc8=Q"),
        ("b7c8b", "bxc8=B"),
        ("b7c8n", "bxc8=N"),
        ("g1f3", "Nf3"),
        ("f1a6", "Ba6"),
        ("d2d4", "d4"),
        ("d2d3", "d3"),
        ("h2h4", "h4"),
    ];
    on_board(&legal, "r1bqkb1r/pP1npppp/5n2/8/8/8/PPPP1PPP/RNBQKBNR w KQkq - 1 5")
}

#[test]
fn the_legal_move_is_found_that_agrees_with_all_that_is_said() {
    for (text, uci, unread) in [
        ("c8 falls to my pawn, which turns into a bishop, not a queen", "b7c8b", vec![]),
        ("a8 gets nicked by my pawn which becomes a knight", "b7a8n", vec!["nicked"]),
        ("nick the rook in the corner with the pawn", "b7a8q", vec!["nick"]),
        ("shove the d pawn forward one square", "d2d3", vec!["shove"]),
        ("pawn d3, sorry, d4 is what I meant", "d2d4", vec![]),
        ("the undeveloped knight hops to f3", "g1f3", vec![]),
        ("sneak past his knight with the bishop, to a6", "f1a6", vec!["sneak past his knight"]),
    ] {
        let found = understand(text, &promoting());
        assert_eq!(found.slots.get("uci"), Some(&json!(uci)), "{text}: {found:?}");
        assert_eq!(found.unread, unread, "{text}");
        // A verb that is not known is asked about.
        assert_eq!(found.confirm == Confirm::Always, !unread.is_empty(), "{text}");
    }
    let castling = [("e1g1", "O-O"), ("e1c1", "O-O-O"), ("e1f1", "Kf1"), ("d1d2", "Qd2")];
    let castling = on_board(&castling, "r3k2r/8/8/8/8/8/8/R2QK2R w KQkq - 0 1");
    for (text, uci) in [
        ("tuck my king away on the short side", "e1g1"),
        ("king hides on the queen's side", "e1c1"),
        ("safety first: the king goes to the king's side", "e1g1"),
    ] {
        let found = understand(text, &castling);
        assert_eq!(found.slots.get("uci"), Some(&json!(uci)), "{text}: {found:?}");
    }
    let several = understand("nick something with the pawn on the seventh", &promoting());
    assert_ne!(several.slots.get("uci"), Some(&json!("b7a8q")), "{several:?}");
    for text in ["my knight is badly placed on g1", "what a lovely knight", "show me e4"] {
        let found = understand(text, &promoting());
        assert_eq!(found.slots.get("uci"), None, "{text}: {found:?}");
    }
}

#[test]
fn what_is_no_legal_move_sets_a_position_up_where_no_game_is_played() {
    let fen = "rnbqkb1r/pppppppp/5n2/8/2B1P3/8/PPPP1PPP/RNBQK1NR b KQkq - 2 2";
    let legal = [("f6e4", "Nxe4"), ("f6d5", "Nd5"), ("e7e6", "e6")];
    let edits = |text: &str| understand(text, &on_board(&legal, fen)).slots.get("edits").cloned();
    for (text, expected) in [
        ("make the f6 knight a bishop", json!(["bf6"])),
        ("the f6 knight has to be a rook", json!(["rf6"])),
        ("the bishop at c4 has the wrong colour, it must be black", json!(["bc4"])),
        ("the bishop on c4 has the wrong colour", json!(["bc4"])),
        ("lift the rook from a8", json!(["-a8"])),
        ("delte the bishop on f8", json!(["-f8"])),
        ("black rook to b2, no wait, b8", json!(["rb8"])),
        ("br on b8", json!(["rb8"])),
        ("three white pawns: f3, g3 and h3", json!(["Pf3", "Pg3", "Ph3"])),
        ("kings on e1 and e8 and a white pawn on d5", json!(["Ke1", "ke8", "Pd5"])),
        ("everything black leaves except the king", json!(["-q", "-r", "-b", "-n", "-p"])),
    ] {
        assert_eq!(edits(text), Some(expected), "{text}");
    }
    let found = understand(
        "white king d5, black king d7, nothing more on the board",
        &on_board(&legal, fen),
    );
    assert_eq!(found.slots.get("preset"), Some(&json!("empty")), "{found:?}");
    // In a game it is a move that is not legal.
    let game = Context { plays: Some("black"), ..on_board(&legal, fen) };
    assert_eq!(understand("lift the rook from a8", &game).intent, Intent::Move);
    let found = understand("chop off the pawn on e4", &game);
    assert_eq!(found.slots.get("uci"), Some(&json!("f6e4")), "{found:?}");
}

#[test]
fn what_a_move_was_is_a_sign_of_the_side_that_is_said() {
    let game = Context { plays: Some("white"), ..Context::default() };
    for (text, slots) in [
        ("White's ninth was a mistake", json!({"move": 9, "side": "white", "sign": "?"})),
        (
            "his 14th move was dubious, so give it ?!",
            json!({"move": 14, "side": "black", "sign": "?!"}),
        ),
        (
            "my 15th move was a mistake, not a blunder",
            json!({"move": 15, "side": "white", "sign": "?"}),
        ),
        (
            "11.g4 is interesting, sign it that way",
            json!({"move": 11, "side": "white", "san": "g4", "sign": "!?"}),
        ),
        (
            "the double question mark at Black's move 27 is too harsh, a single one is enough",
            json!({"move": 27, "side": "black", "sign": "?"}),
        ),
    ] {
        let found = understand(text, &game);
        assert_eq!((found.intent, json!(found.slots)), (Intent::MarkMove, slots), "{text}");
        assert!(found.unread.is_empty() && found.confirm == Confirm::Always, "{text}: {found:?}");
    }
    // Whose opponent that is, is not known without a game.
    let found = understand("his 14th move was dubious", &Context::default());
    assert_eq!(found.unread, ["his"]);
}

#[test]
fn what_is_taken_back_or_turned_round_keeps_its_details() {
    for (text, shown) in [
        (
            "I resign, no hang on, I would rather play on",
            "what is said is taken back: nothing is done",
        ),
        ("I give up, no wait, let us play on", "what is said is taken back: nothing is done"),
        ("mate in 3, hmm, rather mate in 2", "Practice: mate in 2"),
        ("against v1.2 I want my tree in an sprt", "harness sprt . v1.2"),
        (
            "the Scotch gambit, and I play it with white",
            "Play the Scotch Game: Scotch Gambit, you are white",
        ),
        ("gate my branch against main", "harness gate --engine HEAD --base main"),
        ("name the newest training run wide hidden layer", "Name wide hidden layer: run last"),
        (
            "carry out run 7 once more",
            "no run is repeated from here: say all of it, with what is to change",
        ),
        ("what went wrong in the latest training", "How is run last?"),
        (
            "remark on the last move: quote he is lost unquote",
            "Write \u{201c}he is lost\u{201d} at the last move",
        ),
        ("rewind by three of my moves", "Take back 3 moves"),
        ("help me", "Help"),
    ] {
        assert_eq!(understand(text, &Context::default()).shown, shown, "{text}");
    }
    assert_eq!(format_of_run("show me the last gauntlet"), Some("gauntlet"));
    assert_eq!(format_of_run("the last round robin"), Some("round-robin"));
    assert_eq!(format_of_run("the last match"), None);
}

#[test]
fn details_that_are_said_in_other_ways_have_their_place() {
    for (text, shown) in [
        (
            "a gauntlet of tench vs stockfish,ethereal,weiss",
            "harness match tench stockfish ethereal weiss --format gauntlet",
        ),
        ("sprt tench v1.2 against tench v1.1", "harness sprt v1.2 v1.1"),
        ("let tench HEAD solve wac", "harness suite wac HEAD"),
        (
            "knockout of weiss and ethereal on 4 cores",
            "harness match weiss ethereal --format knockout --jobs 4",
        ),
        ("undo three full moves", "Take back 3 moves"),
        ("show me the board after white's third move", "Go to move 3 of white"),
        ("I want White's pieces at the top", "Turn the board: black below"),
        ("take me to the page of run 23", "Page of run 23"),
        (
            "write in run 20 that it was done on the laptop",
            "Note it was done on the laptop: run 20",
        ),
        ("is any of my stuff about to get taken?", "The threat"),
        ("what does toga2 recommend?", "Hint by toga2"),
        ("what does stokfish recommend?", "Hint by stockfish"),
        ("comment at move 3: so slow,bad", "Write \u{201c}so slow,bad\u{201d} at move 3"),
        (
            "a match of toga2 and weiss with the book my,book.pgn",
            "harness match toga2 weiss --openings my,book.pgn",
        ),
        (
            "I need a picture of the position, black below, 600 px",
            "Save a picture of the board, black below, 600 pixels",
        ),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.shown, shown, "{text}: {found:?}");
    }
    let found = understand("new game from this position as white", &Context::default());
    assert_eq!(json!(found.slots), json!({ "colour": "white", "here": true }), "{found:?}");
}

#[test]
fn wishes_of_unusual_construction_are_understood() {
    for (text, intent) in [
        ("no point in dragging this out, the point is yours", Intent::Resign),
        ("who's ready for another one? I'll have the black pieces", Intent::NewGame),
        ("the cores are needed elsewhere, call it a day with that tournament", Intent::StopRun),
        ("all those numbers flickering spoil my intuition, make them go", Intent::EngineOff),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, intent, "{text}: {found:?}");
    }
    // What is asked is not done.
    for text in ["did you stop run 4?", "would that be a draw?", "should I have resigned?"] {
        let found = understand(text, &Context::default());
        let acts = found.intent.acts() || found.intent.changes_runs();
        assert!(!acts, "{text}: {found:?}");
    }
}
