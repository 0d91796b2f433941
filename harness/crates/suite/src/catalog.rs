//! The suites that come with the harness.

use serde::{Deserialize, Deserializer};

use harness_player::Limit;

/// The catalogue, `suites/catalog.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// The suites.
    pub suites: Vec<Entry>,
}

/// Metadata of a suite.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The name on the command line.
    pub name: String,
    /// Full title.
    pub title: String,
    /// Its author.
    pub author: String,
    /// When it was published.
    pub year: u16,
    /// Where its facts come from.
    pub source: String,
    /// Its EPD file, beside the catalogue.
    pub file: String,
    /// How many positions it has.
    pub positions: usize,
    /// Default limit of a position.
    #[serde(deserialize_with = "limit")]
    pub limit: Limit,
    /// How moves are scored.
    pub scoring: Scoring,
    /// Known faults.
    #[serde(default)]
    pub faults: Vec<String>,
}

/// How moves are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scoring {
    /// A point for a move among `bm`, or not among `am`.
    BestMove,
    /// The points that the file gives to the move; solved with the most points there are.
    ScoredMoves,
}

fn limit<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Limit, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

/// The files of `suites/`, so that a suite's name works from any folder.
const FILES: [(&str, &str); 3] =
    [("wac.epd", suites::WAC), ("eret.epd", suites::ERET), ("bk.epd", suites::BK)];

impl Catalog {
    /// The catalogue that is compiled in.
    ///
    /// # Panics
    /// Never: a test reads the same text.
    pub fn builtin() -> Catalog {
        serde_yaml::from_str(suites::CATALOG).expect("the compiled-in catalogue was read by a test")
    }

    /// The suite with this name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.suites.iter().find(|entry| entry.name == name)
    }
}

impl Entry {
    /// The compiled-in EPD file.
    pub fn bytes(&self) -> Option<&'static [u8]> {
        FILES.iter().find(|(name, _)| *name == self.file).map(|&(_, text)| text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_notation::epd;

    #[test]
    fn every_suite_of_the_catalogue_is_there_and_legal() {
        let catalog = Catalog::builtin();
        assert_eq!(catalog.suites.len(), FILES.len());
        for entry in &catalog.suites {
            let bytes = entry.bytes().expect("compiled in");
            let positions = epd::read(&entry.file, bytes).expect("valid");
            assert_eq!(positions.len(), entry.positions, "{}", entry.name);
            for position in &positions {
                let scored = match entry.scoring {
                    Scoring::BestMove => !position.best.is_empty() || !position.avoid.is_empty(),
                    Scoring::ScoredMoves => !position.points.is_empty(),
                };
                assert!(scored, "{}", position.id);
            }
        }
    }
}
