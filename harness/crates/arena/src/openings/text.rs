//! The text of a book: built in, or a file of which only parts are read at a time.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use harness_base::input::{self, Compression, MAX_LINE};
use harness_base::platform;
use harness_base::text::{decode_file, is_utf16};

/// Place of an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Offset of its first byte.
    pub offset: u64,
    /// Length in bytes.
    pub length: u32,
    /// The line it begins on, from 1; for errors.
    pub line: u64,
}

/// The text of a book.
#[derive(Debug)]
pub enum Text {
    /// Built in.
    Embedded(&'static str),
    /// A file.
    File(File),
    /// Content of a compressed file.
    Unpacked(Vec<u8>),
}

impl Text {
    /// A built-in text.
    pub fn embedded(text: &'static str) -> Text {
        Text::Embedded(text)
    }

    /// A file; a compressed one (.zst, .gz, .bz2) is unpacked in memory, and UTF-16 decoded there.
    ///
    /// # Errors
    /// When it cannot be opened, is no file, or is damaged.
    pub fn open(path: &Path) -> io::Result<Text> {
        if input::is_compressed(path) {
            return input::read(path).map(|bytes| Text::Unpacked(as_utf8(bytes)));
        }
        if !input::is_plain(path)? {
            let reason =
                "a pipe is read only once, and a run reads its book again: save it as a file";
            return Err(io::Error::new(io::ErrorKind::NotSeekable, reason));
        }
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut begin = [0; Compression::MARK];
        let length = platform::read_at(&file, &mut begin, 0)?;
        let begin = &begin[..length];
        // A Polyglot book may begin with any bytes.
        let is_text = input::ending(path) != "bin";
        if is_text {
            input::refuse_archive(begin)?;
        }
        let is_packed = is_text && Compression::of_content(begin).is_some();
        if is_utf16(begin) || is_packed {
            return input::read(path).map(|bytes| Text::Unpacked(as_utf8(bytes)));
        }
        Ok(Text::File(file))
    }

    /// SHA-256 of the whole, in hex.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn sha256(&self) -> io::Result<String> {
        let mut hasher = Sha256::new();
        io::copy(&mut self.reader(), &mut hasher)?;
        Ok(format!("{:x}", hasher.finalize()))
    }

    /// A part. Threads may read at the same time.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(&self, span: Span) -> io::Result<Cow<'static, [u8]>> {
        match self {
            Text::Embedded(text) => within(text.as_bytes(), span).map(Cow::Borrowed),
            Text::Unpacked(bytes) => within(bytes, span).map(|part| Cow::Owned(part.to_vec())),
            Text::File(file) => {
                let mut part = vec![0; span.length as usize];
                platform::read_exact_at(file, &mut part, span.offset)?;
                Ok(Cow::Owned(part))
            }
        }
    }

    /// Calls `see` with every line without its end, its offset and its number.
    ///
    /// # Errors
    /// When it cannot be read, or a line is longer than [`MAX_LINE`].
    pub fn each_line(&self, mut see: impl FnMut(&[u8], u64, u64)) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(1 << 16, self.reader());
        let mut line = Vec::new();
        let mut offset = 0;
        let mut number = 0;
        loop {
            line.clear();
            let length = input::read_line(&mut reader, &mut line, MAX_LINE)?;
            if length == 0 {
                return Ok(());
            }
            number += 1;
            if length >= MAX_LINE {
                let reason = format!("line {number} has more than {MAX_LINE} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            see(line.trim_ascii_end(), offset, number);
            offset += length as u64;
        }
    }

    /// Reads it from its beginning.
    pub fn reader(&self) -> Box<dyn Read + '_> {
        match self {
            Text::Embedded(text) => Box::new(text.as_bytes()),
            Text::Unpacked(bytes) => Box::new(bytes.as_slice()),
            Text::File(file) => Box::new(FromStart { file, offset: 0 }),
        }
    }
}

fn as_utf8(bytes: Vec<u8>) -> Vec<u8> {
    if is_utf16(&bytes) { decode_file(&bytes).into_owned().into_bytes() } else { bytes }
}

fn within(bytes: &[u8], span: Span) -> io::Result<&[u8]> {
    let start = usize::try_from(span.offset).unwrap_or(usize::MAX);
    let end = start.saturating_add(span.length as usize);
    bytes.get(start..end).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// Reads a file from its start, independently of other readers.
struct FromStart<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for FromStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = platform::read_at(self.file, buffer, self.offset)?;
        self.offset += length as u64;
        Ok(length)
    }
}
