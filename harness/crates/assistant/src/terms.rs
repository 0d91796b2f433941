//! Terms of engine testing that people ask the meaning of.

/// Terms that are asked about without an article: "what is LLR".
const TERMS: [&str; 40] = [
    "llr",
    "los",
    "elo",
    "nelo",
    "elos",
    "sprt",
    "spsa",
    "stc",
    "ltc",
    "vltc",
    "pentanomial",
    "pentanomials",
    "trinomial",
    "uci",
    "nps",
    "wdl",
    "dtz",
    "perft",
    "epd",
    "fen",
    "pgn",
    "nnue",
    "lmr",
    "nmp",
    "cmaes",
    "pso",
    "gsprt",
    "tc",
    "ccrl",
    "frc",
    "chess960",
    "pondering",
    "multipv",
    "zugzwang",
    "fastchess",
    "openbench",
    "fishtest",
    "elo0",
    "elo1",
    "texel",
];

/// Words around terms that say nothing more.
const BESIDE_TERMS: [&str; 22] = [
    "a",
    "an",
    "the",
    "and",
    "or",
    "to",
    "me",
    "please",
    "of",
    "in",
    "for",
    "word",
    "term",
    "statistics",
    "bounds",
    "actually",
    "exactly",
    "between",
    "what",
    "is",
    "are",
    "chess",
];

/// Whether a word is a term.
pub fn is_one(word: &str) -> bool {
    TERMS.contains(&word)
}

/// Whether words are terms, and nothing else that counts.
pub fn are_all(words: &[&str]) -> bool {
    words.iter().any(|word| TERMS.contains(word))
        && words.iter().all(|word| TERMS.contains(word) || BESIDE_TERMS.contains(word))
}
