//! What a set of positions looks like, and what became of positions that were read.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A bar of a histogram.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bar {
    /// The least value; none for what lies below all.
    pub from: Option<i32>,
    /// Positions.
    pub positions: u64,
    /// Half points that White got in them, of those with a result.
    pub halves: u64,
    /// Positions with a result.
    pub results: u64,
}

impl Bar {
    /// What White got on average, from 0 to 1.
    pub fn mean_result(&self) -> Option<f64> {
        (self.results > 0).then(|| self.halves as f64 / (2 * self.results) as f64)
    }
}

/// Counts of everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shape {
    /// Scores and results are those of the side to move, not White's: boards that were flipped so
    /// that White is to move do not show the difference.
    #[serde(rename = "turned")]
    pub mover_relative: bool,
    /// Positions.
    pub positions: u64,
    /// Games, or blocks of neighbours where the format does not tell games apart.
    pub games: u64,
    /// With White to move.
    pub white_to_move: u64,
    /// In check.
    pub in_check: u64,
    /// With a mate as score.
    pub mates: u64,
    /// Without a score.
    pub unscored: u64,
    /// Without a result.
    pub unfinished: u64,
    /// White's wins, draws and losses, by positions.
    pub results: [u64; 3],
    /// By score for White in centipawns; mates are not in it.
    pub scores: Vec<Bar>,
    /// By plies played before; unknown ones are not in it.
    pub plies: Vec<Bar>,
    /// By pieces on the board, kings included.
    pub pieces: Vec<Bar>,
    /// By depth of the search; unknown ones are not in it.
    pub depths: Vec<Bar>,
    #[serde(skip)]
    pub(crate) last_game: u64,
}

/// Words for whose scores and results are shown.
pub struct View {
    /// Of a histogram of scores.
    pub score: &'static str,
    /// Of the results.
    pub won: &'static str,
    /// Of the results.
    pub lost: &'static str,
    /// Of the mean result.
    pub scores: &'static str,
}

impl Shape {
    /// Whose scores and results these are.
    pub fn view(&self) -> View {
        if self.mover_relative {
            return View {
                score: "Score for the side to move",
                won: "the side to move won",
                lost: "the side to move lost",
                scores: "Mover scores",
            };
        }
        View {
            score: "Score for White",
            won: "White won",
            lost: "Black won",
            scores: "White scores",
        }
    }
}

/// What became of the positions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Games read.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Kept.
    pub kept: u64,
    /// Not kept, by the first reason.
    pub dropped: BTreeMap<Reason, u64>,
    /// Games of PGN that were dropped, by what is wrong with them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub games_dropped: FlawCounts,
    /// Games of PGN whose result was corrected.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub games_corrected: FlawCounts,
}

/// Why a position is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The game has no result, or one that says nothing of the board: time, a crash.
    NoResult,
    /// Nobody told a score: a book move, or a PGN without scores.
    NoScore,
    /// Not the winner's.
    OtherSide,
    /// Too early in the game.
    Early,
    /// In check.
    Check,
    /// The best move captures or promotes.
    Tactical,
    /// The score is beyond the limit, or a mate.
    Decided,
    /// Not searched deep enough.
    Shallow,
    /// Left out by `one_in`.
    Thinned,
    /// It was there before.
    Repeated,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Reason::NoResult => "no result of the board",
            Reason::NoScore => "no score",
            Reason::OtherSide => "not the winner's",
            Reason::Early => "too early",
            Reason::Check => "in check",
            Reason::Tactical => "best move captures or promotes",
            Reason::Decided => "score beyond the limit",
            Reason::Shallow => "not searched deep enough",
            Reason::Thinned => "one in so many",
            Reason::Repeated => "there before",
        })
    }
}

/// What is wrong with a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// Its `Variant` tag names other rules than those of chess.
    OtherVariant,
    /// The `Result` tag and the end of the moves tell different results, and the last position is
    /// neither checkmate nor stalemate.
    TwoResults,
    /// It has more plies than can be numbered.
    TooLong,
    /// The last position is checkmate or stalemate, and the file gives another result or none.
    BoardDecides,
}

impl Flaw {
    /// Whether the game is used, with the result that the board shows.
    pub fn is_corrected(self) -> bool {
        self == Flaw::BoardDecides
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Flaw::OtherVariant => "the Variant tag names no kind of chess that is known here",
            Flaw::TwoResults => "the Result tag and the end of the moves contradict each other",
            Flaw::TooLong => "more than 65,535 plies",
            Flaw::BoardDecides => "checkmate or stalemate on the board, and another result told",
        })
    }
}

/// Games by flaw.
pub type FlawCounts = BTreeMap<Flaw, u64>;
