//! Decoding of text files: UTF-8 with or without a byte order mark, UTF-16 with one, Windows-1252.

use std::borrow::Cow;
use std::io::{self, Read};

/// The byte order mark as UTF-8.
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Windows-1252 from 0x80 to 0x9F; the rest is Latin-1. The five bytes that it leaves open are the
/// control characters of Latin-1, as in the WHATWG encoding standard.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// A text whose encoding is not stated: UTF-8, and each byte that is none as Windows-1252.
///
/// Bytes are decided one by one, since joined files hold both encodings.
///
/// ```
/// use harness_base::text::decode;
///
/// assert_eq!(decode("Zoë".as_bytes()), "Zoë");
/// assert_eq!(decode(b"Zo\xeb"), "Zoë");
/// ```
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| of_windows_1252(byte)));
    }
    Cow::Owned(text)
}

fn of_windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// The text of a whole file, without its byte order mark: UTF-16 if that says so, otherwise as
/// [`decode`].
pub fn decode_file(bytes: &[u8]) -> Cow<'_, str> {
    match Utf16::detect(bytes) {
        Some(order) => Cow::Owned(order.decode(&bytes[2..])),
        None => decode(without_mark(bytes)),
    }
}

/// The bytes behind the byte order mark of UTF-8, if there is one.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes)
}

/// Whether a file that begins with these bytes is UTF-16.
pub fn is_utf16(begin: &[u8]) -> bool {
    Utf16::detect(begin).is_some()
}

/// The order of bytes in UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Utf16 {
    Little,
    Big,
}

impl Utf16 {
    /// The order that a byte order mark names.
    fn detect(bytes: &[u8]) -> Option<Utf16> {
        match bytes {
            [0xff, 0xfe, ..] => Some(Utf16::Little),
            [0xfe, 0xff, ..] => Some(Utf16::Big),
            _ => None,
        }
    }

    fn unit(self, [first, second]: [u8; 2]) -> u16 {
        match self {
            Utf16::Little => u16::from_le_bytes([first, second]),
            Utf16::Big => u16::from_be_bytes([first, second]),
        }
    }

    /// An unpaired surrogate or an odd last byte becomes U+FFFD.
    fn decode(self, bytes: &[u8]) -> String {
        let (pairs, odd) = bytes.as_chunks::<2>();
        let units = pairs.iter().map(|&pair| self.unit(pair));
        let characters = char::decode_utf16(units)
            .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER));
        characters.chain(odd.iter().map(|_| char::REPLACEMENT_CHARACTER)).collect()
    }
}

/// A source of text: UTF-16 becomes UTF-8, other bytes stay.
#[derive(Debug)]
pub struct TextSource<R> {
    source: R,
    /// `None` before the first bytes are read.
    encoding: Option<Encoding>,
    /// The byte order mark of UTF-8 stays.
    keeps_mark: bool,
    /// Bytes to give away, and how many of them are given.
    ready: Vec<u8>,
    given: usize,
    /// Bytes of a character of UTF-16 that is not whole yet.
    rest: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Bytes,
    Utf16(Utf16),
}

impl<R: Read> TextSource<R> {
    /// From the beginning of a file, without its byte order mark.
    pub fn new(source: R) -> TextSource<R> {
        TextSource {
            source,
            encoding: None,
            keeps_mark: false,
            ready: Vec::new(),
            given: 0,
            rest: Vec::new(),
        }
    }

    /// From the beginning of a file. Bytes that are not UTF-16 stay as they are, a mark of UTF-8
    /// included, so that places in the text are those in the file.
    pub fn in_place(source: R) -> TextSource<R> {
        TextSource { keeps_mark: true, ..TextSource::new(source) }
    }

    /// From the midst of a text that is not UTF-16.
    pub fn within(source: R) -> TextSource<R> {
        TextSource { encoding: Some(Encoding::Bytes), ..TextSource::in_place(source) }
    }

    /// Reads the first bytes, and what they say about the encoding.
    fn begin(&mut self) -> io::Result<Encoding> {
        let mut begin = Vec::new();
        self.source.by_ref().take(UTF8_MARK.len() as u64).read_to_end(&mut begin)?;
        let encoding = match Utf16::detect(&begin) {
            Some(order) => {
                self.rest = begin.split_off(2);
                Encoding::Utf16(order)
            }
            None if self.keeps_mark => {
                self.ready = begin;
                Encoding::Bytes
            }
            None => {
                self.ready = without_mark(&begin).to_vec();
                Encoding::Bytes
            }
        };
        self.encoding = Some(encoding);
        Ok(encoding)
    }

    /// Decodes some more UTF-16; nothing at the end of the file.
    fn refill(&mut self, order: Utf16) -> io::Result<()> {
        const STRIDE: u64 = 1 << 14;
        let read = self.source.by_ref().take(STRIDE).read_to_end(&mut self.rest)? as u64;
        let mut whole = self.rest.len();
        if read == STRIDE {
            whole -= whole % 2;
            let last = self.rest[..whole].last_chunk::<2>();
            // The second half of the pair follows.
            if last.is_some_and(|&last| (0xd800..0xdc00).contains(&order.unit(last))) {
                whole -= 2;
            }
        }
        self.ready = order.decode(&self.rest[..whole]).into_bytes();
        self.given = 0;
        self.rest.drain(..whole);
        Ok(())
    }
}

impl<R: Read> Read for TextSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let encoding = match self.encoding {
            Some(encoding) => encoding,
            None => self.begin()?,
        };
        let left = self.ready.len() - self.given;
        match encoding {
            // In one go, since readers read in large strides.
            Encoding::Bytes if left < buffer.len() => {
                let read = self.source.read(&mut buffer[left..])?;
                buffer[..left].copy_from_slice(&self.ready[self.given..]);
                self.given = self.ready.len();
                return Ok(left + read);
            }
            Encoding::Utf16(order) if left == 0 => self.refill(order)?,
            _ => {}
        }
        let read = (&self.ready[self.given..]).read(buffer)?;
        self.given += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn utf16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes_of).collect()
    }

    fn all_of(mut source: impl Read) -> Vec<u8> {
        let mut read = Vec::new();
        source.read_to_end(&mut read).expect("memory");
        read
    }

    fn through_a_source(bytes: &[u8]) -> Vec<u8> {
        all_of(TextSource::new(bytes))
    }

    #[test]
    fn text_is_decoded_whatever_its_encoding() {
        let cases: [(&[u8], &str); 8] = [
            (b"", ""),
            ("Müller – Zoë ♞".as_bytes(), "Müller – Zoë ♞"),
            (b"\xef\xbb\xbfM\xc3\xbcller", "Müller"),
            (b"M\xfcller \x96 \x80", "Müller – €"),
            // Two joined files.
            (b"M\xc3\xbcller, M\xfcller", "Müller, Müller"),
            // The first byte of a character alone, within and at the end.
            (b"\xc3(\xe2\x82", "Ã(â‚"),
            (b"\xff\xfeM\x00\xfc\x00\xd8\x3d", "Mü㷘"),
            (b"\xfe\xff\x00M\x00\xfc\xd8\x3d", "Mü\u{fffd}"),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(decode_file(bytes), wanted, "{bytes:x?}");
        }
    }

    #[test]
    fn a_source_gives_the_text_of_the_file() {
        let text = "1. e4 ü ♞ 𝄞\n".repeat(5_000);
        assert_eq!(through_a_source(&utf16(&text, u16::to_le_bytes)), text.as_bytes());
        assert_eq!(through_a_source(&utf16(&text, u16::to_be_bytes)), text.as_bytes());
        assert_eq!(through_a_source(format!("\u{feff}{text}").as_bytes()), text.as_bytes());
        for short in [&b""[..], b"x", b"\xef\xbb", b"\xff", b"M\xfc"] {
            assert_eq!(through_a_source(short), short, "{short:x?}");
        }
    }

    #[test]
    fn bytes_stay_in_their_places_where_places_are_needed() {
        for text in ["", "x", "\u{feff}1. e4 ü", "1. e4 \u{feff}"] {
            assert_eq!(all_of(TextSource::in_place(text.as_bytes())), text.as_bytes());
        }
        assert_eq!(all_of(TextSource::in_place(&b"\xff\xfee\x004\x00"[..])), b"e4");
        assert_eq!(all_of(TextSource::within(&b"\xff\xfee4"[..])), b"\xff\xfee4");
        // However little is asked for at once.
        let (mut source, mut read) =
            (TextSource::in_place(&b"\xef\xbb\xbfe4 e5"[..]), Vec::<u8>::new());
        let mut some = [0; 2];
        while let length @ 1.. = source.read(&mut some).expect("memory") {
            read.extend(&some[..length]);
        }
        assert_eq!(read, b"\xef\xbb\xbfe4 e5");
    }

    proptest! {
        #[test]
        fn any_text_survives(text in ".{0,40}") {
            let unmarked = text.trim_start_matches('\u{feff}');
            prop_assert_eq!(&decode(text.as_bytes()), &text);
            for bytes in [utf16(unmarked, u16::to_le_bytes), utf16(unmarked, u16::to_be_bytes)] {
                prop_assert_eq!(decode_file(&bytes), unmarked);
                prop_assert_eq!(through_a_source(&bytes), unmarked.as_bytes());
            }
        }

        #[test]
        fn a_source_and_a_file_are_decoded_alike(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let through = through_a_source(&bytes);
            prop_assert_eq!(decode(&through), decode_file(&bytes));
        }
    }
}
