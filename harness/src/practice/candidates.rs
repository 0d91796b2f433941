//! Positions with a move to be found.

use std::path::Path;

use shakmaty::{CastlingMode, Chess};

use crate::suite::Suite;
use crate::suite::epd::{self, EpdPosition};

/// Suites whose positions are asked, by their names in the catalogue.
const SUITES: [&str; 3] = ["wac", "bk", "eret"];

/// A position with a move to be found.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name.
    pub id: String,
    /// Its FEN.
    pub fen: String,
    /// The position.
    pub position: Chess,
    /// The moves that solve it; empty where it only tells which move does not.
    pub best: Vec<String>,
}

/// The positions of the suites, and those of an EPD file where it is there.
pub fn all(picked: &Path) -> Vec<Candidate> {
    let mut all = Vec::new();
    // What was picked from the own games comes first; a damaged file has none.
    if let Ok(text) = std::fs::read(picked) {
        let (positions, _) = epd::read_all(&picked.display().to_string(), &text);
        all.extend(positions.iter().map(candidate));
    }
    for name in SUITES {
        if let Ok(suite) = Suite::load(name) {
            all.extend(suite.positions.iter().map(candidate));
        }
    }
    all
}

fn candidate(position: &EpdPosition) -> Candidate {
    let best = position.best.iter().map(|best| best.to_uci(CastlingMode::Standard).to_string());
    Candidate {
        id: position.id.clone(),
        fen: position.fen.clone(),
        position: position.position.clone(),
        best: best.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suites_have_candidates_with_different_names() {
        let all = all(Path::new("none.epd"));
        assert!(all.len() > 400, "{}", all.len());
        let mut ids: Vec<&str> = all.iter().map(|candidate| candidate.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all.len());
    }
}
