//! Decompression, with the place of damage.

use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Bytes decompressed at a time.
const STRIDE: usize = 1 << 17;

/// A kind of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// `.zst`.
    Zstandard,
    /// `.gz`.
    Gzip,
    /// `.bz2`.
    Bzip2,
}

impl Compression {
    /// Bytes at the beginning of a file that name it.
    pub const MARK: usize = 4;

    /// By the extension of a file.
    pub fn of_name(path: &Path) -> Option<Compression> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("zst") => Some(Compression::Zstandard),
            Some("gz") => Some(Compression::Gzip),
            Some("bz2") => Some(Compression::Bzip2),
            _ => None,
        }
    }

    /// By the first bytes of a file; no text begins with them.
    pub fn of_content(begin: &[u8]) -> Option<Compression> {
        match begin {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Compression::Zstandard),
            [0x1f, 0x8b, 8, ..] => Some(Compression::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Compression::Bzip2),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Compression::Zstandard => "Zstandard",
            Compression::Gzip => "gzip",
            Compression::Bzip2 => "bzip2",
        }
    }

    /// Decompresses a source; nothing at all holds nothing. Errors name the place in the source.
    pub fn unpack<'a>(self, source: impl Read + Send + 'a) -> Box<dyn Read + Send + 'a> {
        let read = Arc::new(AtomicU64::new(0));
        let source = Counted { source, read: Arc::clone(&read) };
        let decoder: Box<dyn Read + Send + 'a> = match self {
            Compression::Zstandard => Box::new(Zstandard {
                source: BufReader::with_capacity(STRIDE, source),
                decoder: FrameDecoder::new(),
                within: false,
            }),
            Compression::Gzip => Box::new(MultiGzDecoder::new(source)),
            Compression::Bzip2 => Box::new(MultiBzDecoder::new(source)),
        };
        Box::new(Placed { compression: self, decoder, read })
    }
}

/// The kind of an archive, by the first bytes of a file: it may hold many files, and is not read.
pub fn archive(begin: &[u8]) -> Option<&'static str> {
    match begin {
        [b'P', b'K', 3, 4, ..] => Some("zip"),
        [b'7', b'z', 0xbc, 0xaf, ..] => Some("7z"),
        [0xfd, b'7', b'z', b'X', ..] => Some("xz"),
        [b'R', b'a', b'r', b'!', ..] => Some("rar"),
        _ => None,
    }
}

/// The error of a file that begins as an archive does.
///
/// # Errors
/// When it does.
pub fn refuse_archive(begin: &[u8]) -> io::Result<()> {
    let Some(kind) = archive(begin) else { return Ok(()) };
    let reason = format!("it is packed as {kind}: unpack it, or pack it as .zst, .gz or .bz2");
    Err(io::Error::new(ErrorKind::InvalidData, reason))
}

/// Counts the bytes that are read.
struct Counted<R> {
    source: R,
    read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.source.read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

/// A decoder whose errors name the place.
struct Placed<'a> {
    compression: Compression,
    decoder: Box<dyn Read + Send + 'a>,
    /// Bytes of the source that were read.
    read: Arc<AtomicU64>,
}

impl Read for Placed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let error = match self.decoder.read(buffer) {
            Err(error) if error.kind() != ErrorKind::Interrupted => error,
            read => return read,
        };
        let name = self.compression.name();
        match (error.kind(), self.read.load(Ordering::Relaxed)) {
            (ErrorKind::UnexpectedEof, 0) => Ok(0),
            (kind @ ErrorKind::UnexpectedEof, read) => Err(io::Error::new(
                kind,
                format!("damaged {name}: it is cut off behind byte {read}"),
            )),
            (
                kind @ (ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other),
                read,
            ) => {
                let reason = format!("damaged {name}, before byte {read} of the file: {error}");
                Err(io::Error::new(kind, reason))
            }
            // Of the source, such as an interrupt or a disk that cannot be read.
            _ => Err(error),
        }
    }
}

/// A source that is decompressed if its first bytes say so.
pub struct Detected<'a, R> {
    /// Until its first bytes are read.
    source: Option<R>,
    reader: Box<dyn Read + Send + 'a>,
}

impl<R> Detected<'_, R> {
    /// Reads nothing yet.
    pub fn new(source: R) -> Self {
        Detected { source: Some(source), reader: Box::new(io::empty()) }
    }
}

impl<'a, R: Read + Send + 'a> Read for Detected<'a, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(mut source) = self.source.take() {
            let mut begin = Vec::with_capacity(Compression::MARK);
            source.by_ref().take(Compression::MARK as u64).read_to_end(&mut begin)?;
            refuse_archive(&begin)?;
            let compression = Compression::of_content(&begin);
            let whole = Cursor::new(begin).chain(source);
            self.reader = match compression {
                Some(compression) => compression.unpack(whole),
                None => Box::new(whole),
            };
        }
        self.reader.read(buffer)
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
    io::Error::new(ErrorKind::InvalidData, error.to_string())
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
                    let what = "the checksum does not fit";
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
    use std::io::Write;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn damage_has_its_place_and_nothing_at_all_is_empty() {
        for compression in [Compression::Gzip, Compression::Bzip2, Compression::Zstandard] {
            let mut text = String::new();
            compression.unpack(io::empty()).read_to_string(&mut text).expect("nothing");
            assert_eq!(text, "");
            let damaged = compression.unpack(&b"no such file at all, that it is"[..]);
            let error = io::read_to_string(damaged).expect_err("damaged").to_string();
            assert!(error.contains("byte 31") && error.contains(compression.name()), "{error}");
        }
        let cut = &gzip(b"1. e4 e5")[..20];
        let error = io::read_to_string(Compression::Gzip.unpack(cut)).expect_err("cut");
        assert_eq!(error.to_string(), "damaged gzip: it is cut off behind byte 20");
    }

    #[test]
    fn compression_is_found_by_the_first_bytes() {
        let packed = gzip(b"1. e4 e5");
        let read = io::read_to_string(Detected::new(packed.as_slice())).expect("gzip");
        assert_eq!(read, "1. e4 e5");
        for plain in ["", "BZ", "1. e4 e5"] {
            let read = io::read_to_string(Detected::new(plain.as_bytes())).expect("plain");
            assert_eq!(read, plain);
        }
    }
}
