//! Tag pairs: `[Name "value"]`.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr_iter;

use harness_base::text::decode;

/// A tag pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag<'a> {
    /// Letters, digits and underscores.
    pub name: &'a [u8],
    /// As it is written between the quotes.
    pub value: &'a [u8],
    /// The value is longer than [`MAX_TAG_BYTES`] bytes: only its beginning is here.
    pub cut: bool,
}

/// Most bytes of a line with tags that are kept.
pub const MAX_TAG_BYTES: usize = 1 << 16;

impl<'a> Tag<'a> {
    /// The value: decoded, without the backslashes that escape quotes and backslashes.
    pub fn text(&self) -> Cow<'a, str> {
        let value = if self.cut { whole_characters(self.value) } else { self.value };
        let text = decode(value);
        if !text.contains('\\') {
            return text;
        }
        let mut plain = String::with_capacity(text.len());
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let escaped =
                characters.next_if(|next| character == '\\' && matches!(next, '"' | '\\'));
            plain.push(escaped.unwrap_or(character));
        }
        Cow::Owned(plain)
    }
}

/// Whether a text begins with a tag pair: a bracket, a name, and a quotation mark.
pub fn begins(text: &[u8]) -> bool {
    value_begin(text).is_some()
}

/// The usual tags, by their bits.
const USUAL: [&[u8]; 8] =
    [b"Event", b"Site", b"Date", b"Round", b"White", b"Black", b"Result", b"FEN"];

/// The bit of the tag pair that a text begins with, if it is one of the usual ones; 0 if not.
pub fn usual_name(text: &[u8]) -> u8 {
    let name = value_begin(text).map(|(name, _)| &text[name]);
    let place = USUAL.iter().position(|usual| name == Some(*usual));
    place.map_or(0, |place| 1 << place)
}

/// Where the name stands, and where the value begins; blanks and tabs may stand between.
fn value_begin(text: &[u8]) -> Option<(Range<usize>, usize)> {
    let (name, behind) = name_range(text)?;
    let quote = behind + blanks(&text[behind..]);
    (text.get(quote) == Some(&b'"')).then_some((name, quote + 1))
}

/// Where the name of a bracket stands, and the place behind it.
fn name_range(text: &[u8]) -> Option<(Range<usize>, usize)> {
    let inside = text.strip_prefix(b"[")?;
    let begin = 1 + blanks(inside);
    let length = text[begin..].iter().take_while(|byte| is_of_name(**byte)).count();
    let end = begin + length;
    (length > 0).then_some((begin..end, end))
}

/// Whether names of tags have this byte.
pub fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'#' | b'=' | b':' | b'-')
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Where a tag pair stands in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Its name.
    pub name: Range<usize>,
    /// Its value, between the quotation marks.
    pub value: Range<usize>,
    /// Bytes of the line up to its end.
    pub length: usize,
}

/// The tag pair that a line (without its end) begins with.
pub fn parse(line: &[u8]) -> Option<Pair> {
    let Some((name, begin)) = value_begin(line) else { return unquoted(line) };
    let (end, length) = value_end(line, begin);
    Some(Pair { name, value: begin..end, length })
}

/// `[Name value]`, to the last bracket of the line.
fn unquoted(line: &[u8]) -> Option<Pair> {
    let (name, behind) = name_range(line)?;
    let value = line[behind..].trim_ascii_end().strip_suffix(b"]")?.trim_ascii_end();
    let begin = behind + blanks(value);
    let is_separate = begin > behind && begin < behind + value.len();
    is_separate.then(|| Pair { name, value: begin..behind + value.len(), length: line.len() })
}

/// Where a value ends that begins at `begin`, and where its tag pair does.
///
/// Quotation marks within a value may be escaped or not: it ends at the first one with a bracket
/// behind it, and then the line's end, the next pair, or moves.
fn value_end(line: &[u8], begin: usize) -> (usize, usize) {
    let mut last = None;
    for quote in memchr_iter(b'"', &line[begin..]).map(|at| begin + at) {
        let bracket = quote + 1 + blanks(&line[quote + 1..]);
        if line.get(bracket) != Some(&b']') {
            continue;
        }
        last = Some((quote, bracket + 1));
        let rest = line[bracket + 1..].trim_ascii();
        let ends = rest.is_empty() || begins(rest) || !rest.ends_with(b"\"]");
        if ends && !is_escaped(&line[begin..quote]) {
            return (quote, bracket + 1);
        }
    }
    last.unwrap_or_else(|| unclosed(line, begin))
}

/// Whether an odd number of backslashes stands before a quotation mark.
fn is_escaped(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// The end of a value without a quotation mark and a bracket behind it.
fn unclosed(line: &[u8], begin: usize) -> (usize, usize) {
    let value = line[begin..].trim_ascii_end();
    let value = value.strip_suffix(b"]").or(value.strip_suffix(b"\"")).unwrap_or(value);
    (begin + value.len(), line.len())
}

/// Without the beginning of a UTF-8 character at the end.
fn whole_characters(text: &[u8]) -> &[u8] {
    let from = text.len().saturating_sub(3);
    match text[from..].iter().rposition(|byte| *byte >= 0xc0) {
        Some(at) if std::str::from_utf8(&text[from + at..]).is_err() => &text[..from + at],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(mut line: &[u8]) -> Vec<(String, String)> {
        let mut found = Vec::new();
        line = line.trim_ascii_start();
        while let Some(pair) = parse(line) {
            let tag = Tag { name: &line[pair.name], value: &line[pair.value], cut: false };
            found.push((decode(tag.name).into_owned(), tag.text().into_owned()));
            line = line[pair.length..].trim_ascii_start();
        }
        found
    }

    #[test]
    fn tags_are_read_as_people_and_programs_write_them() {
        for (line, wanted) in [
            (&br#"[White "a"]"#[..], &[("White", "a")][..]),
            (br#"[White     "a"]"#, &[("White", "a")]),
            (b"[White\t\"a\" ]  ", &[("White", "a")]),
            (br#"[White"a"]"#, &[("White", "a")]),
            (br#"[ White "a" ]"#, &[("White", "a")]),
            (br#"[White ""]"#, &[("White", "")]),
            (br#"[White "Eng "X" 2"]"#, &[("White", r#"Eng "X" 2"#)]),
            (br#"[White ""X""]"#, &[("White", r#""X""#)]),
            (br#"[White "a \"b\" \\c"]"#, &[("White", r#"a "b" \c"#)]),
            (br#"[White "C:\"]"#, &[("White", r"C:\")]),
            (br#"[White "C:\\"]"#, &[("White", r"C:\")]),
            (br#"[White "a [b] c]"]"#, &[("White", "a [b] c]")]),
            (br#"[White "a"] b"]"#, &[("White", r#"a"] b"#)]),
            (
                br#"[White "a"] [Black "b"][Round "1"]"#,
                &[("White", "a"), ("Black", "b"), ("Round", "1")],
            ),
            (br#"[White "x"] 1. e4"#, &[("White", "x")]),
            (br#"[White "x]"#, &[("White", "x")]),
            (br#"[White "x""#, &[("White", "x")]),
            (br#"[White "x"#, &[("White", "x")]),
            (b"[White alpha]", &[("White", "alpha")]),
            (b"[White \"M\xfcller\"]", &[("White", "Müller")]),
            (b"[%eval 0.3]", &[]),
            (b"[White]", &[]),
            (b"[]", &[]),
            (b"[", &[]),
        ] {
            let read = pairs(line);
            let read: Vec<(&str, &str)> = read.iter().map(|(a, b)| (&**a, &**b)).collect();
            assert_eq!(read, wanted, "{}", line.escape_ascii());
        }
    }

    #[test]
    fn a_value_that_is_cut_ends_with_a_whole_character() {
        for (value, text) in [(&b"a\xc3"[..], "a"), (b"a\xe2\x99", "a"), ("aü".as_bytes(), "aü")]
        {
            assert_eq!(Tag { name: b"White", value, cut: true }.text(), text);
        }
    }
}
