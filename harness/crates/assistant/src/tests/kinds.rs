//! Kinds of sentences: corrections, exceptions, asides, strengths in words, openings apart from their lines, requests for
//! what is not there.

use serde_json::{Value, json};

use super::*;

fn slots(text: &str) -> (Intent, Value, Vec<String>) {
    let found = understand(text, &Context::default());
    (found.intent, json!(found.slots), found.unread)
}

#[test]
fn what_is_said_in_free_words_has_its_slots() {
    for (text, intent, expected) in [
        (
            "sprt dev against main at 8+0.08, no, not main but v1.2",
            Intent::Sprt,
            json!({ "new": "dev", "old": "v1.2", "limit": "8+0.08" }),
        ),
        (
            "gauntlet: HEAD against weiss, toga2, 40 games each, 6 games paralell",
            Intent::Match,
            json!({
                "first": "HEAD", "second": "weiss", "others": ["toga2"], "format": "gauntlet",
                "games": 40, "jobs": 6,
            }),
        ),
        ("go to move 12, no 13", Intent::GoTo, json!({ "move": 13 })),
        (
            "show me the position after 12...Nf6",
            Intent::GoTo,
            json!({ "move": 12, "side": "black" }),
        ),
        ("play like a club player", Intent::SetLevel, json!({ "level": 5 })),
        ("play me at 2000", Intent::NewGame, json!({ "level": 7 })),
        ("go up one level", Intent::SetLevel, json!({ "level": "higher" })),
        ("not so strong please", Intent::SetLevel, json!({ "level": "lower" })),
        (
            "caro kann on the board please, exchange variation, me as black",
            Intent::PlayOpening,
            json!({ "opening": "Caro-Kann Defense: Exchange Variation", "side": "black" }),
        ),
        (
            "show the italian game without starting a game",
            Intent::PlayOpening,
            json!({ "opening": "Italian Game" }),
        ),
        (
            "clear everything but the kings and pawns",
            Intent::EditPosition,
            json!({
                "edits": ["-Q", "-R", "-B", "-N", "-q", "-r", "-b", "-n"],
            }),
        ),
        (
            "take the white rook off h1 and put a queen there",
            Intent::EditPosition,
            json!({ "edits": ["-h1", "Qh1"] }),
        ),
        (
            "show wins against weiss",
            Intent::ListGames,
            json!({ "player": "weiss", "result": "lost" }),
        ),
        (
            "which tunings are running",
            Intent::OpenPage,
            json!({ "page": "runs", "status": "running", "kind": "tune" }),
        ),
        (
            "compare the last two matches",
            Intent::CompareRuns,
            json!({ "runs": "last two", "kind": "match" }),
        ),
        (
            "write down for run 9 that the book was wrong",
            Intent::DescribeRun,
            json!({ "run": "9", "note": "the book was wrong" }),
        ),
        ("where did weiss lose game 30", Intent::WhyLost, json!({ "game": 30, "player": "weiss" })),
        ("hmm, take that back, I was really silly", Intent::TakeBack, json!({})),
        ("this looks lost, doesn't it", Intent::Evaluate, json!({})),
    ] {
        assert_eq!(slots(text), (intent, expected, Vec::new()), "{text}");
    }
}

#[test]
fn an_exception_without_a_place_is_named_and_not_taken_for_what_it_excepts() {
    for (text, named, left_out) in [
        ("list all runs except sprts", "sprts", "kind"),
        ("show all games but not the draws", "draws", "result"),
        ("delete that failed match", "failed", ""),
        ("stop the sprt and the match", "match", ""),
        ("what was played here in my own games", "my own games", ""),
    ] {
        let found = understand(text, &Context::default());
        assert!(found.unread.iter().any(|part| part.contains(named)), "{text}: {found:?}");
        assert!(!found.slots.contains_key(left_out), "{text}: {found:?}");
    }
}

#[test]
fn what_is_not_there_is_refused_with_a_reason() {
    for (text, reason) in [
        ("email me when the sprt is over", "harness docs hooks"),
        ("send a notification if the match fails", "harness docs hooks"),
        ("play with my cousin over the internet", "harness lichess"),
        ("download the newest stockfish", "nothing is downloaded"),
        ("print this position", "the browser prints"),
        ("take away the sign of move 6", "the same button"),
        ("a tournament of all engines but weiss", "which engines?"),
        ("gauntlet of weiss against everyone else", "which engines?"),
        ("bla bla bla", "“help” shows what can be asked"),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::Unknown, "{text}: {found:?}");
        assert!(found.shown.contains(reason), "{text}: {}", found.shown);
    }
}

#[test]
fn a_german_letter_is_that_of_the_legal_move() {
    let legal = vec![("g1f3".to_owned(), "Nf3".to_owned()), ("e2e4".to_owned(), "e4".to_owned())];
    let context = Context { legal, ..Context::default() };
    assert_eq!(understand("Sf3", &context).slots["uci"], "g1f3");
    assert_eq!(understand("e4, no, I meant Nf3", &context).slots["uci"], "g1f3");
}
