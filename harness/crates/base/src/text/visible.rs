//! Texts of others on a terminal.

use std::fmt::Write;

/// Whether a terminal or a page obeys the character rather than to show it: control characters, and those
/// that turn the direction of what follows or end a line.
///
/// ```
/// use harness_base::text::is_obeyed;
///
/// assert!(['\u{1b}', '\n', '\u{202e}', '\u{2028}'].into_iter().all(is_obeyed));
/// assert!(['a', 'é', '象', '½', '\u{200d}'].into_iter().all(|letter| !is_obeyed(letter)));
/// ```
pub fn is_obeyed(letter: char) -> bool {
    let is_direction = matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter.is_control() || is_direction
}

/// The text with the characters that [`is_obeyed`] names, but for line ends and tabs, written as `\u001b`.
///
/// Terminals obey them, and names in files and of engines may contain any. The form is that of
/// JSON, so that a JSON text stays the same value.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        push_visible(&mut shown, letter);
    }
    shown
}

/// Appends a character as [`visible`] has it.
pub fn push_visible(shown: &mut String, letter: char) {
    if is_obeyed(letter) && letter != '\n' && letter != '\t' {
        // Writing to a string cannot fail.
        let _ = write!(shown, "\\u{:04x}", u32::from(letter));
    } else {
        shown.push(letter);
    }
}

/// The first `most` characters of a text, `…` in place of others.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The first `most` characters of a text as one line, `…` in place of others: line ends and tabs are
/// written `\n`, `\r` and `\t`.
///
/// ```
/// use harness_base::text::brief;
///
/// assert_eq!(brief("one\ttwo\u{1b}", 40), r"one\ttwo\u001b");
/// assert_eq!(brief("too long", 5), "too l…");
/// ```
pub fn brief(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let mut letters = text.chars();
    for letter in letters.by_ref().take(most) {
        match letter {
            '\n' | '\r' | '\t' => shown.extend(letter.escape_default()),
            letter => push_visible(&mut shown, letter),
        }
    }
    if letters.next().is_some() {
        shown.push('…');
    }
    shown
}
