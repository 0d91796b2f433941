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
