//! Strength over the commits: what was gained since when.

use serde::{Deserialize, Serialize};

use super::table::{table, wrap};
use super::text::{counted, grouped};
use harness_stats::signed;
use harness_stats::strength::{Changes, Interval};

/// Strength of the commits that games connect, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StrengthCurve {
    /// The revision that all strengths are relative to: a tag or the first digits of a commit.
    pub since: String,
    /// The condition that the scale is of, `tc=8+0.08`: differences under others are converted to it.
    pub condition: String,
    /// The commits of the curve.
    pub commits: Vec<StrengthPoint>,
    /// Gain of the newest commit of the curve since each tag on it, the oldest tag first.
    pub tags: Vec<Gain>,
    /// How much larger differences are under other conditions.
    pub conditions: Vec<ConditionScale>,
    /// Worth of a tested change, by all tests; `None` without a test.
    pub changes: Option<Changes>,
    /// The factor of all variances by which comparisons contradict each other: 1 or above.
    pub disagreement: f64,
    /// Games of the comparisons that the curve is from.
    pub games: u64,
    /// Games that were played again with the same moves, and are not counted.
    pub repeated: u64,
    /// The runs that played them.
    pub runs: Vec<String>,
    /// Other players that link the commits: branches, engines, working trees.
    pub links: u64,
    /// Commits with games, and tags, that no game connects with the curve.
    pub apart: Vec<Apart>,
    /// Runs with commits of this repository whose games cannot be used, with the reason.
    pub left_out: Vec<LeftOut>,
}

/// A commit of the curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrengthPoint {
    /// Full hash.
    pub commit: String,
    /// Day of the commit.
    pub date: String,
    /// First line of its message.
    pub subject: String,
    /// Its tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Elo above the revision that the curve begins at.
    pub elo: Interval,
    /// Elo above the commit before it on the curve; `None` of the first.
    pub step: Option<Interval>,
    /// Games that it played itself.
    pub games: u64,
}

/// Gain of the newest commit since a tag.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// The tag.
    pub tag: String,
    /// Its commit.
    pub commit: String,
    /// In Elo.
    pub gain: Interval,
}

/// A condition under which differences are larger or smaller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionScale {
    /// `nodes=5000, book.pgn`
    pub condition: String,
    /// Its differences over those of the scale.
    pub factor: Interval,
}

/// A commit or a tag that is not on the curve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Apart {
    /// A tag, or the first digits of a commit.
    pub revision: String,
    /// Why.
    pub reason: String,
}

/// Games that are not counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The run.
    pub run: String,
    /// Why.
    pub reason: String,
}

/// Longest subject of a commit on a terminal, in characters.
const SUBJECT: usize = 30;

/// Most commits and runs that are listed as apart or left out.
const LISTED: usize = 6;

/// `+74 (49 to 99)`
pub fn gain_text(gain: &Interval) -> String {
    let Interval { value, low95, high95 } = *gain;
    let sign = if value.round() > 0.0 { "+" } else { "" };
    format!("{sign}{} ({} to {})", signed(value, 0), signed(low95, 0), signed(high95, 0))
}

impl StrengthPoint {
    fn row(&self) -> Vec<String> {
        let short: String = self.subject.chars().take(SUBJECT).collect();
        let cut = if self.subject.chars().count() > SUBJECT { "…" } else { "" };
        vec![
            self.commit.chars().take(8).collect(),
            self.date.clone(),
            self.tags.join(", "),
            format!("{}{cut}", short.trim_end()),
            gain_text(&self.elo),
            self.step.as_ref().map_or_else(|| "–".to_owned(), gain_text),
            grouped(self.games),
        ]
    }
}

/// For the terminal: the curve as a table, and what was gained since each tag.
pub fn strength_text(curve: &StrengthCurve) -> String {
    let since = format!("Since {}", curve.since);
    let header = ["Commit", "Date", "Tag", "Subject", &since, "Step", "Games"];
    let mut text = table(header, curve.commits.iter().map(StrengthPoint::row), 4);
    text.push('\n');
    for Gain { tag, gain, .. } in &curve.tags {
        text += &format!("since {tag}: {}\n", gain_text(gain));
    }
    if let (true, Some(last)) = (curve.tags.is_empty(), curve.commits.last()) {
        text += &format!("since {}: {}\n", curve.since, gain_text(&last.elo));
    }
    text += &wrap(&basis_text(curve));
    for scale in &curve.conditions {
        let ConditionScale { condition, factor: Interval { value, low95, high95 } } = scale;
        text += &wrap(&format!(
            "{condition}: differences are {value:.2} times as large ({low95:.2} to {high95:.2})"
        ));
    }
    if curve.disagreement > 1.05 {
        text += &wrap(&format!(
            "Comparisons contradict each other by more than their errors: all errors are widened by {:.2}.",
            curve.disagreement.sqrt()
        ));
    }
    let apart = curve.apart.iter().map(|one| (&one.revision, &one.reason));
    let left_out = curve.left_out.iter().map(|one| (&one.run, &one.reason));
    text + &list(apart) + &list(left_out)
}

/// The games that a curve is from, and its corrections.
pub fn basis_text(curve: &StrengthCurve) -> String {
    let repeated = match curve.repeated {
        0 => String::new(),
        games => format!(", {} repeated ones left out", grouped(games)),
    };
    let links = match curve.links {
        0 => String::new(),
        1 => ", through 1 other player".to_owned(),
        links => format!(", through {links} other players"),
    };
    let tests = match &curve.changes {
        None => String::new(),
        Some(Changes { tests, mean, deviation }) => format!(
            " A tested change is worth {} ± {deviation:.1} Elo (mean and spread of {tests}): by that the \
             bias of tests that stopped, and of changes that went in because they passed, is taken out.",
            signed(*mean, 1)
        ),
    };
    format!(
        "Elo at {} with 95 % intervals, from {} games of {}{repeated}{links}.{tests}",
        curve.condition,
        grouped(curve.games),
        counted(curve.runs.len() as u64, "run", "runs")
    )
}

fn list<'a>(rows: impl Iterator<Item = (&'a String, &'a String)>) -> String {
    let rows: Vec<_> = rows.collect();
    let shown = rows.iter().take(LISTED).map(|(name, reason)| wrap(&format!("{name}: {reason}")));
    let text: String = shown.collect();
    match rows.len().saturating_sub(LISTED) {
        0 => text,
        more => format!("{text}and {more} more; --json lists all\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(value: f64) -> Interval {
        Interval { value, low95: value - 25.0, high95: value + 25.0 }
    }

    #[test]
    fn a_curve_says_what_was_gained_since_each_tag_and_fits_the_terminal() {
        let point = |number: usize| StrengthPoint {
            commit: format!("{number:040x}"),
            date: "2026-11-21".to_owned(),
            subject: "Search: a heuristic whose description is longer than a column".to_owned(),
            tags: if number == 0 { vec!["v0.1".to_owned()] } else { Vec::new() },
            elo: interval(74.0 * number as f64),
            step: (number > 0).then(|| interval(74.0)),
            games: 12_345,
        };
        let curve = StrengthCurve {
            since: "v0.1".to_owned(),
            condition: "tc=8+0.08".to_owned(),
            commits: vec![point(0), point(1)],
            tags: vec![Gain { tag: "v0.1".into(), commit: "0".into(), gain: interval(74.0) }],
            changes: Some(Changes { tests: 7, mean: 1.25, deviation: 4.0 }),
            disagreement: 1.0,
            games: 24_690,
            runs: vec!["a".to_owned()],
            left_out: (0..9)
                .map(|n| LeftOut { run: n.to_string(), reason: "x ".repeat(70) })
                .collect(),
            ..StrengthCurve::default()
        };
        let text = strength_text(&curve);
        for shown in ["since v0.1: +74 (49 to 99)", "12,345", "mean and spread of 7", "and 3 more"]
        {
            assert!(text.contains(shown), "{shown}: {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert_eq!(gain_text(&interval(-0.2)), "0 (-25 to 25)");
    }
}
