//! The records of one chunk, decompressed.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use libdeflater::Decompressor;

use super::error::SampleError;
use super::sample::SIZE;
use crate::formats::error::{FormatError, Place};
use crate::formats::format::Source;

/// Records read from a stream at a time.
const STRIDE: usize = 64;

/// First bytes of a gzip member.
const GZIP: [u8; 3] = [0x1f, 0x8b, 8];

/// Compressed files up to this size, which also become no larger, are decompressed at once, which is
/// faster; others are decompressed as a stream. A game of 1,000 plies is 8 MB.
const AT_ONCE: u64 = 64 << 20;

/// Reads records one after the other.
pub struct Records<'a> {
    path: String,
    source: Source<'a>,
    /// Whether the first bytes are still to tell if the source is compressed.
    begins: bool,
    decompressor: Decompressor,
    buffer: Vec<u8>,
    /// The first byte of the buffer that is not returned.
    at: usize,
    /// Bytes returned.
    offset: u64,
    number: u64,
}

impl<'a> Records<'a> {
    /// From the beginning of a chunk, compressed by gzip or not; `path` names it in errors.
    pub fn new(path: String, source: Source<'a>) -> Records<'a> {
        let decompressor = Decompressor::new();
        let buffer = Vec::new();
        Records { path, source, begins: true, decompressor, buffer, at: 0, offset: 0, number: 0 }
    }

    /// Begins another chunk, of this content, compressed or not. What is left in `content` is of no
    /// use but its memory.
    pub fn restart(&mut self, path: String, content: &mut Vec<u8>) {
        (self.path, self.begins, self.offset, self.number) = (path, false, 0, 0);
        self.source = Box::new(io::empty());
        if content.starts_with(&GZIP) {
            self.decompress(content, Box::new(io::empty()));
        } else {
            std::mem::swap(&mut self.buffer, content);
        }
        self.at = 0;
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// When it cannot be read, or is of another version.
    pub fn record(&mut self) -> Result<Option<&[u8; SIZE]>, FormatError> {
        if self.buffer.len() - self.at < SIZE {
            self.fill().map_err(|error| self.bad(self.offset, error.to_string()))?;
        }
        let rest = &self.buffer[self.at..];
        if rest.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        self.offset += SIZE as u64;
        // Records of other versions have other sizes, so that they may end too soon.
        let version = rest.first_chunk::<4>().map_or(6, |bytes| u32::from_le_bytes(*bytes));
        if version != 6 {
            return Err(self.refused(&SampleError::version(version)));
        }
        let at = self.at;
        self.at = (at + SIZE).min(self.buffer.len());
        let record = self.buffer[at..].first_chunk();
        record.map(Some).ok_or_else(|| FormatError::Short {
            path: self.path.clone(),
            offset: self.offset - SIZE as u64,
        })
    }

    /// An error in the record that was returned last.
    pub fn refused(&self, error: &SampleError) -> FormatError {
        let at = self.offset.saturating_sub(SIZE as u64);
        self.bad(at, format!("record {}: {error}", self.number))
    }

    fn bad(&self, offset: u64, reason: String) -> FormatError {
        FormatError::Bad { path: self.path.clone(), place: Place::Byte(offset), reason }
    }

    /// Reads more records.
    fn fill(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.begins) {
            self.begin()?;
        } else {
            self.buffer.drain(..self.at);
        }
        self.at = 0;
        let missing = (STRIDE * SIZE).saturating_sub(self.buffer.len()) as u64;
        self.source.by_ref().take(missing).read_to_end(&mut self.buffer)?;
        Ok(())
    }

    /// Reads the first bytes, and decompresses what is compressed.
    fn begin(&mut self) -> io::Result<()> {
        let mut source = std::mem::replace(&mut self.source, Box::new(io::empty()));
        let mut compressed = Vec::new();
        source.by_ref().take(GZIP.len() as u64).read_to_end(&mut compressed)?;
        if compressed != GZIP {
            self.buffer = compressed;
            self.source = source;
            return Ok(());
        }
        source.by_ref().take(AT_ONCE).read_to_end(&mut compressed)?;
        self.decompress(&mut compressed, source);
        Ok(())
    }

    /// Decompresses a chunk into the buffer, or, where that is not done at once, as a stream with the
    /// rest of the source.
    fn decompress(&mut self, compressed: &mut Vec<u8>, rest: Source<'a>) {
        if !at_once(&mut self.decompressor, compressed, &mut self.buffer) {
            self.buffer.clear();
            let all = Cursor::new(std::mem::take(compressed)).chain(rest);
            self.source = Box::new(MultiGzDecoder::new(all));
        }
    }
}

/// Decompresses a file of one gzip member at once; false if it is none, or damaged.
fn at_once(decompressor: &mut Decompressor, compressed: &[u8], into: &mut Vec<u8>) -> bool {
    let Some(size) = compressed.last_chunk().map(|size| u64::from(u32::from_le_bytes(*size)))
    else {
        return false;
    };
    // Deflate makes at most 1,032 bytes of one.
    let size_is_sound = size <= AT_ONCE.min(1032 * compressed.len() as u64);
    // The decompressor says nothing of a second member; its header would be found here.
    let mut starts = compressed[1..].windows(GZIP.len()).filter(|bytes| **bytes == GZIP);
    if !size_is_sound || compressed.len() as u64 > AT_ONCE || starts.next().is_some() {
        return false;
    }
    // Overwritten as a whole, so that only what it grows by is filled first.
    into.resize(size as usize, 0);
    let read = decompressor.gzip_decompress(compressed, into);
    read.is_ok_and(|read| read as u64 == size)
}
