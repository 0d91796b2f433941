//! Words of the movetext: move numbers, results, signs, and moves.

use std::borrow::Cow;

use shakmaty::{Color, KnownOutcome, Outcome};

use super::glyphs::{self, Nags};
use harness_base::text::decode;

/// Kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// A move number; what is behind its dots begins here.
    Number {
        /// The number; 0 where there is none, as before the dots of `...`.
        number: u32,
        /// Where the rest of the word begins.
        behind: usize,
        /// It is one of Black's move, with three dots.
        black: bool,
    },
    /// How the game ended.
    Result(Outcome),
    /// Signs without a move.
    Glyphs(Nags),
    /// Anything else, as a rule a move.
    Move,
}

/// Whether a byte ends a word (and is not part of it).
#[inline]
pub fn is_delimiter(byte: u8) -> bool {
    DELIMITERS[usize::from(byte)]
}

const DELIMITERS: [bool; 256] = {
    let mut table = [false; 256];
    let mut index = 0;
    let bytes = b"\0\t\n\x0b\x0c\x1a\r *;{}()[]$";
    while index < bytes.len() {
        table[bytes[index] as usize] = true;
        index += 1;
    }
    table
};

/// Characters of several bytes that separate words: no-break space, line separators, byte order
/// mark.
const SPACES: [&str; 5] = ["\u{a0}", "\u{2028}", "\u{2029}", "\u{202f}", "\u{feff}"];

/// Bytes of a blank that a text begins with, other than ASCII; 0 if it begins with none.
pub fn wide_blank(text: &[u8]) -> usize {
    let known = SPACES.iter().find(|space| text.starts_with(space.as_bytes()));
    match (known, text) {
        (Some(space), _) => space.len(),
        // The no-break space of Latin-1: in UTF-8 no character begins with this byte.
        (None, [0xa0, ..]) => 1,
        _ => 0,
    }
}

/// Bytes of the word that a text begins with, at most all of it.
#[inline]
pub fn word_length(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if is_delimiter(byte) {
            break;
        }
        if byte >= 0x80 && at > 0 && byte & 0xc0 == 0xc0 && wide_blank(&text[at..]) > 0 {
            break;
        }
        at += 1;
    }
    at + promoted(&text[..at], &text[at..])
}

/// The bytes of a promotion in parentheses: `(Q)` of `a8(Q)`.
fn promoted(word: &[u8], rest: &[u8]) -> usize {
    let parenthesised = matches!(rest, [b'(', piece, b')', ..] if b"QRBNqrbn".contains(piece));
    if parenthesised && matches!(word.last(), Some(b'1' | b'8')) { 3 } else { 0 }
}

/// Kind of a word.
#[inline]
pub fn classify(word: &[u8]) -> Token {
    match word {
        // The usual beginnings of moves.
        [b'a'..=b'h', b'1'..=b'8' | b'x', ..]
        | [b'B' | b'K' | b'N' | b'Q' | b'R', b'a'..=b'h' | b'1'..=b'8' | b'x', ..]
        | [b'O', b'-', ..] => Token::Move,
        _ => classify_other(word),
    }
}

fn classify_other(word: &[u8]) -> Token {
    if let Some(result) = result(word) {
        return Token::Result(result);
    }
    if let Some(number) = number(word) {
        return number;
    }
    match glyphs::all(&decode(word)) {
        Some(nags) => Token::Glyphs(nags),
        None => Token::Move,
    }
}

/// `1-0`, `0-1`, `1/2-1/2`, with any kind of dash or a colon, or `½-½`.
fn result(word: &[u8]) -> Option<Outcome> {
    if !matches!(word.first(), Some(b'0' | b'1' | 0xc2 | 0xbd)) || word.len() > 16 {
        return None;
    }
    let text = if word.is_ascii() && !word.contains(&b':') {
        decode(word)
    } else {
        Cow::Owned(decode(word).replace(['–', '—', '‐', '‑', '−', ':'], "-"))
    };
    let decisive = |winner| Some(Outcome::Known(KnownOutcome::Decisive { winner }));
    match &*text {
        "1-0" => decisive(Color::White),
        "0-1" => decisive(Color::Black),
        "1/2-1/2" | "1/2" | "½-½" | "½" => Some(Outcome::Known(KnownOutcome::Draw)),
        _ => None,
    }
}

/// A move number, its dots, and where what follows it begins; dots alone.
fn number(word: &[u8]) -> Option<Token> {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (dots, length) = dots(&word[digits..]);
    let behind = digits + length;
    // `0-0` castles, `0000` is a null move, and `00` is no number.
    let is_number = match (digits, dots, word.get(behind)) {
        (0, dots, _) => dots > 0,
        (_, _, None) => word[0] != b'0' || digits == 1,
        (_, 0, Some(next)) => word[0] != b'0' && matches!(next, b'a'..=b'h' | b'A'..=b'Z' | 0xe2),
        (..) => true,
    };
    let value =
        |sum: u32, digit: &u8| sum.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
    is_number.then(|| Token::Number {
        number: word[..digits].iter().fold(0, value),
        behind,
        black: dots > 1,
    })
}

/// The number of dots at the beginning of a text, and their bytes.
fn dots(text: &[u8]) -> (usize, usize) {
    let mut dots = 0;
    let mut at = 0;
    loop {
        match &text[at..] {
            [b'.', ..] => (dots, at) = (dots + 1, at + 1),
            // `…` in UTF-8 and in Windows-1252.
            [0xe2, 0x80, 0xa6, ..] => (dots, at) = (dots + 3, at + 3),
            [0x85, ..] => (dots, at) = (dots + 3, at + 1),
            _ => return (dots, at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_movetext_are_told_apart() {
        let number = |number, behind, black| Token::Number { number, behind, black };
        let won = |winner| Token::Result(Outcome::Known(KnownOutcome::Decisive { winner }));
        let drawn = Token::Result(Outcome::Known(KnownOutcome::Draw));
        for (word, wanted) in [
            ("1.", number(1, 2, false)),
            ("12", number(12, 2, false)),
            ("1.e4", number(1, 2, false)),
            ("1e4", number(1, 1, false)),
            ("1...e5", number(1, 4, true)),
            ("1…", number(1, 4, true)),
            ("...", number(0, 3, true)),
            ("99999999999.", number(u32::MAX, 12, false)),
            ("0.", number(0, 2, false)),
            ("1-0", won(Color::White)),
            ("0-1", won(Color::Black)),
            ("0–1", won(Color::Black)),
            ("1/2-1/2", drawn),
            ("½-½", drawn),
            ("1/2:1/2", drawn),
            ("1:0", won(Color::White)),
            ("0-0", Token::Move),
            ("0-0-0+", Token::Move),
            ("0000", Token::Move),
            ("00", Token::Move),
            ("--", Token::Move),
            ("e4", Token::Move),
            ("Nf3+/-", Token::Move),
            ("♘f3", Token::Move),
            ("rubbish", Token::Move),
        ] {
            assert_eq!(classify(word.as_bytes()), wanted, "{word}");
        }
        for word in ["!?", "±", "N", "+", "e.p.", "mate", "="] {
            assert!(matches!(classify(word.as_bytes()), Token::Glyphs(_)), "{word}");
        }
        assert_eq!(classify(b"\xbd-\xbd"), drawn);
        assert_eq!(classify(b"1\x85"), number(1, 2, true));
    }

    #[test]
    fn a_word_ends_at_blanks_brackets_and_comments() {
        for (text, wanted) in [
            ("e4 e5", 2),
            ("e4{x}", 2),
            ("e4;x", 2),
            ("e4*", 2),
            ("e4\u{a0}e5", 2),
            ("♘f3 x", 5),
            ("a8(Q)+ x", 5),
            ("a8(x)", 2),
            ("e4$1", 2),
            ("1-0[Event", 3),
        ] {
            assert_eq!(word_length(text.as_bytes()), wanted, "{text}");
        }
    }
}
