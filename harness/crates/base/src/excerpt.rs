//! The place of a fault in a text, as an error shows it: its line in part, and those beside it.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use crate::secret;
use crate::text::is_obeyed;

/// Most characters of a line that are shown.
const MAX_WIDTH: usize = 160;

/// Characters of a long line that are shown before the fault.
const BEFORE: usize = 60;

/// The lines around a fault. Of a long line a part is shown, and what is secret in addresses is not.
///
/// ```
/// use harness_base::excerpt::Excerpt;
///
/// let text = format!("one: 1\ntwo: {}bogus: 2\n", " ".repeat(100_000));
/// let excerpt = Excerpt::new("a.yaml", &text, 2, 100_012..100_017);
/// assert!(excerpt.text().lines().all(|line| line.chars().count() <= 162));
/// ```
#[derive(Clone, Debug)]
pub struct Excerpt {
    name: String,
    /// The lines that are shown.
    text: String,
    /// Number of the first of them, from 0.
    first: usize,
    /// The fault in `text`.
    span: SourceSpan,
    /// Column of the fault in its whole line, in characters from 0.
    column: usize,
}

impl Excerpt {
    /// The lines around some bytes of a text, which begin on line `line`, from 1.
    pub fn new(name: &str, text: &str, line: usize, span: Range<usize>) -> Excerpt {
        let at = text.floor_char_boundary(span.start);
        let end = text.floor_char_boundary(span.end).max(at);
        let begin = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let (whole, behind) = split_line(&text[begin..]);
        let before = before(&text[..begin]);
        let masked = secret::mask_urls(whole);
        // Where something was masked before the fault its place is near.
        let at = masked.floor_char_boundary(at - begin);
        let end = masked.floor_char_boundary((end - begin).min(masked.len())).max(at);
        let column = masked[..at].chars().count();
        let is_long = masked.chars().nth(MAX_WIDTH).is_some();
        let left_out = if is_long { column.saturating_sub(BEFORE) } else { 0 };
        let mut shown = String::new();
        if let Some(before) = before {
            shown += &part(&secret::mask_urls(before), 0);
            shown.push('\n');
        }
        let own = part(&masked, left_out);
        let mark = usize::from(left_out > 0);
        let offset = |column: usize| own.chars().take(column).map(char::len_utf8).sum::<usize>();
        let start = offset(column - left_out + mark);
        let stop = offset(column - left_out + mark + masked[at..end].chars().count());
        let span = (shown.len() + start, stop.max(start) - start).into();
        shown += &own;
        shown.push('\n');
        if let Some(behind) = behind {
            let (next, _) = split_line(behind);
            if !next.is_empty() {
                shown += &part(&secret::mask_urls(next), 0);
                shown.push('\n');
            }
        }
        let first = line.saturating_sub(1 + usize::from(before.is_some()));
        Excerpt { name: name.to_owned(), text: shown, first, span, column }
    }

    /// The fault in the lines that are shown.
    pub fn span(&self) -> SourceSpan {
        self.span
    }

    /// The lines that are shown.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The first line of a text, and what is behind its end.
fn split_line(text: &str) -> (&str, Option<&str>) {
    let Some(end) = text.find(['\n', '\r']) else { return (text, None) };
    let length = if text[end..].starts_with("\r\n") { 2 } else { 1 };
    (&text[..end], Some(&text[end + length..]))
}

/// The last line of a text that ends with a line end.
fn before(text: &str) -> Option<&str> {
    let text = text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r']))?;
    let begin = text.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    Some(&text[begin..])
}

/// A part of a line from a column on, `…` in place of what is left out, U+FFFD in place of what a
/// terminal would obey.
fn part(line: &str, from: usize) -> String {
    let mut shown = String::new();
    if from > 0 {
        shown.push('…');
    }
    let mut letters = line.chars().skip(from);
    let plain = |letter| if is_obeyed(letter) && letter != '\t' { '\u{fffd}' } else { letter };
    shown.extend(letters.by_ref().take(MAX_WIDTH).map(plain));
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let read = self.text.as_str().read_span(span, lines_before, lines_after)?;
        // Only what begins at the fault has its column.
        let is_fault = read.span().offset() == self.span.offset() && lines_before == 0;
        let column = if is_fault { self.column } else { read.column() };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            read.data(),
            *read.span(),
            self.first + read.line(),
            column,
            read.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, line: usize, at: usize) -> (String, String) {
        let excerpt = Excerpt::new("a", text, line, at..at + 3);
        let span = excerpt.span();
        let marked = &excerpt.text()[span.offset()..span.offset() + span.len()];
        (excerpt.text().to_owned(), marked.to_owned())
    }

    #[test]
    fn a_short_line_is_shown_as_it_is_with_those_beside_it() {
        let text = "one\ntwo bad\r\nthree\nfour\n";
        let (all, marked) = shown(text, 2, 8);
        assert_eq!((&*all, &*marked), ("one\ntwo bad\nthree\n", "bad"));
        assert_eq!(shown("bad", 1, 0), ("bad\n".to_owned(), "bad".to_owned()));
        assert_eq!(shown("", 1, 0).0, "\n");
        assert_eq!(shown("a\n", 2, 2).0, "a\n\n");
    }

    #[test]
    fn a_long_line_is_shown_around_the_fault() {
        let text =
            format!("{}\n{}bad{}\nlast", "x".repeat(500), "é".repeat(70_000), "z".repeat(500));
        let at = text.find("bad").expect("it is in there");
        let (all, marked) = shown(&text, 2, at);
        assert_eq!(marked, "bad");
        let lines: Vec<&str> = all.lines().collect();
        assert_eq!(lines[0], format!("{}…", "x".repeat(160)));
        assert_eq!(lines[1], format!("…{}bad{}…", "é".repeat(60), "z".repeat(97)));
        assert_eq!(lines[2], "last");
    }

    #[test]
    fn the_place_is_that_of_the_whole_text() {
        let text = format!("one\n{}bad", " ".repeat(70_000));
        let excerpt = Excerpt::new("a", &text, 2, 70_004..70_007);
        let read = excerpt.read_span(&excerpt.span(), 0, 0).expect("within");
        assert_eq!((read.line(), read.column(), read.data()), (1, 70_000, &b"bad"[..]));
        let around = excerpt.read_span(&excerpt.span(), 1, 1).expect("within");
        assert_eq!(around.line(), 0);
    }

    #[test]
    fn secrets_and_control_characters_are_not_shown() {
        let text = "server: nats://me:secret@host \u{1b}[1m bad";
        let (all, _) = shown(text, 1, text.len() - 3);
        assert!(!all.contains("secret") && !all.contains('\u{1b}'), "{all}");
    }
}
