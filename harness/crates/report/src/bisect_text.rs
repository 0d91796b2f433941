//! The result of a bisection as text.

use super::table::table;
use super::text::{grouped, one_result};
use harness_outcome::bisection::{BisectReport, Loss, Tested, Tests, Verdict};
use harness_outcome::{Commit, Estimate};
use harness_stats::{Elo, Pentanomial};

/// The result as text.
pub fn bisect_text(report: &BisectReport) -> String {
    if let Some(good) = report.good_tests {
        return text_of_tests(report, good);
    }
    let rows = report.tested.iter().map(|tested| {
        let games = tested.pentanomial.games();
        vec![
            tested.commit.short().to_owned(),
            first_words(&tested.commit.subject, 34),
            if games > 0 { grouped(games) } else { String::new() },
            first_words(&seen_text(tested), 40),
            format!("{:.1} %", 100.0 * tested.probability),
        ]
    });
    let mut text = table(["Commit", "Subject", "Games", "Against good", "First bad"], rows, 2);
    text += &verdict_text(report);
    if let Some(loss) = report.loss
        && report.verdict == Verdict::Found
    {
        text += &format!("Loss: {}\n", loss_text(&loss));
    }
    if report.games > 0 {
        text += &format!("{} games, run {}\n", grouped(report.games), report.run);
    }
    text
}

/// A loss with its interval; losses beyond the largest that was looked at are one.
pub(crate) fn loss_text(loss: &Loss) -> String {
    let Loss { elo, interval: [low, high], .. } = *loss;
    if loss.is_beyond(low) {
        return format!("at least {low:.0} Elo");
    }
    let or_more = if loss.is_beyond(high) { " or more" } else { "" };
    format!("{elo:.0} Elo, 95 % in {low:.0} to {high:.0}{or_more}")
}

/// What was seen of a commit: its tests, its games against the good one, or why it was skipped.
pub(crate) fn seen_text(tested: &Tested) -> String {
    match (&tested.skipped, tested.tests, tested.bad) {
        (Some(reason), ..) => format!("skipped: {}", first_words(reason, 30)),
        (None, Some(tests), _) => tests_text(tests),
        (None, None, Some(bad)) => if bad { "bad" } else { "good" }.to_owned(),
        (None, None, None) if tested.pentanomial.games() == 0 => "not tested".to_owned(),
        (None, None, None) => elo_seen(&tested.pentanomial),
    }
}

/// Elo against the good commit; games with one result give none.
fn elo_seen(games: &Pentanomial) -> String {
    if let Some(said) = one_result(games) {
        return said.to_owned();
    }
    let estimate = Estimate::from(Elo::from_counts(games).ok());
    format!("{estimate:.1} Elo").replace("+-", "±")
}

/// The answer in words.
pub(crate) fn verdict_text(report: &BisectReport) -> String {
    match report.good_tests {
        Some(_) => verdict_of_tests(report),
        None => verdict_of_games(report),
    }
}

fn list(commits: &[Commit]) -> String {
    let line = |commit: &Commit| format!("\n  {} {}", commit.short(), commit.subject);
    commits.iter().map(line).collect()
}

fn verdict_of_games(report: &BisectReport) -> String {
    let probability = 100.0 * report.probability;
    match (report.verdict, &report.found[..]) {
        (Verdict::Found, [commit]) => format!(
            "\n{} is the first bad commit, with a probability of {probability:.1} %:\n  {}\n",
            commit.hash, commit.subject
        ),
        (Verdict::Found, commits) => format!(
            "\none of these is the first bad commit ({probability:.1} %); those between could \
             not be tested:{}\n",
            list(commits)
        ),
        (Verdict::NoLoss, _) => format!(
            "\nno loss: the last commit is as strong as {}, with a probability of \
             {probability:.1} %\n",
            report.good.short()
        ),
        (Verdict::Undecided, _) => {
            format!("\nundecided after {} games; more by `--max-games`\n", grouped(report.games))
        }
    }
}

fn verdict_of_tests(report: &BisectReport) -> String {
    match (report.verdict, &report.found[..]) {
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
    }
}

/// The result of a bisection by a test.
fn text_of_tests(report: &BisectReport, good: Tests) -> String {
    let row = |commit: &Commit, seen: String| {
        vec![commit.short().to_owned(), first_words(&commit.subject, 34), seen]
    };
    let tested = report.tested.iter().map(|tested| row(&tested.commit, seen_text(tested)));
    let rows = std::iter::once(row(&report.good, tests_text(good))).chain(tested);
    table(["Commit", "Subject", "Test"], rows, 2) + &verdict_text(report)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_with_one_result_are_said_in_words() {
        for (pairs, text) in [
            ([4, 0, 0, 0, 0], "all lost"),
            ([0, 0, 0, 0, 4], "all won"),
            ([0, 0, 4, 0, 0], "0.0 [-147.8, 147.8] Elo"),
        ] {
            assert_eq!(elo_seen(&Pentanomial(pairs)), text);
        }
    }
}
