//! Sentences in a hurry and beside the point: what is asked about, what is only named, and what is corrected.

use super::*;

#[test]
fn sentences_of_authors_in_a_hurry_are_right() {
    let (right, silent) = scored(include_str!("../../../../tests/assistant/hurry_second.tsv"));
    assert!(right >= 89, "{right} of 90");
    assert!(silent.is_empty(), "{silent:#?}");
}

/// What is named, and whether it is asked about.
fn named(text: &str) -> (String, bool) {
    let found = understand(text, &Context::default());
    (found.unread.join("|"), found.confirm == Confirm::Always)
}

#[test]
fn an_ordinary_word_is_named_and_not_asked_about() {
    for (text, expected) in [
        ("undo that, i said the wrong square", "said"),
        ("find better numbers for the things in margins.yaml", "numbers"),
        ("HEAD versus HEAD~4, STC, the usual sprt please", "usual"),
        ("could you be a sweetheart and run wac with my engine, one second each", "sweetheart"),
        ("run 200 games toga2 against weiss, my boss wants to see a nice graph", "boss|graph"),
        ("spsa on params.yaml, 12k games, should be plenty", "plenty"),
        ("match toga2 weiss 60 games, just for giggles", "giggles"),
        ("oops butterfingers, can I have that last move back?", "butterfingers"),
    ] {
        assert_eq!(named(text), (expected.to_owned(), false), "{text}");
    }
}

#[test]
fn a_detail_beside_an_ordinary_word_is_asked_about() {
    for (text, expected) in [
        ("match weiss toga2 roughly 500 games", "roughly"),
        ("sprt HEAD main with a lovely book", "lovely book"),
        ("sprt HEAD main zork", "zork"),
        ("match toga2 against zork", "zork"),
        ("sprt HEAD main in hyperspace", "hyperspace"),
        ("sprt HEAD main only if my coach agrees", "only if|coach agrees"),
        ("sprt HEAD main, and tell Ben", "Ben"),
        ("sprt HEAD main, but not for my boss", "not|boss"),
        ("new game as white in purple, be gentle", "purple|gentle"),
    ] {
        assert_eq!(named(text), (expected.to_owned(), true), "{text}");
    }
}

#[test]
fn runs_are_named_ended_and_compared_by_their_verbs() {
    for (text, intent) in [
        ("name the latest gate nmp verify retry", Intent::DescribeRun),
        ("the gauntlet before last shall be called winter test", Intent::DescribeRun),
        ("last gate was garbage, drop it", Intent::DeleteRun),
        ("the last sprt is stuck, stop it", Intent::StopRun),
        ("carry on with the loop", Intent::ResumeRun),
        ("compare the last gate, the last sprt and the last match", Intent::CompareRuns),
        ("game 5 of the newest tournament, seen from Black's side", Intent::OpenGame),
        ("kick off the training described in nnue-small.yaml", Intent::Train),
    ] {
        assert_eq!(understand(text, &Context::default()).intent, intent, "{text}");
    }
}
