use serde_json::json;

use super::*;

fn ledger() -> (tempfile::TempDir, Ledger) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ledger = Ledger::open(folder.path()).expect("opens");
    (folder, ledger)
}

fn found(ledger: &Ledger, query: &RunQuery) -> Vec<String> {
    let list = ledger.list(&RunQuery { limit: 10, ..query.clone() }).expect("readable");
    list.rows.into_iter().map(|row| row.run).collect()
}

#[test]
fn runs_are_found_by_words_command_and_state() {
    let (_folder, ledger) = ledger();
    let first = ledger.start_run("match", &json!({ "engines": ["a_b", "stockfish"] }));
    let first = first.expect("started");
    let second = ledger.start_run("sprt", &json!({ "engines": ["axb"] })).expect("started");
    ledger.finish(&first, &json!({})).expect("finished");
    ledger.describe(second.id(), "Late move reductions", "the\nsecond try").expect("written");
    let query = |text: &str| RunQuery { text: text.to_owned(), ..RunQuery::default() };
    let one = first.id().to_owned();
    let two = second.id().to_owned();
    assert_eq!(found(&ledger, &query("")), [two.clone(), one.clone()]);
    assert_eq!(found(&ledger, &query("STOCK a_b")), std::slice::from_ref(&one));
    assert_eq!(found(&ledger, &query("reductions second")), std::slice::from_ref(&two));
    assert_eq!(found(&ledger, &query("%")), [""; 0]);
    // The keys of a plan are no words of a run.
    assert_eq!(found(&ledger, &query("engines")), [""; 0]);
    let by = |status| RunQuery { status: Some(status), ..RunQuery::default() };
    assert_eq!(found(&ledger, &by(Status::Running)), [two]);
    assert_eq!(found(&ledger, &by(Status::Finished)), std::slice::from_ref(&one));
    let command = RunQuery { command: Some("match".to_owned()), ..RunQuery::default() };
    assert_eq!(found(&ledger, &command), [one]);
    for (offset, limit, expected) in
        [(1, 5, (1, 1, 2)), (7, 1, (1, 1, 2)), (u64::MAX, 5, (2, 0, 2))]
    {
        let part = RunQuery { offset, limit, ..RunQuery::default() };
        let list = ledger.list(&part).expect("readable");
        assert_eq!((list.rows.len(), list.offset, list.total), expected);
    }
    // Work that failed has an error as its result.
    let failed = ledger.start_run("train", &json!({})).expect("started");
    ledger.finish(&failed, &json!({ "error": "no such file" })).expect("finished");
    let done = ledger.start_run("train", &json!({})).expect("started");
    ledger.finish(&done, &json!({ "error": null })).expect("finished");
    let by = |has_error| RunQuery { has_error: Some(has_error), ..RunQuery::default() };
    assert_eq!(found(&ledger, &by(true)), [failed.id()]);
    assert!(found(&ledger, &by(false)).contains(&done.id().to_owned()));
}

#[test]
fn runs_are_sorted_by_every_key_and_those_without_one_come_last() {
    let (_folder, ledger) = ledger();
    let mut ids = Vec::new();
    for (command, limit, elo) in [
        ("match", json!("nodes=9"), json!(5.5)),
        ("suite", json!(null), json!(null)),
        ("sprt", json!("depth=3"), json!(-2.0)),
    ] {
        let plan = json!({ "facts": { "limit": limit } });
        let run = ledger.start_run(command, &plan).expect("started");
        ledger.finish(&run, &json!({ "elo": { "value": elo } })).expect("finished");
        ids.push(run.id().to_owned());
    }
    ledger.describe(&ids[0], "Zeta", "").expect("written");
    ledger.describe(&ids[1], "alpha", "").expect("written");
    ledger.describe(&ids[2], "beta", "").expect("written");
    for (sort, ascending, expected) in [
        (RunSort::Started, false, [2, 1, 0]),
        (RunSort::Started, true, [0, 1, 2]),
        (RunSort::Name, true, [1, 2, 0]),
        (RunSort::Command, true, [0, 2, 1]),
        (RunSort::Limit, true, [2, 0, 1]),
        (RunSort::Limit, false, [0, 2, 1]),
        (RunSort::Result, false, [0, 2, 1]),
        (RunSort::Result, true, [2, 0, 1]),
        (RunSort::Games, false, [2, 1, 0]),
        (RunSort::Status, false, [2, 1, 0]),
    ] {
        let query = RunQuery { sort, ascending, ..RunQuery::default() };
        let expected = expected.map(|index: usize| ids[index].clone());
        assert_eq!(found(&ledger, &query), expected, "{sort:?} {ascending}");
    }
}

#[test]
fn a_run_that_won_all_or_lost_all_is_first_or_last_by_its_result() {
    let (_folder, ledger) = ledger();
    let ids: Vec<String> = [
        json!({ "games": 4, "wins": 4, "losses": 0, "elo": { "value": null } }),
        json!({ "games": 9, "wins": 5, "losses": 4, "elo": { "value": 38.0 } }),
        json!({ "games": 3, "wins": 0, "losses": 3, "elo": { "value": null } }),
        json!({ "games": 0, "wins": 0, "losses": 0, "elo": { "value": null } }),
    ]
    .iter()
    .map(|summary| {
        let run = ledger.start_run("match", &json!({})).expect("started");
        ledger.finish(&run, summary).expect("finished");
        run.id().to_owned()
    })
    .collect();
    for (ascending, expected) in [(false, [0, 1, 2, 3]), (true, [2, 1, 0, 3])] {
        let query = RunQuery { sort: RunSort::Result, ascending, ..RunQuery::default() };
        let expected = expected.map(|index: usize| ids[index].clone());
        assert_eq!(found(&ledger, &query), expected, "{ascending}");
    }
}

#[test]
fn runs_without_a_name_are_sorted_by_their_titles() {
    let (_folder, ledger) = ledger();
    let start = |command: &str, title: &str| {
        // What stands first in a plan is not what is shown.
        let plan = json!({ "a": command, "title": title });
        ledger.start_run(command, &plan).expect("started").id().to_owned()
    };
    let ids = [start("c", "Beta"), start("b", "alpha"), start("a", "gamma"), start("a", "beta")];
    ledger.describe(&ids[2], "aa", "").expect("written");
    let title = |_: &str, plan: &Value| plan["title"].as_str().unwrap_or_default().to_owned();
    for (ascending, expected) in [(true, [2, 1, 3, 0]), (false, [3, 0, 1, 2])] {
        let query =
            RunQuery { sort: RunSort::Name, title: Some(title), ascending, ..RunQuery::default() };
        let expected = expected.map(|index: usize| ids[index].clone());
        assert_eq!(found(&ledger, &query), expected, "{ascending}");
    }
}

#[test]
fn the_last_run_is_one_that_was_planned() {
    let (_folder, ledger) = ledger();
    let recorded = json!({ "recorded": true });
    let first = ledger.start_run("train", &recorded).expect("started");
    assert_eq!(ledger.facts("last").expect("the only one").id, first.id());
    let planned = ledger.start_run("match", &json!({})).expect("started");
    ledger.start_run("openings", &recorded).expect("started");
    assert_eq!(ledger.facts("last").expect("a run").id, planned.id());
    // A part of another run means the whole.
    let part = ledger.start_part(Some(planned.id()), "sprt", &json!({})).expect("started");
    assert_eq!(ledger.facts("last").expect("a run").id, planned.id());
    let rows = ledger.runs().expect("readable");
    let whole_of = |id: &str| rows.iter().find(|row| row.run == id).expect("a row").part_of.clone();
    assert_eq!(whole_of(part.id()).as_deref(), Some(planned.id()));
    assert_eq!(whole_of(planned.id()), None);
}
