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

/// Splits a line that [`shell_words`] wrote, or a similar one: words between blanks, quotes around
/// what holds some, a backslash before a single letter. `None` if a quote is not closed.
///
/// ```
/// use harness::text::shell_split;
///
/// let words = shell_split(r#"harness match 'my engine' "a b" 'it'\''s'"#).expect("closed");
/// assert_eq!(words, ["harness", "match", "my engine", "a b", "it's"]);
/// assert_eq!(shell_split("it's"), None);
/// ```
pub fn shell_split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        end if end == letter => break,
                        '\\' if letter == '"' => word.push(letters.next()?),
                        inside => word.push(inside),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}
