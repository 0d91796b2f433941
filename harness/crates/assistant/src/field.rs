//! Words of the field: a word of a run, a game or a time is a detail wherever it stands.

use super::coverage::TIMES;
use super::kinds;
use super::slots::COUNTED;
use super::tags;

/// Nouns of details wherever they stand.
const NOUNS: [&str; 24] = [
    "adjudication",
    "book",
    "both",
    "clock",
    "colours",
    "depth",
    "fen",
    "half",
    "hash",
    "increment",
    "nodes",
    "pgn",
    "ponder",
    "pondering",
    "rated",
    "run",
    "runs",
    "syzygy",
    "tablebase",
    "tablebases",
    "takebacks",
    "thread",
    "threads",
    "unrated",
];

/// Nouns of details of runs, which are ordinary words beside a board: the f file.
const OF_RUNS: [&str; 23] = [
    "base",
    "baseline",
    "books",
    "bounds",
    "colour",
    "control",
    "description",
    "file",
    "format",
    "limit",
    "method",
    "name",
    "net",
    "network",
    "note",
    "opening",
    "openings",
    "order",
    "output",
    "seed",
    "suite",
    "title",
    "variant",
];

/// Words of variants.
const VARIANTS: [&str; 9] =
    ["atomic", "antichess", "crazyhouse", "horde", "koth", "chess960", "960", "hill", "variant"];

/// Whether a word is a noun of a run's detail that says nothing without its value.
pub fn is_valued(word: &str) -> bool {
    matches!(
        word,
        "book"
            | "books"
            | "bounds"
            | "hash"
            | "thread"
            | "threads"
            | "seed"
            | "variant"
            | "network"
    )
}

/// Whether a word is a noun of a detail, or is counted.
pub fn is_noun(word: &str) -> bool {
    NOUNS.contains(&word)
        || OF_RUNS.contains(&word)
        || COUNTED.contains(&word)
        || tags::is_detail(word)
}

/// Whether a word is a detail of a game or a run, or a time.
pub fn is_detail(word: &str) -> bool {
    NOUNS.contains(&word)
        || VARIANTS.contains(&word)
        || TIMES.contains(&word)
        || kinds::is_of_run(word)
}
