//! Games of PGN that contradict themselves or are no games of chess: each is counted as dropped or
//! corrected, with the reason.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::report::text::grouped;

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

/// Counts the games with flaws while files are read; clones count together.
#[derive(Clone, Debug, Default)]
pub struct Flaws(Arc<Mutex<FlawCounts>>);

impl Flaws {
    /// Counts a game.
    pub fn add(&self, flaw: Flaw) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(flaw).or_default() += 1;
    }

    /// Games that were dropped.
    pub fn dropped(&self) -> FlawCounts {
        self.of(|flaw| !flaw.is_corrected())
    }

    /// Games whose result was corrected.
    pub fn corrected(&self) -> FlawCounts {
        self.of(Flaw::is_corrected)
    }

    fn of(&self, wanted: fn(Flaw) -> bool) -> FlawCounts {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().filter(|(flaw, _)| wanted(**flaw)).map(|(&flaw, &n)| (flaw, n)).collect()
    }

    /// The keys of an object of JSON, `games_dropped` and `games_corrected`, where there are any.
    pub fn tell(&self, told: &mut serde_json::Value) {
        for (key, counts) in
            [("games_dropped", self.dropped()), ("games_corrected", self.corrected())]
        {
            if !counts.is_empty() {
                told[key] = serde_json::json!(counts);
            }
        }
    }
}

/// A line for each flaw that there was.
impl fmt::Display for Flaws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, counts) in [("dropped", self.dropped()), ("corrected", self.corrected())] {
            for (flaw, games) in counts {
                let noun = if games == 1 { "game" } else { "games" };
                writeln!(f, "{what}: {} {noun}: {flaw}", grouped(games))?;
            }
        }
        Ok(())
    }
}
