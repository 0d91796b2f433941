//! Measurements of each commit: bench, speed, suites, strength.

use serde::{Deserialize, Serialize};

use super::table::table;
use super::text::{grouped, one_result, plus};
use harness_stats::{Elo, Pentanomial};

/// Measurements, the oldest commit first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Commits with any measurement.
    pub commits: Vec<CommitRow>,
}

/// A commit with what was measured of it.
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
    /// Suites that it was run on, the newest result of each.
    pub suites: Vec<SuitePoint>,
    /// Matches against another engine: all games that can be compared in one row.
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
    /// Limit of each search.
    pub limit: String,
    /// Solved.
    pub solved: u64,
    /// Positions of the suite.
    pub positions: u64,
    /// UCI options that were set, `Hash=64`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub options: String,
}

/// Strength beside another engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EloPoint {
    /// The other commit, or the name of another engine.
    pub against: String,
    /// Limit of each search.
    #[serde(default)]
    pub limit: String,
    /// Options, book and variant, where they are not the usual ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub conditions: String,
    /// Elo; unknown where all games have one result.
    pub value: Option<f64>,
    /// Half its 95 % interval.
    pub error95: Option<f64>,
    /// Games.
    pub games: u64,
    /// Games that were played again with the same moves, and are not counted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: u64,
    /// Games among them of runs that are not finished.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unfinished: u64,
    /// Pairs of games by score, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pentanomial: Option<[u64; 5]>,
    /// The runs that played the games.
    #[serde(default)]
    pub runs: Vec<String>,
    /// Distinguishes the opponent from others of its name.
    #[serde(skip)]
    pub identity: String,
    /// Openings and their order.
    #[serde(skip)]
    pub series: Vec<Series>,
}

/// Games that follow each other in the order of the openings: of two of one name the shorter one is the
/// beginning of the other, move by move.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The openings and all else that decides the moves; `None`: they are never the same, as by the
    /// clock.
    pub name: Option<String>,
    /// Pairs of games by score.
    pub pairs: Pentanomial,
    /// Games, those without their pair too.
    pub games: u64,
    /// Whether their run came to its end.
    pub is_finished: bool,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl SuitePoint {
    /// `wac, nodes=20000`: results under one name can be compared.
    pub fn name(&self) -> String {
        let options = if self.options.is_empty() { "" } else { ", " };
        format!("{}, {}{options}{}", self.suite, self.limit, self.options)
    }
}

impl EloPoint {
    /// `+4.2 ± 3.1`, or `all won`.
    pub fn elo(&self) -> String {
        let error = self.error95.map_or_else(String::new, |error| format!(" ± {error:.1}"));
        let without = || {
            let said = self.pentanomial.and_then(|pairs| one_result(&Pentanomial(pairs)));
            said.unwrap_or("–").to_owned()
        };
        self.value.map_or_else(without, |value| format!("{}{error}", plus(value, 1)))
    }

    /// `1,234`, or `1,234 (60 repeated, 20 unfinished)`
    pub fn games(&self) -> String {
        let notes = [(self.repeated, "repeated"), (self.unfinished, "unfinished")];
        let notes = notes.into_iter().filter(|(count, _)| *count > 0);
        let notes: Vec<String> =
            notes.map(|(count, what)| format!("{} {what}", grouped(count))).collect();
        match notes[..] {
            [] => grouped(self.games),
            _ => format!("{} ({})", grouped(self.games), notes.join(", ")),
        }
    }

    /// The opponent, a commit by its first digits: `5d4384f8`, and `5d4384f8~1` for the one before it.
    pub fn opponent(&self) -> String {
        let digits = self.against.bytes().take_while(u8::is_ascii_hexdigit).count();
        let (hash, behind) = self.against.split_at(digits);
        let is_commit = hash.len() == 40 && (behind.is_empty() || behind.starts_with(['~', '^']));
        if is_commit { format!("{}{behind}", &hash[..8]) } else { self.against.clone() }
    }

    /// Whether the games of another row can be counted together with these.
    fn is_comparable(&self, other: &EloPoint) -> bool {
        !self.series.is_empty() && !other.series.is_empty() && self.key() == other.key()
    }

    fn key(&self) -> [&str; 4] {
        [&self.against, &self.limit, &self.conditions, &self.identity]
    }

    /// Counts the games of a comparable row too.
    fn add(&mut self, other: EloPoint) {
        for series in other.series {
            let same = |known: &&mut Series| known.name.is_some() && known.name == series.name;
            match self.series.iter_mut().find(same) {
                Some(known) => {
                    self.repeated += known.games.min(series.games);
                    if series.games > known.games {
                        *known = series;
                    }
                }
                None => self.series.push(series),
            }
        }
        self.repeated += other.repeated;
        self.runs.extend(other.runs);
        let mut pairs = Pentanomial::default();
        self.series.iter().for_each(|series| pairs += series.pairs);
        self.games = self.series.iter().map(|series| series.games).sum();
        let unfinished = self.series.iter().filter(|series| !series.is_finished);
        self.unfinished = unfinished.map(|series| series.games).sum();
        self.pentanomial = Some(pairs.0);
        let elo = Elo::from_counts(&pairs).ok();
        (self.value, self.error95) =
            elo.map_or((None, None), |elo| (Some(elo.value), Some(elo.error95)));
    }
}

impl CommitRow {
    /// Adds a suite's result; it replaces an older one of the same name.
    pub fn note_suite(&mut self, point: SuitePoint) {
        self.suites.retain(|known| known.name() != point.name());
        self.suites.push(point);
    }

    /// Adds a match: to the games that it can be compared with, otherwise as a row of its own.
    pub fn note_elo(&mut self, point: EloPoint) {
        match self.elo.iter_mut().find(|known| known.is_comparable(&point)) {
            Some(known) => known.add(point),
            None => self.elo.push(point),
        }
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

/// For the terminal: the commits, and the matches of each.
pub fn history_text(history: &History) -> String {
    let dash = || "–".to_owned();
    let rows = history.commits.iter().map(|row| {
        let suites: Vec<String> = (row.suites.iter())
            .map(|point| format!("{} {}/{}", point.name(), point.solved, point.positions))
            .collect();
        vec![
            row.commit.chars().take(8).collect(),
            row.date.clone(),
            shortened(&row.subject),
            row.bench.map_or_else(dash, |bench| bench.to_string()),
            row.speed.map_or_else(dash, |speed| format!("{speed:.3}")),
            if suites.is_empty() { dash() } else { suites.join("\n") },
        ]
    });
    let commits = table(["Commit", "Date", "Subject", "Bench", "Speed", "Suites"], rows, 6);
    let matches = history.commits.iter().flat_map(|row| {
        row.elo.iter().map(|point| {
            let conditions = if point.conditions.is_empty() { "" } else { "\n" };
            vec![
                row.commit.chars().take(8).collect(),
                point.opponent(),
                format!("{}{conditions}{}", point.limit, point.conditions),
                point.games(),
                point.elo(),
            ]
        })
    });
    let matches: Vec<Vec<String>> = matches.collect();
    if matches.is_empty() {
        return commits;
    }
    let matches = table(["Commit", "Against", "Limit", "Games", "Elo"], matches, 3);
    format!("{commits}\n{matches}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite(solved: u64) -> SuitePoint {
        let suite = "wac".to_owned();
        let limit = "nodes=20000".to_owned();
        SuitePoint { suite, limit, solved, positions: 300, options: String::new() }
    }

    /// A match with that number of drawn and won pairs.
    fn played(against: &str, limit: &str, series: Option<&str>, drawn: u64, won: u64) -> EloPoint {
        let mut point = EloPoint {
            against: against.to_owned(),
            limit: limit.to_owned(),
            runs: vec![format!("{against} {limit} {drawn}")],
            ..EloPoint::default()
        };
        let pairs = Pentanomial([0, 1, drawn, won, 0]);
        let name = series.map(str::to_owned);
        let games = pairs.games();
        let series = Series { name, pairs, games, is_finished: true };
        point.add(EloPoint { series: vec![series], ..EloPoint::default() });
        point
    }

    #[test]
    fn commits_are_named_by_their_first_digits() {
        let hash = "5d4384f8d40e76919c659b0c581c261d80953315";
        for (against, shown) in [
            (hash.to_owned(), "5d4384f8"),
            (format!("{hash}~1"), "5d4384f8~1"),
            (format!("{hash}a"), &*format!("{hash}a")),
            ("v1.2".to_owned(), "v1.2"),
        ] {
            let point = EloPoint { against, ..EloPoint::default() };
            assert_eq!(point.opponent(), shown);
        }
    }

    #[test]
    fn games_with_one_result_are_said_in_words() {
        for (pentanomial, text) in
            [(Some([3, 0, 0, 0, 0]), "all lost"), (Some([0, 0, 0, 0, 3]), "all won"), (None, "–")]
        {
            assert_eq!(EloPoint { pentanomial, ..EloPoint::default() }.elo(), text);
        }
    }

    #[test]
    fn the_newest_result_of_a_suite_counts() {
        let mut row = CommitRow { commit: "ab".repeat(20), ..CommitRow::default() };
        assert!(row.is_empty());
        row.note_suite(suite(1));
        row.note_suite(suite(196));
        row.note_suite(SuitePoint { options: "Hash=1".to_owned(), ..suite(195) });
        let history = History { commits: vec![row] };
        assert_eq!(history.suites(), ["wac, nodes=20000", "wac, nodes=20000, Hash=1"]);
        let text = history_text(&history);
        assert!(text.contains("196/300") && !text.contains(" 1/300"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn games_that_can_be_compared_are_one_row_and_the_others_are_not_lost() {
        let base = "cd".repeat(20);
        let mut row = CommitRow { commit: "ab".repeat(20), ..CommitRow::default() };
        for point in [
            played(&base, "tc=1+0.01", None, 20, 9),
            played(&base, "tc=1+0.01", None, 1, 2),
            played(&base, "nodes=5000", Some("seed 1"), 20, 9),
            // The same games again, fewer and then more of them, and others.
            played(&base, "nodes=5000", Some("seed 1"), 1, 2),
            played(&base, "nodes=5000", Some("seed 1"), 30, 9),
            played(&base, "nodes=5000", Some("seed 2"), 20, 9),
            played("stash", "nodes=5000", Some("seed 1"), 5, 0),
            EloPoint { identity: "other".into(), ..played("stash", "nodes=5000", None, 5, 1) },
            EloPoint { conditions: "Hash=1".into(), ..played(&base, "tc=1+0.01", None, 7, 0) },
        ] {
            row.note_elo(point);
        }
        let games: Vec<(u64, u64)> =
            row.elo.iter().map(|point| (point.games, point.repeated)).collect();
        assert_eq!(games, [(68, 0), (140, 68), (12, 0), (14, 0), (16, 0)]);
        assert_eq!(row.elo[0].pentanomial, Some([0, 2, 21, 11, 0]));
        assert_eq!(row.elo[1].runs.len(), 4);
        let text = history_text(&History { commits: vec![row] });
        for shown in
            ["abababab", "cdcdcdcd", "tc=1+0.01", "nodes=5000", "140 (68 repeated)", "stash"]
        {
            assert!(text.contains(shown), "{shown}: {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn games_of_an_unfinished_run_count_and_are_said_to_be_of_one() {
        let unfinished = |mut point: EloPoint| {
            point.series.iter_mut().for_each(|series| series.is_finished = false);
            point.unfinished = point.games;
            point
        };
        // The row's points in order; games, of these repeated, and unfinished.
        let seed = Some("seed 1");
        for (points, expected, text) in [
            (vec![unfinished(played("a", "tc=1", None, 4, 0))], (10, 0, 10), "10 (10 unfinished)"),
            (
                vec![played("a", "tc=1", None, 20, 9), unfinished(played("a", "tc=1", None, 4, 0))],
                (70, 0, 10),
                "70 (10 unfinished)",
            ),
            // The same games again: the longer run counts, finished or not.
            (
                vec![unfinished(played("a", "n", seed, 4, 0)), played("a", "n", seed, 20, 9)],
                (60, 10, 0),
                "60 (10 repeated)",
            ),
            (
                vec![played("a", "n", seed, 4, 0), unfinished(played("a", "n", seed, 20, 9))],
                (60, 10, 60),
                "60 (10 repeated, 60 unfinished)",
            ),
        ] {
            let mut row = CommitRow::default();
            points.into_iter().for_each(|point| row.note_elo(point));
            let [point] = &row.elo[..] else { panic!("one row: {:?}", row.elo) };
            assert_eq!((point.games, point.repeated, point.unfinished), expected);
            assert_eq!(point.games(), text);
        }
    }
}
