//! Kinds of sentences about boards by writers outside, who had read the page of the assistant alone.

use serde_json::json;

use super::*;

#[test]
fn sentences_of_writers_about_boards_are_right() {
    let (right, silent) = scored(include_str!("../../../../tests/assistant/writers_boards.tsv"));
    assert!(right >= 232, "{right} of 239");
    assert!(silent.len() < 3, "{silent:#?}");
}

#[test]
fn nothing_is_done_where_a_sentence_refuses_asks_or_takes_back() {
    for text in [
        "I don't want to see the London System any more",
        "I would rather not castle just yet",
        "I refuse the draw",
        "no new game please, I want to analyse first this one",
        "don't clear the board please, I only asked what happens with the pieces",
        "turn the board round no leave it as it is",
        "undo the move, no, forget it",
        "would Nf3 be a blunder?",
        "is queen takes f7 mate?",
        "how many lines can I have?",
        "how many puzzles did I solve this week?",
        "can I castle here?",
        "what is a skewer",
        "what's the time in New York",
        "delete all the comments I made",
        "remove all my comments except the one at move 30",
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::Unknown, "{text}: {found:?}");
    }
}

#[test]
fn what_a_board_has_elsewhere_is_named_with_its_place() {
    for (text, place) in [
        ("listen to me", "“Listen”"),
        ("turn on the microphone", "“Listen”"),
        ("stop listening to me my brother is talking", "“Listen”"),
        ("the sign on white's move 22 was wrong, get rid of it", "the same button"),
        ("why is Bxh7 not good here?", "“analyse”"),
        ("am I allowed to promote to a bishop?", "a click on a piece"),
        ("write a comment at move 13 for Black", "which text?"),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::Unknown, "{text}: {found:?}");
        assert!(found.shown.contains(place), "{text}: {}", found.shown);
    }
}

#[test]
fn what_is_kept_or_left_out_in_a_position_stays() {
    let all_but_kings = ["-Q", "-R", "-B", "-N", "-P", "-q", "-r", "-b", "-n", "-p"];
    for (text, slots) in [
        ("wipe the board but leave both kings where they are", json!({ "edits": all_but_kings })),
        ("take all pieces off but leave the two kings standing", json!({ "edits": all_but_kings })),
        ("both black rooks should vanish", json!({ "edits": ["-r"] })),
        ("the piece on f3 should go", json!({ "edits": ["-f3"] })),
        ("drop all pawns from the board", json!({ "edits": ["-P", "-p"] })),
        ("change the white queen on d1 into a black one", json!({ "edits": ["qd1"] })),
        ("swap the side to move", json!({ "turn": "black" })),
        ("put a black knight on hotel six", json!({ "edits": ["nh6"] })),
        (
            "on h3 a black knight, on g1 a white king, everything else empty",
            json!({ "edits": ["nh3", "Kg1"], "preset": "empty" }),
        ),
    ] {
        let found = understand(text, &Context::default());
        let expected = (Intent::EditPosition, slots);
        assert_eq!((found.intent, json!(found.slots)), expected, "{text}: {found:?}");
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
    let found = understand("remove all of the pawns, but not the one on e5", &Context::default());
    assert_eq!(json!(found.slots), json!({ "edits": ["-P", "-p"] }), "{found:?}");
    assert!(found.unread.iter().any(|part| part.contains("e5")), "{found:?}");
}

#[test]
fn wishes_about_a_board_have_their_details() {
    for (text, intent, slots) in [
        (
            "I would play you with Black at 1650, five minutes each plus three seconds",
            Intent::NewGame,
            json!({ "colour": "black", "level": 5, "rating": 1650, "clock": "5+3" }),
        ),
        (
            "let me be black in a scotch game at 10 minutes plus 5",
            Intent::NewGame,
            json!({ "colour": "black", "clock": "10+5", "opening": "Scotch Game" }),
        ),
        ("new game but not as Black", Intent::NewGame, json!({ "colour": "white" })),
        ("only two variations instead of five", Intent::EngineOn, json!({ "lines": 2 })),
        ("at most two engine lines", Intent::EngineOn, json!({ "lines": 2 })),
        ("a mate in 4, not in 2", Intent::Practice, json!({ "theme": "mate", "mate_in": 4 })),
        ("m3 puzzle", Intent::Practice, json!({ "theme": "mate", "mate_in": 3 })),
        (
            "I'd like to train a pawn ending today",
            Intent::Practice,
            json!({ "theme": "ending", "piece": "pawn" }),
        ),
        (
            "put 'only move' beside 31...Kf8",
            Intent::CommentMove,
            json!({ "text": "only move", "move": 31, "side": "black", "san": "Kf8" }),
        ),
        (
            "change the sign on Black's move 19 from ? to ??",
            Intent::MarkMove,
            json!({ "sign": "??", "move": 19, "side": "black" }),
        ),
        (
            "back to the position before 12. Nd5",
            Intent::GoTo,
            json!({ "move": 11, "side": "black" }),
        ),
        ("copy the fen, not the pgn", Intent::Export, json!({ "what": "fen" })),
        (
            "the king's indian, not the king's gambit",
            Intent::PlayOpening,
            json!({ "opening": "King's Indian Defense" }),
        ),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!((found.intent, json!(found.slots)), (intent, slots), "{text}: {found:?}");
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
    for (text, named) in [
        ("the Slav, please, without the exchange variation", "exchange"),
        ("show only the mistakes of Black", "Black"),
        ("forks, but no pins please", "pins"),
        ("queen against rook", "against rook"),
    ] {
        let found = understand(text, &Context::default());
        assert!(found.unread.iter().any(|part| part.contains(named)), "{text}: {found:?}");
    }
}
