//! Details of runs, by the kinds that sentences of others had.

use super::*;

/// The command line that a sentence shows, and what of it is named.
fn shown(text: &str) -> (String, Vec<String>) {
    let found = understand(text, &Context::default());
    (found.shown, found.unread)
}

#[test]
fn all_details_of_a_run_are_in_its_command() {
    for (text, expected) in [
        (
            "sprt my tree vs ethereal in atomic, tc 10+0.1",
            "sprt . ethereal --variant atomic --tc 10+0.1",
        ),
        ("srpt wokring tree vs mian 15+0.15", "sprt . main --tc 15+0.15"),
        ("gate our patched build against v1.2", "gate --engine . --base v1.2"),
        ("sprt HEAD main alpha 0.05, beta 10 percent", "sprt HEAD main --alpha 0.05 --beta 0.1"),
        ("sprt HEAD main, alpha and beta 0.1", "sprt HEAD main --alpha 0.1 --beta 0.1"),
        ("match weiss toga2 20 games, ponder on", "match weiss toga2 --ponder --games 20"),
        ("match weiss toga2 20 games, ponder off", "match weiss toga2 --games 20"),
        (
            "double round robin of weiss, toga2 and ethereal",
            "match weiss toga2 ethereal --format round-robin --games 2",
        ),
        ("gate main against my work, sorry, the other way round", "gate --engine . --base main"),
        (
            "rr weiss toga2 dev, 5+0.05, 10 conc",
            "match weiss toga2 dev --format round-robin --jobs 10 --tc 5+0.05",
        ),
        ("not a match, an sprt of dev against main at stc", "sprt dev main --tc 8+0.08"),
        ("dev vs main, 500 games, no sprt just a match", "match dev main --games 500"),
        ("wac with toga two, a minute each", "suite wac toga2 --movetime 60s"),
        (
            "selfplay data, 5k nodes, data/x.vf, 20000",
            "data generate --output data/x.vf --games 20000 --nodes 5000",
        ),
        ("datagen 5k games not into a.vf but b.vf", "data generate --output b.vf --games 5000"),
        ("sprt HEAD main --tc 8+0.08, ci is red", "sprt HEAD main --tc 8+0.08"),
        (
            "sprt HEAD main 400 games at most cause the box reboots tonight",
            "sprt HEAD main --max-games 400",
        ),
        ("if it isn't too much trouble: sprt HEAD main", "sprt HEAD main"),
        ("play dev against main", "match dev main"),
    ] {
        let (shown, unread) = shown(text);
        assert_eq!(shown, format!("harness {expected}"), "{text}: {unread:?}");
        assert!(unread.is_empty(), "{text}: {unread:?}");
    }
}

#[test]
fn what_a_run_has_no_place_for_is_named() {
    for (text, expected, named) in [
        ("sprt head vs stockfish vs weiss", "sprt HEAD stockfish", "weiss"),
        ("match head vs laser, 100 games", "match HEAD laser --games 100", "laser"),
        ("first 50 lines of wac with head", "suite wac HEAD", "first 50 lines"),
        ("sts with ethereal, lines 100 to 180", "suite sts ethereal", "lines 100 to 180"),
        (
            "match weiss against toga2, weiss with 4 threads, toga2 with 1",
            "match weiss toga2",
            "weiss with 4 threads",
        ),
        ("sprt dev main, hash 64 for dev", "sprt dev main", "hash 64 for dev"),
        ("loop night.yaml tc 2+0.02 conc 20", "loop night.yaml", "conc 20"),
        ("sprt HEAD main at stc, no, vltc", "sprt HEAD main", "vltc"),
    ] {
        let (shown, unread) = shown(text);
        assert_eq!(shown, format!("harness {expected}"), "{text}: {unread:?}");
        assert!(unread.iter().any(|part| part.contains(named)), "{text}: {unread:?}");
    }
}

#[test]
fn lists_have_the_state_and_the_kind_that_are_said() {
    for (text, expected) in [
        ("did anything crash overnight?", "Page: runs, failed ones"),
        ("sprts still going?", "Page: runs, running ones, sprt alone"),
        ("finished gauntlets only", "Page: runs, finished ones, match alone"),
        ("list every match that was stopped", "Page: runs, interrupted ones, match alone"),
        ("the failed runs, not the running ones", "Page: runs, failed ones"),
    ] {
        assert_eq!(shown(text).0, expected, "{text}");
    }
    let (_, unread) = shown("which SPRTs accepted H1?");
    assert!(unread.contains(&"accepted".to_owned()), "{unread:?}");
}
