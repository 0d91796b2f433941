//! A command line that people can paste into a shell.

/// How a system's programs get their words from a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shell {
    /// Single quotes hold everything, a backslash the letter after it.
    Posix,
    /// Double quotes alone, and a backslash is a letter as others (of paths) except before them: the
    /// rules of `CommandLineToArgvW`.
    Windows,
}

/// That of this system.
const HERE: Shell = if cfg!(windows) { Shell::Windows } else { Shell::Posix };

/// Joins arguments so that this system's shell splits them again as they were.
///
/// ```
/// use harness::text::shell_words;
///
/// let line = shell_words(["harness", "match", "my engine", "it's"]);
/// if cfg!(unix) {
///     assert_eq!(line, r"harness match 'my engine' 'it'\''s'");
/// }
/// ```
pub fn shell_words<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    HERE.join(words)
}

/// Splits a line that [`shell_words`] wrote, or a similar one: words between blanks, quotes around
/// what holds some. `None` if a quote is not closed.
///
/// ```
/// use harness::text::shell_split;
///
/// let words = shell_split(r#"harness match "my engine" "a b""#).expect("closed");
/// assert_eq!(words, ["harness", "match", "my engine", "a b"]);
/// assert_eq!(shell_split("\"it is"), None);
/// ```
pub fn shell_split(line: &str) -> Option<Vec<String>> {
    HERE.split(line)
}

impl Shell {
    fn join<S: AsRef<str>>(self, words: impl IntoIterator<Item = S>) -> String {
        let words: Vec<String> = words.into_iter().map(|word| self.quoted(word.as_ref())).collect();
        words.join(" ")
    }

    fn quoted(self, word: &str) -> String {
        let is_plain = |letter: char| match letter {
            '\\' => self == Shell::Windows,
            '%' => self == Shell::Posix,
            letter => letter.is_alphanumeric() || "-_./:=+,@~".contains(letter),
        };
        // A leading tilde would be expanded.
        if !word.is_empty() && word.chars().all(is_plain) && !word.starts_with('~') {
            return word.to_owned();
        }
        match self {
            Shell::Posix => format!("'{}'", word.replace('\'', r"'\''")),
            Shell::Windows => {
                let mut quoted = String::from('"');
                let mut backslashes = 0;
                for letter in word.chars() {
                    if letter == '"' {
                        // Those before a quote are doubled, and one more is the quote's.
                        quoted.push_str(&"\\".repeat(backslashes + 1));
                    }
                    backslashes = if letter == '\\' { backslashes + 1 } else { 0 };
                    quoted.push(letter);
                }
                quoted + &"\\".repeat(backslashes) + "\""
            }
        }
    }

    fn split(self, line: &str) -> Option<Vec<String>> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut letters = line.chars().peekable();
        // The quote that is open.
        let mut quote: Option<char> = None;
        while let Some(letter) = letters.next() {
            let escapes = match self {
                Shell::Posix => quote != Some('\''),
                Shell::Windows => {
                    // Only in a row that ends with a quote.
                    let rest: String = letters.clone().collect();
                    letter == '\\' && rest.trim_start_matches('\\').starts_with('"')
                }
            };
            match letter {
                '\\' if escapes => word.get_or_insert_default().push(letters.next()?),
                _ if quote == Some(letter) => quote = None,
                '"' | '\'' if quote.is_none() && (letter == '"' || self == Shell::Posix) => {
                    quote = Some(letter);
                    word.get_or_insert_default();
                }
                ' ' | '\t' | '\r' | '\n' if quote.is_none() => words.extend(word.take()),
                _ => word.get_or_insert_default().push(letter),
            }
        }
        words.extend(word);
        quote.is_none().then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_quotes() {
        let words = ["harness", "match", "my engine", "it's", r"C:\engines\sf 16\sf.exe"];
        assert_eq!(
            Shell::Posix.join(words),
            r"harness match 'my engine' 'it'\''s' 'C:\engines\sf 16\sf.exe'"
        );
        assert_eq!(
            Shell::Windows.join(words),
            r#"harness match "my engine" "it's" "C:\engines\sf 16\sf.exe""#
        );
        assert_eq!(Shell::Windows.join([r"C:\sf.exe"]), r"C:\sf.exe");
    }

    #[test]
    fn what_was_joined_is_split_again() {
        for words in [
            vec!["a b", "", "c", "it's", "say \"no\""],
            vec![r"C:\a b\", r"\\server\x", r#"\""#, r#"a\\"b"#, r"\", "100%", "~"],
        ] {
            for shell in [Shell::Posix, Shell::Windows] {
                let line = shell.join(&words);
                assert_eq!(shell.split(&line).expect("closed"), words, "{line}");
            }
        }
        let line = r#"harness match 'my engine' "a b" 'it'\''s'"#;
        let words = Shell::Posix.split(line).expect("closed");
        assert_eq!(words, ["harness", "match", "my engine", "a b", "it's"]);
        assert_eq!(Shell::Posix.split("it's"), None);
        assert_eq!(Shell::Windows.split("it's").expect("no quote"), ["it's"]);
    }
}
