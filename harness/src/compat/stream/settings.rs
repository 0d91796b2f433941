//! Whose lines are printed, and when.

use super::super::lines::fastchess::Heading;

/// The program whose lines are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// fastchess.
    #[default]
    Fastchess,
    /// fastchess with `-output format=cutechess`.
    FastchessAsCutechess,
    /// cutechess-cli.
    Cutechess,
}

/// What is printed, and when.
#[derive(Clone, Debug)]
pub struct LineSettings {
    /// Whose lines.
    pub dialect: Dialect,
    /// Results after this number of pairs, or games, again and again; `None`: at the end only.
    pub rating_interval: Option<u64>,
    /// They were asked for.
    pub has_rating_interval: bool,
    /// The score after this number of games; `None`: at the end only.
    pub score_interval: Option<u64>,
    /// The ends of games, counted, after this number of games; `None`: at the end only. Lines of cutechess-cli.
    pub outcome_interval: Option<u64>,
    /// Statistics from pairs, and games that count with their pair.
    pub by_pairs: bool,
    /// A saved configuration is not read, which is said.
    pub discards: bool,
    /// The openings of a file are shuffled.
    pub shuffles: bool,
    /// Continue after a crash.
    pub recovers: bool,
    /// Engines whose output is at fault end the match.
    pub strict: bool,
    /// Warnings of one line each.
    pub one_line_warnings: bool,
    /// The configuration is saved after this number of games; `None`: at the end only.
    pub save_interval: Option<u64>,
    /// Parts of the heading of a block, but for the engines' options.
    pub heading: Heading,
}

impl Default for LineSettings {
    fn default() -> LineSettings {
        LineSettings {
            dialect: Dialect::Fastchess,
            rating_interval: Some(10),
            has_rating_interval: false,
            score_interval: Some(1),
            outcome_interval: None,
            by_pairs: true,
            discards: false,
            shuffles: false,
            recovers: false,
            strict: false,
            one_line_warnings: false,
            save_interval: Some(20),
            heading: Heading::default(),
        }
    }
}

impl LineSettings {
    /// The same for cutechess-cli, which counts games one by one and has other intervals.
    #[must_use]
    pub fn of_cutechess(self) -> LineSettings {
        LineSettings {
            dialect: Dialect::Cutechess,
            by_pairs: false,
            rating_interval: self.rating_interval.filter(|_| self.has_rating_interval),
            save_interval: None,
            ..self
        }
    }
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All games were played, or the test is decided.
    Played,
    /// The user interrupted it, or it ended itself.
    Interrupted,
    /// Something failed.
    Failed,
}

/// Whether something that is done at an interval is due.
pub(super) fn is_due(interval: Option<u64>, number: u64) -> bool {
    interval.is_some_and(|every| number.is_multiple_of(every))
}
