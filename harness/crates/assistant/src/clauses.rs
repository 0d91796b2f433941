//! Words that begin a clause: a reason, or what a person is or does.

/// Words that begin a reason without a sign before them.
pub const CONJUNCTIONS: [&str; 4] = ["because", "since", "cause", "cos"];

/// Subjects of a clause.
pub const PRONOUNS: [&str; 9] = ["it", "i", "we", "they", "he", "she", "this", "that", "there"];

/// Words before another subject.
pub const DETERMINERS: [&str; 6] = ["my", "our", "his", "her", "the", "their"];

/// Whether a word may begin a clause as who or what it is about.
pub fn is_subject(word: &str) -> bool {
    PRONOUNS.contains(&word)
        || DETERMINERS.contains(&word)
        || matches!(word, "these" | "those" | "so")
}
