//! Runs that there are: which one is meant, and how many.

use super::*;

#[test]
fn the_run_before_the_last_one_is_no_last_one() {
    for (text, intent) in [
        ("show the second to last run", Intent::RunStatus),
        ("delete the match before last", Intent::DeleteRun),
        ("rename the last but one run to baseline", Intent::DescribeRun),
        ("the third game of the tournament before last", Intent::OpenGame),
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, intent, "{text}: {found:?}");
        assert_eq!(found.slots["run"], PREVIOUS, "{text}: {found:?}");
    }
}

#[test]
fn several_runs_at_once_are_refused() {
    for text in [
        "delete all runs except the last one",
        "stop every match",
        "remove all failed runs but the newest",
        "stop all matches, but let the sprt go on",
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::Unknown, "{text}: {found:?}");
        assert!(found.shown.contains("one run at a time"), "{text}: {found:?}");
    }
}

/// The intent, the slots and what is named, of a sentence.
fn read(text: &str) -> (Intent, serde_json::Value, Vec<String>) {
    let found = understand(text, &Context::default());
    (found.intent, json!(found.slots), found.unread)
}

#[test]
fn what_is_spared_is_never_taken_for_the_run_that_is_meant() {
    for (text, intent, run, named) in [
        ("delete run 4, keep 5", Intent::DeleteRun, "4", "keep 5"),
        ("kill run 8 but leave run 9 alone", Intent::StopRun, "8", "leave run 9 alone"),
        (
            "stop the last match, run 23 should go on",
            Intent::StopRun,
            "last",
            "run 23 should go on",
        ),
        ("resume run 6, run 7 stays stopped", Intent::ResumeRun, "6", "run 7 stays stopped"),
        ("stop twenty-one and twenty-two, run 23 should go on", Intent::StopRun, "21", "22"),
        ("resume the last match, not from zero", Intent::ResumeRun, "last", "not from zero"),
        ("delete the oldest suite", Intent::DeleteRun, OLDEST, ""),
        ("bin that match, the 2nd one", Intent::DeleteRun, "last", "2nd"),
        ("17 crashed, resume it", Intent::ResumeRun, "17", ""),
        ("delete run 4 and keep its games", Intent::DeleteRun, "4", "keep its games"),
    ] {
        let (found, slots, unread) = read(text);
        let unread = unread.join(" ").replace("twenty-two", "22");
        assert_eq!((found, &slots["run"]), (intent, &json!(run)), "{text}: {unread}");
        assert!(unread.contains(named), "{text}: {unread}");
    }
    for text in [
        "all runs of glaurung are to be aborted, except run 23",
        "del 4-6, keep 5",
        "stop everything except the gate",
        "runs 3 and 5 were stopped, only the higher of the two should go on",
    ] {
        let found = understand(text, &Context::default());
        assert_eq!(found.intent, Intent::Unknown, "{text}: {found:?}");
        assert!(found.shown.contains("one run at a time"), "{text}: {found:?}");
    }
}

#[test]
fn what_is_not_to_be_done_beside_a_wish_is_named_and_fills_no_slot() {
    for (text, intent, slots, named) in [
        (
            "show the runs, don't start anything",
            Intent::OpenPage,
            json!({ "page": "runs" }),
            "start",
        ),
        (
            "the form for a fresh run, a tuning one, don't begin it",
            Intent::OpenPage,
            json!({ "page": "start", "kind": "tune" }),
            "begin",
        ),
        ("stop talking, the engine can stay on", Intent::SpeechOff, json!({}), "engine"),
    ] {
        let (found, said, unread) = read(text);
        assert_eq!((found, said), (intent, slots), "{text}: {unread:?}");
        assert!(unread.iter().any(|part| part.contains(named)), "{text}: {unread:?}");
    }
}

#[test]
fn what_a_list_leaves_out_is_named_and_no_filter() {
    for (text, slots, named) in [
        (
            "losses of weiss in run 3, leaving out those on time",
            json!({ "player": "weiss", "result": "lost", "run": "3" }),
            "leaving out those on time",
        ),
        (
            "show the losses, except those of run 5",
            json!({ "result": "lost" }),
            "except those of run 5",
        ),
        ("all games of run 9 without the draws", json!({ "run": "9" }), "without the draws"),
        ("games of run 2 won by Black", json!({ "run": "2" }), "won by Black"),
    ] {
        let (_, said, unread) = read(text);
        assert_eq!(said, slots, "{text}: {unread:?}");
        assert!(unread.iter().any(|part| part == named), "{text}: {unread:?}");
    }
    let (_, runs, unread) = read("compare runs three to six, but without number four");
    assert_eq!(runs, json!({ "runs": ["3", "5", "6"] }), "{unread:?}");
    let (_, runs, unread) = read("what's the difference between 2, 8 and the last match");
    assert_eq!(runs, json!({ "runs": ["2", "8", "last"] }), "{unread:?}");
    let (_, _, unread) = read("which moves do masters choose here");
    assert!(unread.iter().any(|part| part.contains("masters")), "{unread:?}");
    let (_, runs, _) = read("compare the two last sprts");
    assert_eq!(runs, json!({ "runs": "last two", "kind": "sprt" }));
}

#[test]
fn games_are_found_by_their_order_and_by_who_lost_them() {
    for (text, slots) in [
        (
            "weiss's second last defeat in run 8",
            json!({ "nth": 2, "player": "weiss", "result": "lost", "run": "8", "sort": "-number" }),
        ),
        ("open the game after game 12 of run 3", json!({ "game": 13, "run": "3" })),
        ("open the game right before number 8 in run 3", json!({ "game": 7, "run": "3" })),
        ("open game 5 of run 3 at ply 41", json!({ "game": 5, "ply": 41, "run": "3" })),
        (
            "longest draws of run 3, at most 5",
            json!({ "most": 5, "result": "drawn", "run": "3", "sort": "-plies" }),
        ),
        (
            "games of run 5 in which weiss crashed",
            json!({ "ending": "crash", "player": "weiss", "result": "lost", "run": "5" }),
        ),
        (
            "losses of weiss in run 5, black only",
            json!({ "colour": "black", "player": "weiss", "result": "lost", "run": "5" }),
        ),
    ] {
        let (_, said, unread) = read(text);
        assert_eq!(said, slots, "{text}: {unread:?}");
        assert!(unread.is_empty(), "{text}: {unread:?}");
    }
    for (text, slots, named) in [
        ("open game 7 of run 2 with white below", json!({ "game": 7, "run": "2" }), "white below"),
        ("open round 4 game 2 of run 27", json!({ "game": 2, "run": "27" }), "4"),
        (
            "why was game 3 of run 26 lost, was it before move 40?",
            json!({ "game": 3, "run": "26" }),
            "before move 40",
        ),
    ] {
        let (_, said, unread) = read(text);
        assert_eq!(said, slots, "{text}: {unread:?}");
        assert!(unread.iter().any(|part| part.contains(named)), "{text}: {unread:?}");
    }
}

#[test]
fn a_name_and_a_note_are_read_from_one_sentence() {
    for (text, slots) in [
        (
            "call the last sprt \"lmr\" and note that the book was small",
            json!({ "name": "lmr", "note": "the book was small", "run": "last" }),
        ),
        (
            "write the note \"hash too small\" to run 9 and call it \"old\"",
            json!({ "name": "old", "note": "hash too small", "run": "9" }),
        ),
        ("name run 4 'base', keep the note", json!({ "name": "base", "run": "4" })),
        ("christen run 7 \"Berta\"", json!({ "name": "Berta", "run": "7" })),
        ("baptise the training 22 \"Grand Cru\"", json!({ "name": "Grand Cru", "run": "22" })),
        (
            "the last match should bear the name winter cup instead of summer cup",
            json!({ "name": "winter cup", "run": "last" }),
        ),
    ] {
        let (intent, said, unread) = read(text);
        assert_eq!((intent, said), (Intent::DescribeRun, slots), "{text}: {unread:?}");
    }
}

#[test]
fn a_question_about_what_was_begins_no_run() {
    for (text, intent) in [
        ("how many did weiss solve in the last suite", Intent::RunStatus),
        ("which positions of wac were solved in run 15 but not in run 24", Intent::CompareRuns),
        ("run 4 against run 9: Elo, draws, nodes per second", Intent::CompareRuns),
        ("Elo with 95 % margin for run 18", Intent::RunStatus),
        ("all sprts of toga2 must be stopped", Intent::Unknown),
        ("which settings can I give an sprt", Intent::Help),
        ("does HEAD beat main", Intent::Sprt),
        ("who won the match in Reykjavik in 1972", Intent::Unknown),
        ("let us play a game of Go instead", Intent::Unknown),
        ("drop the pawn I captured onto h6, crazyhouse style", Intent::Unknown),
        ("fit a logistic regression on the results of runs 1 to 30", Intent::Unknown),
    ] {
        let (found, slots, _) = read(text);
        assert_eq!(found, intent, "{text}: {slots}");
    }
}
