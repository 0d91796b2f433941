//! A command line that people can paste into a shell.

/// Joins arguments so that a POSIX shell splits them again as they were.
///
/// ```
/// use harness::text::shell_words;
///
/// let line = shell_words(["harness", "match", "my engine", "it's"]);
/// assert_eq!(line, r"harness match 'my engine' 'it'\''s'");
/// ```
pub fn shell_words<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| quoted(word.as_ref())).collect();
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:=+,@%~".contains(letter);
    // A leading tilde would be expanded.
    if !word.is_empty() && word.chars().all(plain) && !word.starts_with('~') {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
