//! Statistics of a set of positions, and of the filters it passed.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Centipawns of a bar of scores, and how far they go.
pub const SCORE_STEP: i32 = 100;
pub const SCORE_END: i32 = 2_000;

/// Plies of a bar, and how far they go.
pub const PLY_STEP: u16 = 10;
pub const PLY_END: u16 = 300;

/// A bar of a histogram.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bar {
    /// The smallest value; `None` for the values below all bars.
    pub from: Option<i32>,
    /// Positions.
    pub positions: u64,
    /// White's score in half points, of positions with a result.
    pub halves: u64,
    /// Positions with a result.
    pub results: u64,
}

impl Bar {
    /// White's mean score, 0 to 1.
    pub fn mean_result(&self) -> Option<f64> {
        (self.results > 0).then(|| self.halves as f64 / (2 * self.results) as f64)
    }
}

/// Counts and histograms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shape {
    /// Scores and results are those of the side to move: some formats flip boards so that White is
    /// to move.
    #[serde(rename = "turned")]
    pub mover_relative: bool,
    /// Positions.
    pub positions: u64,
    /// Games, or blocks of neighbours where the format does not separate games.
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
    /// By score for White in centipawns, without mates.
    pub scores: Vec<Bar>,
    /// By plies played before, if known.
    pub plies: Vec<Bar>,
    /// By pieces on the board, kings included.
    pub pieces: Vec<Bar>,
    /// By depth of the search, if known.
    pub depths: Vec<Bar>,
    #[serde(skip)]
    /// Number of the game of the last position, to count games.
    pub last_game: u64,
}

/// Labels for scores and results of White or of the side to move.
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

impl Default for Shape {
    fn default() -> Shape {
        let bars = |froms: &mut dyn Iterator<Item = i32>| {
            froms.map(|from| Bar { from: Some(from), ..Bar::default() }).collect::<Vec<Bar>>()
        };
        let mut scores = vec![Bar::default()];
        scores.extend(bars(&mut (-SCORE_END..=SCORE_END).step_by(SCORE_STEP as usize)));
        Shape {
            mover_relative: false,
            positions: 0,
            games: 0,
            white_to_move: 0,
            in_check: 0,
            mates: 0,
            unscored: 0,
            unfinished: 0,
            results: [0; 3],
            scores,
            plies: bars(&mut (0..=i32::from(PLY_END)).step_by(usize::from(PLY_STEP))),
            pieces: bars(&mut (2..=32)),
            depths: bars(&mut (1..=64)),
            last_game: 0,
        }
    }
}

impl Shape {
    /// The labels for scores and results.
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

/// Counts of kept and dropped positions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Games read.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Kept.
    pub kept: u64,
    /// Dropped, by the first reason.
    pub dropped: BTreeMap<Reason, u64>,
    /// Dropped games of PGN, by flaw.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub games_dropped: FlawCounts,
    /// Games of PGN whose result was corrected.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub games_corrected: FlawCounts,
}

impl Counts {
    /// Counts a position that is dropped for a reason, or kept; gives whether it is kept.
    #[inline]
    pub fn sift(&mut self, refused: Option<Reason>) -> bool {
        self.positions += 1;
        match refused {
            None => {
                self.kept += 1;
                true
            }
            Some(reason) => {
                *self.dropped.entry(reason).or_default() += 1;
                false
            }
        }
    }

    /// Adds up.
    pub fn add(&mut self, other: &Counts) {
        self.games += other.games;
        self.positions += other.positions;
        self.kept += other.kept;
        for (&reason, &count) in &other.dropped {
            *self.dropped.entry(reason).or_default() += count;
        }
        for (all, more) in [
            (&mut self.games_dropped, &other.games_dropped),
            (&mut self.games_corrected, &other.games_corrected),
        ] {
            for (&flaw, &games) in more {
                *all.entry(flaw).or_default() += games;
            }
        }
    }

    /// Takes over what was counted while files were read.
    pub fn note(&mut self, games_dropped: FlawCounts, games_corrected: FlawCounts) {
        self.games_dropped = games_dropped;
        self.games_corrected = games_corrected;
    }

    /// Takes back what was kept at first: duplicates, and positions without the
    /// score that the new file needs.
    pub fn take_back(&mut self, repeated: u64, unscored: u64) {
        self.kept -= repeated + unscored;
        for (reason, count) in [(Reason::Repeated, repeated), (Reason::NoScore, unscored)] {
            if count > 0 {
                *self.dropped.entry(reason).or_default() += count;
            }
        }
    }
}

/// Why a position is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The game has no result, or one by time or a crash.
    NoResult,
    /// No score: a book move, or a PGN without scores.
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
    /// Too few or too many pieces.
    Pieces,
    /// The result of the game is unlikely by the score.
    Unlikely,
    /// Left out by `one_in`.
    Thinned,
    /// A duplicate.
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
            Reason::Pieces => "too few or too many pieces",
            Reason::Unlikely => "result unlikely by the score",
            Reason::Thinned => "thinned out",
            Reason::Repeated => "there before",
        })
    }
}

/// A flaw of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// Its `Variant` tag names another variant.
    OtherVariant,
    /// The `Result` tag and the end of the moves differ, and the last position is neither checkmate
    /// nor stalemate.
    TwoResults,
    /// It has more plies than can be numbered.
    TooLong,
    /// A move is not legal, is ambiguous, or cannot be read.
    IllegalMove,
    /// Its `FEN` tag holds no legal position.
    IllegalPosition,
    /// Text without tags that begins with no move.
    NoGame,
    /// The last position is checkmate or stalemate, and the file has another result or none.
    BoardDecides,
    /// A comment or a variation is not closed: what follows it was read as a part of it.
    Unclosed,
    /// A tag or comment is longer than is kept.
    Cut,
}

impl Flaw {
    /// Whether the game is used, with what is wrong put right or left aside.
    pub fn is_corrected(self) -> bool {
        matches!(self, Flaw::BoardDecides | Flaw::Unclosed | Flaw::Cut)
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Flaw::OtherVariant => "the Variant tag names no kind of chess that is known here",
            Flaw::TwoResults => "the Result tag and the end of the moves contradict each other",
            Flaw::TooLong => "more than 65,535 plies",
            Flaw::IllegalMove => "a move is not legal, ambiguous, or cannot be read",
            Flaw::IllegalPosition => "the FEN tag holds no legal position",
            Flaw::NoGame => "neither tags nor moves",
            Flaw::Unclosed => "a comment or a variation is not closed at the end of the game",
            Flaw::Cut => "a tag of more than 64 KiB or a comment of more than 1 MiB, read in part",
            Flaw::BoardDecides => {
                "checkmate or stalemate on the board, and another result in the file"
            }
        })
    }
}

/// Games by flaw.
pub type FlawCounts = BTreeMap<Flaw, u64>;
