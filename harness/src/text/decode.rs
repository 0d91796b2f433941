//! Text of unknown encoding.

use std::borrow::Cow;

/// The characters of the bytes 0x80 to 0x9f in Windows-1252; the five that it leaves undefined are
/// control characters, as in the encoding standard of the Web.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of some bytes: UTF-8, and what is none is read as Windows-1252 (of which Latin-1 is a
/// part), byte by byte. Every byte sequence has a text, and different names stay different.
///
/// ```
/// use harness::text::decode;
///
/// assert_eq!(decode("Müller".as_bytes()), "Müller");
/// assert_eq!(decode(b"M\xfcller"), "Müller");
/// ```
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(decode_mixed(bytes)),
    }
}

fn decode_mixed(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| single(byte)));
    }
    text
}

/// The character of a byte in Windows-1252.
fn single(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf8_are_those_of_windows_1252() {
        for (bytes, text) in [
            (&b"plain"[..], "plain"),
            ("Müller ½ ♞".as_bytes(), "Müller ½ ♞"),
            (b"M\xfcller", "Müller"),
            (b"M\xf6ller", "Möller"),
            (b"\x93quoted\x94 \x80 5", "“quoted” € 5"),
            (b"\xbd-\xbd", "½-½"),
            // Both in one text, and a sequence that is cut.
            (b"\xc3\xbc and \xfc", "ü and ü"),
            (b"caf\xc3", "cafÃ"),
            (b"\x81\xff", "\u{81}ÿ"),
            (b"", ""),
        ] {
            assert_eq!(decode(bytes), text, "{}", bytes.escape_ascii());
        }
        assert!(matches!(decode(b"borrowed"), Cow::Borrowed(_)));
    }

    #[test]
    fn every_byte_has_a_character_of_its_own() {
        let all: Vec<char> = (0..=u8::MAX).map(single).collect();
        let unique: std::collections::BTreeSet<char> = all.iter().copied().collect();
        assert_eq!(unique.len(), 256);
    }
}
