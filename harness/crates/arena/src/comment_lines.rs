//! Lines that an engine prints for the comments of its moves in PGN.

use std::fmt::Write;

use regex::Regex;

/// Regular expressions that select lines.
#[derive(Debug, Default)]
pub(super) struct CommentLines {
    patterns: Vec<Regex>,
}

/// Checks that a text is a regular expression.
///
/// # Errors
/// When it is none; with the reason.
pub fn check_pattern(pattern: &str) -> Result<(), String> {
    CommentLines::new(&[pattern.to_owned()]).map(drop)
}

impl CommentLines {
    /// Of the texts of regular expressions.
    ///
    /// # Errors
    /// When one is none; with the reason.
    pub(super) fn new(patterns: &[String]) -> Result<CommentLines, String> {
        let compiled = patterns
            .iter()
            .map(|pattern| Regex::new(pattern).map_err(|error| format!("`{pattern}`: {error}")));
        Ok(CommentLines { patterns: compiled.collect::<Result<_, _>>()? })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Appends of each pattern the last of the lines that match it, as fastchess does: `, line="..."`. What
    /// would end the comment is replaced.
    pub(super) fn write(&self, lines: &[u8], text: &mut String) {
        if self.patterns.is_empty() {
            return;
        }
        let lines = String::from_utf8_lossy(lines);
        for pattern in &self.patterns {
            let Some(line) = lines.lines().rev().find(|line| pattern.is_match(line)) else {
                continue;
            };
            let safe: String = line
                .chars()
                .map(|letter| match letter {
                    '{' => '(',
                    '}' => ')',
                    _ if letter.is_control() => ' ',
                    _ => letter,
                })
                .collect();
            let _ = write!(text, ", line=\"{safe}\"");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_matches_is_written_and_cannot_end_the_comment() {
        let lines =
            b"info string pgncomment one\ninfo depth 3\ninfo string pgncomment {two}\n\xff\n";
        for (patterns, expected) in [
            (&["^info string pgncomment .*"][..], ", line=\"info string pgncomment (two)\""),
            (&["depth", "one$"], ", line=\"info depth 3\", line=\"info string pgncomment one\""),
            (&["nothing"], ""),
            (&[], ""),
        ] {
            let patterns: Vec<String> = patterns.iter().map(|&text| text.to_owned()).collect();
            let mut text = String::new();
            CommentLines::new(&patterns).unwrap().write(lines, &mut text);
            assert_eq!(text, expected);
        }
        assert!(CommentLines::new(&["(".to_owned()]).is_err());
    }
}
