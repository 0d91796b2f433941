//! Words of the field: a word of a run, a game or a time is a detail wherever it stands.

use super::coverage::TIMES;
use super::kinds;
use super::slots::COUNTED;
use super::tags;

/// Nouns of details of runs and games.
const NOUNS: [&str; 46] = [
    "adjudication",
    "base",
    "baseline",
    "book",
    "books",
    "both",
    "bounds",
    "clock",
    "colour",
    "colours",
    "control",
    "depth",
    "description",
    "fen",
    "file",
    "format",
    "half",
    "hash",
    "increment",
    "limit",
    "method",
    "name",
    "net",
    "network",
    "nodes",
    "note",
    "opening",
    "openings",
    "order",
    "output",
    "pgn",
    "ponder",
    "pondering",
    "rated",
    "run",
    "runs",
    "seed",
    "suite",
    "syzygy",
    "tablebase",
    "tablebases",
    "takebacks",
    "thread",
    "threads",
    "title",
    "unrated",
];

/// Whether a word is a noun of a detail, or is counted, or is a word of a variant.
pub fn is_noun(word: &str) -> bool {
    NOUNS.contains(&word) || COUNTED.contains(&word) || word == "variant" || tags::is_detail(word)
}

/// Whether a word is a detail of a game or a run, or a time.
pub fn is_detail(word: &str) -> bool {
    NOUNS.contains(&word) || TIMES.contains(&word) || kinds::is_of_run(word)
}
