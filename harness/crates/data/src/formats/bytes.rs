//! Bytes of a file, and where they stood.

use std::io::{BufRead, BufReader, ErrorKind, Read};

use super::error::{FormatError, Place, RecordError};
use super::format::{Items, fused};

/// Records of `N` bytes, one after the other.
pub fn records<'a, const N: usize, T>(
    path: &str,
    source: impl Read + Send + 'a,
    parse: impl Fn(&[u8; N]) -> Result<T, RecordError> + Send + 'a,
) -> Items<'a, T> {
    let mut bytes = Bytes::new(path, source);
    let blocks = (0..).map_while(move |number| {
        let at = bytes.offset();
        let parsed = bytes.block::<N>().transpose()?.and_then(|block| {
            let record = parse(&block);
            record.map_err(|error| bytes.bad(at, format!("record {}: {error}", number + 1)))
        });
        Some(parsed)
    });
    fused(blocks)
}

/// Reads blocks of a fixed size, and counts the offset.
pub struct Bytes<R> {
    path: String,
    source: BufReader<R>,
    offset: u64,
}

impl<R: Read> Bytes<R> {
    /// From the beginning of a file; `path` names it in errors.
    pub fn new(path: &str, source: R) -> Bytes<R> {
        Bytes::from(path, source, 0)
    }

    /// From a source that is at this offset.
    pub fn from(path: &str, source: R, offset: u64) -> Bytes<R> {
        let source = BufReader::with_capacity(1 << 16, source);
        Bytes { path: path.to_owned(), source, offset }
    }

    /// Bytes read.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The next bytes; `None` at the end of the file.
    pub fn block<const N: usize>(&mut self) -> Result<Option<[u8; N]>, FormatError> {
        let mut block = [0; N];
        let at_end = self.source.fill_buf().map(<[u8]>::is_empty);
        if at_end.map_err(|error| self.unreadable(&error))? {
            return Ok(None);
        }
        let read = self.source.read_exact(&mut block);
        read.map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => self.short(),
            _ => self.unreadable(&error),
        })?;
        self.offset += N as u64;
        Ok(Some(block))
    }

    /// Bytes that have to be there.
    pub fn exact<const N: usize>(&mut self) -> Result<[u8; N], FormatError> {
        let block = self.block()?;
        block.ok_or_else(|| self.short())
    }

    /// Exactly `count` bytes.
    pub fn many(&mut self, count: usize) -> Result<Vec<u8>, FormatError> {
        let mut bytes = Vec::new();
        // A count of a damaged file is not believed before the bytes are there.
        let read = self.source.by_ref().take(count as u64).read_to_end(&mut bytes);
        if read.map_err(|error| self.unreadable(&error))? < count {
            return Err(self.short());
        }
        self.offset += count as u64;
        Ok(bytes)
    }

    /// An error at a place.
    pub fn bad(&self, offset: u64, reason: String) -> FormatError {
        FormatError::Bad { path: self.path.clone(), place: Place::Byte(offset), reason }
    }

    /// The file ends too soon.
    pub fn short(&self) -> FormatError {
        FormatError::Short { path: self.path.clone(), offset: self.offset }
    }

    fn unreadable(&self, reason: &std::io::Error) -> FormatError {
        self.bad(self.offset, reason.to_string())
    }
}
