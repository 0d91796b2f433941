//! The result of a bisection as text.

use std::fmt::Write;

use super::table::table;
use super::text::grouped;
use harness_outcome::bisection::{BisectReport, Loss, Tests, Verdict};
use harness_outcome::{Commit, Estimate};
use harness_stats::Elo;

/// The result as text.
pub fn bisect_text(report: &BisectReport) -> String {
    if let Some(good) = report.good_tests {
        return text_of_tests(report, good);
    }
    let rows = report.tested.iter().map(|tested| {
        let games = tested.pentanomial.games();
        let seen = match (&tested.skipped, tested.bad) {
            (Some(reason), _) => format!("skipped: {}", first_words(reason, 30)),
            (None, Some(bad)) => if bad { "bad" } else { "good" }.to_owned(),
            (None, None) => {
                format!("{:.1}", Estimate::from(Elo::from_counts(&tested.pentanomial).ok()))
                    .replace("+-", "±")
            }
        };
        vec![
            tested.commit.short().to_owned(),
            first_words(&tested.commit.subject, 34),
            if games > 0 { grouped(games) } else { String::new() },
            seen,
            format!("{:.1} %", 100.0 * tested.probability),
        ]
    });
    let mut text = table(["Commit", "Subject", "Games", "Against good", "First bad"], rows, 2);
    let probability = 100.0 * report.probability;
    // Writing to a string cannot fail.
    let _ = match (report.verdict, &report.found[..]) {
        (Verdict::Found, [commit]) => writeln!(
            text,
            "\n{} is the first bad commit, with a probability of {probability:.1} %:\n  {}",
            commit.hash, commit.subject
        ),
        (Verdict::Found, commits) => {
            let list: String = commits
                .iter()
                .map(|commit| format!("\n  {} {}", commit.short(), commit.subject))
                .collect();
            writeln!(
                text,
                "\none of these is the first bad commit ({probability:.1} %); those between could \
                 not be tested:{list}"
            )
        }
        (Verdict::NoLoss, _) => writeln!(
            text,
            "\nno loss: the last commit is as strong as {}, with a probability of \
             {probability:.1} %",
            report.good.short()
        ),
        (Verdict::Undecided, _) => writeln!(
            text,
            "\nundecided after {} games; more by `--max-games`",
            grouped(report.games)
        ),
    };
    if let Some(Loss { elo, interval: [low, high] }) = report.loss
        && report.verdict == Verdict::Found
    {
        let _ = writeln!(text, "Loss: {elo:.0} Elo, 95 % in {low:.0} to {high:.0}");
    }
    if report.games > 0 {
        let _ = writeln!(text, "{} games, run {}", grouped(report.games), report.run);
    }
    text
}

/// The result of a bisection by a test.
fn text_of_tests(report: &BisectReport, good: Tests) -> String {
    let row = |commit: &Commit, seen: String| {
        vec![commit.short().to_owned(), first_words(&commit.subject, 34), seen]
    };
    let tested = report.tested.iter().map(|tested| {
        let seen = match (&tested.skipped, tested.tests) {
            (Some(reason), _) => format!("skipped: {}", first_words(reason, 30)),
            (None, Some(tests)) => tests_text(tests),
            (None, None) => "not tested".to_owned(),
        };
        row(&tested.commit, seen)
    });
    let rows = std::iter::once(row(&report.good, tests_text(good))).chain(tested);
    let mut text = table(["Commit", "Subject", "Test"], rows, 2);
    let list = |commits: &[Commit]| -> String {
        let line = |commit: &Commit| format!("\n  {} {}", commit.short(), commit.subject);
        commits.iter().map(line).collect()
    };
    text += &match (report.verdict, &report.found[..]) {
        (Verdict::Found, [commit]) => {
            format!("\n{} is the first bad commit:\n  {}\n", commit.hash, commit.subject)
        }
        (Verdict::Found, commits) => format!(
            "\none of these is the first bad commit; those between could not be tested:{}\n",
            list(commits)
        ),
        (Verdict::NoLoss, _) => {
            "\nthe test passes at the last commit too: none broke it\n".to_owned()
        }
        (Verdict::Undecided, _) if !report.flaky.is_empty() => format!(
            "\nundecided: the test is flaky; it passed and failed at{}\na test that runs its check \
             several times and counts can be bisected\n",
            list(&report.flaky)
        ),
        (Verdict::Undecided, _) => {
            "\nundecided: the commits that are left cannot be tested\n".to_owned()
        }
    };
    text
}

/// `good, 3 of 3 tests`
fn tests_text(tests: Tests) -> String {
    let Tests { run, failed } = tests;
    match failed {
        0 => format!("good, {run} of {run} tests"),
        _ if failed == run => format!("bad, {run} of {run} tests"),
        _ => format!("flaky: {failed} of {run} tests failed"),
    }
}

/// The first line of a text, cut to a number of characters.
fn first_words(text: &str, most: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
