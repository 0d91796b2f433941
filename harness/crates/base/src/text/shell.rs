//! A command line that people can paste into a shell, and commands in which a path is filled in.

use std::ffi::{OsStr, OsString};

use crate::platform;

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
/// use harness_base::text::shell_words;
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
/// use harness_base::text::shell_split;
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

/// A shell command in which `$NAME` and `${NAME}` are one word each, whatever the value has: quotes are
/// put around those that stand outside of quotes.
pub fn quote_variable(command: &str, name: &str) -> String {
    let plain = format!("${name}");
    let braced = format!("${{{name}}}");
    let length = |rest: &str| {
        let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let is_plain = rest.strip_prefix(&plain).is_some_and(|next| !next.starts_with(is_of_name));
        if is_plain { Some(plain.len()) } else { rest.starts_with(&braced).then_some(braced.len()) }
    };
    let mut text = String::new();
    for (piece, place) in pieces(command, length) {
        text.push_str(piece);
        match place {
            Some(Place { text: variable, quote: None }) => {
                text.push_str(&format!("\"{variable}\""))
            }
            Some(place) => text.push_str(place.text),
            None => {}
        }
    }
    text
}

/// A shell command with a word in place of each `mark`, quoted as the place needs it: nothing, double or
/// single quotes around it.
pub fn fill_word(command: &str, mark: &str, word: &OsStr) -> OsString {
    let length = |rest: &str| rest.starts_with(mark).then_some(mark.len());
    let mut line = OsString::new();
    for (piece, place) in pieces(command, length) {
        line.push(piece);
        if let Some(place) = place {
            line.push(within_quotes(word, place.quote));
        }
    }
    line
}

/// A word as it stands in a command within this quote.
fn within_quotes(word: &OsStr, quote: Option<char>) -> OsString {
    if let (Some(text), None) = (word.to_str(), quote) {
        return shell_words([text]).into();
    }
    // Bytes, as a path may have another encoding than UTF-8.
    let escaped = |byte: &u8| match (quote, byte) {
        (Some('"'), b'"' | b'$' | b'`' | b'\\') => vec![b'\\', *byte],
        (None | Some('\''), b'\'') => br"'\''".to_vec(),
        _ => vec![*byte],
    };
    let mut bytes: Vec<u8> = word.as_encoded_bytes().iter().flat_map(escaped).collect();
    if quote.is_none() {
        bytes.insert(0, b'\'');
        bytes.push(b'\'');
    }
    platform::path_of_bytes(bytes).into_os_string()
}

/// A place in a command that is to be replaced, and the quote that is open there.
struct Place<'a> {
    text: &'a str,
    quote: Option<char>,
}

/// The pieces of a command, each with the place behind it; `length` tells how long a place is that a
/// text begins with. What stands behind a backslash stands for itself.
fn pieces(command: &str, length: impl Fn(&str) -> Option<usize>) -> Vec<(&str, Option<Place<'_>>)> {
    let mut all = Vec::new();
    let mut begin = 0;
    let mut at = 0;
    let mut open = Vec::new();
    while at < command.len() {
        let rest = &command[at..];
        match length(rest) {
            Some(length) => {
                let quote = open.last().copied().filter(|quote| matches!(quote, '\'' | '"'));
                all.push((&command[begin..at], Some(Place { text: &rest[..length], quote })));
                at += length;
                begin = at;
            }
            None => at += step(rest, &mut open),
        }
    }
    all.push((&command[begin..], None));
    all
}

/// Bytes of what stands for itself at the beginning of a command's rest; `open` are the quotes and
/// the substitutions, `$(...)` and `` `...` ``, within which it stands: in those words are quoted as
/// outside of the quotes around them.
fn step(rest: &str, open: &mut Vec<char>) -> usize {
    let mut letters = rest.chars();
    let Some(letter) = letters.next() else { return 0 };
    let next = letters.next();
    let both = letter.len_utf8() + next.map_or(0, char::len_utf8);
    match (open.last(), letter) {
        (Some('\''), '\'') | (Some('"'), '"') | (Some('('), ')') | (Some('`'), '`') => {
            open.pop();
        }
        (Some('\''), _) => {}
        (_, '\\') => return both,
        (Some('"'), '$') if next == Some('(') => {
            open.push('(');
            return both;
        }
        (_, '`') => open.push('`'),
        (Some('"'), _) => {}
        (_, '\'' | '"' | '(') => open.push(letter),
        _ => {}
    }
    letter.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_one_word_of_a_command_whatever_its_value_has() {
        for (command, quoted) in [
            ("$ENGINE bench 12", "\"$ENGINE\" bench 12"),
            ("printf 'bench\nquit\n' | $ENGINE", "printf 'bench\nquit\n' | \"$ENGINE\""),
            ("\"$ENGINE\" bench", "\"$ENGINE\" bench"),
            ("\"${ENGINE}\" bench; ${ENGINE}", "\"${ENGINE}\" bench; \"${ENGINE}\""),
            ("echo '$ENGINE' \\$ENGINE", "echo '$ENGINE' \\$ENGINE"),
            ("$ENGINES $ENGINE_2 $ENGINE/x", "$ENGINES $ENGINE_2 \"$ENGINE\"/x"),
            ("echo \"it's\" $ENGINE", "echo \"it's\" \"$ENGINE\""),
            ("echo \"\\\"\" $ENGINE é", "echo \"\\\"\" \"$ENGINE\" é"),
            (
                "x=\"$($ENGINE bench | head -1)\" $ENGINE",
                "x=\"$(\"$ENGINE\" bench | head -1)\" \"$ENGINE\"",
            ),
            ("\"`$ENGINE`\" ($ENGINE) \"$ENGINE\"", "\"`\"$ENGINE\"`\" (\"$ENGINE\") \"$ENGINE\""),
            ("", ""),
        ] {
            assert_eq!(quote_variable(command, "ENGINE"), quoted, "{command}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_word_is_filled_in_as_the_quotes_around_it_need() {
        // The last one is no UTF-8.
        let words: [&[u8]; 3] =
            [b"/a/b", b"/my $HOME/it's \"x\" `y`\\z", b"/\xff $HOME/it's \"x\" `y`"];
        for bytes in words {
            let path = platform::path_of_bytes(bytes.to_vec());
            let word = &*String::from_utf8_lossy(bytes);
            let argument = |command: &str| {
                let line = fill_word(command, "{}", path.as_ref());
                let output = std::process::Command::new("sh").arg("-c").arg(&line).output();
                String::from_utf8_lossy(&output.expect("a shell").stdout).into_owned()
            };
            for command in [
                "printf %s {}",
                "printf %s \"{}\"",
                "printf %s '{}'",
                "printf %s x\"\"{}",
                "x=\"$(printf %s {} | cat)\"; printf %s \"$x\"",
                "(printf %s \"$(printf %s \"{}\")\")",
            ] {
                assert!(argument(command).ends_with(word), "{command}: {}", argument(command));
            }
            assert_eq!(argument("printf %s \\{}"), "{}");
            assert_eq!(argument("printf %s,%s {} {}"), format!("{word},{word}"));
        }
    }

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
