//! Measurements of each commit: bench, speed, suites, strength.

use serde::{Deserialize, Serialize};

use super::table::table;
use super::text::plus;

/// Measurements, the oldest commit first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Commits with any measurement.
    pub commits: Vec<CommitRow>,
}

/// A commit with the newest measurement of each kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CommitRow {
    /// Full hash.
    pub commit: String,
    /// Day of the commit, `2026-11-21`.
    pub date: String,
    /// First line of its message.
    pub subject: String,
    /// Nodes of its bench.
    pub bench: Option<u64>,
    /// Nodes a second over those of the gate's base.
    pub speed: Option<f64>,
    /// Suites that it was run on.
    pub suites: Vec<SuitePoint>,
    /// Matches against another commit.
    pub elo: Vec<EloPoint>,
    /// The runs that measured it, oldest first.
    #[serde(default)]
    pub runs: Vec<String>,
}

/// A suite's result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuitePoint {
    /// Its name.
    pub suite: String,
    /// What ended each search.
    pub limit: String,
    /// Solved.
    pub solved: u64,
    /// Positions of the suite.
    pub positions: u64,
}

/// Strength beside another commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EloPoint {
    /// The other commit, or the gate's base as given.
    pub against: String,
    /// Elo.
    pub value: f64,
    /// Half its 95 % interval.
    pub error95: Option<f64>,
    /// Games.
    pub games: u64,
}

impl SuitePoint {
    /// `wac, nodes=20000`: results under one name can be compared.
    pub fn name(&self) -> String {
        format!("{}, {}", self.suite, self.limit)
    }
}

impl EloPoint {
    /// `+4.2 ± 3.1`
    fn short(&self) -> String {
        let error = self.error95.map_or_else(String::new, |error| format!(" ± {error:.1}"));
        format!("{}{error}", plus(self.value, 1))
    }

    /// `+4.2 ± 3.1 (1234 games)`
    pub fn text(&self) -> String {
        format!("{} ({} games)", self.short(), self.games)
    }
}

impl CommitRow {
    /// Adds a suite's result; it replaces an older one of the same name.
    pub fn note_suite(&mut self, point: SuitePoint) {
        self.suites.retain(|known| known.name() != point.name());
        self.suites.push(point);
    }

    /// Adds a match; it replaces an older one against the same commit.
    pub fn note_elo(&mut self, point: EloPoint) {
        self.elo.retain(|known| known.against != point.against);
        self.elo.push(point);
    }

    /// Whether it has no measurement.
    pub fn is_empty(&self) -> bool {
        self.bench.is_none()
            && self.speed.is_none()
            && self.suites.is_empty()
            && self.elo.is_empty()
    }
}

impl History {
    /// Names of the suites that any commit was run on, with their limits.
    pub fn suites(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.commits.iter().flat_map(|row| &row.suites).map(SuitePoint::name).collect();
        names.sort();
        names.dedup();
        names
    }
}

/// Longest subject of a commit on a terminal, in characters.
const SUBJECT: usize = 28;

fn shortened(subject: &str) -> String {
    if subject.chars().count() <= SUBJECT {
        return subject.to_owned();
    }
    let start: String = subject.chars().take(SUBJECT - 1).collect();
    format!("{}…", start.trim_end())
}

/// For the terminal.
pub fn history_text(history: &History) -> String {
    let dash = || "–".to_owned();
    let rows = history.commits.iter().map(|row| {
        let suites: Vec<String> = (row.suites.iter())
            .map(|point| format!("{} {}/{}", point.name(), point.solved, point.positions))
            .collect();
        let elo: Vec<String> = row.elo.iter().map(EloPoint::short).collect();
        vec![
            row.commit.chars().take(8).collect(),
            row.date.clone(),
            shortened(&row.subject),
            row.bench.map_or_else(dash, |bench| bench.to_string()),
            row.speed.map_or_else(dash, |speed| format!("{speed:.3}")),
            if suites.is_empty() { dash() } else { suites.join("\n") },
            if elo.is_empty() { dash() } else { elo.join("\n") },
        ]
    });
    table(["Commit", "Date", "Subject", "Bench", "Speed", "Suites", "Elo"], rows, 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(solved: u64) -> CommitRow {
        let mut row = CommitRow { commit: "ab".repeat(20), ..CommitRow::default() };
        assert!(row.is_empty());
        for solved in [1, solved] {
            let (suite, limit) = ("wac".to_owned(), "nodes=20000".to_owned());
            row.note_suite(SuitePoint { suite, limit, solved, positions: 300 });
        }
        row.note_elo(EloPoint { against: "x".into(), value: 1.0, error95: None, games: 2 });
        row.note_elo(EloPoint { against: "x".into(), value: -4.0, error95: Some(3.0), games: 9 });
        row
    }

    #[test]
    fn the_newest_measurement_of_a_kind_counts() {
        let history = History { commits: vec![row(196), row(197)] };
        assert_eq!(history.suites(), ["wac, nodes=20000"]);
        let text = history_text(&history);
        assert!(text.contains("-4.0 ± 3.0") && !text.contains("+1.0"), "{text}");
        assert!(text.contains("196/300") && !text.contains(" 1/300"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}
