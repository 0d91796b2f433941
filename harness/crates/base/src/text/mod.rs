//! Text of files and for people: decoding, numbers, command lines, and names that were meant.

mod decode;
pub mod fen;
mod limit;
mod near;
mod number;
pub mod path;
pub mod percent;
mod shell;
mod visible;

use crate::secret;

pub use decode::{TextSource, decode, decode_file, is_utf16, without_mark};
pub use limit::limit_words;
pub use near::nearest;
pub use number::{counted, duration, grouped, percent, two_digits};
pub use shell::{fill_word, quote_variable, shell_split, shell_words};
pub use visible::{brief, cut, is_obeyed, push_visible, visible};

/// The command line of this process, as it is kept with a run: without what is secret in its
/// addresses. What is not UTF-8 in it has U+FFFD in its place.
pub fn arguments() -> impl Iterator<Item = String> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    secret::shown_words(words).into_iter()
}

/// The last lines of a text that are not empty, at most `count`.
pub fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
