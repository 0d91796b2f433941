//! Characters of a pasted text: whether it is one, and which of them are none of it.

use super::PastedError;

/// Characters of a part that are shown.
const SHOWN_CHARS: usize = 80;

/// A text in which more characters than this share are control characters is none.
const MAX_CONTROL_SHARE: f64 = 0.02;

/// A text without the invisible characters that pages and chats put between words, as marks of the direction of
/// writing. In comments and tags they stay: some scripts need them.
pub fn without_invisible(text: &str) -> String {
    let (mut in_comment, mut in_tag, mut in_rest) = (false, false, false);
    let is_kept = |letter: &char| {
        match letter {
            '{' if !in_tag && !in_rest => in_comment = true,
            '}' if !in_rest => in_comment = false,
            ';' if !in_comment && !in_tag => in_rest = true,
            '"' if !in_comment && !in_rest => in_tag = !in_tag,
            '\n' | '\r' => (in_tag, in_rest) = (false, false),
            _ => {}
        }
        let is_invisible = matches!(
            letter,
            '\u{ad}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2064}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
        );
        in_comment || in_tag || in_rest || !is_invisible
    };
    text.chars().filter(is_kept).collect()
}

/// Whether bytes were a text, and not an empty one.
///
/// # Errors
/// When they were not.
pub fn check(text: &str) -> Result<(), PastedError> {
    if text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        return Err(PastedError::Empty);
    }
    // 0x1a is the end of a file of DOS.
    let is_control =
        |c: &char| (c.is_control() && !c.is_whitespace() && *c != '\x1a') || *c == '\u{fffd}';
    let (control, characters) = (text.chars().filter(is_control).count(), text.chars().count());
    if control as f64 > MAX_CONTROL_SHARE * characters as f64 {
        return Err(PastedError::Binary { control, characters });
    }
    Ok(())
}

/// The beginning of a text, for people.
pub fn shown(text: &str) -> String {
    let mut shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if shown.chars().count() > SHOWN_CHARS {
        shown = shown.chars().take(SHOWN_CHARS).collect();
        shown.push('…');
    }
    shown.replace(|c: char| c.is_control(), "·")
}

#[cfg(test)]
mod tests {
    use super::super::read_pasted;
    use super::*;

    #[test]
    fn invisible_characters_between_words_are_no_part_of_moves() {
        let text = "\u{202e}1. e4\u{200b} e5 {a\u{200d}b} \u{feff}2. N\u{ad}f3\u{2069} *";
        let read = read_pasted(text.as_bytes(), 1).expect("a game");
        assert_eq!((read.tree.main_line().len(), read.left), (3, vec![]));
        assert!(read.tree.to_pgn().contains("{ a\u{200d}b }"), "{}", read.tree.to_pgn());
        let rest =
            read_pasted("1. e4 ; a\u{200d}b {\n e5\u{200b} 2. Nf3".as_bytes(), 1).expect("a game");
        assert_eq!((rest.tree.main_line().len(), rest.left), (3, vec![]));
        assert!(rest.tree.to_pgn().contains("a\u{200d}b"), "{}", rest.tree.to_pgn());
        let fen = "\u{200e}8/8/8/4k3/8/4K3/4P3/8 w - - 0 1\u{200e}";
        assert!(read_pasted(fen.as_bytes(), 1).is_ok());
        assert_eq!(read_pasted("\u{200b}".as_bytes(), 1).err(), Some(PastedError::Empty));
    }
}
