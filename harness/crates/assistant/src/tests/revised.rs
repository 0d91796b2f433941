//! Revisions of engines, limits of one engine, games by rounds, and short forms of authors in a hurry.

use serde_json::{Value, json};

use super::*;

/// The slots of a sentence, and what is named beside them.
fn read(text: &str) -> (Value, String) {
    let found = understand(text, &Context::default());
    (Value::Object(found.slots), found.unread.join("|"))
}

/// Whether the slots of a sentence are these, and just this is named.
fn is_read(text: &str, expected: Value, named: &str) {
    assert_eq!(read(text), (expected, named.to_owned()), "{text}");
}

#[test]
fn a_revision_behind_an_engine_is_no_second_player() {
    for (text, expected, named) in [
        (
            "match weiss v1.2 against toga2, 40 games",
            json!({"first": "weiss", "second": "toga2", "games": 40}),
            "v1.2",
        ),
        (
            "match of tench main and ethereal HEAD~3, 50 games",
            json!({"first": "main", "second": "ethereal", "games": 50}),
            "HEAD~3",
        ),
        (
            "sprt my engine, revision HEAD~2, against v1.2",
            json!({"new": "HEAD~2", "old": "v1.2"}),
            "",
        ),
        ("sprt my engine at HEAD~2 against main", json!({"new": "HEAD~2", "old": "main"}), ""),
        ("sprt HEAD~2 of tench against main", json!({"new": "HEAD~2", "old": "main"}), ""),
        ("wac with weiss's v1.1 branch", json!({"engine": "weiss", "suite": "wac"}), "v1.1 branch"),
        // Without a third player they are two.
        ("sprt stockfish main", json!({"new": "stockfish", "old": "main"}), ""),
        (
            "match stockfish head 20 games",
            json!({"first": "stockfish", "second": "HEAD", "games": 20}),
            "",
        ),
        (
            "wac on 3 engines: weiss toga2 HEAD",
            json!({"engine": "weiss", "others": ["toga2", "HEAD"], "suite": "wac"}),
            "",
        ),
        (
            "wac with toga2 on 2 threads, just toga2",
            json!({"engine": "toga2", "suite": "wac", "threads": 2}),
            "",
        ),
        ("gate v1.3, v1.2 has passed it already", json!({"engine": "v1.3"}), "v1.2"),
    ] {
        is_read(text, expected, named);
    }
    let (slots, named) = read("is weiss v1.2 really stronger than its v1.1, sprt");
    assert_eq!(slots["new"], "weiss");
    assert!(slots.get("old").is_none() && named.contains("v1.2") && named.contains("its v1.1"));
}

#[test]
fn what_takes_the_place_of_another_player_is_meant() {
    for (text, expected, named) in [
        (
            "match ethereal in place of weiss against toga2, 100 games",
            json!({"first": "ethereal", "second": "toga2", "games": 100}),
            "weiss",
        ),
        (
            "replace toga2 by ethereal in the match, 40 games against weiss",
            json!({"first": "ethereal", "second": "weiss", "games": 40}),
            "toga2",
        ),
    ] {
        let (slots, unread) = read(text);
        assert_eq!(slots, expected, "{text}");
        assert!(unread.contains(named), "{text}: {unread}");
    }
}

#[test]
fn a_limit_of_one_engine_is_named() {
    for (text, limit, named) in [
        (
            "match stockfish against weiss, 40 games, stockfish limited to 1000 nodes",
            Value::Null,
            "stockfish limited to 1000 nodes",
        ),
        (
            "match weiss against toga2, 50 games, 10+0.1, weiss with only 1000 nodes",
            json!("10+0.1"),
            "weiss with only 1000 nodes",
        ),
        ("match weiss against toga2 limited to 1000 nodes, 50 games", json!("nodes=1000"), ""),
        ("match weiss against weiss with 1000 nodes, 50 games", json!("nodes=1000"), ""),
    ] {
        let (slots, unread) = read(text);
        assert_eq!(
            (slots.get("limit").cloned().unwrap_or_default(), unread),
            (limit, named.to_owned()),
            "{text}"
        );
    }
}

#[test]
fn games_are_counted_by_their_rounds() {
    for (text, slot, expected, named) in [
        ("match weiss toga2 500 rounds of 2 games", "games", json!(1000), ""),
        ("match weiss toga2 -rounds 250 -games 2", "games", json!(500), ""),
        (
            "spsa a.yaml, 100 iterations of 32 games each",
            "games",
            json!(3200),
            "100 iterations of 32 games each",
        ),
        ("match weiss toga2 60 games one after another", "jobs", json!(1), ""),
        ("sprt HEAD main, one at a time", "jobs", json!(1), ""),
        ("weiss against toga2, 2,000 paired games", "games", json!(2000), ""),
    ] {
        let (slots, unread) = read(text);
        assert_eq!((slots[slot].clone(), unread), (expected, named.to_owned()), "{text}");
    }
}

#[test]
fn numbers_are_read_as_authors_and_others_write_them() {
    for (text, slot, expected) in [
        ("sprt HEAD main 10 seconds plus 0,1", "limit", json!("10+0.1")),
        ("sprt HEAD main 10+0,1", "limit", json!("10+0.1")),
        ("sprt HEAD main [0,5] stc", "bounds", json!([0, 5])),
        ("wac with weiss, half a million nodes each", "limit", json!("nodes=500000")),
        ("wac with weiss, seven and a half thousand nodes", "limit", json!("nodes=7500")),
        ("sprt HEAD main α=0.05 β=0.1", "alpha", json!(0.05)),
        ("sprt HEAD main a .02 b .03", "beta", json!(0.03)),
        ("sprt HEAD main alpha one tenth", "alpha", json!(0.1)),
        ("20000 training games, seeded with 5, to a.vf", "seed", json!(5)),
        ("20000 training games, first 6 plies random, to a.vf", "plies", json!(6)),
        ("sprt HEAD main t=2 h=64 c=4", "hash", json!(64)),
        ("sprt branch called quiet-see against main", "new", json!("quiet-see")),
        ("weiss on with a single line", "lines", json!(1)),
        ("stockfish on, not deeper than ten", "limit", json!("depth=10")),
        ("let Toga II analyse", "engine", json!("toga2")),
    ] {
        let (slots, unread) = read(text);
        assert_eq!((slots[slot].clone(), unread.as_str()), (expected, ""), "{text}");
    }
}

#[test]
fn games_from_a_position_have_their_sides_and_their_number() {
    for (text, expected) in [
        (
            "let toga2 and weiss finish it once from here, 10+0.1",
            json!({"engine": "toga2", "against": "weiss", "games": 1, "limit": "10+0.1"}),
        ),
        (
            "20 games from here between weiss and toga2, toga2 always with black",
            json!({"engine": "weiss", "against": "toga2", "games": 20, "no_swap": true}),
        ),
        (
            "my engine against weiss from here, 10 games, weiss has white in all games",
            json!({"engine": "weiss", "against": ".", "games": 10, "no_swap": true}),
        ),
        (
            "sf v toga2 frm here, 20 gms, 1+0.1, alt cols",
            json!({"engine": "stockfish", "against": "toga2", "games": 20, "limit": "1+0.1"}),
        ),
    ] {
        is_read(text, expected, "");
    }
}

#[test]
fn an_engine_goes_on_where_another_one_is_stopped() {
    for text in [
        "kill the stockfish lines but leave weiss on",
        "kill the stockfish kibitzer but leave weiss's lines up",
        "keep weiss analysing, stop stockfish",
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::EngineOn, "{text}: {found:?}");
        assert_eq!(found.slots.get("engine"), Some(&json!("weiss")), "{text}: {found:?}");
    }
}
