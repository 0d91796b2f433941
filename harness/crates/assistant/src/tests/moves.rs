//! Moves in sentences that say more, with the legal moves of a position.

use serde_json::json;

use super::*;

/// White to move in `r1b1kb1r/pp3ppp/2n2q2/3pp3/6P1/2NBPN1P/PPP2P2/R2QK2R`, and some moves of it; the queen stands on f6.
fn position() -> Context {
    let legal = [
        ("c3d5", "Nxd5"),
        ("c3b5", "Nb5"),
        ("f3d2", "Nd2"),
        ("f3e5", "Nxe5"),
        ("c3e2", "Ne2"),
        ("d3b5", "Bb5"),
        ("d3h7", "Bxh7"),
        ("a1b1", "Rb1"),
        ("a1c1", "Rc1"),
        ("h1g1", "Rg1"),
        ("d1d2", "Qd2"),
        ("d1e2", "Qe2"),
        ("h3h4", "h4"),
        ("g4g5", "g5"),
        ("g4f5", "gxf5"),
        ("e3e4", "e4"),
        ("e1g1", "O-O"),
        ("e1c1", "O-O-O"),
        ("e1f1", "Kf1"),
    ];
    Context {
        legal: legal.map(|(uci, san)| (uci.to_owned(), san.to_owned())).to_vec(),
        fen: "r1b1k2r/pp3ppp/2n2q2/3ppb2/6P1/2NBPN1P/PPP2P2/R2QK2R w KQkq - 0 10".to_owned(),
        ..Context::default()
    }
}

#[test]
fn a_move_is_made_whatever_accompanies_it() {
    for (text, uci) in [
        ("not knight b5, bishop b5", "d3b5"),
        ("Please be so kind and play the bishop from d3 to b5", "d3b5"),
        ("g4g5, like always", "g4g5"),
        ("I take your bishop with my pawn, thank you very much", "g4f5"),
        ("bishop takes h7 and it is check, sorry my friend", "d3h7"),
        ("beat the bishop on f5 with the g-pawn", "g4f5"),
        ("knight b5, no, excuse me, knight d5", "c3d5"),
        ("Nb5, sorry, I meant Nd2", "f3d2"),
        ("rook b1, wait, no, rook c1", "a1c1"),
        ("I'd go with the light squared bishop to b five", "d3b5"),
        ("the rook of the a file to c1", "a1c1"),
        ("rook from the a-line to c1", "a1c1"),
        ("not the h-rook, the rook to b1", "a1b1"),
        ("Now the pawn from the g file beats to f5", "g4f5"),
        ("knight d5, because doubled pawns are horrible", "c3d5"),
        ("with the knight from f3, not the other one, to e5", "f3e5"),
        ("knight e2, the one from c3, not the one from g1", "c3e2"),
        ("My pupil would like to capture on f5 with the g-pawn, not with the queen", "g4f5"),
        ("the rook on the a-file should go to c1, not the one that stands on h1", "a1c1"),
        ("please play the pawn from e3 to e4, because Black's centre should be challenged", "e3e4"),
        ("let us castle on the queen's side, since the f-file is about to be opened", "e1c1"),
        ("let me castle long", "e1c1"),
        ("the knight on c3 should jump to e2, as my bishop needs d3", "c3e2"),
        ("castle please, only not on the queenside", "e1g1"),
        ("make now the small castling", "e1g1"),
        ("let's castle queenside instead of kingside", "e1c1"),
        ("castle kingside, not queenside", "e1g1"),
        ("white castles long, I believe", "e1c1"),
        ("I would like to castle to the big side, please", "e1c1"),
        ("Kf1 rather than castling", "e1f1"),
        ("gxf5 ez", "g4f5"),
        ("Bxh7 sac!!!", "d3h7"),
        ("g pawn up 1", "g4g5"),
        ("pawn on g takes eff five", "g4f5"),
        ("my knight takes your pawn on e5", "f3e5"),
        ("bring my king into safety on the kingside with castling", "e1g1"),
        ("no I said bishop to bravo five not to hotel seven", "d3b5"),
        ("drop the knight back to d2", "f3d2"),
        ("the pawn takes his bishop", "g4f5"),
    ] {
        let found = understand(text, &position());
        assert_eq!(found.slots.get("uci"), Some(&json!(uci)), "{text}: {found:?}");
        assert!(found.unread.is_empty() && found.confirm != Confirm::Always, "{text}: {found:?}");
    }
}

#[test]
fn of_two_wishes_the_move_is_made_after_a_question_and_the_other_is_named() {
    for (text, uci, named) in [
        ("knight to d5 and afterwards the pawn to e4", "c3d5", "pawn to e4"),
        ("Nd5 and then please show me what the machine wants to play", "c3d5", "machine"),
    ] {
        let found = understand(text, &position());
        assert_eq!(found.slots.get("uci"), Some(&json!(uci)), "{text}: {found:?}");
        assert!(found.unread.iter().any(|part| part.contains(named)), "{text}: {found:?}");
        assert_eq!(found.confirm, Confirm::Always, "{text}: {found:?}");
    }
}

#[test]
fn what_is_taken_is_compared_with_the_position() {
    for text in ["my knight takes the queen", "I take your rook with my knight"] {
        let found = understand(text, &position());
        assert_eq!(found.slots.get("uci"), None, "{text}: {found:?}");
    }
    let found = understand("my knight takes a pawn", &position());
    assert!(found.slots.contains_key("which"), "{found:?}");
}

#[test]
fn what_is_taken_in_passing_stands_beside_an_empty_square() {
    let legal = [("g5h6", "gxh6"), ("g5f6", "gxf6"), ("e2e4", "e4")];
    let context = Context {
        legal: legal.map(|(uci, san)| (uci.to_owned(), san.to_owned())).to_vec(),
        fen: "4k3/8/5n2/6Pp/8/8/4P3/4K3 w - h6 0 20".to_owned(),
        ..Context::default()
    };
    for text in ["en passant, with the g-pawn please", "take en passant", "g takes en passant"] {
        let found = understand(text, &context);
        assert_eq!(found.slots.get("uci"), Some(&json!("g5h6")), "{text}: {found:?}");
    }
}

#[test]
fn a_second_wish_behind_a_move_is_named() {
    let found = understand("let me castle long and then tell me who's better", &position());
    assert_eq!(found.slots.get("uci"), Some(&json!("e1c1")));
    assert!(found.unread.join(" ").contains("who's better"), "{found:?}");
}

#[test]
fn a_pawn_becomes_what_is_said_beside_other_words() {
    let legal = ["q", "r", "b", "n"]
        .map(|piece| (format!("a7a8{piece}"), format!("a8={}", piece.to_uppercase())));
    let context = Context { legal: legal.to_vec(), ..Context::default() };
    for (text, uci) in [
        ("the pawn on a7 goes through to a8 and becomes a knight, not a queen", "a7a8n"),
        ("promote on a8 to a rook so that it is no stalemate", "a7a8r"),
        ("a8 equals knight, definitely no queen", "a7a8n"),
        ("pawn to the last rank on the alpha file and make it a knight", "a7a8n"),
        ("a8 and I would like to have there a second queen", "a7a8q"),
        ("promote on a8 but only to a rook", "a7a8r"),
        ("a7a8n lets gooo", "a7a8n"),
        ("my pawn got to the other end, make it a horse and not a queen", "a7a8n"),
        ("ok so my a-pawn finally gets home and no queen for me this time, gimme a rook", "a7a8r"),
        ("my pawn has reached the last rank, a bishop please", "a7a8b"),
    ] {
        let found = understand(text, &context);
        assert_eq!(found.slots.get("uci"), Some(&json!(uci)), "{text}: {found:?}");
    }
}
