//! Restrictions of a sentence: each is in what is shown, or named.

use serde_json::json;

use super::*;

fn shown(text: &str) -> String {
    let found = understand(text, &Context::default());
    assert!(found.unread.is_empty(), "{text}: {found:?}");
    found.shown
}

#[test]
fn sentences_with_restrictions_are_right_and_none_is_dropped_without_a_word() {
    let (right, silent) = scored(include_str!("../../../../tests/assistant/restrictions.tsv"));
    assert!(right >= 141, "{right} of 151");
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn a_restriction_that_has_its_place_is_shown_and_not_named() {
    for (text, expected) in [
        ("a game with no clock, level 1, me black", "black, level 1 (Elo 800), without a clock"),
        ("untimed game against stockfish", "against stockfish, without a clock"),
        ("engine on please, but only one line", "Analyse, 1 line"),
        ("sprt head main, no more than 5000 games", "--max-games 5000"),
        ("not more than 2000 games of sprt head main", "--max-games 2000"),
        ("tune search.yaml, 10000 games at the most", "--games 10000"),
        ("sprt head main, six games at the same time", "--jobs 6"),
        ("sprt head main with 8 simultaneous games", "--jobs 8"),
        ("engine games from this position 10 depth 12", "--games 10 --depth 12"),
        ("sprt head main, but not with LTC, take STC", "main --tc 8+0.08"),
        ("sprt head main at LTC instead of STC", "main --tc 40+0.4"),
        ("sprt head main with 2 threads rather than 1 thread", "Threads=2"),
        ("weiss against toga2, 40 games in total, both with 2 threads", "Threads=2"),
        ("tune search.yaml with cma-es instead of spsa", "--method cmaes"),
        ("wac with weiss at 50 knodes", "--nodes 50000"),
        ("take the black queen off the board", "without black queens"),
        ("a new game please, you are white", "New game as black"),
        ("new game, stockfish takes black", "New game as white against stockfish"),
        ("show failed runs only", "Page: runs, failed ones"),
        ("anything but a mate in 2, a pawn ending", "Practice: ending, pawn"),
        ("stop the engine, it distracts me", "Analysis off"),
    ] {
        assert!(shown(text).contains(expected), "{text}: {}", shown(text));
    }
}

#[test]
fn a_restriction_without_a_place_is_named() {
    for (text, named) in [
        ("weiss versus toga2, at least 100 games", "least"),
        ("wac on weiss in less than 10 minutes", "10 minutes"),
        ("sprt head main, stop after 20000 games or 3 hours", "3 hours"),
        ("sprt head against yesterday's main", "yesterday"),
        ("match weiss against toga2 instead of glaurung", "glaurung"),
        ("five mates in two", "five"),
        ("show all runs but the failed ones", "failed"),
        ("make 1000 training games with builtin, at most 100 MB", "100 MB"),
        ("take back moves until move 12", "12"),
        ("run all suites with dev at 200 ms", "all suites"),
        ("every test suite with stockfish at 1 s", "every test suite"),
        ("no takebacks, level 3, new game", "takebacks"),
        ("can HEAD beat toga2 if toga2 has only 1 thread?", "only"),
    ] {
        let found = understand(text, &Context::default());
        assert!(found.unread.iter().any(|part| part.contains(named)), "{text}: {found:?}");
    }
}

#[test]
fn a_move_stays_where_a_sentence_says_that_it_is_not_deleted() {
    for (text, slots) in [
        ("go one move back but don't delete it", json!({ "place": "previous" })),
        ("step one move back without undoing it", json!({ "place": "previous" })),
        ("go back two moves but do not take them back", json!({ "place": "previous", "count": 2 })),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!((found.intent, json!(found.slots)), (Intent::GoTo, slots), "{text}: {found:?}");
        assert!(found.unread.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn a_run_that_is_opened_by_its_id_alone_is_looked_for() {
    let found = understand("open 20261130-121500-abcd", &Context::default());
    assert_eq!(found.intent, Intent::RunStatus, "{found:?}");
    assert_eq!(found.slots["run"], "20261130-121500-abcd");
}

#[test]
fn what_is_said_instead_is_not_asked_about_where_nothing_is_lost() {
    let legal = vec![("d2d4".to_owned(), "d4".to_owned()), ("e2e4".to_owned(), "e4".to_owned())];
    let context = Context { legal, ..Context::default() };
    for text in ["not e4, play d4", "i don't want a hint, tell me what he threatens"] {
        let found = understand(text, &context);
        assert!(matches!(found.intent, Intent::Move | Intent::Threat), "{text}: {found:?}");
        assert_eq!(found.confirm, Confirm::No, "{text}: {found:?}");
    }
}
