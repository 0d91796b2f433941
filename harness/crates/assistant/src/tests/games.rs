//! Sentences during a game: moves of it that are named by pieces and squares, what is said of another move, and values that
//! belong to something else.

use serde_json::json;

use super::*;

/// The Najdorf after 5...a6, in which the user has White.
fn najdorf() -> Context {
    Context {
        fen: "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6".to_owned(),
        plays: Some("white"),
        ..Context::default()
    }
}

/// Whether each sentence has the intent and the slots, and names these words alone.
fn check(sentences: &[(&str, Intent, serde_json::Value, &[&str])]) {
    for (text, intent, slots, named) in sentences {
        let found = understand(text, &najdorf());
        assert_eq!((&found.intent, &json!(found.slots)), (intent, slots), "{text}: {found:?}");
        assert_eq!(found.unread, *named, "{text}");
    }
}

#[test]
fn moves_that_are_taken_back_are_named_by_ordinals_pieces_and_sides() {
    let back = Intent::TakeBack;
    check(&[
        ("undo my fifth move", back, json!({ "move": 5, "side": "white" }), &[]),
        (
            "undo everything after my third move",
            back,
            json!({ "move": 3, "side": "white", "after": true }),
            &[],
        ),
        (
            "undo my knight to c3 and the bot's a6 too",
            back,
            json!({
                "piece": "N", "side": "white", "to": "c3",
                "with": [{ "san": "a6", "side": "black" }],
            }),
            &[],
        ),
        (
            "take back both Nc3 and a6",
            back,
            json!({ "san": "Nc3", "with": [{ "san": "a6" }] }),
            &[],
        ),
        (
            "take back everything after move 3",
            back,
            json!({ "move": 3, "side": "black", "after": true }),
            &[],
        ),
        ("undo 3 full moves, not 3 plies", back, json!({ "count": 3 }), &[]),
        ("undo two plies, not two moves", back, json!({ "count": 2, "unit": "half-moves" }), &[]),
        (
            "only Black's last reply should get reverted, my Nc3 has to stay",
            back,
            json!({ "count": 1, "unit": "half-moves" }),
            &["my Nc3 has to stay"],
        ),
        (
            "please take back only Black's pawn to a6",
            back,
            json!({ "piece": "P", "side": "black", "to": "a6" }),
            &["only Black's"],
        ),
    ]);
}

#[test]
fn a_place_in_the_game_is_counted_from_its_start_or_its_end() {
    let go = Intent::GoTo;
    check(&[
        ("go to the second last position", go, json!({ "place": "end", "back": 1 }), &[]),
        ("go to the last but two position", go, json!({ "place": "end", "back": 2 }), &[]),
        (
            "go back to the position before my last move",
            go,
            json!({ "place": "end", "back": 2 }),
            &[],
        ),
        ("the position after the second half-move please", go, json!({ "ply": 2 }), &[]),
        ("jump to move three with black to play", go, json!({ "move": 3, "side": "white" }), &[]),
        ("jump to move four with white to play", go, json!({ "move": 3, "side": "black" }), &[]),
        (
            "show me the position after Black's third move, not White's, and take nothing back",
            go,
            json!({ "move": 3, "side": "black" }),
            &[],
        ),
        ("go 2 start, don't undo anything", go, json!({ "place": "start" }), &[]),
        ("take me to the end, I was looking at move 2", go, json!({ "place": "end" }), &[]),
        ("view 2 plies earlier, w/o takeback", go, json!({ "place": "previous", "count": 2 }), &[]),
        (
            "jump to the point where I took the pawn on d4 with my knight",
            go,
            json!({ "capture": true, "piece": "N", "side": "white", "to": "d4" }),
            &[],
        ),
        ("show me where the knight went to f6", go, json!({ "piece": "N", "to": "f6" }), &[]),
    ]);
}

#[test]
fn what_is_said_of_another_move_is_no_value_of_the_first() {
    let mark = Intent::MarkMove;
    check(&[
        (
            "slap a !! on my horse eating on d4",
            mark,
            json!({ "capture": true, "piece": "N", "side": "white", "sign": "!!", "to": "d4" }),
            &[],
        ),
        (
            "double question mark at c takes d four",
            mark,
            json!({ "san": "cxd4", "sign": "??" }),
            &[],
        ),
        (
            "Black's fifth move deserves an exclamation mark followed by a question mark",
            mark,
            json!({ "move": 5, "side": "black", "sign": "!?" }),
            &[],
        ),
        (
            "question mark for 5...a6, not a double one",
            mark,
            json!({ "move": 5, "san": "a6", "side": "black", "sign": "?" }),
            &[],
        ),
        (
            "give my d4 an exclamation mark, the capture by Black after it gets nothing",
            mark,
            json!({ "san": "d4", "side": "white", "sign": "!" }),
            &["the capture by Black after it gets nothing"],
        ),
        (
            "mark 2.Nf3 with $1, and drop whatever 2...d6 carries",
            mark,
            json!({ "move": 2, "san": "Nf3", "side": "white", "sign": "!" }),
            &["and drop whatever 2...d6 carries"],
        ),
        (
            "delete the comment at White's third, the one at Black's third stays",
            Intent::CommentMove,
            json!({ "move": 3, "remove": true, "side": "white" }),
            &["the one at Black's third stays"],
        ),
        (
            "note at knight f six quote attacks the pawn unquote",
            Intent::CommentMove,
            json!({ "piece": "N", "text": "attacks the pawn", "to": "f6" }),
            &[],
        ),
    ]);
}

#[test]
fn rights_to_castle_are_those_of_one_side_or_one_wing() {
    for (text, rights) in [
        ("Leave the pieces, but Black may castle kingside only", "-q"),
        ("White king g1, rook e1; Black king g8, pawn f7; White to move, no castling", "-KQkq"),
        ("remove castling rights, but White's queenside right stays", "-K"),
        ("Black has lost the right to castle on the king's side", "-k"),
        ("take off Black's knights, and Black may no longer castle while White still may", "-kq"),
    ] {
        let found = understand(text, &najdorf());
        assert_eq!(found.intent, Intent::EditPosition, "{text}: {found:?}");
        assert_eq!(found.slots["rights"], rights, "{text}: {found:?}");
    }
}

#[test]
fn a_new_game_has_its_rating_and_its_position() {
    let new = Intent::NewGame;
    check(&[
        (
            "new game from this same Najdorf position, black for me",
            new,
            json!({ "colour": "black", "here": true }),
            &[],
        ),
        ("a new game at fifteen fifty", new, json!({ "level": 5, "rating": 1550 }), &[]),
        ("new game, 10|5, I am black", new, json!({ "clock": "10+5", "colour": "black" }), &[]),
        ("new game, you choose the colours", new, json!({ "colour": "random" }), &[]),
        (
            "start a game for my six-year-old at level 1",
            new,
            json!({ "level": 1 }),
            &["six-year-old"],
        ),
        (
            "please play like a club player of 1700",
            Intent::SetLevel,
            json!({ "level": 5, "rating": 1700 }),
            &[],
        ),
        (
            "a bit tougher please, around nineteen fifty but never above two thousand",
            Intent::SetLevel,
            json!({ "level": 7, "rating": 1950 }),
            &["never above two thousand"],
        ),
    ]);
}

#[test]
fn a_restriction_or_a_side_without_a_place_is_named() {
    check(&[
        ("give me a hint without queen moves", Intent::Hint, json!({}), &["without queen moves"]),
        ("suggest a move, no captures", Intent::Hint, json!({}), &["no captures"]),
        ("is my knight on d4 safe?", Intent::Evaluate, json!({}), &["knight on d4"]),
        (
            "what does he threaten on the queen's side?",
            Intent::Threat,
            json!({}),
            &["queen's side"],
        ),
        ("find Black's mistakes", Intent::CommentGame, json!({}), &["Black's"]),
        ("show black below but I stay White", Intent::Flip, json!({ "side": "black" }), &[]),
        ("export the FEN, the PGN isn't needed", Intent::Export, json!({ "what": "fen" }), &[]),
        ("copy the PGN, no FEN", Intent::Export, json!({ "what": "pgn" }), &[]),
        ("save a picture as svg", Intent::Export, json!({ "what": "picture" }), &["svg"]),
    ]);
}
