//! Files that are read, compressed or not: games, books, suites, training data.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::text;

/// Extensions of compressed files.
pub const ENDINGS: [&str; 3] = ["zst", "gz", "bz2"];

/// Bytes decompressed at a time.
const STRIDE: usize = 1 << 17;

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
    let found = path.extension().map(|text| text.to_string_lossy().to_lowercase());
    found.is_some_and(|found| ENDINGS.contains(&&*found))
}

/// Opens a file, and decompresses it by its extension; `-` is standard input.
///
/// # Errors
/// When it cannot be opened.
pub fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    File::open(path).map(|file| unpacked(path, file))
}

/// The content of a file, decompressed by its extension.
///
/// # Errors
/// When it cannot be read or is damaged.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).map(|file| unpacked(path, file))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file, decompressed by its extension, whatever its encoding; see
/// [`decode_file`](text::decode_file).
///
/// # Errors
/// When it cannot be read or is damaged.
pub fn read_text(path: &Path) -> io::Result<String> {
    read(path).map(|bytes| text::decode_file(&bytes).into_owned())
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

/// A source, decompressed by the extension of its file.
pub fn unpacked<'a>(path: &Path, source: impl Read + Send + 'a) -> Box<dyn Read + Send + 'a> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("zst") => Box::new(Zstandard {
            source: BufReader::with_capacity(STRIDE, source),
            decoder: FrameDecoder::new(),
            within: false,
        }),
        Some("gz") => Box::new(MultiGzDecoder::new(source)),
        Some("bz2") => Box::new(MultiBzDecoder::new(source)),
        _ => Box::new(source),
    }
}

/// Frames of Zstandard one after the other, as parallel compressors write them.
struct Zstandard<R> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    /// Whether a frame has begun that is not given away yet.
    within: bool,
}

impl<R: Read> Zstandard<R> {
    /// Begins the next frame; `false` at the end of the file.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.within {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.source) {
                Ok(()) => self.within = true,
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut comment = self.source.by_ref().take(length.into());
                    if io::copy(&mut comment, &mut io::sink())? < u64::from(length) {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(damaged(error)),
            }
        }
        Ok(true)
    }
}

fn damaged(error: FrameDecoderError) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("damaged Zstandard: {error}"))
}

impl<R: Read> Read for Zstandard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.begin()? {
            let decoder = &mut self.decoder;
            if decoder.can_collect() == 0 && !decoder.is_finished() {
                let some = BlockDecodingStrategy::UptoBytes(STRIDE);
                decoder.decode_blocks(&mut self.source, some).map_err(damaged)?;
            }
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if decoder.is_finished() {
                let (stored, computed) =
                    (decoder.get_checksum_from_data(), decoder.get_calculated_checksum());
                if stored.is_some() && stored != computed {
                    let what = "damaged Zstandard: the checksum does not fit";
                    return Err(io::Error::new(ErrorKind::InvalidData, what));
                }
                self.within = false;
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
