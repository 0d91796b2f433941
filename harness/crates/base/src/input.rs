//! Files that are read, compressed or not: games, books, suites, training data.

mod pipe;
mod unpack;

use std::fs::File;
use std::io::{self, BufRead, ErrorKind, Read};
use std::path::Path;

use crate::text;

pub use pipe::{Pipe, stop_waiting_at};
pub use unpack::{Compression, Detected, refuse_archive};

/// Extensions of compressed files.
pub const ENDINGS: [&str; 3] = ["zst", "gz", "bz2"];

/// Extensions of texts, and none at all: their first bytes may tell that they are compressed.
const TEXTS: [&str; 9] = ["", "pgn", "epd", "fen", "txt", "csv", "yaml", "yml", "json"];

/// Extensions of archives, which are refused by their first bytes.
const ARCHIVES: [&str; 4] = ["zip", "7z", "xz", "rar"];

/// Longest line of a file with a position a line, in bytes.
pub const MAX_LINE: usize = 1 << 16;

/// Largest text that is read as a whole, in bytes.
pub const MAX_TEXT: u64 = 256 << 20;

/// Largest file that is read as a whole, in bytes.
pub const MAX_FILE: u64 = 2 << 30;

/// The ending of a file's name in small letters, that of compression left aside: `pgn` of
/// `games.PGN.zst`.
pub fn ending(path: &Path) -> String {
    let last = |path: &Path| {
        path.extension().map(|text| text.to_string_lossy().to_lowercase()).unwrap_or_default()
    };
    let found = last(path);
    if !ENDINGS.contains(&&*found) {
        return found;
    }
    path.file_stem().map(|stem| last(Path::new(stem))).unwrap_or_default()
}

/// Whether a file is compressed, by its extension.
pub fn is_compressed(path: &Path) -> bool {
    Compression::of_name(path).is_some()
}

/// Opens a file, and decompresses it by its extension; `-` is standard input. A reader that waits for a
/// pipe stops at the interrupt; see [`stop_waiting_at`].
///
/// # Errors
/// When it cannot be opened.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(unpacked(path, Pipe::new(|| Ok(io::stdin()))));
    }
    open_raw(path).map(|source| unpacked(path, source))
}

/// Opens a file as it is, a pipe or a device, too.
///
/// # Errors
/// When it cannot be opened.
pub fn open_raw(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if is_plain(path)? {
        return File::open(path).map(|file| Box::new(file) as Box<dyn Read + Send>);
    }
    // Even its opening waits for a writer.
    let path = path.to_owned();
    Ok(Box::new(Pipe::new(move || File::open(path))))
}

/// Whether a path is that of a file or a folder, and not that of a pipe or a device, whose readers may
/// wait without end and which are read only once.
///
/// # Errors
/// When there is none.
pub fn is_plain(path: &Path) -> io::Result<bool> {
    let found = std::fs::metadata(path)?;
    Ok(found.is_file() || found.is_dir())
}

/// The content of a file, decompressed by its extension.
///
/// # Errors
/// When it cannot be read, is damaged, or is larger than [`MAX_FILE`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_within(path, MAX_FILE)
}

fn read_within(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let source = open_raw(path).map(|source| unpacked(path, source))?;
    if source.take(most + 1).read_to_end(&mut bytes)? as u64 > most {
        let reason = format!("it holds more than {} MiB", most >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// The text of a file, decompressed by its extension, whatever its encoding; see
/// [`decode_file`](text::decode_file).
///
/// # Errors
/// When it cannot be read, is damaged, or is larger than [`MAX_TEXT`].
pub fn read_text(path: &Path) -> io::Result<String> {
    read_within(path, MAX_TEXT).map(|bytes| text::decode_file(&bytes).into_owned())
}

/// Appends a line with its end, LF, CR or both, to `line`, at most about `limit` bytes; the number of
/// bytes, 0 at the end of the source.
///
/// # Errors
/// When the source cannot be read.
pub fn read_line(source: &mut impl BufRead, line: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
    let mut read = 0;
    while read < limit {
        let available = match source.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            available => available?,
        };
        let within = &available[..available.len().min(limit - read)];
        let end = memchr::memchr2(b'\n', b'\r', within);
        let length = end.map_or(within.len(), |end| end + 1);
        let is_return = end.is_some_and(|end| within[end] == b'\r');
        line.extend(&within[..length]);
        let is_over = end.is_some() || length == 0;
        source.consume(length);
        read += length;
        if is_return && source.fill_buf()?.first() == Some(&b'\n') {
            line.push(b'\n');
            source.consume(1);
            read += 1;
        }
        if is_over {
            break;
        }
    }
    Ok(read)
}

/// A source, decompressed by the extension of its file; where that names a text, or nothing, also by
/// its first bytes.
pub fn unpacked<'a>(path: &Path, source: impl Read + Send + 'a) -> Box<dyn Read + Send + 'a> {
    match Compression::of_name(path) {
        Some(compression) => compression.unpack(source),
        None if TEXTS.iter().chain(&ARCHIVES).any(|known| *known == ending(path)) => {
            Box::new(Detected::new(source))
        }
        None => Box::new(source),
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn a_file_that_is_too_large_is_refused() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("large.yaml");
        std::fs::write(&path, "0123456789").expect("written");
        assert_eq!(read_within(&path, 10).expect("small enough").len(), 10);
        let error = read_within(&path, 9).expect_err("too large");
        assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_line_ends_with_any_line_end() {
        for (text, wanted) in [
            ("a\nb\r\nc\rd", vec!["a\n", "b\r\n", "c\r", "d"]),
            ("\r\r\n\n", vec!["\r", "\r\n", "\n"]),
            ("", vec![]),
        ] {
            // However few bytes come at a time.
            for capacity in [1, 2, 64] {
                let mut source = BufReader::with_capacity(capacity, text.as_bytes());
                let lines = std::iter::from_fn(|| {
                    let mut line = Vec::new();
                    let read = read_line(&mut source, &mut line, 100).expect("memory");
                    (read > 0).then(|| String::from_utf8(line).expect("text"))
                });
                assert_eq!(lines.collect::<Vec<_>>(), wanted, "{text:?} {capacity}");
            }
        }
        let mut line = Vec::new();
        assert_eq!(read_line(&mut &b"abcdef"[..], &mut line, 4).expect("memory"), 4);
    }
}
