//! Sentences that are dictated, and those of beginners.

use serde_json::json;

use super::*;

/// Some legal moves, as in an open game of White.
fn position() -> Context {
    let legal = [
        ("b8c6", "Nc6"),
        ("b1d2", "Nbd2"),
        ("f1b5", "Bb5"),
        ("e1g1", "O-O"),
        ("e1c1", "O-O-O"),
        ("e2e4", "e4"),
        ("d2d3", "d3"),
        ("a7b8n", "axb8=N"),
        ("a7b8q", "axb8=Q"),
        ("a1e5", "Rxe5"),
        ("a1f1", "Rf1"),
        ("a1e1", "Re1"),
        ("d1f7", "Qxf7"),
        ("b4c3", "bxc3"),
        ("c1g5", "Bg5"),
    ];
    let legal = legal.map(|(uci, san)| (uci.to_owned(), san.to_owned())).to_vec();
    Context { legal, ..Context::default() }
}

#[test]
fn a_dictated_move_is_made_by_its_sound() {
    for (text, uci) in [
        ("night sea six", "b8c6"),
        ("night bee dee to", "b1d2"),
        ("bishop be five", "f1b5"),
        ("pawn to e for", "e2e4"),
        ("oh dash oh dash oh", "e1c1"),
        ("a seven takes be eight and promote to a night", "a7b8n"),
        ("bee takes see three", "b4c3"),
        ("bishop gee five full stop", "c1g5"),
        ("rook e one no rook eff one", "a1f1"),
        ("rook to f1, no, hang on, rook to e1, I always mix up those two files", "a1e1"),
    ] {
        let found = understand(text, &position());
        assert_eq!(found.slots.get("uci"), Some(&json!(uci)), "{text}: {found:?}");
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn pieces_have_everyday_names() {
    for (text, uci) in [
        ("take the thing on e5 with the tower", "a1e5"),
        ("the lady takes on f7, sorry!", "d1f7"),
        ("king and tower swap, the long way please", "e1c1"),
        ("the pawn that stands before my queen, one step forward", "d2d3"),
        ("the little one in front of the king goes two steps", "e2e4"),
        ("the runner goes to b5", "f1b5"),
    ] {
        let found = understand(text, &position());
        assert_eq!(found.slots.get("uci"), Some(&json!(uci)), "{text}: {found:?}");
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn dictated_wishes_have_all_their_details() {
    let slots = |text: &str| {
        let found = understand(text, &Context::default());
        assert!(found.unread.is_empty(), "{text}: {found:?}");
        json!(found.slots)
    };
    for (text, expected) in [
        (
            "put a white night on sea three and a black bishop on gee four",
            json!({ "edits": ["Nc3", "bg4"] }),
        ),
        ("Put a black Rook on H8 no H7", json!({ "edits": ["rh7"] })),
        (
            "double exclamation mark on eighteen dot dot dot queen takes gee two",
            json!({ "move": 18, "side": "black", "san": "Qxg2", "sign": "!!" }),
        ),
        (
            "quote lost the thread here unquote at blacks move thirty",
            json!({ "move": 30, "side": "black", "text": "lost the thread here" }),
        ),
        (
            "note for run eight colon the machine was busy",
            json!({ "note": "the machine was busy", "run": "8" }),
        ),
        ("take back my last to moves", json!({ "count": 2 })),
        ("mate in three no mate in for", json!({ "theme": "mate", "mate_in": 4 })),
        (
            "s p r t head against head tilde three at l t c no s t c",
            json!({ "new": "HEAD", "old": "HEAD~3", "limit": "8+0.08" }),
        ),
        ("train with small dash net dot yaml", json!({ "file": "small-net.yaml" })),
        (
            "match weiss with toga to fifty games",
            json!({ "first": "weiss", "second": "toga2", "games": 50 }),
        ),
    ] {
        assert_eq!(slots(text), expected, "{text}");
    }
}

#[test]
fn what_a_move_is_worth_is_asked_and_no_sign_is_put() {
    for text in [
        "nf6 blunder?",
        "what about queen dee seven is that a blunder question mark",
        "would it be silly to grab the pawn on b7 with my queen?",
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::Unknown, "{text}: {found:?}");
    }
}
