//! The part of a source that is in memory.

use std::io::{self, ErrorKind, Read};

use memchr::{memchr, memchr_iter};

use harness_base::text::TextSource;

/// Bytes that are read at a time.
const STRIDE: usize = 1 << 15;

/// A window that moves over a source. Indices are places in its buffer; they stay valid until more
/// is read, and those seen from [`begin`](Window::begin) until it moves.
#[derive(Debug)]
pub(super) struct Window<R> {
    source: TextSource<R>,
    buffer: Vec<u8>,
    /// The next byte to be looked at.
    begin: usize,
    /// Behind the last byte that was read.
    end: usize,
    /// Offset of the first byte of the buffer in the source.
    offset: u64,
    /// Line ends before the buffer.
    lines: u64,
    /// The byte before the buffer.
    before: u8,
    ended: bool,
}

impl<R: Read> Window<R> {
    /// `offset` and `line` are those of the first byte of the source, from 0.
    pub fn new(source: TextSource<R>, offset: u64, line: u64) -> Window<R> {
        Window {
            source,
            buffer: Vec::new(),
            begin: 0,
            end: 0,
            offset,
            lines: line,
            before: b'\n',
            ended: false,
        }
    }

    /// Bytes read and not consumed.
    #[inline]
    pub fn rest(&self) -> &[u8] {
        &self.buffer[self.begin..self.end]
    }

    /// Index of the next byte.
    #[inline]
    pub fn begin(&self) -> usize {
        self.begin
    }

    /// The bytes of some indices.
    #[inline]
    pub fn bytes(&self, range: std::ops::Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// The byte before the next one; a line end at the start of the source.
    #[inline]
    pub fn previous(&self) -> u8 {
        match self.begin {
            0 => self.before,
            begin => self.buffer[begin - 1],
        }
    }

    /// Moves behind some bytes of the rest.
    #[inline]
    pub fn consume(&mut self, bytes: usize) {
        self.begin = (self.begin + bytes).min(self.end);
    }

    /// Whether the whole source was read.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Reads on until the rest has that number of bytes, or the source ends.
    #[inline]
    pub fn ensure(&mut self, bytes: usize) -> io::Result<()> {
        while self.end - self.begin < bytes && !self.ended {
            self.more()?;
        }
        Ok(())
    }

    /// Reads more. What is consumed leaves the buffer.
    #[cold]
    pub fn more(&mut self) -> io::Result<()> {
        self.compact();
        if self.buffer.len() - self.end < STRIDE {
            self.buffer.resize(self.end + STRIDE, 0);
        }
        let read = loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.ended = read == 0;
        self.end += read;
        Ok(())
    }

    fn compact(&mut self) {
        if self.begin == 0 {
            return;
        }
        self.before = self.previous();
        self.lines += line_ends(&self.buffer[..self.begin], self.rest().first());
        self.offset += self.begin as u64;
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
    }

    /// Takes out the bytes of the rest from `keep` on: what is before them stays, and what is read
    /// next comes behind it.
    pub fn cut(&mut self, keep: usize) {
        let from = self.begin + keep;
        self.lines += line_ends(&self.buffer[from..self.end], None);
        self.offset += (self.end - from) as u64;
        self.end = from;
    }

    /// Offset in the source of an index that is not before a [`cut`](Window::cut).
    #[inline]
    pub fn offset(&self, index: usize) -> u64 {
        self.offset + index as u64
    }

    /// Line of an index, from 1.
    pub fn line(&self, index: usize) -> u64 {
        self.lines + line_ends(&self.buffer[..index], self.buffer.get(index)) + 1
    }
}

/// Line ends in a part of a text: `\n`, `\r\n`, or `\r` alone; `next` is the byte behind it.
pub fn line_ends(text: &[u8], next: Option<&u8>) -> u64 {
    let feeds = memchr_iter(b'\n', text).count() as u64;
    if memchr(b'\r', text).is_none() {
        return feeds;
    }
    let alone = |&at: &usize| text.get(at + 1).or(next) != Some(&b'\n');
    feeds + memchr_iter(b'\r', text).filter(alone).count() as u64
}
