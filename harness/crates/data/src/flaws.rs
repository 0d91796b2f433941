//! Games of PGN that contradict themselves, cannot be read or are no games of chess: each is counted
//! as dropped or corrected, with the reason and the places of the first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use harness_base::sync::lock;
use harness_base::text::grouped;
pub use harness_outcome::positions::{Flaw, FlawCounts};

/// Number of places listed per flaw.
const EXAMPLES: usize = 3;

/// Counts the games with flaws while files are read; clones count together.
#[derive(Clone, Debug, Default)]
pub struct Flaws {
    counted: Arc<Mutex<Counted>>,
    are_errors: bool,
}

#[derive(Debug, Default)]
struct Counted {
    games: FlawCounts,
    /// The first places of each flaw.
    examples: BTreeMap<Flaw, BTreeSet<Example>>,
}

/// A place of a flaw.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Example {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u64,
    /// The text there; empty if the flaw is of the whole game.
    pub text: String,
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.path, self.line)?;
        if self.text.is_empty() { Ok(()) } else { write!(f, ": {}", self.text) }
    }
}

impl Flaws {
    /// A game that would be dropped is an error.
    pub fn strict() -> Flaws {
        Flaws { are_errors: true, ..Flaws::default() }
    }

    /// Whether a game that would be dropped is an error.
    pub fn are_errors(&self) -> bool {
        self.are_errors
    }

    /// Counts a game, and keeps its place if it is one of the first.
    pub fn add(&self, flaw: Flaw, example: Example) {
        let mut counted = lock(&self.counted);
        *counted.games.entry(flaw).or_default() += 1;
        let examples = counted.examples.entry(flaw).or_default();
        examples.insert(example);
        // Threads come in any order.
        if examples.len() > EXAMPLES {
            examples.pop_last();
        }
    }

    /// The first places of a flaw.
    pub fn examples(&self, flaw: Flaw) -> Vec<Example> {
        let counted = lock(&self.counted);
        counted.examples.get(&flaw).into_iter().flatten().cloned().collect()
    }

    /// Games that were dropped.
    pub fn dropped(&self) -> FlawCounts {
        self.counts(|flaw| !flaw.is_corrected())
    }

    /// Games that are used although something is wrong with them.
    pub fn corrected(&self) -> FlawCounts {
        self.counts(Flaw::is_corrected)
    }

    fn counts(&self, predicate: fn(Flaw) -> bool) -> FlawCounts {
        let counted = lock(&self.counted);
        let counts = counted.games.iter();
        counts.filter(|(flaw, _)| predicate(**flaw)).map(|(&flaw, &n)| (flaw, n)).collect()
    }

    /// Adds the counts to a JSON object as `games_dropped` and `games_corrected`, and the places of
    /// the first as `flawed_games`, if there are any.
    pub fn add_to(&self, report: &mut Value) {
        if let (Value::Object(report), Value::Object(counts)) = (report, serde_json::json!(self)) {
            report.extend(counts);
        }
    }
}

/// `games_dropped`, `games_corrected` and `flawed_games`, if there are any.
impl Serialize for Flaws {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let both = [("games_dropped", self.dropped()), ("games_corrected", self.corrected())];
        let mut map = serializer.serialize_map(None)?;
        for (key, counts) in both.iter().filter(|(_, counts)| !counts.is_empty()) {
            map.serialize_entry(key, counts)?;
        }
        let all: FlawCounts = both.into_iter().flat_map(|(_, counts)| counts).collect();
        let places = all.into_keys().map(|flaw| {
            let places: Vec<String> = self.examples(flaw).iter().map(Example::to_string).collect();
            (flaw, places)
        });
        let places: BTreeMap<Flaw, Vec<String>> = places.collect();
        if !places.is_empty() {
            map.serialize_entry("flawed_games", &places)?;
        }
        map.end()
    }
}

/// A line for each flaw found, and one for each of its first places.
impl fmt::Display for Flaws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, counts) in [("dropped", self.dropped()), ("corrected", self.corrected())] {
            for (flaw, games) in counts {
                let noun = if games == 1 { "game" } else { "games" };
                writeln!(f, "{what}: {} {noun}: {flaw}", grouped(games))?;
                for example in self.examples(flaw) {
                    writeln!(f, "  {example}")?;
                }
            }
        }
        Ok(())
    }
}
