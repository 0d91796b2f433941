//! The members of a tar archive, read as a stream.
//!
//! A header of 512 bytes (name, size in octal, checksum, kind), then the member, filled up to a
//! multiple of 512; zeros at the end.
//!
//! Source: POSIX.1-2017, `pax`, "ustar Interchange Format".

use std::io::{self, ErrorKind, Read};

const BLOCK: usize = 512;

/// Members are read as a whole; none of training data is as large.
const MAX_MEMBER: u64 = 1 << 30;

/// A regular file in an archive.
#[derive(Debug)]
pub struct Member {
    pub name: String,
    pub content: Vec<u8>,
}

/// Reads members one after the other.
pub struct Members<R> {
    source: R,
    /// Bytes read.
    pub offset: u64,
}

impl<R: Read> Members<R> {
    pub fn new(source: R) -> Members<R> {
        Members { source, offset: 0 }
    }

    /// The next regular file; `None` at the end of the archive.
    ///
    /// # Errors
    /// When it cannot be read, or is no tar archive.
    pub fn member(&mut self) -> io::Result<Option<Member>> {
        loop {
            let mut header = [0; BLOCK];
            if !self.header(&mut header)? {
                return Ok(None);
            }
            let size = octal(&header[124..136])
                .filter(|size| *size <= MAX_MEMBER)
                .ok_or_else(|| damaged("a member with a size that cannot be read"))?;
            let mut content = Vec::new();
            let padded = size.next_multiple_of(BLOCK as u64);
            let read = self.source.by_ref().take(padded).read_to_end(&mut content)? as u64;
            self.offset += read;
            if read < padded {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            // A regular file; the others are folders, links and notes to the member behind them.
            if matches!(header[156], b'0' | 0) {
                content.truncate(size as usize);
                let name = &header[..100];
                let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
                let name = String::from_utf8_lossy(&name[..end]).into_owned();
                return Ok(Some(Member { name, content }));
            }
        }
    }

    /// Reads a header; false at the end.
    fn header(&mut self, header: &mut [u8; BLOCK]) -> io::Result<bool> {
        let mut filled = 0;
        while filled < BLOCK {
            match self.source.read(&mut header[filled..]) {
                Ok(0) if filled == 0 => return Ok(false),
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.offset += BLOCK as u64;
        if header.iter().all(|byte| *byte == 0) {
            return Ok(false);
        }
        // The checksum counts itself as spaces.
        let sum: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        let own: u64 = header[148..156].iter().map(|byte| u64::from(*byte)).sum();
        if octal(&header[148..156]) == Some(sum - own + 8 * u64::from(b' ')) {
            return Ok(true);
        }
        Err(damaged("no tar archive, or a damaged one: the checksum of a header does not fit"))
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

/// A number in octal digits, or, with the highest bit set, in bytes (GNU tar).
fn octal(field: &[u8]) -> Option<u64> {
    if let [128, bytes @ ..] = field {
        return bytes.iter().try_fold(0_u64, |number, byte| {
            number.checked_mul(256).map(|number| number + u64::from(*byte))
        });
    }
    let text = std::str::from_utf8(field).ok()?;
    u64::from_str_radix(text.trim_matches([' ', '\0']), 8).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_octal_or_bytes() {
        assert_eq!(octal(b"00000001750\0"), Some(1000));
        assert_eq!(octal(b"  1750 \0"), Some(1000));
        assert_eq!(octal(&[128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 232]), Some(1000));
        assert_eq!(octal(&[255; 12]), None);
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        let error = Members::new(&[7; 2000][..]).member().expect_err("no archive");
        assert!(error.to_string().contains("no tar archive"), "{error}");
        let error = Members::new(&[7; 100][..]).member().expect_err("too short");
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        assert!(Members::new(&[0; 1024][..]).member().expect("empty").is_none());
    }
}
