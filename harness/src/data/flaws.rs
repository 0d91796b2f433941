//! Games of PGN that contradict themselves or are no games of chess: each is counted as dropped or
//! corrected, with the reason.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

pub use crate::outcome::positions::{Flaw, FlawCounts};
use crate::text::grouped;

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

    fn of(&self, predicate: fn(Flaw) -> bool) -> FlawCounts {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().filter(|(flaw, _)| predicate(**flaw)).map(|(&flaw, &n)| (flaw, n)).collect()
    }

    /// Adds the counts to a JSON object as `games_dropped` and `games_corrected`, if there are any.
    pub fn add_to(&self, report: &mut Value) {
        if let (Value::Object(report), Value::Object(counts)) = (report, serde_json::json!(self)) {
            report.extend(counts);
        }
    }
}

/// `games_dropped` and `games_corrected`, if there are any.
impl Serialize for Flaws {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let both = [("games_dropped", self.dropped()), ("games_corrected", self.corrected())];
        let mut map = serializer.serialize_map(None)?;
        for (key, counts) in both.iter().filter(|(_, counts)| !counts.is_empty()) {
            map.serialize_entry(key, counts)?;
        }
        map.end()
    }
}

/// A line for each flaw found.
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
