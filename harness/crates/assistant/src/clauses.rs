//! Words that begin a clause: a reason, or what a person is or does.

use super::coverage;

/// Words that begin a reason without a sign before them.
pub const CONJUNCTIONS: [&str; 4] = ["because", "since", "cause", "cos"];

/// Subjects of a clause.
pub const PRONOUNS: [&str; 9] = ["it", "i", "we", "they", "he", "she", "this", "that", "there"];

/// Words before another subject.
pub const DETERMINERS: [&str; 6] = ["my", "our", "his", "her", "the", "their"];

/// Verbs that begin a wish behind "and".
const COMMANDS: [&str; 36] = [
    "show", "open", "tell", "give", "copy", "let", "play", "start", "analyse", "switch", "turn",
    "list", "go", "put", "take", "stop", "run", "mark", "write", "say", "read", "flip", "undo",
    "offer", "resign", "delete", "compare", "set", "call", "rename", "make", "place", "remove",
    "clear", "hide", "help",
];

/// Whether a word behind "and" may begin another wish.
pub fn is_command(word: &str) -> bool {
    COMMANDS.contains(&word) || coverage::is_verb(word)
}

/// Whether a word may begin a clause as who or what it is about.
pub fn is_subject(word: &str) -> bool {
    PRONOUNS.contains(&word)
        || DETERMINERS.contains(&word)
        || matches!(word, "these" | "those" | "so")
}
