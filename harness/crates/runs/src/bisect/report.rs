//! The result of a bisection.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use harness_outcome::Estimate;
use harness_player::Commit;
use harness_report::terminal::table;
use harness_report::text::grouped;
use harness_stats::{Elo, Pentanomial};

/// The JSON object of `harness bisect --json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BisectReport {
    /// The id of the run.
    pub run: String,
    /// The good commit.
    pub good: Commit,
    /// The answer.
    pub verdict: Verdict,
    /// The commits that brought the loss: one, or several that could not be told apart because those
    /// between them were skipped; empty without an answer.
    pub found: Vec<Commit>,
    /// How probable the answer is.
    pub probability: f64,
    /// The loss in Elo with its 95 % interval; of games only.
    pub loss: Option<Loss>,
    /// Games played.
    pub games: u64,
    /// Commits whose tests contradict each other: the test has no answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<Commit>,
    /// The tests of the good commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good_tests: Option<Tests>,
    /// What was tested, oldest first.
    pub tested: Vec<Tested>,
}

/// The answer of a bisection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The commit is found.
    Found,
    /// The last commit is as strong as the good one.
    NoLoss,
    /// The games ran out, or no commit is left that can be tested.
    Undecided,
}

/// A loss of strength, in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loss {
    /// The median of its distribution.
    pub elo: f64,
    /// Its 95 % interval.
    pub interval: [f64; 2],
}

/// How often a commit was tested, and how often the test failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tests {
    /// Tests that ended with good or bad.
    pub run: usize,
    /// Those that said bad.
    pub failed: usize,
}

impl Tests {
    /// Of the answers of tests: whether the commit is bad.
    pub fn of(bad: &[bool]) -> Tests {
        Tests { run: bad.len(), failed: bad.iter().filter(|&&bad| bad).count() }
    }

    fn text(self) -> String {
        let Tests { run, failed } = self;
        match failed {
            0 => format!("good, {run} of {run} tests"),
            _ if failed == run => format!("bad, {run} of {run} tests"),
            _ => format!("flaky: {failed} of {run} tests failed"),
        }
    }
}

/// What was seen of a commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tested {
    /// The commit.
    #[serde(flatten)]
    pub commit: Commit,
    /// Its pairs against the good commit.
    pub pentanomial: Pentanomial,
    /// The result of a test without noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad: Option<bool>,
    /// Its tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tests>,
    /// Why it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Probability that it is the first bad one.
    pub probability: f64,
}

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
            (None, Some(tests)) => tests.text(),
            (None, None) => "not tested".to_owned(),
        };
        row(&tested.commit, seen)
    });
    let rows = std::iter::once(row(&report.good, good.text())).chain(tested);
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

/// The first line of a text, cut to a number of characters.
fn first_words(text: &str, most: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
